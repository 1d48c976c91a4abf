#!/bin/bash
# PGAS_WATCHDOG: nodes that wait long for a barrier say so, in PAR too, where they wait a little at a
# time.
#
# usage: barrier_watch.sh FATHOM-RUN CLIENT-SEQ CLIENT-PAR
set -euo pipefail

run=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    printf 'FAILED: %s\n' "$*"
    sed 's/^/    /' "$work/err"
    exit 1
}

# tells CLIENT NODES SUPERNODES: the last node's absence is told; then that is let go, and the job
# ends well.
tells()
{
    local line='^fathom: thread [0-9] on .+: waiting for [0-9]+ s: barrier, .*missing: thread 1 '
    rm -f "$work/go"
    PGAS_WATCHDOG=1 timeout 100 "$run" -n "$2" --nodes "$3" -- "$1" "$work/go" 2>"$work/err" &
    job=$!
    until grep -Eqs -- "$line" "$work/err" || ! kill -0 "$job" 2>/dev/null; do
        sleep 0.1
    done
    touch "$work/go"
    wait "$job" || fail "${1##*/}, $2 nodes, $3 supernodes: status $?"
    grep -Eqs -- "$line" "$work/err" || fail "${1##*/}, $2 nodes, $3 supernodes: nobody tells"
}

for client in "$2" "$3"; do
    tells "$client" 2 1
    tells "$client" 2 2
done
