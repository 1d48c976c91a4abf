#!/usr/bin/env bash
# fathom-heat2d: a run that is killed goes on from its checkpoint, on whatever grid, with the bits of
# one that is not; damaged checkpoints are refused.
# usage: test_checkpoint.sh FATHOM-RUN FATHOM-HEAT2D CHANGE-CHECKPOINT
set -euo pipefail
# shellcheck source=support/tests/script.bash
source "$(dirname "$0")/../../../support/tests/script.bash"

run=$1
heat=$2
change=$3
job=
trap '[ -z "$job" ] || kill "$job" 2>/dev/null || true; rm -rf "$work"' EXIT

checkpoint=$work/field.h5

# No file under a temporary name.
nothing_left()
{
    [ -z "$(find "$work" -name 'field.h5?*')" ] || fail "left behind: $(ls "$work")"
}

# Waits until COMMAND succeeds, as long as the job runs. usage: wait_until COMMAND...
wait_until()
{
    until "$@"; do
        kill -0 "$job" 2>/dev/null || fail "$*: the job has ended before: $(cat "$work/out" "$work/err")"
        sleep 0.01
    done
}

is_newer()
{
    [ -e "$checkpoint" ] && [ "$(stat -c %i%y "$checkpoint")" != "$1" ]
}

# The processes of the job that are threads; the launcher has others, too.
threads_of_job()
{
    local child children
    read -r -a children <"/proc/$job/task/$job/children" || true
    for child in "${children[@]}"; do
        [ "$(cat "/proc/$child/comm")" != "$(basename "$heat")" ] || echo "$child"
    done
}

# Starts a run without an end, lets it write a checkpoint, and kills one of its threads.
# usage: run_and_kill THREAD ARGS...
run_and_kill()
{
    local victim=$1 before='' victims status=0
    shift
    [ ! -e "$checkpoint" ] || before=$(stat -c %i%y "$checkpoint")
    "$run" "$@" --iterations 100000000 --checkpoint "$checkpoint" --checkpoint-every 7 \
        >"$work/out" 2>"$work/err" &
    job=$!
    wait_until is_newer "$before"
    sleep "0.0$((RANDOM % 10))"
    mapfile -t victims < <(threads_of_job)
    [ ${#victims[@]} -gt "$victim" ] || fail "no thread to kill: $(cat "$work/out" "$work/err")"
    kill -9 "${victims[$victim]}"
    wait "$job" || status=$?
    job=
    [ $status -ne 0 ] || fail "a run whose thread was killed has succeeded"
    rm -f "$checkpoint".?????? # a thread that is killed while it writes cannot clean up
}

# The step of the checkpoint, from the line that refuses to go back.
step_of()
{
    { "$heat" --restart "$checkpoint" --iterations 0 2>&1 || true; } |
        sed -n 's/.*has come to step \([0-9]*\) already$/\1/p'
}

# usage: finish MORE THREADS NODES ARGS...: MORE steps, compared with a sequential solver.
finish()
{
    local step more=$1 threads=$2 nodes=$3
    shift 3
    step=$(step_of)
    [ "${step:-0}" -gt 0 ] || fail "no step in the checkpoint"
    [ $((step % 7)) -eq 0 ] || fail "step $step is none for a checkpoint"
    "$run" -n "$threads" --nodes "$nodes" -- "$heat" --restart "$checkpoint" \
        --iterations $((step + more)) --check "$@" >"$work/out" 2>"$work/err" ||
        fail "restart at $step: $(cat "$work/out" "$work/err")"
    grep -q "^check  *ok (.*: 0, " "$work/out" || fail "not checked: $(cat "$work/out")"
    grep -q "steps: $more from step $step on" "$work/out" || fail "another step: $(cat "$work/out")"
}

test_kill()
{
    run_and_kill 0 -n 2 -- "$heat" --size 120x90
    finish 5 2 1
    finish 9 3 2 --halo signal -k 4
    run_and_kill 1 -n 4 --nodes 2 -- "$heat" --restart "$checkpoint" --halo signal -k 3
    finish 12 1 1 -k 2
    run_and_kill 0 -n 3 -- "$heat" --restart "$checkpoint" --halo async --grid 3x1
    finish 3 6 2 --halo strided
    finish 0 2 1
}

# Several rows of chunks, from a grid to another.
test_large()
{
    "$run" -n 2 -- "$heat" --size 1301x1011 -i 14 --halo async --checkpoint "$checkpoint" \
        --checkpoint-every 7 >"$work/out"
    [ "$(step_of)" = 14 ] || fail "not the last checkpoint"
    finish 3 3 1 --grid 3x1 --halo signal
    # No step is left, and there is a checkpoint all the same.
    "$run" -n 2 -- "$heat" --restart "$checkpoint" -i 14 --checkpoint "$work/last.h5" \
        --checkpoint-every 7 >"$work/out"
    refused "--iterations 13: .* step 14" --restart "$work/last.h5" --iterations 13
    nothing_left
}

# usage: refused PATTERN ARGS...
refused()
{
    refuses 1 "$1" "$run" -n 2 -- "$heat" --iterations 1000 "${@:2}"
}

# usage: spoil NAME OFFSET: a copy of the checkpoint with a byte changed there.
spoil()
{
    local byte
    cp "$checkpoint" "$work/$1"
    byte=$(od -An -tu1 -j"$2" -N1 "$work/$1")
    printf '%b' "\\x$(printf %02x $((byte ^ 16)))" |
        dd of="$work/$1" bs=1 seek="$2" conv=notrunc status=none
}

test_damage()
{
    local size
    "$heat" --size 50x40 -i 7 --checkpoint "$checkpoint" --checkpoint-every 7 >"$work/out"
    size=$(stat -c %s "$checkpoint")
    refused "missing.h5': No such file" --restart "$work/missing.h5"
    refused "is not a regular file" --restart "$work"
    echo "no field" >"$work/text.h5"
    refused "text.h5': is not an HDF5 file" --restart "$work/text.h5"
    : >"$work/empty.h5"
    refused "empty.h5': is not an HDF5 file" --restart "$work/empty.h5"
    head -c $((size / 2)) "$checkpoint" >"$work/cut.h5"
    refused "cut.h5': .*damaged" --restart "$work/cut.h5"
    spoil data.h5 $((size - 5000))
    refused "data.h5': the field cannot be read: truncated or damaged" --restart "$work/data.h5"
    spoil head.h5 20
    refused "head.h5': .*damaged" --restart "$work/head.h5"
    refused "--size 50x41: the checkpoint .* has 50x40 points" --restart "$checkpoint" --size 50x41
    refused "--start sine: the checkpoint .* spots" --restart "$checkpoint" --start sine
    refused "--iterations 6: .* step 7" --restart "$checkpoint" --iterations 6
    refused "--grid 1x3: needs 3 threads" --restart "$checkpoint" --grid 1x3
}

# usage: changed WHAT PATTERN: what is whole and wrong is refused.
changed()
{
    cp "$checkpoint" "$work/$1.h5"
    "$change" "$work/$1.h5" "$1"
    refused "$1.h5': $2" --restart "$work/$1.h5"
}

test_wrong()
{
    "$heat" --size 50x40 -i 7 --checkpoint "$checkpoint" --checkpoint-every 7 >"$work/out"
    changed infinite "the field has values that are no numbers"
    changed soft "has no field 'phi' of 64-bit reals, in chunks"
    changed abroad "has no field 'phi' of 64-bit reals, in chunks"
    changed external "has no field 'phi' of 64-bit reals, in chunks"
    changed fraction "lacks the attribute 'step'"
    changed names "is no checkpoint of fathom-heat2d"
    changed unwritten "has a field of which not all was written"
}

is_writing()
{
    [ -n "$(find "$work" -name 'field.h5?*')" ]
}

# usage: start_endless COMMAND...: a run without an end, when it has written a checkpoint.
start_endless()
{
    rm -f "$checkpoint"
    "$@" --size 120x90 -i 100000000 --checkpoint "$checkpoint" --checkpoint-every 7 \
        >"$work/out" 2>"$work/err" &
    job=$!
    wait_until is_newer ''
}

# Where a checkpoint cannot be written to its end, the last one stays.
test_no_space()
{
    local status=0 thread
    start_endless "$run" -n 2 -- "$heat"
    for thread in $(threads_of_job); do
        prlimit --pid "$thread" --fsize=20000
    done
    wait "$job" || status=$?
    job=
    [ $status -eq 1 ] || fail "no space: status $status: $(cat "$work/err")"
    grep -q -- "--checkpoint: $checkpoint: cannot be written: File too large" "$work/err" ||
        fail "no space: $(cat "$work/err")"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not one line: $(cat "$work/err")"
    nothing_left
    finish 3 2 1
}

# A signal, to a job or to a process without a launcher, leaves no half-written file behind.
test_signal()
{
    local launcher status words
    for launcher in "" "$run -n 2 --" "$run -n 2 --" "" "$run -n 2 --" "$run -n 4 --nodes 2 --"; do
        status=0
        read -r -a words <<<"$launcher"
        start_endless "${words[@]}" "$heat"
        wait_until is_writing
        kill -TERM "$job"
        wait "$job" || status=$?
        job=
        [ $status -eq 143 ] || fail "$launcher: a signal: status $status: $(cat "$work/err")"
        nothing_left
    done
}

test_kill
test_large
test_damage
test_wrong
test_no_space
test_signal
echo "fathom-heat2d: checkpoints hold"
