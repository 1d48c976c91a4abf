#!/bin/bash
# A thread without memory for the network's buffers ends the job with a line that says so: UCX goes
# on without, and reads no more. How far it comes differs from run to run.
#
# usage: no_memory.sh FATHOM-RUN NO-MEMORY
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

# attempt ARGUMENTS...
attempt()
{
    local status=0
    timeout 45 "$run" -n 3 --nodes 3 -- "$program" "$@" >"$work/out" 2>"$work/err" || status=$?
    [[ $status -ne 124 ]] || fail "it hangs"
    [[ $status -eq 0 ]] || grep -Eqi 'no memory|out of memory' "$work/err" || fail "no line about memory"
}

attempt dropped
grep -q 'network: no memory for messages .*: failed to allocate a chunk' "$work/err" || fail "it goes on"
for ((i = 0; i < 3; i++)); do
    attempt
    attempt of_data
    # A log that the user has set up.
    UCX_LOG_LEVEL=error attempt
done
