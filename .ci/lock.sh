#!/bin/sh
# Resolves pyproject.toml for every platform and Python we support: into requirements.lock what runs the program with all
# that its window offers, into requirements-dev.lock that and the development tools, into requirements-docs.lock what
# turns the pages of the documentation into a site, into requirements-bundle.lock the program and PyInstaller.
# What the locks already pin stays as it is while it fits; `make lock UPGRADE=1` takes the newest of everything.
set -eu
cd "$(dirname "$0")/.."

PATH="$PATH:$PWD/.venv/bin" # uv is one of the development tools, for those who have no other
compile() {
    uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --quiet "$@"
}
resolve() { compile pyproject.toml --extra film --extra cluster --extra parquet "$@"; }
resolve ${1:+--upgrade} --output-file requirements.lock
resolve ${1:+--upgrade} --group dev --constraint requirements.lock --output-file requirements-dev.lock
compile ${1:+--upgrade} --group docs --constraint requirements.lock --output-file requirements-docs.lock
resolve ${1:+--upgrade} --group bundle --constraint requirements.lock --output-file requirements-bundle.lock

# The locks are for everyone: no index address and no path of this machine.
if grep -nE '://|^-|@ ' requirements*.lock; then
    echo "lock: the lines above name a place, not a package" >&2
    exit 1
fi
