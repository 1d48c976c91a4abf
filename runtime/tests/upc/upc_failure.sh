#!/bin/bash
# Every rule of pgas/upc_coll_names.h that ends the job, broken once: one line names the call.
#
# usage: upc_failure.sh FATHOM-RUN RUNTIME-UPC-FAIL
# shellcheck source=runtime/tests/job/failure.bash
source "$(dirname "$0")/../job/failure.bash"
said='^fathom: thread [0-2] on .+: '

rules 3 2

broken arguments "${said}upc_all_broadcast: on PGAS_TEAM_ALL thread [0-2] calls upc_all_broadcast\\([0-9, ]+\\), but thread [0-2] calls upc_all_broadcast\\([0-9, ]+\\)\$"
broken function "${said}upc_all_[a-z]+: on PGAS_TEAM_ALL thread [0-2] calls upc_all_(gather|scatter)\\([0-9, ]+\\), but thread [0-2] calls upc_all_(gather|scatter)\\([0-9, ]+\\)\$"
broken allsync "${said}pgas_scan_exclusive: on PGAS_TEAM_ALL thread [0-2] calls pgas_scan_exclusive\\([0-9, ]+\\), but thread [0-2] calls pgas_scan_exclusive\\([0-9, ]+\\) with other flags \\(ALLSYNC\\)\$"
broken allsync_counts "${said}pgas_allgatherv: on PGAS_TEAM_ALL thread [0-2] calls pgas_allgatherv\\(counts of 24 in all\\), but thread [0-2] calls pgas_allgatherv\\(counts of 24 in all\\) with other flags \\(ALLSYNC\\)\$"
same='upc_all_[a-z_]*reduce\([0-9, ]+\)'
for what in ops types blocks large_blocks other_phase other_phases unmet_ops unmet_counts unmet_types \
    unmet_prefixes unmet_shares unmet_none unmet_no_prefixes; do
    broken "$what" "${said}upc_all_[a-z_]*reduce: on PGAS_TEAM_ALL thread [0-2] calls $same, but thread [0-2] calls $same\$"
done
same='upc_all_permute\([0-9, ]+\)'
broken perms "${said}upc_all_permute: on PGAS_TEAM_ALL thread [0-2] calls $same, but thread [0-2] calls $same\$"
broken before "${said}upc_all_broadcast: 8 bytes at \`src\`, thread 0, offset 2097152, are not in the heap\$"
broken before_own "${said}upc_all_reduce: 4 bytes at thread 1, offset 1[0-9]{7}: before the heap\$"
# A thread whose share lies in the heap, outside of the area, is found by the debug build.
where='(: before the heap|: outside every allocation)'
broken before_read "${said}upc_all_prefix_reduce: [0-9]+ bytes at thread [12], offset 1[0-9]{7}$where\$"
broken before_written "${said}upc_all_prefix_reduce: [0-9]+ bytes at thread [12], offset 1[0-9]{7}$where\$"
broken together "${said}pgas_lock: another operating-system thread of this process is in a barrier, a collective call or a call on a lock\$"
broken other_handle "${said}upccoll_wait: there is no such handle: no call has given it, or it was waited for\$"
node_counts=1
broken huge "${said}upc_all_reduce: 4611686018427387904 bytes at \`src\` are more than all threads have\$"
broken flags "${said}upc_all_exchange: the flags are 5: at most one is UPC_IN_, one UPC_OUT_, and no other\$"
broken async "${said}upc_all_exchange: the flags are 64: at most one is UPC_IN_, one UPC_OUT_, and no other\$"
broken thread "${said}upc_all_gather_all: \`dst\` is on thread 1: it must be on thread 0\$"
broken null "${said}upc_all_broadcast: 8 bytes at \`src\`, thread 0, offset 0, are not in the heap\$"
broken overflow "${said}upc_all_scatter: [0-9]+ times 3 bytes overflow\$"
broken perm "${said}upc_all_permute: \`perm\` names thread -4: the job has 3\$"
broken op "${said}upc_all_reduce: there is no operation 4 on its type\$"
broken minloc "${said}upc_all_reduce: there is no operation 9 on its type\$"
broken no_function "${said}upc_all_prefix_reduce: there is no function: the pointer is NULL\$"
broken phase "${said}upc_all_reduce: the phase of \`src\` is 2, in blocks of 2 elements\$"
broken phases "${said}upc_all_prefix_reduce: \`dst\` is on thread 0 with phase 0, but \`src\` on thread 0 with phase 2\$"
broken elements "${said}upc_all_reduce: .*[0-9]+ bytes.*\$"
broken notified "${said}upc_all_broadcast: called between pgas_team_notify and pgas_team_wait on the same team\$"
broken handle "${said}upccoll_wait: there is no such handle: no call has given it, or it was waited for\$"
broken twice "${said}upccoll_test: there is no such handle: no call has given it, or it was waited for\$"
broken free "${said}upccoll_team_free: this is no team of upccoll_team_split, or is freed already\$"
[ "$failures" -eq 0 ] || exit 1
echo "all passed; the slowest job took $slowest ticks"
