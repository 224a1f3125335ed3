# Two stages: the build, and an image with only the two binaries, the engine, the explorer's files, the handbook and fonts.
# The build has no access to Git: --build-arg LUMIO_COMMIT=$(git rev-parse --short=12 HEAD) names the commit in health and metrics.
# Tags get the fixes of their distribution with every `docker compose build --pull`. A digest behind one, such as
# BASE_IMAGE=debian:bookworm-slim@sha256:…, keeps the image as it is.
ARG RUST_IMAGE=rust:1.95-bookworm
ARG BASE_IMAGE=debian:bookworm-slim
FROM ${RUST_IMAGE} AS build
RUN apt-get update && apt-get install -y --no-install-recommends clang-19 lld-19 libclang-rt-19-dev-wasm32 npm \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
ARG LUMIO_COMMIT
ENV CARGO_TARGET_DIR=/build LUMIO_ENGINE_DIR=/build/engine LUMIO_GRAPHIQL_DIR=/build/graphiql
RUN scripts/engine && scripts/graphiql && cargo build --release --locked -p lumio-api -p lumio-worker -p lumio-handbook \
    && /build/release/lumio-handbook build /build/docs

FROM ${BASE_IMAGE}
# The fonts are for exports as PDF.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates \
        fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji \
    && rm -rf /var/lib/apt/lists/* \
    # The chart names the same number.
    && useradd --system --uid 999 --user-group --home-dir /var/lib/lumio --create-home lumio \
    && chmod 755 /var/lib/lumio \
    && install -d -o lumio /var/lib/lumio/storage /var/lib/lumio/engine \
    && install -d -o lumio -m 700 /var/lib/lumio/keys /var/lib/lumio/secrets /var/lib/lumio/engine/cache
COPY --from=build /build/release/lumio-api /build/release/lumio-worker /usr/local/bin/
COPY --from=build --chown=lumio /build/engine/engine.wasm /var/lib/lumio/engine/engine.wasm
COPY --from=build /build/graphiql /usr/local/share/lumio/graphiql
# Served where LUMIO_DOCS is true.
COPY --from=build /build/docs /usr/local/share/lumio/docs
USER lumio
ENV LUMIO_ENGINE_DIR=/var/lib/lumio/engine LUMIO_GRAPHIQL_DIR=/usr/local/share/lumio/graphiql \
    LUMIO_DOCS_DIR=/usr/local/share/lumio/docs LUMIO_STORAGE_URL=file:///var/lib/lumio/storage \
    LUMIO_HTTP_BIND=0.0.0.0:8080
EXPOSE 8080
# For the command below; a worker uses `lumio-worker health` instead.
HEALTHCHECK --interval=10s --timeout=6s --start-period=30s CMD ["lumio-api", "health"]
CMD ["lumio-api", "serve"]
