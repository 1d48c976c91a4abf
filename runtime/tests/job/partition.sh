#!/bin/bash
# Two hosts of four that are no neighbours in the ring of heartbeats are cut off from each other, and
# from nobody else. For good: the job ends with a line. For a moment, after more than the silence that
# would end it: it goes on. Needs root.
#
# usage: partition.sh TESTCLUSTER-SCRIPT PARTITION
# shellcheck source=runtime/launcher/tests/jobs.bash
source "$(dirname "$0")/../../launcher/tests/jobs.bash"

[ "$(id -u)" -eq 0 ] || exit 77
testcluster=$1
program=$2

TESTCLUSTER=$(mktemp -u /tmp/fathom-test-XXXXXX)
export TESTCLUSTER
trap '"$testcluster" down; rm -rf "$work"' EXIT

case="cut off for good"
timeout 60 "$testcluster" up --hosts 4 --slots 1 >"$work/out" 2>"$work/err" || {
    fail "no cluster"
    exit 1
}

# begin SECONDS [ARGUMENT]...: starts a job on the four hosts, with so long a silence.
begin()
{
    local silence=$1
    shift
    : >"$work/out"
    timeout -k 1 $hangs "$testcluster" mpirun -quiet -x PGAS_PEER_TIMEOUT="$silence" -n 4 \
        --map-by ppr:1:node "$program" "$@" "$marker" >"$work/out" 2>"$work/err" </dev/null &
    launcher=$!
    until_ready 4 "$work/out"
}

address_of()
{
    "$testcluster" exec "$1" getent ahostsv4 "$2" | awk '{ print $1; exit }'
}

# lose HOST OTHER: what HOST sends to OTHER goes to nobody.
lose()
{
    "$testcluster" exec "$1" ip neigh replace "$(address_of "$1" "$2")" lladdr 02:00:00:00:00:99 \
        dev eth0 nud permanent || fail "cannot cut"
}

# find_again HOST OTHER: it goes to OTHER again.
find_again()
{
    "$testcluster" exec "$1" ip neigh del "$(address_of "$1" "$2")" dev eth0 || fail "cannot mend"
}

begin 3 endless
lose node2 node4
lose node4 node2
wait "$launcher"
status=$?
case $status in
0 | 124 | 137) fail "status $status" ;;
esac
grep -Eq '^fathom: thread [13] on node[24]: network: .* has acknowledged nothing for 3 s' "$work/err" ||
    fail "no line"
find_again node2 node4
find_again node4 node2

case="cut off for a moment, after being idle"
begin 6 idle "$work/cut"
sleep 6
lose node2 node4
touch "$work/cut"
until grep -q sent "$work/out" || ! kill -0 "$launcher" 2>/dev/null; do
    sleep 0.05
done
sleep 2
find_again node2 node4
wait "$launcher"
status=$?
[ "$status" -eq 0 ] || fail "status $status"
[ "$failures" -eq 0 ] || exit 1
echo "all passed"
