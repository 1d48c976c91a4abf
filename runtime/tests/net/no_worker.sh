#!/bin/bash
# A job in which UCX makes no more workers ends with a clear line, whichever worker it is.
#
# usage: no_worker.sh FATHOM-RUN NO-WORKER
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

# job THREAD WORKER
job()
{
    timeout 200 "$run" -n 2 --nodes 2 -- "$program" "$@" >"$work/out" 2>"$work/err"
}

for thread in 0 1; do
    worker=1
    until job $thread $worker; do
        grep -Eq "^fathom: thread $thread on .*: ucp_worker_create: No resources are available" \
            "$work/err" || fail "thread $thread, worker $worker: no clear line"
        ! grep -q 'killed by signal' "$work/err" || fail "thread $thread, worker $worker: a crash"
        worker=$((worker + 1))
    done
    # One receives and one sends; the third is for messages, the fourth for collectives in flight.
    [ $worker -gt 3 ] || fail "thread $thread needs $((worker - 1)) workers only"
done
