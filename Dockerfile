# Builds Islet and leaves only what running it needs.
#
# The images are pinned by the digests of their indexes of all platforms. Newer ones are what
# `docker buildx imagetools inspect swift:6.3-bookworm` says; give them with --build-arg to try them.
ARG BUILD_IMAGE=swift:6.3-bookworm@sha256:7060a792f4cd9eaa0d00826d941cec00ab8d252d33b8b28bc8e105f51f2dba73
ARG RUN_IMAGE=swift:6.3-bookworm-slim@sha256:7b2297b45e9974b0b9ab0cc32eba199ff9fbf167067b40b89fe02e6d88bfa640

FROM ${BUILD_IMAGE} AS build
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends \
        libboost-dev libcurl4-openssl-dev libjemalloc-dev libnghttp2-dev libpq-dev libssl-dev \
        libuv1-dev libzstd-dev pkg-config zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Package.swift ./
COPY Sources Sources
# The manifest names these targets too; they must exist for the package to load.
COPY Tests Tests
COPY Benchmarks Benchmarks
RUN swift build -c release --static-swift-stdlib -Xswiftc -use-ld=lld --product islet \
    && mkdir -p /out \
    && cp .build/release/islet /out/ \
    && cp -r .build/release/*.resources /out/

# Swift's own libraries are in the program.
FROM ${RUN_IMAGE}
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends \
        ca-certificates libcurl4 libjemalloc2 libnghttp2-14 libpq5 libssl3 libuv1 libxml2 libzstd1 tzdata zlib1g \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 islet \
    && useradd --uid 10001 --gid islet --home-dir /var/lib/islet --create-home \
        --shell /usr/sbin/nologin islet \
    && install -d -o islet -g islet -m 0700 /credentials
COPY --from=build /out/ /usr/local/lib/islet/
RUN ln -s /usr/local/lib/islet/islet /usr/local/bin/islet
# By number, so that an orchestrator can see that it is not root.
USER 10001:10001
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s \
    CMD ["islet", "wait", "--timeout", "2"]
ENTRYPOINT ["islet"]
CMD ["serve", "--host", "0.0.0.0"]
