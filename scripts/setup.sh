#!/bin/sh
# Make this checkout ready for `make demo` or `make test`: system packages, .venv, locked dependencies.
# What is done is remembered in stamps inside .venv, so that a second run has nothing to do.
# usage: setup.sh demo|test
set -eu
cd "$(dirname "$0")/.."

. scripts/system.sh
. scripts/environment.sh

ensure_system_packages "$1"
ensure_environment
ensure_dependencies
ensure_project
