#!/bin/bash
# How a job ends that goes wrong: soon, with the right status, one line, and nothing left behind.
#
# usage: failure.sh FATHOM-RUN RUNTIME-FAIL DEBUG-CHECKS(0 or 1)
#        failure.sh FATHOM-RUN RUNTIME-FAIL soak
#        failure.sh FATHOM-RUN RUNTIME-FAIL-VIS vis DEBUG-CHECKS
#        failure.sh FATHOM-RUN RUNTIME-OUTSIDE outside
#
# The soak kills threads at random moments: PGAS_TEST_KILLS times (default 20 in each of its parts),
# from the seed PGAS_TEST_SEED. Every job carries a marker among its arguments, by which its
# processes are found again.
# shellcheck source=runtime/launcher/tests/jobs.bash
source "$(dirname "$0")/../../launcher/tests/jobs.bash"
# A sanitizer would report a signal and exit in its own way.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0:handle_abort=0
export TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}handle_segv=0:handle_abort=0

run=$1
program=$2
part=$3
slowest=0
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

# measure TICKS: what has passed since then.
measure()
{
    ticks=$(($(ticks_now) - $1))
    [ $ticks -le $slowest ] || slowest=$ticks
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
    local turn
    timeout -k 1 $hangs "$run" -n "$1" -- "$program" "$2" 0 "$marker" >"$work/out" 2>"$work/err" </dev/null &
    launcher=$!
    for ((turn = 0; turn < 50 * hangs; turn++)); do
        [ "$(grep -c ready "$work/out")" -ge "$1" ] && return 0
        sleep 0.02
    done
    fail "the threads were not ready"
}

# finish: waits for the job started, and notes status and ticks as job does.
finish()
{
    local before
    before=$(ticks_now)
    wait "$launcher" 2>/dev/null
    status=$?
    measure "$before"
}

# expect STATUS [LINE]: soon, the job's status; the one line on standard error matches LINE, or
# there is none; it left nothing.
expect()
{
    # UCX 1.13 does not survive the death of a peer that is just connecting to it.
    sed -i '/ucp_request\.c:[0-9]* *Assertion .*got REP message$/d' "$work/err"
    expect_words "$@"
    [ "$ticks" -lt 20 ] || fail "took $ticks ticks"
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

test_kills()
{
    local mode victim
    for mode in barrier lock compute; do
        begin "kill -9 while waiting: $mode"
        start 4 $mode
        victim=$((RANDOM % 4))
        kill -9 "$(sed -n 's/^ready //p' "$work/out" | sed -n $((victim + 1))p)"
        finish
        expect 137 '^fathom-run: thread [0-3] \(pid [0-9]+ on .+\) was killed by signal 9 \(Killed\); the job is ended$'
    done
}

# misbehave MODE STATUS [LINE]: under fathom-run, at several numbers of threads, and by hand.
misbehave()
{
    local n chosen
    for n in 1 2 4; do
        begin "$1, $n threads"
        chosen=$((RANDOM % n))
        job "$run" -n $n -- "$program" "$1" $chosen
        expect "$2" ${3:+"${3//THREAD/$chosen}"}
    done
}

by_hand()
{
    begin "$1 by hand"
    job "$program" "$1" 0
    expect "$2" ${3:+"${3//THREAD/0}"}
}

everywhere()
{
    misbehave "$@"
    by_hand "$@"
}

test_ends()
{
    misbehave segfault 139 '^fathom-run: thread THREAD \(pid [0-9]+ on .+\) was killed by signal 11 \(Segmentation fault'
    misbehave abort 134 '^fathom-run: thread THREAD \(pid [0-9]+ on .+\) was killed by signal 6 \(Aborted'
    misbehave leave0 1 '^fathom-run: thread THREAD \(pid [0-9]+ on .+\) exited with status 0 before pgas_finalize'
    local mode
    for mode in source_unmapped source_hole source_rows; do
        misbehave $mode 139 '^fathom-run: thread THREAD \(pid [0-9]+ on .+\) was killed by signal 11 \(Segmentation fault'
    done
    everywhere exit3 3 '^fathom: thread THREAD on .+: pgas_exit\(3\): the job is ended$'
    everywhere exit0 0
    everywhere all_exit 5 '^fathom: thread [0-3] on .+: pgas_exit\(5\): the job is ended$'
    everywhere finish 0
}

test_misuse()
{
    local said='^fathom: thread THREAD on .+: '
    everywhere wait_alone 1 "${said}pgas_wait: called without pgas_notify\$"
    everywhere notify_twice 1 "${said}pgas_notify: called twice without pgas_wait\$"
    everywhere barrier_between 1 "${said}pgas_barrier: called between pgas_notify and pgas_wait\$"
    everywhere wait_other 1 "${said}pgas_wait: barrier id 2, but this thread notified 1\$"
    everywhere unlock 1 "${said}pgas_unlock: this thread does not hold the lock\$"
    everywhere relock 1 "${said}pgas_lock: this thread holds the lock already\$"
    everywhere lock_null 1 "${said}pgas_lock: the lock is null\$"
    everywhere double_free 1 "${said}pgas_free: .* was not allocated, or is freed already\$"
    everywhere interior_free 1 "${said}pgas_free: .* was not allocated, or is freed already\$"
    everywhere garbage_free 1 "${said}pgas_free: .* is not a pointer that an allocation gave\$"
    everywhere far_free 1 "${said}pgas_free: .* was not allocated, or is freed already\$"
    everywhere null 1 "${said}pgas_memget: 100 bytes at thread 0, offset 0: the null pointer\$"
    everywhere read_null 1 "${said}value access: .*thread 0, offset 0: the null pointer\$"
    everywhere write_null 1 "${said}value access: .*thread 0, offset 0: the null pointer\$"
    everywhere no_thread 1 "${said}pgas_memput: 100 bytes at thread [0-9]+, .*: no such thread\$"
    everywhere beyond 1 "${said}pgas_memset: .*: beyond the end of its segment\$"
    everywhere private_null 1 "${said}pgas_memput: the private pointer is NULL\$"
    everywhere waitsynci_inside 1 "${said}pgas_waitsynci: called inside an access region\$"
    everywhere trysynci_inside 1 "${said}pgas_trysynci: called inside an access region\$"
    everywhere regions_nested 1 "${said}pgas_begin_accessregion: called inside an access region\$"
    everywhere region_end_alone 1 "${said}pgas_end_accessregion: called outside an access region\$"
    if [ "$part" = 1 ]; then
        everywhere handle_nonsense 1 "${said}pgas_waitsync: no call has given this handle\$"
        everywhere index 1 "${said}array access: element 10 of 4 bytes, but the array has 10 of 4 bytes\$"
        test_debug_misuse
    fi

    local n
    for n in 2 4; do
        begin "barrier ids that differ, $n threads"
        job "$run" -n $n -- "$program" mismatch 1
        expect 1 '^fathom: thread [0-3] on .+: (pgas_notify: barrier id [12]|pgas_wait: barrier id [12] of thread [0-3]), but thread [0-3] named this phase [12]$'
        begin "a lock freed that others want, $n threads"
        job "$run" -n $n -- "$program" lock_free_wanted 1
        expect 1 "${said/THREAD/1}pgas_lock_free: threads wait for the lock\$"
    done
}

# What only the debug build checks.
test_debug_misuse()
{
    local said='^fathom: thread THREAD on .+: '
    local outside='[0-9]+ bytes at thread THREAD, offset [0-9]+: outside every allocation'
    everywhere get_size 1 "${said}array access: element 0 of 8 bytes, but the array has 10 of 4 bytes\$"
    everywhere read_size 1 "${said}value access: 8 bytes at thread 0, offset [0-9]+: not within one element of its array, of 4 bytes\$"
    everywhere write_size 1 "${said}value access: 8 bytes at thread [0-3], offset [0-9]+: not within one element of its array, of 4 bytes\$"
    everywhere write_outside 1 "${said}value access: $outside\$"
    everywhere copy_outside 1 "${said}pgas_memput: [0-9]+ bytes at thread THREAD, offset [0-9]+: beyond the end of the allocation, at offset [0-9]+\$"
    everywhere list_outside 1 "${said}pgas_memput_ilist: $outside\$"
    everywhere rows_outside 1 "${said}pgas_memput_2d: $outside\$"
    everywhere write_freed 1 "${said}value access: $outside\$"
    everywhere read_freed 1 "${said}value access: $outside\$"
    everywhere get_freed 1 "${said}value access: $outside\$"
    everywhere mine_freed 1 "${said}value access: 1 bytes at thread THREAD, offset 0: the null pointer\$"
    everywhere region_open 0 "${said}pgas_finalize: 1 access region of pgas_begin_accessregion at .*fail\.c:[0-9]+ never ended\$"
    begin "copies without a handle that are not synchronised"
    job "$run" -n 2 -- "$program" implicit_leak 1
    local unsynchronised='never synchronised \(pgas_waitsynci\)'
    expect_lines 0 \
        "^fathom: thread 1 on .+: pgas_finalize: 2 calls of pgas_memput_asynci at .*fail\.c:[0-9]+ $unsynchronised\$" \
        "^fathom: thread 1 on .+: pgas_finalize: 1 call of pgas_memput_2d_asynci at .*fail\.c:[0-9]+ $unsynchronised\$"
}

# expect_lines STATUS LINE...: just these lines on standard error, in any order.
expect_lines()
{
    local line
    [ "$status" -eq "$1" ] || fail "status $status, expected $1"
    shift
    [ "$(wc -l <"$work/err")" -eq $# ] || fail "not $# lines on standard error"
    for line; do
        grep -Eq -- "$line" "$work/err" || fail "standard error does not say '$line'"
    done
    expect_nothing_left
}

# between_nodes MODE STATUS LINE: as misbehave, where every thread has another node beside its own.
between_nodes()
{
    local n chosen
    for n in 2 4; do
        begin "$1, $n threads"
        chosen=$((RANDOM % n))
        job "$run" -n $n -- "$program" "$1" $chosen
        expect "$2" "${3//THREAD/$chosen}"
    done
}

# Copies within a node are complete when they return: there are no handles to misuse.
test_handles()
{
    local said='^fathom: thread THREAD on .+: '
    local put='pgas_memput_async at .*fail\.c:[0-9]+'
    between_nodes handle_twice 1 "${said}pgas_trysync_all: this handle, of $put, has been synchronised already\$"
    between_nodes handle_foreign 1 "${said}pgas_trysync: thread [0-3] was given this handle\$"
    between_nodes handle_leak 0 "${said}pgas_finalize: 3 handles of $put never synchronised\$"

    begin "a handle of every header"
    job "$run" -n 2 -- "$program" leaks 1
    local call lines=()
    for call in memput_vlist_async memput_2d_async reblock_put_async put_val_async; do
        lines+=("^fathom: thread 1 on .+: pgas_finalize: 1 handle of pgas_$call at .*fail\.c:[0-9]+ never synchronised\$")
    done
    expect_lines 0 "${lines[@]}" \
        "^fathom: thread 1 on .+: pgas_finalize: 1 value of pgas_get_val_async at .*fail\.c:[0-9]+ never waited for\$"
}

# setting LINE NAME=VALUE: pgas_init refuses it, with one line for all threads.
setting()
{
    local n
    for n in 1 2 4; do
        begin "$2, $n threads"
        job env "$2" "$run" -n $n -- "$program" finish 0
        expect 1 "^fathom: thread 0 on .+: $1"
    done
    begin "$2 by hand"
    job env "$2" "$program" finish 0
    expect 1 "^fathom: thread 0 on .+: $1"
}

test_settings()
{
    setting "PGAS_HEAP_SIZE='12Q' is not a whole number with an optional suffix" PGAS_HEAP_SIZE=12Q
    setting "PGAS_HEAP_SIZE: 1 bytes cannot be a heap" PGAS_HEAP_SIZE=1
    setting "PGAS_HEAP_SIZE: .* bytes cannot be a heap" PGAS_HEAP_SIZE=16000000T
    setting "mapping|reserving|sizing" PGAS_HEAP_SIZE=300000T
    setting "PGAS_SEGMENT='foo' is not one of memfd, posix, auto" PGAS_SEGMENT=foo
    setting "PGAS_PROGRESS='maybe' is not one of thread, poll, auto" PGAS_PROGRESS=maybe
    setting "PGAS_NODES=99: a job of [0-9] threads? has at most" PGAS_NODES=99
    setting "PGAS_SPIN='x' is not a whole number" PGAS_SPIN=x
    setting "PGAS_STATS='maybe' is not" PGAS_STATS=maybe

    begin "a setting that only one thread has"
    # shellcheck disable=SC2016 # the thread expands it
    job "$run" -n 3 -- sh -c '[ "$PMIX_RANK" = 2 ] && export PGAS_SPIN=x; exec "$0" finish 0 "$1"' "$program"
    expect 1 "^fathom: thread 2 on .+: PGAS_SPIN='x'"
}

# The allocation has said why: pgas_exit adds no line.
test_no_memory()
{
    local n
    for n in 1 4; do
        begin "an array larger than the heap, $n threads"
        job env PGAS_HEAP_SIZE=1M "$run" -n $n -- "$program" exhaust 0
        expect 1 '^fathom: thread 0 on .+: pgas_all_alloc: [0-9]+ bytes asked for in a heap of 1048576 bytes with .*PGAS_HEAP_SIZE'
    done
}

test_posix()
{
    local n
    for n in 1 2 4; do
        begin "PGAS_SEGMENT=posix, $n threads"
        job env PGAS_SEGMENT=posix "$run" -n $n -- "$program" finish 0
        expect 0
    done
    begin "PGAS_SEGMENT=posix by hand"
    job env PGAS_SEGMENT=posix "$program" finish 0
    expect 0
}

# refused MODE LINE: a call that a copy's or a value's arguments make end the job.
refused()
{
    local chosen=$((RANDOM % 2))
    begin "$1"
    job "$run" -n 2 -- "$program" "$1" $chosen
    expect 1 "^fathom: thread $chosen on .+: $2\$"
}

test_vis()
{
    refused vlist_totals 'pgas_memput_vlist: 20 bytes of destination, but 19 bytes of source'
    refused vlist_one_side 'pgas_memget_vlist: 1 bytes of destination, but 0 bytes of source'
    refused vlist_overflow 'pgas_memcpy_vlist: the lengths of a list add up to more .*'
    refused vlist_null 'pgas_memget_vlist_asynci: the private pointer is NULL'
    refused vlist_no_thread 'pgas_memput_vlist_async: 8 bytes at thread 2, .*: no such thread'
    refused vlist_beyond 'pgas_memcpy_vlist: 8 bytes at thread 0, .*: beyond the end of its segment'
    refused ilist_totals 'pgas_memput_ilist: 16 bytes of destination, but 15 bytes of source'
    refused ilist_one_side 'pgas_memput_ilist: 8 bytes of destination, but 0 bytes of source'
    refused ilist_no_length 'pgas_memcpy_ilist: regions of 0 bytes'
    refused ilist_overflow 'pgas_memcpy_ilist: 4294967296 regions of 4294967296 bytes .*'
    refused ilist_null 'pgas_memget_ilist_async: 8 bytes at thread 0, offset 0: the null pointer'
    refused ilist_private_null 'pgas_memput_ilist: the private pointer is NULL'
    refused ilist_no_thread 'pgas_memcpy_ilist_asynci: 8 bytes at thread 1000000, .*: no such thread'
    refused ilist_no_such_thread 'pgas_memget_ilist: 8 bytes at thread 2, .*: no such thread'
    refused ilist_beyond 'pgas_memcpy_ilist: 8 bytes at .*: beyond the end of its segment'
    refused fstrided_totals 'pgas_memget_fstrided: 3 chunks of 5 bytes to 2 of 8'
    refused fstrided_overflow 'pgas_memget_fstrided: 2 chunks of 9223372036854775808 bytes .*'
    refused fstrided_stride 'pgas_memput_fstrided: a stride of 7 bytes, but chunks of 8'
    refused fstrided_beyond 'pgas_memput_fstrided: .*: beyond the end of its segment'
    refused fstrided_far_beyond 'pgas_memput_fstrided: 5 chunks every 4611686018427387904 .*'
    refused strided_first 'pgas_memget_strided: dststrides.0. is 7, but count.0. is 8, .*'
    refused strided_second 'pgas_memget_strided: srcstrides.1. is 47, but count.1. is 3, of 16 .*'
    refused strided_beyond 'pgas_memget_strided_async: .*: beyond the end of its segment'
    refused strided_null 'pgas_memput_strided: the private pointer is NULL'
    refused row_too_short 'pgas_memcpy_2d: dststrides.0. is 8, but count.0. is 9, .*'
    refused transposed_below 'pgas_memget_transposed: the section begins [0-9]+ bytes before .*'
    refused transposed_repeat 'pgas_memget_transposed: dststrides.0. is 0: 2 elements .*'
    refused transposed_empty 'pgas_memget_transposed: elements of 0 bytes'
    refused reblock_beyond 'pgas_reblock_get: elements 5 to 11 of an array of 10'
    refused reblock_sizes 'pgas_reblock: elements of 8 bytes to elements of 4'
    refused reblock_null 'pgas_reblock_put: the private pointer is NULL'
    refused value_size 'pgas_get_val: a value of 9 bytes: 1 to 8 are possible'
    refused value_empty 'pgas_put_val: a value of 0 bytes: 1 to 8 are possible'
    refused value_null 'pgas_put_val_async: 8 bytes at thread 0, offset 0: the null pointer'
    refused value_nowhere 'pgas_wait_val: this read is not in flight, or has been waited for'
    [ "$1" = 1 ] || return
    refused overlap_dst 'pgas_memput_ilist: a destination region overlaps another region'
    refused overlap_src 'pgas_memcpy_vlist: a destination region overlaps another region'
}

# Calls before pgas_init and after pgas_finalize.
test_outside()
{
    local call name
    for call in $("$program"); do
        name=$call
        [ "$call" != pgas_init ] || continue
        [[ $call != PGAS_* ]] || name="value access"
        begin "$call before pgas_init"
        job "$program" before "$call"
        expect 1 "^fathom: thread 0 on .+: $name: called before pgas_init\$"
        begin "$call after pgas_finalize"
        job "$program" after "$call"
        expect 1 "^fathom: thread 0 on .+: $name: called after pgas_finalize\$"
    done
    begin "pgas_init twice"
    job "$program" before pgas_init
    expect 1 '^fathom: thread 0 on .+: pgas_init: called twice$'
    begin "pgas_init after pgas_finalize"
    job "$program" after pgas_init
    expect 1 '^fathom: thread 0 on .+: pgas_init: called after pgas_finalize$'

    export LAST_THREAD=2
    for call in pgas_barrier pgas_memget PGAS_PUT; do
        name=$call
        [[ $call != PGAS_* ]] || name="value access"
        begin "$call before pgas_init, 3 threads"
        job "$run" -n 3 -- "$program" before $call
        expect 1 "^fathom: thread 2 on .+: $name: called before pgas_init\$"
        begin "$call after pgas_finalize, 3 threads"
        job "$run" -n 3 -- "$program" after $call
        expect 1 "^fathom: thread 2 on .+: $name: called after pgas_finalize\$"
    done
}

# differ MODE CALL OTHER-CALL: two threads in different collective calls, one line for both.
differ()
{
    local n
    for n in 2 4; do
        begin "$1, $n threads"
        job "$run" -n $n -- "$program" "$1" $((RANDOM % n))
        expect_differ "$2" "$3"
    done
    [ "${PGAS_THREADS_PER_NODE:-0}" = 1 ] || return 0
    begin "$1, 4 threads on 2 nodes"
    job env PGAS_THREADS_PER_NODE=2 "$run" -n 4 -- "$program" "$1" $((RANDOM % 4))
    expect_differ "$2" "$3"
}

expect_differ()
{
    expect 1 "^fathom: thread [0-3] on .+: pgas_[a-z_]+: thread [0-3] calls ($1, but thread [0-3] calls $2|$2, but thread [0-3] calls $1)\$"
}

test_collectives()
{
    differ collective_arguments 'pgas_array_create\(10, 8, 1\)' 'pgas_array_create\(20, 8, 1\)'
    differ collective_other 'pgas_all_alloc\(10, 8\)' 'pgas_barrier\(\)'
    differ collective_alone 'pgas_all_lock_alloc\(\)' 'pgas_barrier\(\)'
    differ collective_order 'pgas_all_alloc\(10, 8\)' 'pgas_array_create\(10, 4, 1\)'
    differ collective_free 'pgas_all_free\(0, [0-9]+\)' 'pgas_all_free\(0, [0-9]+\)'
    differ collective_plan 'pgas_plan_create\(10, 4, 1, 0\)' 'pgas_plan_create\(10, 4, 1, 1\)'
    differ collective_end 'pgas_finalize\(\)' 'pgas_barrier\(\)'
}

# soak NAME: kills a random thread at a random moment, from before pgas_init to long after.
soak()
{
    local turn victims
    for turn in $(seq "${PGAS_TEST_KILLS:-20}"); do
        begin "$1, random kill $turn"
        timeout -k 1 $hangs "$run" -n 4 -- "$program" barrier 0 "$marker" >"$work/out" 2>"$work/err" </dev/null &
        launcher=$!
        sleep "$(printf '0.%03d' $((RANDOM % 150 + 1)))"
        mapfile -t victims < <(threads_of_job)
        while [ ${#victims[@]} -eq 0 ]; do
            mapfile -t victims < <(threads_of_job)
        done
        printf '%s\n' "${victims[@]}" >"$work/pids"
        kill -9 "${victims[RANDOM % ${#victims[@]}]}"
        finish
        expect 137 '^fathom-run: thread [0-3] \(pid [0-9]+ on .+\) was killed by signal 9 \(Killed\); the job is ended$'
    done
}

start_ticks "$run" -n 2 -- "$program" finish none
if [ "$part" = vis ]; then
    test_vis "$4"
elif [ "$part" = outside ]; then
    test_outside
elif [ "$part" = soak ]; then
    soak memfd
    export PGAS_SEGMENT=posix
    soak posix
else
    test_kills
    test_ends
    test_misuse
    test_collectives
    if [ "$part" = 1 ] && [ "${PGAS_THREADS_PER_NODE:-0}" = 1 ]; then
        test_handles
    fi
    test_settings
    test_no_memory
    test_posix
fi

[ "$failures" -eq 0 ] || exit 1
echo "all passed; the slowest job took $slowest ticks"
