#!/bin/bash
# A program that exits in a job of several nodes has its status and its output, and runs no
# destructor of a library that its other threads may be inside.
#
# usage: process_exit.sh FATHOM-RUN RUNTIME-PROCESS-EXIT
# shellcheck source=runtime/tests/job/failure.bash
source "$(dirname "$0")/failure.bash"

start_ticks "$run" -n 2 --nodes 2 -- "$program"
for round in 1 2 3; do
    begin "exit in the job, round $round"
    job "$run" -n 2 --nodes 2 -- "$program"
    grep -v '^\[' "$work/err" >"$work/lines" # UCX's
    mv "$work/lines" "$work/err"
    expect 5 '^fathom-run: thread 0 \(pid [0-9]+ on .+\) exited with status 5 before pgas_finalize; the job is ended$'
    [ "$(cat "$work/out")" = "in the job handler" ] || fail "printed '$(cat "$work/out")'"
done

[ "$failures" -eq 0 ] || exit 1
echo "all passed"
