#!/bin/bash
# Two hosts of four that are no neighbours in the ring of heartbeats are cut off from each other, and
# from nobody else: the job ends with a line. Needs root.
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

case="two hosts of four"
timeout 60 "$testcluster" up --hosts 4 --slots 1 >"$work/out" 2>"$work/err" || {
    fail "no cluster"
    exit 1
}
: >"$work/out"
timeout -k 1 $hangs "$testcluster" mpirun -quiet -x PGAS_PEER_TIMEOUT=3 -n 4 --map-by ppr:1:node \
    "$program" "$marker" >"$work/out" 2>"$work/err" </dev/null &
launcher=$!
until_ready 4 "$work/out"

# lose HOST OTHER: what HOST sends to OTHER goes to nobody.
lose()
{
    local address
    address=$("$testcluster" exec "$1" getent ahostsv4 "$2" | awk '{ print $1; exit }')
    "$testcluster" exec "$1" ip neigh replace "$address" lladdr 02:00:00:00:00:99 \
        dev eth0 nud permanent || fail "cannot cut"
}
lose node2 node4
lose node4 node2
wait "$launcher"
status=$?
case $status in
0 | 124 | 137) fail "status $status" ;;
esac
grep -Eq '^fathom: thread [13] on node[24]: network: .* has acknowledged nothing for 3 s' "$work/err" ||
    fail "no line"
[ "$failures" -eq 0 ] || exit 1
echo "all passed"
