# The library and the command line on Debian:  docker build -f tools/docker/glibc.Dockerfile -t cortenforge .
FROM debian:bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends make gcc libc6-dev cmake ninja-build python3 python3-venv \
    pkg-config libqhull-dev libccd-dev libspng-dev
COPY . /cortenforge
WORKDIR /cortenforge
RUN make && cmake --install build --prefix /opt/cortenforge

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libqhull-r8.0 libccd2 libspng0 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/cortenforge /usr/local
RUN ldconfig
ENTRYPOINT ["cortenforge"]
