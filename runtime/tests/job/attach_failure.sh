#!/bin/bash
# Every rule of pgas/attach.h, broken once: the job ends with one line that names the call.
#
# usage: attach_failure.sh FATHOM-RUN RUNTIME-ATTACH-FAIL DEBUG-CHECKS(0 or 1)
# shellcheck source=runtime/tests/job/failure.bash
source "$(dirname "$0")/failure.bash"
debug=$3
said='^fathom: thread THREAD on .+: '
unattached='called by an operating-system thread that is not attached \(pgas_attach_thread\)$'

rules 2

broken before '^fathom: thread [01] on .+: pgas_attach_thread: called before pgas_init$'
killed='^fathom-run: thread THREAD .* was killed by signal 11 '
broken fault "$killed" 139
broken fault_far "$killed" 139
broken early "${said}pgas_attach_thread: the main thread has not attached: it comes first\$"
broken value "${said}value access.*: $unattached"
broken copy "${said}(pgas_memget|value access or copy): $unattached"
broken list "${said}pgas_memput_vlist: $unattached"
broken async "${said}(pgas_memput_async|value access or copy): $unattached"
broken barrier "${said}pgas_barrier: $unattached"
broken poll "${said}pgas_poll: $unattached"
broken fence "${said}pgas_fence: $unattached"
broken fence_locked "${said}pgas_fence: $unattached"
broken fence_uninterrupted "${said}pgas_fence: $unattached"
broken implicit "${said}pgas_waitsynci: $unattached"
broken implicit_try "${said}pgas_trysynci: $unattached"
broken region "${said}pgas_begin_accessregion: $unattached"
broken region_end "${said}pgas_end_accessregion: $unattached"
broken alloc "${said}pgas_alloc: $unattached"
broken detach "${said}pgas_detach_thread: $unattached"
broken twice "${said}pgas_attach_thread: this operating-system thread is attached already\$"
broken main_twice "${said}pgas_attach_thread: this operating-system thread is attached already\$"
broken main_detach "${said}pgas_detach_thread: this operating-system thread has not attached\$"
broken detach_first "${said}pgas_detach_thread: called by the main thread while 1 other operating-system threads are attached\$"
broken detach_meanwhile "${said}pgas_detach_thread: called by the main thread while 1 other operating-system threads are attached\$"
broken finalize "${said}pgas_finalize: called while 1 other operating-system thread is attached\$"
broken finalize_other "${said}pgas_finalize: called by another operating-system thread than the main one\$"
broken finalize_unattached "${said}pgas_finalize: $unattached"
broken together "${said}pgas_barrier: another operating-system thread of this process is in a barrier, a collective call or a call on a lock\$"
broken flight "${said}pgas_team_barrier: called while another operating-system thread of this process has collectives in flight\$"
broken flight_half "${said}pgas_team_wait: called while another operating-system thread of this process has collectives in flight\$"
broken notified "${said}pgas_team_barrier: called while another operating-system thread of this process has collectives in flight\$"
broken notified_half "${said}pgas_team_wait: called while another operating-system thread of this process has collectives in flight\$"
broken notified_detach "${said}pgas_detach_thread: called between pgas_team_notify and pgas_team_wait on 1 team\$"
broken lock_together "${said}pgas_lock: another operating-system thread of this process is in a barrier, a collective call or a call on a lock\$"
broken exit "${said}pgas_exit\(7\): the job is ended\$" 7
begin many
job "$run" -n 2 -- "$program" many 1
expect 0 '^fathom: thread 1 on .+: pgas_attach_thread: 1024 operating-system threads are the most$'
if [ "$node_counts" != 1 ]; then
    node_counts=2
    broken read "${said}pgas_wait_val: another operating-system thread has started this read\$"
    broken copy_in_flight "${said}pgas_waitsync: $unattached"
    [ "$debug" = 0 ] || broken handle "${said}pgas_waitsync: another operating-system thread was given this handle\$"
fi
[ "$failures" -eq 0 ] || exit 1
echo "all passed; the slowest job took $slowest ticks"
