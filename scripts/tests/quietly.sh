#!/bin/bash
# `quietly` shows what a command says only if it fails, and has no file that the end of a script could
# leave.
#
# usage: quietly.sh COMMON.BASH
set -euo pipefail

# shellcheck source=scripts/common.bash
source "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work/tmp
mkdir "$TMPDIR"

die()
{
    printf 'FAILED: %s\n' "$*" >&2
    exit 1
}

status=0
said=$(quietly bash -c "echo output; ls '$TMPDIR'; echo error >&2; exit 3" 2>&1) || status=$?
[[ $status -eq 3 ]] || die "status $status, not 3"
[[ $said == $'output\nerror' ]] || die "says '$said'"
said=$(quietly bash -c 'echo output; echo error >&2' 2>&1) || die "status $?"
[[ -z $said ]] || die "says '$said'"
echo "all passed"
