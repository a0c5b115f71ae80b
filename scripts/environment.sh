# The virtual environment .venv: made once, filled from requirements.lock, the project on top.
# shellcheck shell=sh

# Make .venv, unless it was made here, with the Python that we would use now, and still works.
ensure_environment() {
    python=$(find_python) || stop "no Python 3.11 to 3.13 on this machine"
    version=$("$python" -VV)
    if ! is_stale environment /dev/null && [ "$(.venv/bin/python -VV 2>/dev/null)" = "$version" ]; then
        return
    fi
    say "making a virtual environment in .venv with $("$python" --version)"
    "$python" -m venv --clear .venv
    stamp environment /dev/null
}

# Install exactly what the lock names, each file checked against its hash.
ensure_dependencies() {
    is_stale dependencies requirements.lock || return 0
    say "installing locked dependencies into .venv"
    # Wheels only: building from source would fetch build tools that no lock names. And nothing beside it: it is
    # whole, and overrides bounds that we know better (see [tool.uv] in pyproject.toml).
    pip_install --no-deps --require-hashes --only-binary :all: --requirement requirements.lock
    stamp dependencies requirements.lock
}

# Install this checkout so that an edit counts at once; hatchling comes from the lock.
ensure_project() {
    is_stale project pyproject.toml || return 0
    say "installing sheaf from this checkout into .venv"
    pip_install --no-deps --no-build-isolation --editable .
    stamp project pyproject.toml
}

pip_install() {
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input "$@"
}

is_stale() {
    [ "$(cat ".venv/.sheaf-$1" 2>/dev/null)" != "$(key "$2")" ]
}

stamp() {
    key "$2" >".venv/.sheaf-$1"
}

# What an installation depends on: the file, the exact Python, and where .venv stands.
key() {
    { cat "$1" && echo "$version" && pwd; } | sha256sum
}
