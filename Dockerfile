# Builds Islet and leaves only what running it needs.
FROM swift:6.3-bookworm AS build
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends \
        libboost-dev libcurl4-openssl-dev libjemalloc-dev libnghttp2-dev libpq-dev libssl-dev \
        libuv1-dev pkg-config \
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
FROM swift:6.3-bookworm-slim
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends \
        ca-certificates curl libcurl4 libjemalloc2 libnghttp2-14 libpq5 libssl3 libuv1 libxml2 tzdata \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --home-dir /var/lib/islet --create-home islet \
    && install -d -o islet /credentials
COPY --from=build /out/ /usr/local/lib/islet/
RUN ln -s /usr/local/lib/islet/islet /usr/local/bin/islet
USER islet
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s \
    CMD curl -fsS http://127.0.0.1:8080/healthz || exit 1
ENTRYPOINT ["islet"]
CMD ["serve", "--host", "0.0.0.0"]
