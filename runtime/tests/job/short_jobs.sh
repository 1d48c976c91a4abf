#!/bin/bash
# Many short jobs on two nodes end, with and without a progress thread.
#
# usage: short_jobs.sh FATHOM-RUN SHORT-JOBS
set -u
for progress in poll thread; do
    for threads in 2 3 5; do
        for ((i = 0; i < 8; i++)); do
            PGAS_PROGRESS=$progress timeout 30 "$1" -n $threads --nodes 2 -- "$2" || {
                echo "FAILED: $threads threads, PGAS_PROGRESS=$progress, job $i: status $?"
                exit 1
            }
        done
    done
done
