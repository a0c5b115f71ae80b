# The image of every Sheaf process; docker-compose.yml says which command each service runs.
# Two stages: the first has the build tools, the second only what runs.

FROM python:3.13-slim-trixie AS build
WORKDIR /src
# Everything in the lock and nothing beside it, build tools and uv among it, each file checked against its hash.
COPY requirements.lock ./
RUN python -m venv /opt/tools \
    && /opt/tools/bin/pip install --no-cache-dir --no-deps --require-hashes --only-binary :all: -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY app app
COPY worker worker
COPY migrations migrations
COPY samples samples
# Of the lock only what Sheaf itself needs, at the same pins and hashes; then Sheaf as a wheel.
RUN python -m venv --without-pip /opt/sheaf \
    && export UV_NO_CACHE=1 UV_COMPILE_BYTECODE=1 UV_PYTHON=/opt/sheaf/bin/python \
    && /opt/tools/bin/uv pip install --require-hashes --only-binary :all: -r pyproject.toml -c requirements.lock \
    && /opt/tools/bin/python -m build --wheel --no-isolation --outdir /tmp/wheel \
    && /opt/tools/bin/uv pip install --no-deps --no-index /tmp/wheel/*.whl

FROM python:3.13-slim-trixie
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 \
        fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 sheaf \
    # A new volume mounted here takes over this owner.
    && install -d -o sheaf -g sheaf /var/lib/sheaf/artifacts
COPY --from=build /opt/sheaf /opt/sheaf
ENV PATH=/opt/sheaf/bin:$PATH PYTHONUNBUFFERED=1
USER sheaf
WORKDIR /home/sheaf
ENTRYPOINT ["sheaf"]
CMD ["--help"]
