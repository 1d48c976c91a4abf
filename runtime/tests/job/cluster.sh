#!/bin/bash
# A job over two hosts that fails ends soon, with the right status, with a line that says which
# thread, where and why, and leaves nothing behind on either host. Needs root.
#
# usage: cluster.sh TESTCLUSTER-SCRIPT RUNTIME-FAIL LAUNCHER(mpirun or srun)
#
# Four threads, two on each host; thread 3, on node2, is the one that fails. The test has its own
# cluster. The launcher writes to standard error too, so the test looks for one line there.
# shellcheck source=runtime/launcher/tests/jobs.bash
source "$(dirname "$0")/../../launcher/tests/jobs.bash"

[ "$(id -u)" -eq 0 ] || exit 77
testcluster=$1
program=$2
launcher=$3
slowest=0
starting=0

TESTCLUSTER=$(mktemp -u /tmp/fathom-test-XXXXXX)
export TESTCLUSTER
cleanup()
{
    "$testcluster" down
    rm -rf "$work"
}
trap cleanup EXIT

# Options with which the launcher ends by itself, as in docs/clusters.md.
case $launcher in
mpirun)
    options=(-n 4)
    export OMPI_MCA_oob_tcp_keepalive_time=5 OMPI_MCA_oob_tcp_keepalive_intvl=2
    export OMPI_MCA_oob_tcp_keepalive_probes=3
    interrupted=1 # mpirun's status
    said_killed='mpirun noticed that process rank 3 with PID [0-9]+ on node node2 exited on signal'
    early_status=1
    ;;
srun)
    options=(-N 2 -n 4)
    interrupted=130
    said_killed='srun: error: node2: task 3: (Killed|Segmentation fault|Aborted)'
    early_status=137
    ;;
*) exit 2 ;;
esac

# Files that a job might leave on a host, or on both together. Files that mpirun itself leaves when
# it is interrupted twice are ignored.
inventory()
{
    local host
    for host in node1 node2; do
        # shellcheck disable=SC2016 # the host expands it
        "$testcluster" exec $host bash -c 'find /dev/shm "$TMPDIR" -mindepth 1 | sed "s/^/$(hostname): /"'
    done | grep -v '/ompi\.node[12]\.0'
    files_of_pmix /tmp /run
}

# fresh: a cluster whose hosts have not been cut off yet.
fresh()
{
    timeout 60 "$testcluster" up >"$work/out" 2>"$work/err" || exit_now "no cluster"
    [ "$launcher" = mpirun ] || timeout 60 "$testcluster" slurm 2>"$work/err" || exit_now "no Slurm"
}

exit_now()
{
    fail "$1"
    exit 1
}

# start NAME MODE: a job in the background whose threads are all ready. Thread 3 misbehaves soon.
start()
{
    case=$1
    : >"$work/out"
    : >"$work/err"
    inventory >"$work/before"
    now
    timeout -k 1 $hangs "$testcluster" "$launcher" "${options[@]}" "$program" "$2" 3 "$marker" \
        >"$work/out" 2>"$work/err" </dev/null &
    job=$!
    while [ "$(grep -c ready "$work/out")" -lt 4 ] && kill -0 $job 2>/dev/null; do
        sleep 0.05
    done
    starting=$(since)
    now
}

now()
{
    started=$EPOCHREALTIME
}

# Milliseconds since the last 'start' or 'now'.
since()
{
    echo $(((${EPOCHREALTIME/./} - ${started/./}) / 1000))
}

# within MILLISECONDS SECONDS: on a machine with other work what should take so many seconds takes as
# much longer as the job's start did.
within()
{
    local most=$(($2 * 1000 + 5 * starting))
    [ "$1" -lt $most ] || fail "took $1 ms, where the start had taken $starting ms"
}

# finish STATUS [LINE]: how the job ends, counted from the last 'start' or 'now'.
finish()
{
    wait "$job" 2>/dev/null
    status=$?
    milliseconds=$(since)
    [ "$milliseconds" -le "$slowest" ] || slowest=$milliseconds
    [ "$status" -eq "$1" ] || fail "status $status, expected $1"
    within "$milliseconds" 5
    [ "$(grep -c ready "$work/out")" -eq 4 ] || fail "not four threads were ready"
    if [ $# -gt 1 ]; then
        grep -Eq -- "$2" "$work/err" || fail "standard error does not say '$2'"
    fi
    check_gone
    inventory | diff "$work/before" - >"$work/left" || fail "left behind: $(cat "$work/left")"
}

# victim HOST: the process number of the last thread there, as the cluster numbers processes.
victim()
{
    # shellcheck disable=SC2016 # the host expands it
    "$testcluster" exec "$1" bash -c '
        for pid in $(pgrep -f -- "^$0 .*$1"); do
            [ "$(readlink /proc/$pid/ns/uts)" != "$(readlink /proc/self/ns/uts)" ] || echo $pid
        done' "$program" "$marker" | tail -n 1
}

threads_run()
{
    pgrep -f -- "^$program .*$marker" >/dev/null
}

test_kills()
{
    local mode
    for mode in barrier lock compute; do
        start "kill -9 on the other host while waiting: $mode" $mode
        now
        "$testcluster" exec node2 kill -9 "$(victim node2)"
        finish 137 "${said_killed/rank 3/rank [23]}"
    done
}

test_ends()
{
    start "nothing goes wrong" finish
    finish 0
    # Open MPI's own race with the process that it has forked.
    ! grep -v 'plm:rsh: Warning: setpgid' "$work/err" | grep -q . ||
        fail "something on standard error"

    start "a crash on the other host" segfault
    finish 139 "$said_killed"
    start "pgas_exit(3) on the other host" exit3
    finish 3 '^fathom: thread 3 on node2: pgas_exit\(3\): the job is ended$'
    start "exit(0) before pgas_finalize on the other host" leave0
    finish $early_status
}

# interrupt TIMES: by Ctrl-C, a moment apart.
interrupt()
{
    local pid
    start "Ctrl-C, $1 times" compute
    pid=$("$testcluster" exec node1 pgrep -o -f -- "^$launcher .*$marker")
    now
    press "$1" "$pid"
    # srun wants the second within a second, which a busy machine may not give.
    while [ "$launcher" = srun ] && ! grep -q 'forcing job termination' "$work/err" &&
        kill -0 "$job" 2>/dev/null; do
        sleep 1
        press "$1" "$pid"
    done
    finish $interrupted
}

# press TIMES PID
press()
{
    # shellcheck disable=SC2016 # the host expands it
    "$testcluster" exec node1 bash -c '
        kill -INT "$1" && for ((turn = 1; turn < $0; turn++)); do
            sleep 0.3
            kill -INT "$1"
        done' "$@" 2>/dev/null
}

test_interrupts()
{
    # srun needs two; mpirun abandons its threads at the second.
    [ "$launcher" = srun ] || interrupt 1
    interrupt 2
}

# The threads on the other host must end by themselves too: nothing can reach them.
test_cut()
{
    local mode
    for mode in barrier lock compute; do
        fresh
        start "a cut cable: $mode" $mode
        now
        "$testcluster" cut node2
        wait "$job" 2>/dev/null
        status=$?
        milliseconds=$(since)
        case $status in
        0 | 124 | 137) fail "status $status" ;;
        esac
        within "$milliseconds" 30
        while [ "$(since)" -lt $((35000 + 5 * starting)) ] && threads_run; do
            sleep 0.2
        done
        ! threads_run || fail "threads run on, $(since) ms after"
        grep -Eq 'fathom: thread [0-3] on node[12]: .*(thread|host|node)|lost communication' \
            "$work/err" || fail "no line says which host is lost"
    done
}

fresh
test_kills
test_ends
test_interrupts
test_cut

[ "$failures" -eq 0 ] || exit 1
echo "all passed; the slowest end took $slowest ms"
