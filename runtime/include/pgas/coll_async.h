/**
 * Collectives that are started now and completed later.
 *
 *   pgas_handle_t sum = pgas_allreduce_async(team, local, global, count, PGAS_DOUBLE, PGAS_SUM);
 *   ... compute ...
 *   pgas_waitsync(sum);
 *
 * Each collective of coll.h, and the barrier of team.h, has two more forms. NAME_async returns a
 * handle of async.h, for pgas_waitsync, pgas_trysync and their forms for several handles, of
 * collectives and copies alike. NAME_asynci has none: pgas_waitsynci completes it with the copies
 * that have none, or the access region's handle does. Arguments, results and the order of
 * combination are those of coll.h; a barrier is complete when every member has started it.
 *
 * From the start until it is synchronised, a collective's receive buffer is undefined, and its send
 * buffer, counts and displacements must not change. The start never waits for another member, so it
 * may be made while one holds a lock that others want; and a wait ends when all members have
 * started the collective, and let the runtime progress (below), whether they wait for it or not; or
 * before, for members that need nothing from others (coll.h).
 *
 * Any number may be in flight, on one team and on several, and they are waited for in any order.
 * The members of a team start all collectives on it in the same order, blocking ones included; a
 * member may use another form than the others. Four of a team have messages under way at once;
 * those started beyond that wait in a queue, of some 400 bytes each, and so does a blocking one.
 * Each of the four has a buffer from the heap and private memory of its own, as coll.h describes
 * them, if it needs them.
 *
 * Progress: a member's part is done in its own calls: in the start; in waits for collectives,
 * barriers, locks, signals and plans; in pgas_poll, pgas_fence and pgas_signal_test; and in the
 * tries of async.h. Waits for copies alone do not. In a job of several nodes with a progress thread
 * (job.h, PGAS_PROGRESS) that thread does it while the member computes or sleeps, so that a
 * collective completes though no member makes any call. It looks at once when a message comes, and
 * for what a member on the own node has done after 50 us to 1 ms. Two kinds it leaves to the
 * member's calls, with all that follow them on the same of the team's four: those with an operation
 * of pgas_op_create, so that the program's functions run in the calling thread alone, and those
 * that a library serves. In a job of one node, and with PGAS_PROGRESS=poll, only the barrier
 * between nodes goes on while a member computes, if anything does. A thread that sleeps in a wait
 * for something else looks after what it has in flight every millisecond. A start, and a call that
 * reads the statistics, may wait for the end of the steps that the progress thread runs just then.
 * These wait for nothing, whoever stands still: they copy and combine what is there, at most all
 * that the collectives in flight bring this member. So a start takes longest beside a long
 * collective among members of one node. Meanwhile the progress thread serves nobody else.
 *
 * pgas_finalize and pgas_detach_thread complete what is left; pgas_team_free ends the job if the
 * caller has a collective in flight on the team. Of several operating-system threads of a process
 * (attach.h) one at a time has collectives in flight, and the others make no collective call
 * meanwhile; a breach ends the job.
 */
#ifndef PGAS_COLL_ASYNC_H
#define PGAS_COLL_ASYNC_H

#include <stddef.h>

#include <pgas/async.h>
#include <pgas/coll.h>
#include <pgas/team.h>
#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** The barrier of team.h. */
PGAS_API pgas_handle_t pgas_team_barrier_async(pgas_team_t *team);
PGAS_API void pgas_team_barrier_asynci(pgas_team_t *team);

/** Moving, as in coll.h. */
PGAS_API pgas_handle_t pgas_broadcast_async(pgas_team_t *team, void *data, size_t nbytes, int root);
PGAS_API void pgas_broadcast_asynci(pgas_team_t *team, void *data, size_t nbytes, int root);
PGAS_API pgas_handle_t pgas_scatter_async(pgas_team_t *team, const void *src, void *dst,
                                          size_t nbytes, int root);
PGAS_API void pgas_scatter_asynci(pgas_team_t *team, const void *src, void *dst, size_t nbytes,
                                  int root);
PGAS_API pgas_handle_t pgas_scatterv_async(pgas_team_t *team, const void *src, const size_t *counts,
                                           const size_t *displs, void *dst, size_t nbytes,
                                           int root);
PGAS_API void pgas_scatterv_asynci(pgas_team_t *team, const void *src, const size_t *counts,
                                   const size_t *displs, void *dst, size_t nbytes, int root);
PGAS_API pgas_handle_t pgas_gather_async(pgas_team_t *team, const void *src, void *dst,
                                         size_t nbytes, int root);
PGAS_API void pgas_gather_asynci(pgas_team_t *team, const void *src, void *dst, size_t nbytes,
                                 int root);
PGAS_API pgas_handle_t pgas_gatherv_async(pgas_team_t *team, const void *src, size_t nbytes,
                                          void *dst, const size_t *counts, const size_t *displs,
                                          int root);
PGAS_API void pgas_gatherv_asynci(pgas_team_t *team, const void *src, size_t nbytes, void *dst,
                                  const size_t *counts, const size_t *displs, int root);
PGAS_API pgas_handle_t pgas_allgather_async(pgas_team_t *team, const void *src, void *dst,
                                            size_t nbytes);
PGAS_API void pgas_allgather_asynci(pgas_team_t *team, const void *src, void *dst, size_t nbytes);
PGAS_API pgas_handle_t pgas_allgatherv_async(pgas_team_t *team, const void *src, size_t nbytes,
                                             void *dst, const size_t *counts, const size_t *displs);
PGAS_API void pgas_allgatherv_asynci(pgas_team_t *team, const void *src, size_t nbytes, void *dst,
                                     const size_t *counts, const size_t *displs);
PGAS_API pgas_handle_t pgas_alltoall_async(pgas_team_t *team, const void *src, void *dst,
                                           size_t nbytes);
PGAS_API void pgas_alltoall_asynci(pgas_team_t *team, const void *src, void *dst, size_t nbytes);
PGAS_API pgas_handle_t pgas_alltoallv_async(pgas_team_t *team, const void *src,
                                            const size_t *src_counts, const size_t *src_displs,
                                            void *dst, const size_t *dst_counts,
                                            const size_t *dst_displs);
PGAS_API void pgas_alltoallv_asynci(pgas_team_t *team, const void *src, const size_t *src_counts,
                                    const size_t *src_displs, void *dst, const size_t *dst_counts,
                                    const size_t *dst_displs);

/** Combining, as in coll.h. */
PGAS_API pgas_handle_t pgas_reduce_async(pgas_team_t *team, const void *src, void *dst,
                                         size_t count, pgas_datatype_t type, pgas_op_t op,
                                         int root);
PGAS_API void pgas_reduce_asynci(pgas_team_t *team, const void *src, void *dst, size_t count,
                                 pgas_datatype_t type, pgas_op_t op, int root);
PGAS_API pgas_handle_t pgas_allreduce_async(pgas_team_t *team, const void *src, void *dst,
                                            size_t count, pgas_datatype_t type, pgas_op_t op);
PGAS_API void pgas_allreduce_asynci(pgas_team_t *team, const void *src, void *dst, size_t count,
                                    pgas_datatype_t type, pgas_op_t op);
PGAS_API pgas_handle_t pgas_reduce_scatter_async(pgas_team_t *team, const void *src, void *dst,
                                                 const size_t *counts, pgas_datatype_t type,
                                                 pgas_op_t op);
PGAS_API void pgas_reduce_scatter_asynci(pgas_team_t *team, const void *src, void *dst,
                                         const size_t *counts, pgas_datatype_t type, pgas_op_t op);
PGAS_API pgas_handle_t pgas_scan_inclusive_async(pgas_team_t *team, const void *src, void *dst,
                                                 size_t count, pgas_datatype_t type, pgas_op_t op);
PGAS_API void pgas_scan_inclusive_asynci(pgas_team_t *team, const void *src, void *dst,
                                         size_t count, pgas_datatype_t type, pgas_op_t op);
PGAS_API pgas_handle_t pgas_scan_exclusive_async(pgas_team_t *team, const void *src, void *dst,
                                                 size_t count, pgas_datatype_t type, pgas_op_t op);
PGAS_API void pgas_scan_exclusive_asynci(pgas_team_t *team, const void *src, void *dst,
                                         size_t count, pgas_datatype_t type, pgas_op_t op);

PGAS_END_DECLS

#if defined(PGAS_DEBUG) && !defined(PGASI_BUILDING)
#define pgas_team_barrier_async(...) PGASI_NOTED(pgas_team_barrier_async, __VA_ARGS__)
#define pgas_team_barrier_asynci(...) PGASI_NOTED(pgas_team_barrier_asynci, __VA_ARGS__)
#define pgas_broadcast_async(...) PGASI_NOTED(pgas_broadcast_async, __VA_ARGS__)
#define pgas_broadcast_asynci(...) PGASI_NOTED(pgas_broadcast_asynci, __VA_ARGS__)
#define pgas_scatter_async(...) PGASI_NOTED(pgas_scatter_async, __VA_ARGS__)
#define pgas_scatter_asynci(...) PGASI_NOTED(pgas_scatter_asynci, __VA_ARGS__)
#define pgas_scatterv_async(...) PGASI_NOTED(pgas_scatterv_async, __VA_ARGS__)
#define pgas_scatterv_asynci(...) PGASI_NOTED(pgas_scatterv_asynci, __VA_ARGS__)
#define pgas_gather_async(...) PGASI_NOTED(pgas_gather_async, __VA_ARGS__)
#define pgas_gather_asynci(...) PGASI_NOTED(pgas_gather_asynci, __VA_ARGS__)
#define pgas_gatherv_async(...) PGASI_NOTED(pgas_gatherv_async, __VA_ARGS__)
#define pgas_gatherv_asynci(...) PGASI_NOTED(pgas_gatherv_asynci, __VA_ARGS__)
#define pgas_allgather_async(...) PGASI_NOTED(pgas_allgather_async, __VA_ARGS__)
#define pgas_allgather_asynci(...) PGASI_NOTED(pgas_allgather_asynci, __VA_ARGS__)
#define pgas_allgatherv_async(...) PGASI_NOTED(pgas_allgatherv_async, __VA_ARGS__)
#define pgas_allgatherv_asynci(...) PGASI_NOTED(pgas_allgatherv_asynci, __VA_ARGS__)
#define pgas_alltoall_async(...) PGASI_NOTED(pgas_alltoall_async, __VA_ARGS__)
#define pgas_alltoall_asynci(...) PGASI_NOTED(pgas_alltoall_asynci, __VA_ARGS__)
#define pgas_alltoallv_async(...) PGASI_NOTED(pgas_alltoallv_async, __VA_ARGS__)
#define pgas_alltoallv_asynci(...) PGASI_NOTED(pgas_alltoallv_asynci, __VA_ARGS__)
#define pgas_reduce_async(...) PGASI_NOTED(pgas_reduce_async, __VA_ARGS__)
#define pgas_reduce_asynci(...) PGASI_NOTED(pgas_reduce_asynci, __VA_ARGS__)
#define pgas_allreduce_async(...) PGASI_NOTED(pgas_allreduce_async, __VA_ARGS__)
#define pgas_allreduce_asynci(...) PGASI_NOTED(pgas_allreduce_asynci, __VA_ARGS__)
#define pgas_reduce_scatter_async(...) PGASI_NOTED(pgas_reduce_scatter_async, __VA_ARGS__)
#define pgas_reduce_scatter_asynci(...) PGASI_NOTED(pgas_reduce_scatter_asynci, __VA_ARGS__)
#define pgas_scan_inclusive_async(...) PGASI_NOTED(pgas_scan_inclusive_async, __VA_ARGS__)
#define pgas_scan_inclusive_asynci(...) PGASI_NOTED(pgas_scan_inclusive_asynci, __VA_ARGS__)
#define pgas_scan_exclusive_async(...) PGASI_NOTED(pgas_scan_exclusive_async, __VA_ARGS__)
#define pgas_scan_exclusive_asynci(...) PGASI_NOTED(pgas_scan_exclusive_asynci, __VA_ARGS__)
#endif

#endif
