#!/bin/bash
# Calls before pgas_init and after pgas_finalize end the job, with one line; those in a child process
# end that alone.
#
# usage: outside.sh FATHOM-RUN RUNTIME-OUTSIDE
# shellcheck source=runtime/tests/job/failure.bash
source "$(dirname "$0")/failure.bash"

# Calls before pgas_init and after pgas_finalize.
test_outside()
{
    local call name place
    for call in $("$program"); do
        name=$call
        [ "$call" != pgas_init ] || continue
        [[ $call != PGAS_* ]] || name="value access"
        local -A said=(
            [before]="$name: called before pgas_init"
            [after]="$name: called after pgas_finalize"
            [child]="($name|value access or copy): called in a child process, which is no thread of the job"
        )
        draw before after child
        for place in "${drawn[@]}"; do
            begin "$call $place"
            job "$program" "$place" "$call"
            expect 1 "^fathom: thread 0 on .+: ${said[$place]}\$"
        done
    done
    begin "pgas_init twice"
    job "$program" before pgas_init
    expect 1 '^fathom: thread 0 on .+: pgas_init: called twice$'
    begin "pgas_init after pgas_finalize"
    job "$program" after pgas_init
    expect 1 '^fathom: thread 0 on .+: pgas_init: called after pgas_finalize$'

    begin "pgas_exit after pgas_finalize"
    job "$program" exit none
    expect 3 '^fathom: thread 0 on .+: pgas_exit\(3\): the job is ended$'

    begin "pgas_init after one that has failed"
    job "$program" again none
    expect 0 "^fathom: thread 0 on .+: PGAS_WATCHDOG='soon' is not .*\$"
    [ ! -s "$work/out" ] || fail "says: $(cat "$work/out")"

    begin "a child process whose other thread calls pgas_init"
    job "$program" daemon none
    expect 0

    export LAST_THREAD=2
    begin "pgas_exit after pgas_finalize, 3 threads"
    job "$run" -n 3 -- "$program" exit none
    expect 3 '^fathom: thread 2 on .+: pgas_exit\(3\): the job is ended$'
    for call in pgas_barrier pgas_memget PGAS_PUT; do
        name=$call
        [[ $call != PGAS_* ]] || name="value access"
        begin "$call before pgas_init, 3 threads"
        job "$run" -n 3 -- "$program" before $call
        expect 1 "^fathom: thread 2 on .+: $name: called before pgas_init\$"
        begin "$call after pgas_finalize, 3 threads"
        job "$run" -n 3 -- "$program" after $call
        expect 1 "^fathom: thread 2 on .+: $name: called after pgas_finalize\$"
        begin "$call in a child process, and a failure behind it"
        job "$run" -n 3 -- "$program" fail $call
        expect 3 "^runtime_outside: behind a child process\$"
    done
}

start_ticks "$run" -n 2 -- "$program" finish none
test_outside

[ "$failures" -eq 0 ] || exit 1
echo "all passed; the slowest job took $slowest ticks"
