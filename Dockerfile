# syntax=docker/dockerfile:1
# The one program, built as it is shipped (fat LTO), in an image without a shell, run by nobody in particular.
#
#   docker build -t tapgate .
#   docker run --rm tapgate --help

FROM rust:1.95-slim-bookworm AS build
WORKDIR /src
COPY . .
# The caches stay on the building machine, so the second build takes what the first one made.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --locked --profile dist --bin botctl \
    && cp target/dist/botctl /usr/local/bin/ \
    && mkdir /data

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /usr/local/bin/botctl /usr/local/bin/
COPY --from=build --chown=65532:65532 /data /data
# In the embedded profile the SQLite file is made here: keep it in a volume.
WORKDIR /data
# Inside a container the addresses of this machine reach nobody. Publish 8080 to nginx alone and 9180 to operators.
ENV TAPGATE_LISTEN=0.0.0.0:8080 \
    TAPGATE_OPS_LISTEN=0.0.0.0:9180
EXPOSE 8080 9180
USER 65532:65532
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s CMD ["/usr/local/bin/botctl", "health"]
ENTRYPOINT ["/usr/local/bin/botctl"]
CMD ["serve"]
