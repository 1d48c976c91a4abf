#!/bin/bash
# PGAS_WATCHDOG: a thread that waits long says for what, and the job goes on to a good end.
#
# usage: watchdog.sh FATHOM-RUN HANG NETWORK(0 or 1)
set -euo pipefail

run=$1
program=$2
network=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    printf 'FAILED: %s\n' "$*"
    sed 's/^/    /' "$work/err"
    exit 1
}

# tells MODE NODES LINE...: 2 threads in MODE end well, and thread 0 tells each LINE.
tells()
{
    local mode=$1 nodes=$2 line
    shift 2
    PGAS_WATCHDOG=1 timeout 30 "$run" -n 2 --nodes "$nodes" -- "$program" "$mode" \
        >"$work/out" 2>"$work/err" || fail "$mode on $nodes nodes: status $?"
    for line; do
        grep -Eq -- "^fathom: thread 0 on .+: waiting for [12] s: $line" "$work/err" ||
            fail "$mode on $nodes nodes: nobody tells '$line'"
    done
}

tells barrier 1 "barrier 7, 1 of the node's 2 threads have come"
tells lock 1 "the lock at thread 0, offset [0-9]+"
if [[ $network == 1 ]]; then
    tells barrier 2 "barrier 7, all of node 0 have come, thread 1 has not signalled round 0"
    tells lock 2 "the lock at thread 0, offset [0-9]+"
    tells answer 2 "an answer of thread 1"
fi

# Without it, and when nobody waits that long, nobody says anything.
timeout 30 "$run" -n 2 -- "$program" barrier 2>"$work/err"
[[ ! -s $work/err ]] || fail "a line without PGAS_WATCHDOG"
PGAS_WATCHDOG=20 timeout 30 "$run" -n 2 -- "$program" barrier 2>"$work/err"
[[ ! -s $work/err ]] || fail "a line before its time"
