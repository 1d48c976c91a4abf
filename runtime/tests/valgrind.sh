#!/bin/bash
# No byte is sent that was never written, and none is read that was never allocated: programs of two
# threads on two nodes under valgrind.
#
# usage: valgrind.sh FATHOM-RUN PROGRAM...
set -euo pipefail

command -v valgrind >/dev/null || exit 77
run=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for program; do
    timeout 250 "$run" -n 2 --nodes 2 -- valgrind -q --error-exitcode=9 --log-file="$work/log.%p" \
        "$program" >"$work/out" 2>&1 || {
        printf 'FAILED: %s\n' "${program##*/}"
        cat "$work/out" "$work"/log.*
        exit 1
    }
done
