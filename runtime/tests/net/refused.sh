#!/bin/bash
# A job in which UCX makes no more workers or endpoints in a thread ends soon and with a clear line,
# whichever they are.
#
# usage: refused.sh FATHOM-RUN REFUSED
# shellcheck source=runtime/tests/job/failure.bash
source "$(dirname "$0")/../job/failure.bash"

# refused WHAT THREAD LINE LEAST: from the first one on, from the second one on, and so forth until
# the thread needs no more; it needs LEAST at least.
refused()
{
    local i
    for ((i = 1; ; i++)); do
        begin "$1 $i of thread $2"
        job "$run" -n 2 --nodes 2 -- "$program" "$1" "$2" $i
        [ "$status" -ne 0 ] || break
        grep -Eq "^fathom: thread $2 on .*: $3" "$work/err" || fail "no clear line"
        ! grep -q "killed by signal" "$work/err" || fail "a crash"
        ! grep -q "FAILED" "$work/err" || fail "it does not end at once"
        # Twice the seconds that a thread waits for the launcher to tell why a connection is lost.
        [ "$ticks" -lt 60 ] || fail "took $ticks ticks"
        expect_nothing_left
    done
    [ "$i" -gt "$4" ] || fail "thread $2 needs $((i - 1)) only"
}

start_ticks "$run" -n 2 --nodes 2 -- "$program" worker 2 0
# One receives, one sends, one is for collectives in flight; and thread 1, which does not connect to
# thread 0, has one more for its first message.
refused worker 0 "ucp_worker_create: No resources are available" 3
refused worker 1 "ucp_worker_create: No resources are available" 4
refused endpoint 1 "network: thread 0 is lost: no way there" 2

[ "$failures" -eq 0 ] || exit 1
echo "all passed; the slowest job took $slowest ticks"
