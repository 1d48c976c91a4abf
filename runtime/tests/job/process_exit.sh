#!/bin/bash
# A program that exits in a job of several nodes has its status and its output, and its destructors
# run, also if another of its threads crashes by what exit does.
#
# usage: process_exit.sh FATHOM-RUN RUNTIME-PROCESS-EXIT
# shellcheck source=runtime/tests/job/failure.bash
source "$(dirname "$0")/failure.bash"

# leave OUTPUT ARGUMENT...
leave()
{
    local output=$1
    shift
    job "$run" -n 2 --nodes 2 -- "$program" "$@"
    expect 5 '^fathom-run: thread 0 \(pid [0-9]+ on .+\) exited with status 5 before pgas_finalize; the job is ended$'
    # One that crashes by itself before the destructor ends the process.
    [[ $(cat "$work/out") =~ ^$output$ ]] || fail "printed '$(cat "$work/out")'"
}

start_ticks "$run" -n 2 --nodes 2 -- "$program"
for round in 1 2 3; do
    begin "exit in the job, round $round"
    leave "in the job handler (destructor)?"
    begin "exit in the job while another thread crashes, round $round"
    leave "in the job handler " crash
done

[ "$failures" -eq 0 ] || exit 1
echo "all passed"
