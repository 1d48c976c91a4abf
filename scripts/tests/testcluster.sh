#!/bin/bash
# scripts/testcluster: hosts are isolated, a cable can be cut, and nothing is left of a cluster,
# however it was interrupted. Needs root.
#
# usage: testcluster.sh TESTCLUSTER-SCRIPT
set -euo pipefail

[[ $(id -u) -eq 0 ]] || exit 77
testcluster=$1
TESTCLUSTER=$(mktemp -u /tmp/fathom-test-XXXXXX)
export TESTCLUSTER
trap '"$testcluster" down' EXIT
seed=${TESTCLUSTER_SEED:-$((EPOCHSECONDS % 30000))}
RANDOM=$seed
echo "TESTCLUSTER_SEED=$seed"

fail()
{
    printf 'FAILED: %s\n' "$*" >&2
    exit 1
}

on()
{
    "$testcluster" exec "$@"
}

# refuse STATUS LINE COMMAND...: one line, with that status.
refuse()
{
    local status=0 expected=$1 line=$2 said
    shift 2
    said=$("$testcluster" "$@" 2>&1 >/dev/null) || status=$?
    [[ $status -eq $expected ]] || fail "$*: status $status, expected $expected"
    [[ $said =~ $line ]] || fail "$*: says '$said'"
}

nothing_left()
{
    [[ ! -e $TESTCLUSTER ]] || fail "$1: $TESTCLUSTER is left"
    ! pgrep -f "testcluster $TESTCLUSTER" >/dev/null || fail "$1: processes are left"
    ! ip -o link | grep -E ': (switch|node[0-9]+)[@:]' || fail "$1: network devices are left"
}

test_refusals()
{
    refuse 2 'no command'
    refuse 2 "'frob' is not a command" frob
    refuse 2 "'--frob' is not an option" up --frob
    refuse 2 "--hosts: 'x' is not a whole number" up --hosts x
    refuse 1 'there is no cluster' exec node1 true
    refuse 1 'there is no cluster' mpirun true
    nothing_left "refusals"
}

# answers: whether node1 reaches node2, which refuses the connection.
answers()
{
    local said
    said=$(on node1 timeout 3 bash -c 'echo >/dev/tcp/node2/9' 2>&1) || true
    [[ $said == *refused* ]]
}

test_hosts()
{
    "$testcluster" up --hosts 3 >/dev/null
    [[ $("$testcluster" hosts | paste -sd,) == node1,node2,node3 ]] || fail "not three hosts"
    [[ $(on node2 hostname) == node2 ]] || fail "node2 has another name"
    on node1 touch /dev/shm/of-node1
    on node2 test ! -e /dev/shm/of-node1 || fail "hosts share /dev/shm"
    answers || fail "node1 does not reach node2"
    "$testcluster" cut node2
    ! answers || fail "node1 reaches node2 after the cut"
    "$testcluster" mend node2
    answers || fail "node1 does not reach node2 any more"
    refuse 2 "'node4' is not one of the hosts" exec node4 true
    refuse 1 'Slurm is not up' srun true
    local status=0
    on node3 bash -c 'exit 7' || status=$?
    [[ $status -eq 7 ]] || fail "status $status of a command that exits with 7"
    on node3 setsid sleep 1000 2>/dev/null &
    sleep 0.3
    "$testcluster" down
    nothing_left "down"
}

test_interrupted()
{
    local turn signal delay
    for turn in {1..12}; do
        signal=$((turn % 2 == 0 ? 9 : 15))
        delay=$(printf '0.%03d' $((RANDOM % 400)))
        "$testcluster" up >/dev/null 2>&1 &
        sleep "$delay"
        kill -$signal $! 2>/dev/null || true
        wait $! 2>/dev/null || true
        "$testcluster" down
        nothing_left "up ended by signal $signal after $delay s"
    done
    "$testcluster" up >/dev/null
    "$testcluster" up >/dev/null # over another
    [[ $(on node2 hostname) == node2 ]] || fail "no cluster after a second 'up'"
    "$testcluster" down
    "$testcluster" down
    nothing_left "down twice"
}

test_refusals
test_hosts
test_interrupted
echo "all passed"
