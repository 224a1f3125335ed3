# Two stages: everything that builds, and the two binaries with the engine and nothing else.
FROM rust:1.95-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends clang-19 lld-19 libclang-rt-19-dev-wasm32 \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
ENV CARGO_TARGET_DIR=/build LUMIO_ENGINE_DIR=/build/engine
RUN scripts/engine && cargo build --release --locked -p lumio-api -p lumio-worker

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --home-dir /var/lib/lumio --create-home lumio
COPY --from=build /build/release/lumio-api /build/release/lumio-worker /usr/local/bin/
COPY --from=build --chown=lumio /build/engine/engine.wasm /var/lib/lumio/engine/engine.wasm
USER lumio
ENV LUMIO_ENGINE_DIR=/var/lib/lumio/engine LUMIO_STORAGE_URL=file:///var/lib/lumio/storage \
    LUMIO_HTTP_BIND=0.0.0.0:8080
EXPOSE 8080
CMD ["lumio-api", "serve"]
