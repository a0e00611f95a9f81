#!/bin/sh
# Sets this checkout up: the Debian packages that Qt needs, then .venv from requirements.lock.
# Does nothing where nothing is missing, so that every make target can call it first. What it says goes to standard
# error, a few lines: standard output is the program's.
#
#   setup.sh run      warn about system packages it may not install, and go on: the window may open all the same
#   setup.sh test     stop instead: the tests draw on a virtual screen
#   setup.sh tools    .venv only: checks that read the source need no screen
#   setup.sh docs     .venv-docs, from requirements-docs.lock: what turns the pages of the documentation into a site
#   setup.sh bundle   .venv-bundle, from requirements-bundle.lock: the program's packages and PyInstaller
#
# `test` and `tools` take requirements-dev.lock, which adds the development tools to the same .venv.
set -eu
cd "$(dirname "$0")/.."
mode=${1:?run, test, tools, docs or bundle}
venv=.venv
case $mode in
    run) lock=requirements.lock ;;
    docs) lock=requirements-docs.lock venv=.venv-docs ;;
    bundle) lock=requirements-bundle.lock venv=.venv-bundle ;;
    *) lock=requirements-dev.lock ;;
esac
exec >&2

say() { echo "setup: $*"; }
stop() { say "$*"; exit 1; }

# The stamp is a copy of the lock it was made from, written last: an interrupted set-up leaves none.
venv_follows() { "$venv/bin/python" -c '' 2>/dev/null && cmp -s "$1" "$venv/$1"; }
venv_is_ready() { venv_follows "$lock"; }

# The interpreter's own path, not that of an active .venv, which is about to be replaced.
# The newest Python that PySide6 and numba have wheels for is 3.14.
find_python() {
    for name in python3 python3.14 python3.13 python3.12 python3.11; do
        "$name" -c 'if True:
            import sys
            assert (3, 11) <= sys.version_info[:2] <= (3, 14)
            print(sys._base_executable)' 2>/dev/null && return
    done
    return 0
}

find_uv() {
    case $(command -v uv || true) in
        "" | "$PWD"/.venv*/*) ;;
        *) echo uv ;;
    esac
}

# Debian ships the standard library's venv separately, one package for each Python.
venv_package() {
    if venv_is_ready || [ -n "$uv" ]; then
        return 0
    elif [ -z "$python" ]; then
        command -v python3 >/dev/null || echo python3-venv
    else
        "$python" -c 'import ensurepip' 2>/dev/null ||
            "$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'
    fi
}

# Newer releases call some packages NAMEt64; apt-get still knows them by the old name, dpkg does not.
missing_packages() {
    case $mode in
        run | test | bundle) wanted=$(grep -v '^#' .ci/debian-packages) ;;
    esac
    for package in ${wanted-} $(venv_package); do
        dpkg-query --show --showformat '${db:Status-Status}\n' "$package" "${package}t64" 2>/dev/null |
            grep -qx installed || echo "$package"
    done
}

install_packages() {
    if [ "$(id -u)" = 0 ]; then
        as_root=
    elif sudo -n true 2>/dev/null; then
        as_root='sudo -n'
    else
        return 1
    fi
    say "installing $*"
    # A list that cannot be refreshed need not be one of those these packages come from.
    $as_root apt-get update -qq || true
    # A machine that just booted may hold the lock for its own updates.
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 "$@" >/dev/null
}

set_up_system() {
    command -v dpkg-query >/dev/null || return 0
    missing=$(missing_packages | tr '\n' ' ')
    # Unquoted on purpose: one word for each package.
    if [ -z "$missing" ] || install_packages $missing; then
        return 0
    fi
    say "some system packages are missing; to install them, run"
    say "    sudo apt-get update && sudo apt-get install --no-install-recommends $missing"
    [ "$mode" = run ] || exit 1
}

# Runs a command; where it fails, what it said becomes one line. Nobody waits for an index that does not answer.
quietly() {
    said=$("$@" 2>&1) && return
    if echo "$said" | grep -qiE 'connect|resolve|network|unreachable|timed out|dns error'; then
        stop "the package index cannot be reached; go online (or set pip's own configuration), and run make again"
    fi
    stop "$(echo "$said" | grep -iE '^ *(error|ERROR|× |Error:)' | head -n 1 | grep . || echo "$said" | tail -n 1)"
}

make_venv() {
    rm -rf "$venv"
    if [ -n "$uv" ]; then
        quietly uv venv --quiet --python "${python:->=3.11,<3.15}" "$venv"
        return
    fi
    "$python" -c 'import ensurepip, venv' 2>/dev/null || stop "$python has no venv module; install it, or uv"
    quietly "$python" -m venv "$venv"
}

set_up_venv() {
    if [ "$mode" != docs ] && venv_follows requirements.lock; then
        say "adding the development tools to $venv from $lock"
    else
        say "making $venv from $lock"
        make_venv
    fi
    if [ -n "$uv" ]; then
        quietly uv pip sync --quiet --python "$venv/bin/python" --compile-bytecode --require-hashes "$lock"
    else
        quietly "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
            --retries 1 --require-hashes -r "$lock"
    fi
    [ "$mode" = docs ] || cp requirements.lock "$venv/" # the longer lock holds all of the other
    cp "$lock" "$venv/"
}

uv=$(find_uv)
venv_is_ready || python=$(find_python)
set_up_system
venv_is_ready && exit
python=$(find_python) # again: it may have come with the system packages
[ -n "$python$uv" ] || stop "needs Python 3.11, 3.12, 3.13 or 3.14 (as python3 or python3.X on PATH), or uv"
set_up_venv
