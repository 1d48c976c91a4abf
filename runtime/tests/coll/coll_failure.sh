#!/bin/bash
# Every rule of pgas/coll.h, broken once: the job ends with one line that names the call.
#
# usage: coll_failure.sh FATHOM-RUN RUNTIME-COLL-FAIL DEBUG
# shellcheck source=runtime/tests/job/failure.bash
source "$(dirname "$0")/../job/failure.bash"
debug=$3
said='^fathom: thread THREAD on .+: '

# differs MODE CALL: two members are named, in whatever order.
differs()
{
    broken "$1" "^fathom: thread [0-2] on .+: pgas_[a-z_]+: on PGAS_TEAM_ALL thread [0-2] calls $2, but thread [0-2] calls $2\$"
}

rules 3 2

differs size 'pgas_broadcast\((8|16), 0\)'
differs flight 'pgas_broadcast\((8|16), 0\)'
differs other_root 'pgas_broadcast\(8, [01]\)'
differs count 'pgas_allreduce\([45], 5, 4\)'
differs other_op 'pgas_allreduce\(4, 5, [0-9]+\)'
differs kind 'pgas_(all)?gather\(8(, 0)?\)'
any='^fathom: thread [0-2] on .+: '
one_count='the count of rank 1 is larger by 8 in thread THREAD than in thread [0-2]'
more_counts='more than one count differs between thread [0-2], whose sum is 24, and thread [0-2], whose sum is 24'
broken allgatherv "${any}pgas_allgatherv: on PGAS_TEAM_ALL $one_count\$"
broken reduce_scatter "${any}pgas_reduce_scatter: on PGAS_TEAM_ALL $one_count\$"
broken reduce_scatter_all "${any}pgas_reduce_scatter: on PGAS_TEAM_ALL $more_counts\$"
differs reduce_scatter_op 'pgas_reduce_scatter\(counts of 24 in all, 5, [0-9]+\)'
broken scatterv "${said}pgas_scatterv: expects 16 bytes of thread 0, which gives 8\$"
broken gatherv "^fathom: thread 0 on .+: pgas_gatherv: expects 8 bytes of thread 2, which gives 16\$"
broken alltoallv "${said}pgas_alltoallv: expects 16 bytes of thread 1, which gives 8\$"
broken killed '^fathom-run: thread 2 \(pid [0-9]+ on .+\) was killed by signal 9 \(Killed\); the job is ended$' 137
if [ "$node_counts" != 1 ]; then
    node_counts=2
    differs own_root 'pgas_broadcast\(8, [02]\)'
    differs far_root 'pgas_broadcast\(8, [02]\)'
fi
node_counts=1
differs early_root 'pgas_broadcast\((8|16), 0\)'
broken root "${said}pgas_broadcast: there is no rank 3 in a team of 3\$"
broken null "${said}pgas_broadcast: "
broken null_blocks "${said}pgas_alltoallv: the private pointer is NULL\$"
broken null_flight "${said}pgas_reduce_async: "
broken no_team "${said}pgas_alltoall: there is no team: the pointer is NULL\$"
broken type "${said}pgas_allreduce: there is no type -1\$"
broken op "${said}pgas_allreduce: there is no operation PGAS_XOR on type PGAS_DOUBLE\$"
broken op_of_atomics "${said}pgas_reduce: there is no operation PGAS_SWAP on type PGAS_INT64\$"
broken own_op "${said}pgas_scan_inclusive: there is no operation [0-9]+ on type PGAS_DOUBLE\$"
broken op_of_bytes "${said}pgas_allreduce: there is no operation PGAS_SUM on type PGAS_BYTES\(24\)\$"
broken free_op "${said}pgas_op_free: [0-9]+ is no operation of pgas_op_create, or is freed already\$"
broken overflow "${said}pgas_alltoall: 3 times [0-9]+ bytes overflow\$"
if [ "$debug" = 1 ]; then
    for mode in gather scatter allgather alltoall alltoallv gatherv scan_inclusive reduce_scatter; do
        broken "overlap_$mode" "${said}pgas_$mode: what is received, [0-9]+ bytes at 0x[0-9a-f]+, overlaps what is sent, [0-9]+ bytes at 0x[0-9a-f]+\$"
    done
fi
broken notified "${said}pgas_allgather: called between pgas_team_notify and pgas_team_wait on the same team\$"
broken handler "${said}pgas_allreduce: called in a handler of active messages\$"
broken wait_in_handler "${said}pgas_waitsynci: called in a handler of active messages\$"
broken try_in_handler "${said}pgas_trysynci: called in a handler of active messages\$"
broken wait_locked "${said}pgas_waitsynci: called while a handler-safe lock is held\$"
broken wait_held "${said}pgas_waitsynci: called in a no-interrupt section\$"
export PGAS_HEAP_SIZE=1M
broken heap "${said}pgas_broadcast: 4194304 bytes for other members to read, in a heap of 1048576 bytes with 0 in use; PGAS_HEAP_SIZE sets its size\$"
broken heap_flight "${said}pgas_allgather: 4194304 bytes for other members to read, in a heap of 1048576 bytes with 0 in use; PGAS_HEAP_SIZE sets its size\$"
[ "$failures" -eq 0 ] || exit 1
echo "all passed; the slowest job took $slowest ticks"
