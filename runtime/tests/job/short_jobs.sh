#!/bin/bash
# Many short jobs on several nodes end, with and without a progress thread; four times as many under
# FATHOM_TEST_LONG.
#
# usage: short_jobs.sh FATHOM-RUN SHORT-JOBS
set -u
many=${FATHOM_TEST_LONG:+4}
many=${many:-1}
run=$1
program=$2

# jobs_end COUNT PROGRESS THREADS NODES [ARGUMENT]
jobs_end()
{
    local i status
    for ((i = 0; i < $1; i++)); do
        PGAS_PROGRESS=$2 PGAS_HEAP_SIZE=16M timeout 30 "$run" -n "$3" --nodes "$4" -- "$program" ${5:+"$5"}
        status=$?
        [ $status -eq 0 ] || {
            echo "FAILED: $3 threads on $4 nodes, PGAS_PROGRESS=$2, '${5:-}', job $i: status $status"
            exit 1
        }
    done
}

for progress in poll thread; do
    for threads in 2 3 5; do
        jobs_end $((2 * many)) $progress $threads 2
    done
done
jobs_end "$many" poll 7 7 upwards
jobs_end $((3 * many)) poll 5 5 some
jobs_end $((10 * many)) thread 5 5 some
