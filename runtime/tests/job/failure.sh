#!/bin/bash
# A job that fails ends soon, with the right status and one line, and leaves nothing behind.
#
# usage: failure.sh FATHOM-RUN RUNTIME-FAIL DEBUG-CHECKS(0 or 1)
# shellcheck source=runtime/tests/job/failure.bash
source "$(dirname "$0")/failure.bash"
debug=$3
# With every thread on a node of its own, cases that concern one thread or one node are left out:
# the test without the setting has them.
per_node=$((${PGAS_THREADS_PER_NODE:-0} == 1))

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

# misbehave MODE STATUS [LINE]: under fathom-run, with a drawn number of threads.
misbehave()
{
    local n chosen counts=(1 2 4)
    [ "$per_node" = 0 ] || counts=(2 4)
    draw "${counts[@]}"
    for n in "${drawn[@]}"; do
        begin "$1, $n threads"
        chosen=$((RANDOM % n))
        job "$run" -n "$n" -- "$program" "$1" $chosen
        expect "$2" ${3:+"${3//THREAD/$chosen}"}
    done
}

by_hand()
{
    begin "$1 by hand"
    job "$program" "$1" 0
    expect "$2" ${3:+"${3//THREAD/0}"}
}

# In both ways; under a sanitizer, which makes every process slow, in one of them.
everywhere()
{
    local way ways=(misbehave by_hand)
    [ "$per_node" = 0 ] || ways=(misbehave)
    if [ -n "${FATHOM_TEST_SANITIZED:-}" ]; then
        draw "${ways[@]}"
        ways=("${drawn[@]}")
    fi
    for way in "${ways[@]}"; do
        "$way" "$@"
    done
}

test_ends()
{
    misbehave segfault 139 '^fathom-run: thread THREAD \(pid [0-9]+ on .+\) was killed by signal 11 \(Segmentation fault'
    misbehave abort 134 '^fathom-run: thread THREAD \(pid [0-9]+ on .+\) was killed by signal 6 \(Aborted'
    misbehave leave0 1 '^fathom-run: thread THREAD \(pid [0-9]+ on .+\) exited with status 0 before pgas_finalize'
    local mode
    for mode in source_unmapped source_hole source_message source_rows; do
        misbehave $mode 139 '^fathom-run: thread THREAD \(pid [0-9]+ on .+\) was killed by signal 11 \(Segmentation fault'
    done
    everywhere exit3 3 '^fathom: thread THREAD on .+: pgas_exit\(3\): the job is ended$'
    everywhere exit_reading 3 '^fathom: thread THREAD on .+: pgas_exit\(3\): the job is ended$'
    everywhere exit300 44 '^fathom: thread THREAD on .+: pgas_exit\(300\): the job is ended$'
    everywhere exit256 255 '^fathom: thread THREAD on .+: pgas_exit\(256\): the job is ended$'
    everywhere exit0 0
    everywhere all_exit 5 '^fathom: thread [0-3] on .+: pgas_exit\(5\): the job is ended$'
    everywhere all_exit_ticking 5 '^fathom: thread [0-3] on .+: pgas_exit\(5\): the job is ended$'
    everywhere finish 0
    if [ "$per_node" = 1 ]; then
        begin "an end without files for the question to thread 0"
        job "$run" -n 2 -- "$program" fail_without_files 1
        expect 5 '^runtime_fail: the input is not there$'
    fi
}

test_limits()
{
    begin "a limit of the size of files"
    job bash -c 'ulimit -f 1000; exec "$@"' - "$run" -n 2 -- "$program" none 0
    expect 1 '^fathom: thread [01] on .+: [0-9]+ bytes of address space .* more than a file may have \(ulimit -f\); PGAS_HEAP_SIZE sets the size$'
    [ "$per_node" = 1 ] || return 0
    begin "the same where UCX makes the file"
    PGAS_SEGMENT=ucx UCX_TLS=posix,self,tcp \
        job bash -c 'ulimit -f 1000; exec "$@"' - "$run" -n 2 -- "$program" none 0
    expect 1 '^fathom: thread [01] on .+: [0-9]+ bytes of address space .* more than a file may have \(ulimit -f\); PGAS_HEAP_SIZE sets the size$'
}

test_misuse()
{
    local said='^fathom: thread THREAD on .+: '
    everywhere wait_alone 1 "${said}pgas_wait: called without pgas_notify\$"
    everywhere notify_twice 1 "${said}pgas_notify: called twice without pgas_wait\$"
    everywhere barrier_between 1 "${said}pgas_barrier: called between pgas_notify and pgas_wait\$"
    everywhere blocks_too_large 1 "${said}pgas_ptr_add: blocks of 4294967296 elements: at most 4294967295 are possible\$"
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
    everywhere read_no_thread 1 "${said}value access: .*thread (-1|4294967295).*: no such thread\$"
    everywhere write_no_thread 1 "${said}value access: .*thread (-2|4294967294).*: no such thread\$"
    everywhere atomic_unaligned 1 "${said}pgas_atomic_async: a word of 8 bytes at offset [0-9]+ of thread [0-3], which is not aligned\$"
    if [ "$per_node" = 0 ]; then
        by_hand atomic_bits 1 "${said}pgas_atomic_async: operation 11 on a word of type 5: there is none such \(pgas/word.h\)\$"
        by_hand atomic_order 1 "${said}pgas_atomic_async: memory order 1 for operation 1: loads cannot release, stores cannot acquire\$"
        by_hand atomic_load 1 "${said}pgas_atomic_async: the private pointer is NULL\$"
    fi
    everywhere no_thread 1 "${said}pgas_memput: 100 bytes at thread [0-9]+, .*: no such thread\$"
    everywhere beyond_async 1 "${said}pgas_memput_async: 2 bytes at thread 0, offset [0-9]+: beyond the end of its segment\$"
    everywhere before_async 1 "${said}pgas_memput_async: 2 bytes at thread 0, offset 16777215: before the heap\$"
    everywhere null_async 1 "${said}pgas_memget_async: 1 bytes at thread 0, offset 65535: the null pointer\$"
    everywhere beyond 1 "${said}pgas_memset: .*: beyond the end of its segment\$"
    everywhere private_null 1 "${said}pgas_memput: the private pointer is NULL\$"
    everywhere waitsynci_inside 1 "${said}pgas_waitsynci: called inside an access region\$"
    everywhere trysynci_inside 1 "${said}pgas_trysynci: called inside an access region\$"
    everywhere regions_nested 1 "${said}pgas_begin_accessregion: called inside an access region\$"
    everywhere region_end_alone 1 "${said}pgas_end_accessregion: called outside an access region\$"
    if [ "$debug" = 1 ]; then
        everywhere handle_nonsense 1 "${said}pgas_waitsync: no call has given this handle\$"
        everywhere index 1 "${said}array access: element 10 of 4 bytes, but the array has 10 of 4 bytes\$"
        test_debug_misuse
    fi

    local n
    draw 2 4
    for n in "${drawn[@]}"; do
        begin "barrier ids that differ, $n threads"
        job "$run" -n "$n" -- "$program" mismatch 1
        expect 1 '^fathom: thread [0-3] on .+: (pgas_notify: barrier id [12]|pgas_wait: barrier id [12] of thread [0-3]), but thread [0-3] named this phase [12]$'
        begin "a lock freed that others want, $n threads"
        job "$run" -n "$n" -- "$program" lock_free_wanted 1
        expect 1 "${said/THREAD/1}pgas_lock_free: threads wait for the lock\$"
    done
}

# Errors that only the debug build finds.
test_debug_misuse()
{
    local said='^fathom: thread THREAD on .+: '
    local outside='[0-9]+ bytes at thread THREAD, offset [0-9]+: outside every allocation'
    local beyond='[0-9]+ bytes at thread THREAD, offset [0-9]+: beyond the end of the allocation, at offset [0-9]+'
    everywhere get_size 1 "${said}array access: element 0 of 8 bytes, but the array has 10 of 4 bytes\$"
    everywhere read_size 1 "${said}value access: 8 bytes at thread 0, offset [0-9]+: not within one element of its array, of 4 bytes\$"
    everywhere write_size 1 "${said}value access: 8 bytes at thread [0-3], offset [0-9]+: not within one element of its array, of 4 bytes\$"
    everywhere atomic_unaligned_here 1 "${said}pgas_atomic: a word of 4 bytes at offset [0-9]+ of thread THREAD, which is not aligned\$"
    everywhere atomic_release_load 1 "${said}pgas_atomic: memory order 2 for operation 0: loads cannot release, stores cannot acquire\$"
    everywhere write_outside 1 "${said}value access: $outside\$"
    everywhere copy_outside 1 "${said}pgas_memput: $beyond\$"
    everywhere list_outside 1 "${said}pgas_memput_ilist: $outside\$"
    local both='bytes at thread THREAD, offset [0-9]+: source and destination overlap'
    everywhere overlap_shared 1 "${said}pgas_memcpy: 1 $both\$"
    everywhere overlap_get 1 "${said}pgas_memget: 2 $both\$"
    everywhere overlap_put 1 "${said}pgas_memput_asynci: 2 $both\$"
    everywhere rows_outside 1 "${said}pgas_memput_2d: $beyond\$"
    everywhere write_freed 1 "${said}value access: $outside\$"
    everywhere read_freed 1 "${said}value access: $outside\$"
    everywhere get_freed 1 "${said}value access: $outside\$"
    everywhere mine_freed 1 "${said}value access: 1 bytes at thread THREAD, offset 0: the null pointer\$"
    everywhere lock_freed 1 "${said}pgas_lock: [0-9]+ bytes at thread 0, offset [0-9]+: outside every allocation\$"
    everywhere region_open 0 "${said}pgas_finalize: 1 access region of pgas_begin_accessregion at .*fail_debug\.c:[0-9]+ never ended\$"
    begin "copies without a handle that are not synchronised"
    job "$run" -n 2 -- "$program" implicit_leak 1
    local unsynchronised='never synchronised \(pgas_waitsynci\)'
    expect_lines 0 \
        "^fathom: thread 1 on .+: pgas_finalize: 2 calls of pgas_memput_asynci at .*fail_debug\.c:[0-9]+ $unsynchronised\$" \
        "^fathom: thread 1 on .+: pgas_finalize: 1 call of pgas_memput_2d_asynci at .*fail_debug\.c:[0-9]+ $unsynchronised\$"
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

# between_nodes MODE STATUS LINE: as misbehave, with at least two nodes.
between_nodes()
{
    local n chosen
    draw 2 4
    for n in "${drawn[@]}"; do
        begin "$1, $n threads"
        chosen=$((RANDOM % n))
        job "$run" -n "$n" -- "$program" "$1" $chosen
        expect "$2" "${3//THREAD/$chosen}"
    done
}

# Copies within a node are complete when they return: there are no handles to misuse.
test_handles()
{
    local said='^fathom: thread THREAD on .+: '
    local put='pgas_memput_async at .*fail_debug\.c:[0-9]+'
    between_nodes handle_twice 1 "${said}pgas_trysync_all: this handle, of $put, has been synchronised already\$"
    between_nodes handle_foreign 1 "${said}pgas_trysync: thread [0-3] was given this handle\$"
    between_nodes handle_leak 0 "${said}pgas_finalize: 3 handles of $put never synchronised\$"

    begin "a handle of every header"
    job "$run" -n 2 -- "$program" leaks 1
    local call lines=()
    for call in memput_vlist_async memput_2d_async reblock_put_async put_val_async; do
        lines+=("^fathom: thread 1 on .+: pgas_finalize: 1 handle of pgas_$call at .*fail_debug\.c:[0-9]+ never synchronised\$")
    done
    expect_lines 0 "${lines[@]}" \
        "^fathom: thread 1 on .+: pgas_finalize: 1 value of pgas_get_val_async at .*fail_debug\.c:[0-9]+ never waited for\$"
}

# advised NAME=VALUE: the doctor advises in the words with which pgas_init has refused it.
advised()
{
    local text
    text=$(sed 's/^fathom: thread 0 on [^:]*: //' "$work/err")
    begin "$1 before fathom-run --doctor"
    env "$1" "$run" --doctor >"$work/out" 2>"$work/err" || fail "status $?"
    grep -qxF -- "  ! $text" "$work/out" || fail "no advice '$text'"
    tail -n 1 "$work/out" | grep -Eq '^[0-9]+ items? needs? action' ||
        fail "nothing needs action"
}

# setting LINE NAME=VALUE: pgas_init refuses it, with one line for all threads.
setting()
{
    local n
    draw 1 2 4
    for n in "${drawn[@]}"; do
        begin "$2, $n threads"
        job env "$2" "$run" -n "$n" -- "$program" finish 0
        expect 1 "^fathom: thread 0 on .+: $1"
    done
    begin "$2 by hand"
    job env "$2" "$program" finish 0
    expect 1 "^fathom: thread 0 on .+: $1"
}

# As setting, of one that makes no sense in any job.
setting_alone()
{
    setting "$@"
    advised "$2"
}

test_settings()
{
    setting_alone "PGAS_HEAP_SIZE='12Q' is not a whole number with an optional suffix" \
        PGAS_HEAP_SIZE=12Q
    setting "PGAS_HEAP_SIZE: 1 bytes cannot be a heap" PGAS_HEAP_SIZE=1
    setting "PGAS_HEAP_SIZE: .* bytes cannot be a heap" PGAS_HEAP_SIZE=16000000T
    setting "mapping|reserving|sizing" PGAS_HEAP_SIZE=300000T
    setting_alone "PGAS_SEGMENT='foo' is not one of memfd, posix, ucx, auto" PGAS_SEGMENT=foo
    setting_alone "PGAS_PROGRESS='maybe' is not one of thread, poll, auto" PGAS_PROGRESS=maybe
    setting "PGAS_NODES=99: a job of [0-9] threads? has at most" PGAS_NODES=99
    setting_alone "PGAS_SPIN='x' is not a whole number" PGAS_SPIN=x
    setting_alone "PGAS_GATE='2' is not 0 or 1 " PGAS_GATE=2
    setting_alone "PGAS_STATS='maybe' is not" PGAS_STATS=maybe
    setting_alone "PGAS_COLL='bcast=linear': 'bcast' is no collective" PGAS_COLL=bcast=linear

    begin "a setting that only one thread has"
    # shellcheck disable=SC2016 # the thread expands it
    job "$run" -n 3 -- sh -c '[ "$PMIX_RANK" = 2 ] && export PGAS_SPIN=x; exec "$0" finish 0 "$1"' "$program"
    expect 1 "^fathom: thread 2 on .+: PGAS_SPIN='x'"

    local one each
    for one in PGAS_STATS=1 PGAS_NODES=3 PGAS_THREADS_PER_NODE=2; do
        begin "$one in one thread"
        # shellcheck disable=SC2016 # the thread expands it
        job "$run" -n 3 -- sh -c '[ "$PMIX_RANK" = 2 ] && export "$1"; exec "$0" finish 0 "$2"' "$program" $one
        expect 1 "^fathom: thread 2 on .+: ${one%=*}.* on thread 0 .*it must be the same in all threads\$"
    done
    for each in 1 2 3 4 5 6 7 8; do
        begin "a smaller heap in the first thread of another node, run $each"
        # shellcheck disable=SC2016 # the thread expands it
        job "$run" -n 4 --nodes 2 -- sh -c '[ "$PMIX_RANK" = 2 ] && export PGAS_HEAP_SIZE=1M; exec "$0" finish 0 "$1"' "$program"
        expect 0
    done
}

# The allocation has logged the reason: pgas_exit adds no line.
test_no_memory()
{
    local n
    for n in 1 4; do
        begin "an array larger than the heap, $n threads"
        job env PGAS_HEAP_SIZE=1M "$run" -n $n -- "$program" exhaust 0
        expect 1 '^fathom: thread 0 on .+: pgas_all_alloc, in pgas_array_create: [0-9]+ bytes asked for in a heap of 1048576 bytes with .*PGAS_HEAP_SIZE'
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

# differ MODE CALL OTHER-CALL: two threads in different collective calls, one line for both.
differ()
{
    local n
    draw 2 4 11
    for n in "${drawn[@]}"; do
        begin "$1, $n threads"
        job "$run" -n "$n" -- "$program" "$1" $((RANDOM % n))
        expect_differ "$2" "$3"
    done
    [ "$per_node" = 1 ] || return 0
    begin "$1, 4 threads on 2 nodes"
    job env PGAS_THREADS_PER_NODE=2 "$run" -n 4 -- "$program" "$1" $((RANDOM % 4))
    expect_differ "$2" "$3"
}

expect_differ()
{
    local thread='thread [0-9]+'
    expect 1 "^fathom: $thread on .+: pgas_[a-z_]+: $thread calls ($1, but $thread calls $2|$2, but $thread calls $1)\$"
}

test_collectives()
{
    differ collective_arguments 'pgas_array_create\(10, 8, 1\)' 'pgas_array_create\(20, 8, 1\)'
    differ collective_other 'pgas_all_alloc\(10, 8\)' 'pgas_barrier\(\)'
    differ collective_notified 'pgas_all_alloc\(10, 8\)' 'pgas_barrier\(\)'
    differ collective_alone 'pgas_all_lock_alloc\(\)' 'pgas_barrier\(\)'
    differ collective_order 'pgas_all_alloc\(10, 8\)' 'pgas_array_create\(10, 4, 1\)'
    differ collective_free 'pgas_all_free\(0, [0-9]+\)' 'pgas_all_free\(0, [0-9]+\)'
    differ collective_plan 'pgas_plan_create\(10, 4, 1, 0\)' 'pgas_plan_create\(10, 4, 1, 1\)'
    differ collective_end 'pgas_finalize\(\)' 'pgas_barrier\(\)'
}

start_ticks "$run" -n 2 -- "$program" finish none
test_kills
if [ -n "${UCX_TLS:-}" ]; then # of transports that may not tell of lost connections
    misbehave exit3 3 '^fathom: thread THREAD on .+: pgas_exit\(3\): the job is ended$'
    [ "$failures" -eq 0 ] || exit 1
    exit 0
fi
test_ends
test_misuse
test_collectives
if [ "$per_node" = 0 ]; then
    test_settings
    test_limits
    test_no_memory
    test_posix
elif [ "$debug" = 1 ]; then
    test_handles
fi

[ "$failures" -eq 0 ] || exit 1
echo "all passed; the slowest job took $slowest ticks"
