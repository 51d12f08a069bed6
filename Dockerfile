# syntax=docker/dockerfile:1
# docker build --tag sought .
# docker run --rm --volume crawl:/crawl sought init /crawl/main https://docs.example.org/ --contact you@example.org
FROM python:3.13-slim AS build
COPY pyproject.toml README.md LICENSE /source/
COPY src /source/src
RUN python -m venv /opt/sought
RUN /opt/sought/bin/python -m pip install --no-cache-dir /source

FROM python:3.13-slim
COPY --from=build /opt/sought /opt/sought
RUN mkdir /crawl && chown 10001:10001 /crawl
# Machine code is compiled once and kept beside the crawls, so that a new container starts at once.
ENV PATH=/opt/sought/bin:/usr/local/bin:/usr/bin:/bin HOME=/crawl NUMBA_CACHE_DIR=/crawl/.numba
USER 10001:10001
VOLUME /crawl
WORKDIR /crawl
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["sought"]
CMD ["--help"]
