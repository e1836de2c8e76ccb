# The same on Alpine, cross-built with musl:  docker build -f tools/docker/musl.Dockerfile -t cortenforge:musl .
FROM debian:bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends make gcc libc6-dev cmake ninja-build python3 python3-venv \
    pkg-config libqhull-dev libccd-dev libspng-dev
COPY . /cortenforge
WORKDIR /cortenforge
RUN make cross TARGET=x86_64-linux-musl

FROM alpine:3.20
COPY --from=build /cortenforge/build/cross/x86_64-linux-musl /usr/local
ENTRYPOINT ["cortenforge"]
