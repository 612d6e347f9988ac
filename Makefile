# `make` shows what there is. Every target prints what it does.
.DEFAULT_GOAL := help
SWIFT ?= swift
# With Swift's own libraries linked in: calls into shared ones cost a tenth of the CPU, and a start
# takes twice as long. The toolchain's linker is quiet about what it finds in them. Without colours,
# for with them SwiftPM builds everything again when the output goes to a file, and again when not.
# `islet --version` names the commit, with a plus sign for what is not committed.
export ISLET_COMMIT ?= $(shell git describe --always --abbrev=12 --exclude '*' --dirty=+ 2>/dev/null)
RELEASE := $(SWIFT) build -c release --no-color-diagnostics --static-swift-stdlib -Xswiftc -use-ld=lld
ISLET := .build/release/islet
SPEED ?= 60x
SECONDS ?= 120
# For each parser.
PARSER_SECONDS ?= 60
BLOWS ?= 200
COUNT ?= 1000
SEEDS ?= 10000
JOBS ?= $(shell nproc)
SEED := $(or $(SEED),$(shell od -An -N4 -tu4 /dev/urandom | tr -d ' '))

.PHONY: help setup run serve test test-fast simulate seeds soak fuzz attack failover cells monitor deb sbom browsers peers tournaments sanitize examples bench lint format docs screenshots clean

help: ## Show this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Install the Debian packages that are missing (asks before using sudo).
	@tools/setup

run: setup build ## Set everything up, build, and play the demo.
	@echo "== Playing the demo ($(SPEED)); add SPEED=120x for a faster one"
	@$(ISLET) demo --speed $(SPEED)

serve: setup build ## Run the server with a private Postgres on port 8080.
	@$(ISLET) serve

build:
	@echo "== Building Islet (release); the first build takes a few minutes"
	@$(RELEASE) --product islet

test: setup lint ## Run every test.
	@tools/setup --for-tests
	@tools/venv .build/conformance/venv Tests/SimulatorTests/Conformance/requirements.txt
	@tools/venv .build/clients/venv Tests/APITests/Clients/requirements.txt
	@tools/venv .build/buckets/venv Tests/ArchiveTests/Foreign/requirements.txt
	@tools/venv .build/browser/venv Tests/APITests/Browser/requirements.txt
	@tools/venv .build/fuzz/venv Tests/Fuzz/requirements.txt
	@echo "== Building and running all tests"
	@$(SWIFT) build --build-tests
	@SWIFT="$(SWIFT)" tools/test

test-fast: ## Run the tests of the pure modules only.
	@$(SWIFT) build --build-tests
	@SWIFT="$(SWIFT)" tools/test --pure

# Apart, for it finds the run-time library's hook for tasks by name, which a shared one has.
simulate: setup ## Run everything in virtual time, from many seeds. SEED=n COUNT=n
	@$(SWIFT) build -c release --scratch-path .build/simulate --product islet-simulate
	@echo "== $(COUNT) seeds from $(SEED) on"
	@SWIFT_DETERMINISTIC_HASHING=1 .build/simulate/release/islet-simulate $(SEED) $(COUNT) --jobs $(JOBS) \
		$(if $(MINUTES),--minutes $(MINUTES))

seeds: ## The same with the seeds that every change has to pass. SEEDS=n MINUTES=n
	@$(MAKE) --no-print-directory simulate SEED=1 COUNT=$(SEEDS)

# With MINUTES, a cluster of three Postgres and two nodes instead, below which everything fails at random.
soak: setup $(if $(MINUTES),build) ## Kill processes and fill a disk under load, for long; as root. BLOWS=n SEED=n MINUTES=n
ifdef MINUTES
	@tools/setup --for-failover
	@Tests/Failover/run --soak --seed $(SEED) --minutes $(MINUTES)
else
	@tools/setup --for-tests
	@$(SWIFT) build --build-tests
	@echo "== $(BLOWS) blows, seed $(SEED)"
	@ISLET_SOAK=1 ISLET_SOAK_BLOWS=$(BLOWS) ISLET_SOAK_SEED=$(SEED) \
		$(SWIFT) test --skip-build --filter SafetyTests
endif

fuzz: setup build ## Throw what no client sends at a server, and at parsers. SEED=n SECONDS=n
	@tools/venv .build/fuzz/venv Tests/Fuzz/requirements.txt
	@Tests/Fuzz/run --seed $(SEED) --seconds $(SECONDS)
	@echo "== Building the parsers with libFuzzer and the address sanitizer"
	@Tests/FuzzParsers/build
	@Tests/FuzzParsers/run $(PARSER_SECONDS)

# make test runs them in Chromium.
browsers: setup ## Try the dashboard in Firefox too.
	@tools/setup --for-tests --for-browsers
	@tools/venv .build/browser/venv Tests/APITests/Browser/requirements.txt
	@$(SWIFT) build --build-tests
	@BROWSER=firefox SWIFT="$(SWIFT)" tools/test --filter '/Dashboard(Office)?Tests.swift'

# make test runs them as well.
peers: setup ## Try other people's clients and servers of APNs and S3 with Islet's.
	@tools/setup --for-tests
	@tools/venv .build/conformance/venv Tests/SimulatorTests/Conformance/requirements.txt
	@tools/venv .build/clients/venv Tests/APITests/Clients/requirements.txt
	@tools/venv .build/buckets/venv Tests/ArchiveTests/Foreign/requirements.txt
	@$(SWIFT) build --build-tests
	@SWIFT="$(SWIFT)" tools/test \
		--filter 'ConformanceTests|InteropTests|ReferenceTests|StrictServerTests|ForeignBucketTests'

attack: setup build ## Attack a server from outside, as everybody who could. SEED=n ONLY=names
	@Tests/Attack/run --seed $(SEED) $(if $(ONLY),--only $(ONLY))

failover: setup build ## Have Patroni fail over below Islet, and measure. MINUTES=n SEED=n ONLY=names
	@tools/setup --for-failover
	@Tests/Failover/run --seed $(SEED) $(if $(ONLY),--only $(ONLY)) \
		$(if $(MINUTES),--minutes $(MINUTES)) $(if $(SYNCHRONOUS),--synchronous $(SYNCHRONOUS))

cells: setup build ## Move tenants between two cells under load, with HAProxy in front. RATE=n
	@tools/setup --for-cells
	@Tests/Cells/run --binary $(ISLET) $(if $(RATE),--events-per-second $(RATE))

monitor: setup build ## Provoke every alert and every question of an operator, with a real Prometheus. ONLY=names
	@tools/setup --for-monitor
	@Tests/Monitor/run $(if $(ONLY),--only $(ONLY))

deb: setup build ## Build a Debian package, and try it on a clean root if you are root.
	@tools/setup --for-packaging
	@mkdir -p .build/deb
	@package=$$(tools/deb $(ISLET) .build/deb) && echo "== $$package" && \
		if [ $$(id -u) -eq 0 ]; then Tests/Package/run $$package; fi

sbom: setup build ## List the libraries of the release and their versions (CycloneDX), in .build/sbom.
	@mkdir -p .build/sbom
	@tools/sbom $(ISLET) .build/sbom/islet.cdx.json && echo "== .build/sbom/islet.cdx.json"

# Ends with 77 without the data. A smaller pace for a slow machine: at 20 a second is 20.
tournaments: setup build ## Play whole tournaments through a server. DATA=folder PACE=n SHARE=n ONLY=text
	@Tests/Tournaments/run $(if $(DATA),--data $(DATA)) $(if $(PACE),--pace $(PACE)) \
		$(if $(SHARE),--share $(SHARE)) $(if $(ONLY),--only "$(ONLY)")

sanitize: setup ## Run what shares memory under the thread and the address sanitizer.
	@tools/setup --for-tests
	@SWIFT=$(SWIFT) tools/sanitize thread address

examples: setup build ## Run the documentation's blocks and steps, the examples, backups; build as an app.
	@Tests/Examples/run
	@Tests/Examples/paste
	@Tests/Examples/first
	@Tests/Examples/restore
	@Tests/Examples/consume
	@Tests/Examples/contribute
	@tools/venv .build/examples/venv Examples/Merchant/python/requirements.txt
	@Tests/Examples/merchants

bench: setup build ## Measure against pgbench, COPY, FastAPI, h2load and aioapns.
	@tools/setup --for-benchmarks
	@$(RELEASE) --product islet-bench
	@tools/venv .build/bench/fastapi Benchmarks/peers/fastapi/requirements.txt
	@tools/venv .build/bench/eventsourcing Benchmarks/peers/eventsourcing/requirements.txt
	@tools/venv .build/bench/aioapns Benchmarks/peers/aioapns/requirements.txt
	@Benchmarks/run

lint: ## Check the formatting.
	@echo "== Checking the formatting"
	@$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks Examples

format: ## Format all Swift files.
	@$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Benchmarks Examples

docs: build ## Write again what docs/reference says, samples of new events, and the lists of kinds in openapi.json.
	@$(ISLET) help --markdown > docs/reference/command-line.md
	@$(ISLET) config table > docs/reference/configuration.md
	@$(SWIFT) build --build-tests
	@ISLET_WRITE_DERIVED=1 $(SWIFT) test --skip-build --filter 'EventReferenceTests|EventGoldenTests|KindListTests'

screenshots: build ## Play the demo and take the pictures of the dashboard that README and docs show.
	@tools/setup --for-tests --for-screenshots
	@tools/screenshots $(ISLET) docs/images

clean: ## Remove everything that was built.
	@rm -rf .build
