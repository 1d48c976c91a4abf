#!/bin/bash
# The limit of open files: the soft one does not matter, the hard one is reported in one clear line.
#
# usage: files.sh FATHOM-RUN CONTACT
set -euo pipefail

run=$1
program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    printf 'FAILED: %s\n' "$*"
    cat "$work/err"
    exit 1
}

# job LIMIT: 24 threads on 12 nodes, each with `ulimit LIMIT`; connections to 22 threads.
job()
{
    # shellcheck disable=SC2016 # expanded by the inner shell
    timeout 200 "$run" -n 24 --nodes 12 -- bash -c 'ulimit "$1" "$2"; exec "$3"' - "$@" "$program" \
        >"$work/out" 2>"$work/err"
}

[[ $(ulimit -Hn) == unlimited || $(ulimit -Hn) -ge 2000 ]] || exit 77
job -Sn 48 || fail "a soft limit of 48 files"
for limit in 30 60; do
    ! job -n $limit || fail "a hard limit of $limit files is enough"
    grep -Eq "^fathom: thread .* network: no more than $limit files may be open \(ulimit -n\); 174 are enough for connections of 1 operating-system thread to 22 threads of other nodes" \
        "$work/err" || fail "a hard limit of $limit files: no clear line"
    ! grep -q Assertion "$work/err" || fail "a hard limit of $limit files: an assertion"
done
job -n 174 || fail "as many files as are said to be enough"
