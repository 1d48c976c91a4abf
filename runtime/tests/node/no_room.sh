#!/bin/bash
# A file system of the node's memory that is full: the job ends with one line that says so, wherever
# it notices. In a mount namespace of its own, where the system allows that.
#
# usage: no_room.sh FATHOM-RUN RUNTIME-TOUCH
# shellcheck source=runtime/launcher/tests/jobs.bash
source "$(dirname "$0")/../../launcher/tests/jobs.bash"
# A sanitizer would report a signal and exit in its own way.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_sigbus=0
export TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}handle_sigbus=0

run=$1
program=$2

# in_small SIZE COMMAND...: runs it with a /dev/shm of SIZE.
in_small()
{
    # shellcheck disable=SC2016 # expanded by the inner shell
    timeout -k 1 $hangs unshare -m bash -c \
        'mount -t tmpfs -o "size=$1" none /dev/shm || exit 77; shift; exec "$@"' bash "$@" \
        >"$work/out" 2>"$work/err" </dev/null
}

in_small 4k true || {
    echo "skipped: the system lets nobody mount a small /dev/shm here"
    exit 77
}

# try SIZE THREADS: the job does not fit, or does. What is left in /dev/shm ends with the namespace.
try()
{
    case="/dev/shm of $1, $2 threads"
    PGAS_SEGMENT=posix PGAS_HEAP_SIZE=16M in_small "$1" "$run" -n "$2" -- "$program" 8 "$marker"
    status=$?
    [ "$status" -ne 0 ] || return 0
    expect_words 1 '^fathom: thread [0-9]+ on .+: .*(No space left on device|the system has no page for it)'
    check_gone
}

for threads in 1 3; do
    for size in 4k 8k 16k 64k 256k 1m 2m 4m 8m 12m 20m; do
        try $size $threads
        [ "$status" -eq 1 ] || [ "$size" = 12m ] || [ "$size" = 20m ] || fail "it should not fit"
    done
    try 40m $threads
    [ "$status" -eq 0 ] || fail "it should fit"
done
# A job that ends before all threads have mapped the memory leaves no name, though its programs run
# below shells, of which the launcher knows nothing.
case="the name of the memory, below shells"
# shellcheck disable=SC2016 # expanded by the inner shells
PGAS_SEGMENT=posix PGAS_HEAP_SIZE=16M in_small 64m bash -c '
    "$0" -n 2 -- sh -c "[ \$PMIX_RANK = 1 ] && sleep 0.5 && exit 3; $1 8 $2; :" 2>/dev/null
    ls /dev/shm' "$run" "$program" "$marker"
[ ! -s "$work/out" ] || fail "names in shared memory: $(cat "$work/out")"
# Several operating-system threads of a process find it, of which one may have the network's lock; and
# one again while it ends the job.
for ((i = 0; i < 6; i++)); do
    "$run" -n 2 --nodes 2 -- "$program" 0 "$marker" 2>/dev/null || break # a build without a network
    case="puts to a thread whose /dev/shm is full"
    PGAS_SEGMENT=posix PGAS_HEAP_SIZE=64M in_small 3m "$run" -n 4 --nodes 2 -- "$program" 8 put "$marker"
    status=$?
    [ "$status" -eq 1 ] || fail "status $status"
    grep -Eq 'No space left on device|the system has no page for it' "$work/err" || fail "no line"
    check_gone
done
[ "$failures" -eq 0 ] || exit 1
echo "all passed"
