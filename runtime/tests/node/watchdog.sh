#!/bin/bash
# PGAS_WATCHDOG: a thread that waits long reports for what and for which thread, and the job goes on
# and ends well.
#
# usage: watchdog.sh FATHOM-RUN HANG NETWORK(0 or 1)
set -euo pipefail

run=$1
program=$2
network=$3
limit=300
# shellcheck source=runtime/tests/node/watchdog.bash
source "$(dirname "$0")/watchdog.bash"

# hangs THREADS NODES MODE LINE
hangs()
{
    tells "$1" "$2" "$4" "$program" "$3"
}

computes='\(pid [0-9]+\) is not in a call that waits, and was last in'
lock='the lock at thread 0, offset [0-9]+'

# shellcheck disable=SC2016 # the thread expands it
tells 2 1 "pgas_init: not all 2 threads of the job have called it" sh -c \
    '[ "$PMIX_RANK" = 0 ] || until [ -e "$1" ]; do sleep 0.1; done; exec "$0" barrier "$1"' "$program"
hangs 2 1 barrier "barrier 7, 1 of the node's 2 threads have come, missing: thread 1 $computes pgas_init\(\)"
hangs 4 1 collective "pgas_all_alloc\(10, 8\), 3 of the node's 4 threads have come, missing: thread 3 $computes pgas_init\(\)"
hangs 3 1 team "pgas_allreduce\(1, 5, 4\) on team [0-9a-f]{16}, 1 of its 2 members on the node have come, missing: rank 0, thread 2 $computes pgas_team_split\(\)"
hangs 3 1 flight "pgas_allreduce\(1, 5, 4\) on team [0-9a-f]{16}, 1 of its 2 members on the node have come, missing: rank 0, thread 2 $computes pgas_team_split\(\)"
hangs 2 1 lock "$lock"
hangs 3 1 behind "barrier, 1 of the node's 3 threads have come, missing: thread 1 \(pid [0-9]+\) waits for $lock; thread 2 $computes pgas_barrier\(\)"
hangs 3 1 frozen "barrier 7, 1 of the node's 3 threads have come, missing: thread 1 $computes pgas_barrier\(\); thread 2 \(pid [0-9]+\) was last seen [0-9]+ s ago, when it waited for a signal of thread 2 >= 1, at offset [0-9]+, which is 0"
# past NODES LINE: the last thread is not said to wait for what it has got.
past()
{
    rm -f "$work/release.past"
    hangs 2 "$1" past "$2"
    ! grep -Eq "thread 1 \(pid [0-9]+\) waits for" "$work/err" || fail "a wait that is over, on $1 nodes"
}

for thread in 0 1 2; do
    hangs 4 1 signals "a signal of thread $thread >= 1, at offset [0-9]+, which is 0"
done
past 1 "barrier 7, 1 of the node's 2 threads have come, missing: thread 1 $computes pgas_init\(\)"
if [[ $network == 1 ]]; then
    past 2 "barrier 7, all of node 0 have come, of node 1 is missing: thread 1 $computes pgas_init\(\)"
    hangs 2 2 barrier "barrier 7, all of node 0 have come, of node 1 is missing: thread 1 $computes pgas_init\(\)"
    hangs 4 2 collective "pgas_all_alloc\(10, 8\), all of node 0 have come, of node 1 is missing: thread 3 $computes pgas_init\(\)"
    hangs 4 4 barrier "barrier 7, all of node 0 have come, of node 3 is missing: thread 3 $computes pgas_init\(\)"
    hangs 4 2 team "pgas_allreduce\(1, 5, 4\) on team [0-9a-f]{16}, all members on node 0 have come, on node 1 is missing: rank 0, thread 3 $computes pgas_team_split\(\)"
    hangs 4 2 flight "pgas_allreduce\(1, 5, 4\) on team [0-9a-f]{16}, all members on node 0 have come, on node 1 is missing: rank 0, thread 3 $computes pgas_team_split\(\)"
    hangs 2 2 lock "$lock"
    hangs 2 2 answer "a reply of thread 1"
    # Nobody has been asked for what a thread tells of another one's wait.
    hangs 3 2 apart "pgas_team_barrier\(\) on team [0-9a-f]{16}, all members on node 0 have come, on node 1 is missing: rank 1, thread 2 \(pid [0-9]+\) waits for barrier 7, all of node 1 have come, node 0 of thread 0 has not signalled"
    hangs 2 2 stopped "(barrier 7|pgas_init\(\)), all of node 0 have come, node 1 of thread 1 has not signalled and does not tell why"
fi

others=()
# Less and less often, and by one thread of a node: after 1, 2, 4 and 8 seconds, where nothing is
# late, and in twice as many only one more.
# Beside it: when nobody waits for long, a minute if nothing else is set, and without it, nobody says
# anything.
for setting in "" 60 0; do
    PGAS_WATCHDOG=$setting timeout 600 "$run" -n 2 -- "$program" barrier 3 2>"$work/err.$setting" &
    others+=($!)
done
PGAS_WATCHDOG=1 timeout 600 "$run" -n 4 -- "$program" barrier 9 2>"$work/err" || fail "status $?"
lines=$(grep -c "barrier 7, 3 of" "$work/err") || true
[[ $lines -ge 1 && $lines -le 6 ]] || fail "$lines lines in 9 seconds"
for pid in "${others[@]}"; do
    wait "$pid" || fail "a job that waits for 3 seconds: status $?"
done
for setting in "" 60 0; do
    mv "$work/err.$setting" "$work/err"
    [[ ! -s $work/err ]] || fail "a line with PGAS_WATCHDOG='$setting'"
done
