# shellcheck shell=bash
# Shared by the tests of jobs that fail: such a job must end soon, with the right status and one
# line, and leave nothing behind. Sourced, with the arguments of the test: FATHOM-RUN PROGRAM.
#
# Random numbers come from the seed PGAS_TEST_SEED. Every job has a marker among its arguments, by
# which its processes are found.
# shellcheck source=runtime/launcher/tests/jobs.bash
source "$(dirname "$0")/../../launcher/tests/jobs.bash"
# A sanitizer would report a signal and exit in its own way.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0:handle_abort=0
export TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}handle_segv=0:handle_abort=0

run=$1
program=$2
seed=${PGAS_TEST_SEED:-$((EPOCHSECONDS % 30000))}
RANDOM=$seed
echo "PGAS_TEST_SEED=$seed"

# Files a job might leave: in its temporary directory, in shared memory, and what PMIx is known to
# make elsewhere. Other jobs on the machine have files of their own.
inventory()
{
    find "$TMPDIR"
    find /dev/shm -user "$(id -u)" -newer "$work/start" -name 'fathom-*' |
        while read -r name; do
            pid=${name#/dev/shm/fathom-}
            grep -qw -- "${pid%%-*}" "$work/pids" && echo "$name"
        done
    files_of_pmix /tmp /run
}

# begin NAME: starts a test case.
begin()
{
    case=$1
    : >"$work/out"
    : >"$work/err"
    : >"$work/pids"
    inventory >"$work/before"
}

# job COMMAND ARGS...: runs a job to its end; leaves status, ticks and its output.
job()
{
    local before
    before=$(ticks_now)
    timeout -k 1 $hangs "$@" "$marker" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    measure "$before"
}

# start THREADS MODE: runs a job in the background and waits until its threads are ready.
start()
{
    timeout -k 1 $hangs "$run" -n "$1" -- "$program" "$2" 0 "$marker" >"$work/out" 2>"$work/err" </dev/null &
    launcher=$!
    until_ready "$1" "$work/out"
}

# expect STATUS [LINE]: the job has ended soon, with STATUS; its one line on standard error matches
# LINE, or there is none; it has left nothing behind.
expect()
{
    # UCX 1.13 crashes when a peer dies while it is connecting.
    sed -i '/ucp_request\.c:[0-9]* *Assertion .*got REP message$/d' "$work/err"
    expect_words "$@"
    [ "$ticks" -lt 15 ] || fail "took $ticks ticks"
    expect_nothing_left
}

expect_nothing_left()
{
    check_gone
    sed -n 's/^ready //p' "$work/out" >>"$work/pids"
    inventory | diff "$work/before" - >"$work/left" || fail "left behind: $(cat "$work/left")"
}

# threads_of_job: the process numbers of the job's threads; the launcher's are not among them.
threads_of_job()
{
    pgrep -f -- "^$program .*$marker"
}

# rules THREADS [THREAD]: prepares jobs of THREADS threads in each of which one of them breaks a rule,
# the program's MODE: THREAD, or one by chance; on one node and with every thread its own node.
rules()
{
    rule_threads=$1
    breaker=${2:-}
    node_counts="1 $1"
    "$run" -n "$1" --nodes "$1" -- "$program" none 0 >/dev/null 2>&1 ||
        node_counts=1 # a build without a network
    start_ticks "$run" -n "$1" -- "$program" none 0
}

# broken MODE LINE [STATUS]: after 'rules'; THREAD in LINE is the one that breaks the rule.
broken()
{
    local nodes chosen
    # shellcheck disable=SC2086 # several numbers
    draw $node_counts
    for nodes in "${drawn[@]}"; do
        begin "$1, $nodes nodes"
        chosen=${breaker:-$((RANDOM % rule_threads))}
        job "$run" -n "$rule_threads" --nodes "$nodes" -- "$program" "$1" "$chosen"
        expect "${3:-1}" "${2//THREAD/$chosen}"
    done
}
