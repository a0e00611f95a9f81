#!/bin/sh
# Resolves pyproject.toml, development tools included, into requirements.lock for every platform and Python we support.
# What the lock already pins stays as it is while it fits; `make lock UPGRADE=1` takes the newest of everything.
set -eu
cd "$(dirname "$0")/.."

PATH="$PATH:$PWD/.venv/bin" # uv is one of the development tools, for those who have no other
uv pip compile pyproject.toml --group dev --universal --python-version 3.11 \
    --generate-hashes --no-header --no-annotate --quiet ${1:+--upgrade} --output-file requirements.lock

# The lock is for everyone: no index address and no path of this machine.
if grep -nE '://|^-|@ ' requirements.lock; then
    echo "lock: the lines above name a place, not a package" >&2
    exit 1
fi
