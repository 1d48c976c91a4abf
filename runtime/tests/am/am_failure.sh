#!/bin/bash
# Every rule of active messages, broken once: the job ends with one line that names the call.
#
# usage: am_failure.sh FATHOM-RUN RUNTIME-AM-FAIL DEBUG-CHECKS(0 or 1)
# shellcheck source=runtime/tests/job/failure.bash
source "$(dirname "$0")/../job/failure.bash"
debug=$3
per_node=$((${PGAS_THREADS_PER_NODE:-0} == 1))
said='^fathom: thread THREAD on .+: '

# broken MODE LINE [STATUS]: with two or three threads, by a random one.
broken()
{
    local n chosen
    draw 2 3
    for n in "${drawn[@]}"; do
        begin "$1, $n threads"
        chosen=$((RANDOM % n))
        job "$run" -n "$n" -- "$program" "$1" $chosen
        expect "${3:-1}" "${2//THREAD/$chosen}"
    done
}

start_ticks "$run" -n 2 -- "$program" finish none

broken handler_request "${said}pgas_am_request_short: called in a handler of active messages\$"
broken handler_barrier "${said}pgas_barrier: called in a handler of active messages\$"
broken handler_poll "${said}pgas_poll: called in a handler of active messages\$"
broken handler_lock "${said}pgas_lock: called in a handler of active messages\$"
broken handler_alloc "${said}pgas_alloc: called in a handler of active messages\$"
[ "$debug" = 0 ] || broken handler_copy "${said}pgas_memput: called in a handler of active messages\$"
[ "$debug$per_node" = 00 ] || broken handler_read "${said}value access: called in a handler of active messages\$"
broken reply_twice "${said}pgas_am_reply_medium: the handler has replied already\$"
broken reply_with_lock "${said}pgas_am_reply_short: called while a handler-safe lock is held\$"
broken return_with_lock "${said}special: the handler has returned with a handler-safe lock held\$"
broken reply_elsewhere "${said}pgas_am_reply_long: 8 bytes at offset 70000 of thread [0-2] are not in its segment\$"
broken lock_twice "${said}pgas_am_lock: this thread holds the lock already\$"
broken lock_order "${said}pgas_am_unlock: another lock has been taken after this one, and is held still\$"
broken unlock "${said}pgas_am_unlock: this thread does not hold the lock\$"
broken request_with_lock "${said}pgas_am_request_short: called while a handler-safe lock is held\$"
broken barrier_with_lock "${said}pgas_barrier: called while a handler-safe lock is held\$"
broken destroy_held "${said}pgas_am_lock_destroy: the lock is held\$"
broken section_twice "${said}pgas_am_hold_interrupts: this thread is in a no-interrupt section already\$"
broken section_end "${said}pgas_am_resume_interrupts: this thread is in no no-interrupt section\$"
broken section_poll "${said}pgas_poll: called in a no-interrupt section\$"
broken aside "${said}pgas_am_request_short: called by an operating-system thread that is not attached \(pgas_attach_thread\)\$"
broken thread "${said}pgas_am_request_short: there is no thread [23]\$"
broken handler "${said}pgas_am_request_short: handler 77 is not registered\$"
broken arguments "${said}pgas_am_request_short: 17 arguments, and 16 are the most\$"
broken medium "${said}pgas_am_request_medium: 65537 bytes, and 65536 are the most\$"
broken no_arguments "${said}pgas_am_request_short: the pointer to 3 arguments is NULL\$"
broken no_source "${said}pgas_am_request_medium: the source of 100 bytes is NULL\$"
broken long_thread "${said}pgas_am_request_long: the message goes to thread [0-2], but its destination is at thread [1-3]\$"
broken long_place "${said}pgas_am_request_long_async: 8 bytes at offset 18446744073709551608 of thread [0-2] are not in its segment\$"
broken token "${said}pgas_am_reply_short: the token is not that of the handler that runs\$"
broken name_long "${said}pgas_am_register: 'x+': a name has 1 to 63 characters\$"
broken name_twice "${said}pgas_am_register: 'nothing' is registered already\$"
broken no_function "${said}pgas_am_register: 'none' has no function, or neither PGAS_AM_POLL nor PGAS_AM_ANYWHERE\$"
broken exit "${said}pgas_exit\(7\): the job is ended\$" 7
broken exit_anywhere "${said}pgas_exit\(7\): the job is ended\$" 7
for _ in 1 2 3 4; do
    broken gone '^fathom-run: thread THREAD \(pid [0-9]+ on .+\) exited with status 0 before pgas_finalize'
done
# Any thread may be the one to report these.
broken early "${said}pgas_am_request_short: called before pgas_init\$"
broken reply_to_reply '^fathom: thread [0-2] on .+: pgas_am_reply_short: a handler that runs for a reply must not reply$'
broken names "^fathom: thread [0-2] on .+: pgas_init: handler 2 of active messages is '(other|special)', PGAS_AM_POLL here, but '(other|special)', PGAS_AM_POLL on thread 0\$"
broken where "^fathom: thread [0-2] on .+: pgas_init: handler 2 of active messages is 'special', PGAS_AM_(POLL|ANYWHERE) here, but 'special', PGAS_AM_(POLL|ANYWHERE) on thread 0\$"
broken late "^fathom: thread [0-2] on .+: pgas_am_register: handler 3 of active messages is '(first|second)', PGAS_AM_POLL here, but '(first|second)', PGAS_AM_POLL on thread 0\$"
broken killed '^fathom-run: thread THREAD \(pid [0-9]+ on .+\) was killed by signal 9 \(Killed\); the job is ended$' 137
if [ "$per_node" = 1 ]; then
    begin "a handler of a fault ends the job from among messages that travel together"
    UCX_TLS=tcp,self job "$run" -n 2 -- "$program" reply_fault 1
    expect 8 '^runtime_am_fail: no memory there$'
fi

[ "$failures" -eq 0 ] || exit 1
echo "all passed; the slowest job took $slowest ticks"
