#!/bin/bash
# How GASNet jobs end: statuses, output, and SIGQUIT at the nodes that did not end the job.
#
# usage: exit.sh FATHOM-RUN CLIENT-SEQ CLIENT-PAR
set -u
export LC_ALL=C
# A sanitizer would report a signal and exit in its own way.
for sanitizer in ASAN TSAN; do
    name=${sanitizer}_OPTIONS
    value=${!name:+${!name}:}handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigfpe=0
    export "$name=$value"
done

run=$1
seq=$2
par=$3
out=$(mktemp)
trap 'rm -f "$out"' EXIT
failures=0

# check STATUS QUITS CLIENT NODES SUPERNODES HOW...: the job ends with STATUS, and QUITS nodes have
# seen SIGQUIT once and have had time to clean up.
check()
{
    local status=$1 quits=$2 client=$3 nodes=$4 supernodes=$5
    shift 5
    "$run" -n "$nodes" --nodes "$supernodes" -- "$client" "$@" >"$out" 2>&1
    local ended=$?
    local seen cleaned begun
    seen=$(grep -o "caught SIGQUIT" "$out" | wc -l)
    cleaned=$(grep -o "cleaned up" "$out" | wc -l)
    begun=$(grep -o "node [0-9]* begins, without the end of a line" "$out" | wc -l)
    if [[ $ended -ne $status || $seen -ne $quits || $cleaned -ne $quits ]]; then
        echo "FAILED: $* ($nodes nodes, $supernodes supernodes): status $ended, not $status;" \
            "$seen SIGQUIT, $cleaned cleaned up, not $quits"
        cat "$out"
        failures=$((failures + 1))
    fi
    # Those that leave in good order lose nothing.
    if [[ $quits -eq 0 && $status -lt 128 && $* != no_handler* && $begun -ne $nodes ]]; then
        echo "FAILED: $*: the output of $begun of $nodes nodes"
        cat "$out"
        failures=$((failures + 1))
    fi
}

# check_status STATUS CLIENT NODES SUPERNODES HOW...: the job ends with STATUS, whichever node was
# the first and whoever has seen SIGQUIT.
check_status()
{
    local status=$1 client=$2 nodes=$3 supernodes=$4
    shift 4
    "$run" -n "$nodes" --nodes "$supernodes" -- "$client" "$@" >"$out" 2>&1
    local ended=$?
    if [[ $ended -ne $status ]]; then
        echo "FAILED: $* ($nodes nodes, $supernodes supernodes): status $ended, not $status"
        cat "$out"
        failures=$((failures + 1))
    fi
}

# All nodes exit, however busy the machine is.
export GASNET_EXITTIMEOUT=100
for shape in "1 1" "3 1" "3 2" "3 3"; do
    # shellcheck disable=SC2086 # two numbers
    {
        check 0 0 "$seq" $shape good
        check 7 0 "$seq" $shape together
        check 1 0 "$seq" $shape codes
        check 255 0 "$seq" $shape multiple
        check 0 0 "$par" $shape reading_good
        check 7 0 "$seq" $shape return
        check 0 0 "$seq" $shape return_good
        check 7 0 "$seq" $shape before_attach
        check 0 0 "$seq" $shape requests
        check 0 0 "$seq" $shape forked
        check 0 0 "$par" $shape communicating
        check 0 0 "$par" $shape starting
        check 7 0 "$par" $shape return_beside
    }
done
# The statistics cannot be written any more: node 0 fails, and slower ones may see SIGQUIT.
for supernodes in 1 3; do
    FOLDER=$(mktemp -d)
    export FOLDER
    PGAS_STATS=$FOLDER/s.json check_status 1 "$seq" 3 $supernodes folder_lost
    if ! grep -q "^fathom: .*PGAS_STATS=.* cannot be written: No such file" "$out"; then
        echo "FAILED: folder_lost: no line about it"
        cat "$out"
        failures=$((failures + 1))
    fi
    rm -rf "$FOLDER"
done
unset FOLDER
# All exit where none can leave in good order.
for supernodes in 1 2; do
    check_status 7 "$seq" 3 $supernodes all_notified
    check_status 7 "$seq" 3 $supernodes all_locked
    check_status 7 "$par" 3 $supernodes waiting
done
for tries in 1 2 3; do
    check_status 7 "$seq" 1 1 allocating $tries
done
# A handler of a signal ends the job while its thread waits: in good order, unless the signal comes
# while the thread looks.
for client in "$seq" "$par"; do
    for ((tries = 10; tries > 0; tries--)); do
        "$run" -n 3 -- "$client" alarm >"$out" 2>&1
        [[ $? -ne 7 || $(grep -o "without the end of a line" "$out" | wc -l) -ne 3 ||
            $(grep -c "caught SIGQUIT" "$out") -ne 0 ]] || break
    done
    if [[ $tries -eq 0 ]]; then
        echo "FAILED: alarm: never in good order"
        cat "$out"
        failures=$((failures + 1))
    fi
done
# One node exits, and the others do not.
# A timeout that is none.
for timeout in soon 0 -1 2s nan 1e9; do
    GASNET_EXITTIMEOUT=$timeout timeout 60 "$run" -n 1 "$seq" good >"$out" 2>&1
    ended=$?
    if [[ $ended -eq 0 ]] || ! grep -q "GASNET_EXITTIMEOUT='$timeout' is no number of seconds" "$out"; then
        echo "FAILED: GASNET_EXITTIMEOUT=$timeout: status $ended"
        cat "$out"
        failures=$((failures + 1))
    fi
done

export GASNET_EXITTIMEOUT=2
for supernodes in 1 2; do
    check 7 2 "$seq" 3 $supernodes alone
    check 7 2 "$seq" 3 $supernodes alone 0
    check 7 2 "$seq" 3 $supernodes told
    check 7 2 "$par" 3 $supernodes reading
    GASNET_BACKTRACE=1 check 134 2 "$par" 3 $supernodes reading_fatal
    grep -q "^frames$" "$out" || { echo "FAILED: no frames" && failures=$((failures + 1)); }
    check 7 2 "$seq" 3 $supernodes computing
    check 7 2 "$seq" 3 $supernodes polling
    check 7 2 "$seq" 3 $supernodes handler
    check 7 2 "$seq" 3 $supernodes exit
    check 7 2 "$seq" 3 $supernodes notified
    check 7 2 "$seq" 3 $supernodes locked
    check 7 2 "$par" 3 $supernodes held
    check 7 2 "$par" 3 $supernodes thread
    check 7 2 "$seq" 3 $supernodes other_thread
    check 7 2 "$par" 3 $supernodes other_thread
    check 7 2 "$par" 3 $supernodes computing
    check 7 2 "$par" 3 $supernodes others
    check 139 2 "$seq" 3 $supernodes crash
    check 134 2 "$seq" 3 $supernodes abort
    check 134 2 "$seq" 3 $supernodes fatal
    check 135 2 "$seq" 3 $supernodes bus
    check 136 2 "$seq" 3 $supernodes divide
    check 139 2 "$par" 3 $supernodes crash_thread
    check 135 2 "$par" 3 $supernodes bus_thread
    check 7 0 "$seq" 3 $supernodes no_handler
done
# Nobody kills a node that writes its core; sanitizers have none.
work=$(mktemp -d)
cores_before=$(ulimit -S -c)
if [[ -z ${FATHOM_TEST_SANITIZED:-} && $(cat /proc/sys/kernel/core_pattern) == core* ]] &&
    ulimit -S -c unlimited 2>/dev/null; then
    pushd "$work" >/dev/null || exit 1
    for supernodes in 1 2; do
        PGAS_HEAP_SIZE=64M check 134 2 "$seq" 3 $supernodes abort
        cores=(core*)
        if [[ ${#cores[@]} -ne 1 || $(readelf -h "${cores[0]}" 2>&1) != *"CORE (Core file)"* ]]; then
            echo "FAILED: after abort: ${cores[*]}, not one core"
            failures=$((failures + 1))
        fi
        rm -f core*
    done
    popd >/dev/null || exit 1
    ulimit -S -c "$cores_before"
fi
rm -rf "$work"
export GASNET_EXITTIMEOUT=100
# By hand, with a handler of SIGQUIT that returns: a second signal ends the process, unless it is an
# echo of the first.
"$seq" deaf >"$out" 2>&1 &
until grep -q begins "$out"; do
    sleep 0.05
done
kill -TERM $!
until grep -q "caught SIGQUIT" "$out"; do
    sleep 0.05
done
kill -TERM $!
sleep 1.1
kill -0 $! 2>/dev/null || { echo "FAILED: deaf: ended by an echo" && failures=$((failures + 1)); }
kill -TERM $! 2>/dev/null
wait $!
ended=$?
[[ $ended -eq 143 ]] || { echo "FAILED: deaf: status $ended" && failures=$((failures + 1)); }
# Who reads the output takes his time.
SINK=$(mktemp)
export SINK
check 0 0 "$seq" 1 1 slow
until [[ -e $SINK.whole ]]; do
    sleep 0.05
done
written=$(stat -c %s "$SINK.whole")
[[ $written -eq $((66 << 10)) ]] ||
    { echo "FAILED: slow: $written bytes are written" && failures=$((failures + 1)); }
rm -f "$SINK.whole"
unset SINK
check 7 0 "$par" 1 1 thread
check 7 0 "$par" 2 2 together
[[ $failures -eq 0 ]]
