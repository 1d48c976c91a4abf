#!/bin/bash
# Misuses of atomic domains end the job with one line.
#
# usage: atomic_domain.sh FATHOM-RUN PROGRAM DEBUG-CHECKS(0 or 1)
set -euo pipefail

run=$1
program=$2
debug=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
events=${UCX_MEM_EVENTS:-} # sanitizers need their own
unset "${!PGAS_@}" "${!UCX_@}"
[[ -z $events ]] || export UCX_MEM_EVENTS=$events
export UCX_TLS=posix,self PGAS_SEGMENT=ucx

# ends STATUS LINES PATTERN MODE
ends()
{
    local status=0
    timeout 200 "$run" -n 2 --nodes 2 -- "$program" "$4" >"$work/out" 2>"$work/err" || status=$?
    if [ $status != "$1" ] || [ "$(wc -l <"$work/err")" != "$2" ] ||
        ! grep -Eq "$3" "$work/err" "$work/out"; then
        printf 'FAILED: %s: status %s\n' "$4" $status
        cat "$work/err"
        exit 1
    fi
}

ends 1 1 'pgas_atomic_domain_apply: there is no domain: the pointer is NULL$' null
ends 1 1 'pgas_atomic_domain_way: there is no domain: the pointer is NULL$' null_way
ends 1 1 'pgas_atomic_domain_apply: operation 5: the domain was created with the set 0x10$' unknown
if [ "$debug" = 1 ]; then
    ends 1 1 'value access: thread 1, offset [0-9]+: an atomic domain has reached this word' mixed
    ends 1 1 'value access: thread 1, offset [0-9]+: an atomic domain has reached this word' part
else
    ends 0 0 PGAS_TEST_SEED mixed
fi
