# The command line in a small image that runs as nobody in particular:
#   docker build -t anonduck .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" anonduck run -o released.parquet
FROM python:3.12-slim AS build
WORKDIR /src
RUN python -m venv /opt/anonduck
COPY pyproject.toml setup.py README.md LICENSE ./
COPY anonduck anonduck
COPY sql sql
COPY taxonomies taxonomies
RUN /opt/anonduck/bin/pip install --no-cache-dir . \
    && /opt/anonduck/bin/pip uninstall --yes pip
# keeps the texts of queries that commands ask beside the package
RUN /opt/anonduck/bin/anonduck demo /tmp/demo && rm -r /tmp/demo

FROM python:3.12-slim
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin anonduck \
    && install --directory --owner=anonduck --mode=0700 /work
COPY --from=build /opt/anonduck /opt/anonduck
ENV PATH=/opt/anonduck/bin:$PATH PYTHONDONTWRITEBYTECODE=1
USER 10001
WORKDIR /work
ENTRYPOINT ["anonduck"]
CMD ["--help"]
