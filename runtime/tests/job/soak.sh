#!/bin/bash
# Threads killed at random moments, PGAS_TEST_KILLS times in each way to share memory (by default 5,
# 20 under FATHOM_TEST_LONG): the job ends soon, with the right status and one line, and leaves
# nothing behind.
#
# usage: soak.sh FATHOM-RUN RUNTIME-FAIL
# shellcheck source=runtime/tests/job/failure.bash
source "$(dirname "$0")/failure.bash"

kills=${FATHOM_TEST_LONG:+20}
kills=${PGAS_TEST_KILLS:-${kills:-5}}

# soak NAME: kills a random thread at a random moment, from before pgas_init to long after.
soak()
{
    local turn victims
    for turn in $(seq "$kills"); do
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
soak memfd
export PGAS_SEGMENT=posix
soak posix

[ "$failures" -eq 0 ] || exit 1
echo "all passed; the slowest job took $slowest ticks"
