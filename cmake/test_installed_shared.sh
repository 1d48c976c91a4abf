#!/bin/bash
# The installed package with a shared library: builds it, without tests and in a directory of its
# own, and runs test_installed.sh on it.
#
# usage: test_installed_shared.sh CMAKE GENERATOR C-COMPILER SOURCES FATHOM-UCX
set -euo pipefail
export LC_ALL=C

cmake=$1
generator=$2
compiler=$3
sources=$4
ucx=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# quietly WHAT COMMAND...: runs it, and shows its output only if it fails.
quietly()
{
    local what=$1
    shift
    "$@" >"$work/log" 2>&1 || {
        cat "$work/log"
        printf 'FAILED: %s\n' "$what"
        exit 1
    }
}

quietly "configure" "$cmake" -S "$sources" -B "$work/build" -G "$generator" \
    -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug -DBUILD_SHARED_LIBS=ON \
    -DFATHOM_TESTS=OFF -DFATHOM_UCX="$ucx"
quietly "build" "$cmake" --build "$work/build"
[[ -e $work/build/runtime/libfathom.so ]] || {
    echo "FAILED: no shared library was built"
    exit 1
}
"$(dirname "$0")/test_installed.sh" "$cmake" "$work/build" "$sources"
