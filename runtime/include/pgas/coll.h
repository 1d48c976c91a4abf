/**
 * Collectives: moving and combining data among the members of a team (team.h).
 *
 *   double sum = pgas_allreduce_double(PGAS_TEAM_ALL, mine, PGAS_SUM);
 *   pgas_broadcast(team, options, sizeof options, 0);
 *   pgas_allreduce(team, local, global, count, PGAS_DOUBLE, PGAS_MAX);
 *
 * All calls here are collective over the team and blocking, except those that make operations;
 * coll_async.h has the same without waiting. Data lie in any memory of the caller, private or its
 * own shared memory, elements that are combined aligned for their type; long data that are shared,
 * or that members of other nodes alone read, are not copied before others read them, except in
 * pgas_scatterv, where a pgas_reduce_scatter is linear, and in pgas_alltoallv what members of the
 * own node read, or, where it is linear, all. When a call returns, its results are there and all
 * its buffers may be used again. Send and receive buffers do not overlap, except that they may be
 * the same in pgas_reduce, pgas_allreduce and the scans, and that in calls that scatter or gather,
 * to one or to all, the caller's own block may be in its place already: its one buffer is then that
 * part of the other. The debug build looks.
 *
 * `root` is a rank in the team. Arguments that only the root, or all but the root, need are ignored
 * in the others; a buffer of 0 bytes may be NULL.
 *
 * Sizes are in bytes for calls that move data, and in elements for calls that combine them. Root,
 * size, type, operation and the counts of pgas_reduce_scatter must be the same on all members, and
 * the sizes in bytes that two members give for what one sends to the other; if not, the job ends
 * with a line that names two members. Of operations of pgas_op_create `commutes` alone is compared.
 *
 * A member may leave before others have come, except that a member that needs another's data waits
 * for it; programs that need a barrier call one (pgas_team_barrier). In pgas_broadcast,
 * pgas_scatter, pgas_gather and pgas_reduce of short data (below) on a team of one node, or of
 * several with a progress thread (job.h, PGAS_PROGRESS), a member that needs nothing from others
 * leaves at once, up to four such calls of the team ahead of members that have not come: a root
 * that sends, and who sends to a root, except that of two nodes the lowest member on the root's, to
 * which the messages for the node come, waits as the root does. In teams of more nodes the lowest
 * member of each waits, and all do for what comes from a root. What the fifth call, pgas_team_free
 * or pgas_finalize then waits for, and the watchdog names, is the one that was left. Members in
 * different calls are told of it then, too, if nobody has come for whom it matters before.
 *
 * Combined values are the same bits on every member and in every run with the same team and layout
 * of nodes, whatever comes first, if all members round alike (fesetround), but for which of several
 * NaNs is the result. An operation that
 * does not commute is applied in ascending order of ranks; all operations are taken as associative.
 *
 * Short data need no memory of the heap: those of up to 4 KiB (in reductions of 15 and more members
 * on a node up to 2 KiB) are shown to others in memory that the team has, and between nodes those
 * that travel in the messages by which the members meet, up to some 128 KiB per member and 512 KiB
 * in all, in teams that are not predefined 16 KiB and 64 KiB; of pgas_gatherv, pgas_scatterv and
 * pgas_alltoallv only blocks of up to 1 KiB, and less in teams of many members, since members do
 * not know in advance what will travel. For longer ones a thread takes a buffer from its shared
 * heap: as large as what it sends, or smaller where they go in pieces; twice that and two elements
 * in reductions; up to 8 MiB more in all-gathers and broadcasts between nodes of several threads.
 * It keeps the buffer for later calls, the largest of up to 256 KiB, 1, 4, 16 and 64 MiB. Where the
 * heap has no room for one, or for what the program allocates (by a pgas_global_alloc of another
 * thread excepted), what is kept is used or given up, and what a collective in flight uses is not;
 * if there is none then for a buffer, the job ends with a line. Long data, and blocks of different
 * sizes, also take private memory, kept for later calls: 48 bytes per member, in pgas_alltoallv 16
 * more, and in reductions over several nodes what is read at a time, 2 MiB, or an element, of 4 KiB
 * at least, for each member of other nodes if that is more. docs/architecture.md, "Memory of
 * collectives", has the bounds in full.
 *
 * Algorithms, for PGAS_COLL (job.h); runtime/src/coll/algorithm.h says how they go. All collectives
 * but the barrier have `linear`; gatherv, scatterv and alltoallv `eager`, too; of the others
 * broadcast, scatter, gather and reduce `binomial`, and allgather, allgatherv, alltoall, allreduce,
 * reduce_scatter and scan `bruck`; reduce, allreduce and reduce_scatter `combining`; reduce and
 * allreduce `rabenseifner` and `multilane`; these two, allgather and broadcast `hierarchical`;
 * broadcast, scatter, gather, allgather and alltoall `pipelined`. `library` is for builds with a
 * library of collectives. One that a size or the team's shape does not allow is not taken.
 *
 * What a member reads from another counts as a contiguous get of the reader (stats.h).
 */
#ifndef PGAS_COLL_H
#define PGAS_COLL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pgas/team.h>
#include <pgas/types.h>
#include <pgas/word.h>

PGAS_BEGIN_DECLS

/* ---- Types and operations ---- */

/** The type of an element: a pgas_type_t (word.h), one of these, or PGAS_BYTES. */
typedef int pgas_datatype_t;

enum {
    PGAS_INT8 = PGAS_TYPES,
    PGAS_UINT8,
    PGAS_INT16,
    PGAS_UINT16,
    PGAS_LONG_DOUBLE,
    /** C's complex types. */
    PGAS_COMPLEX_FLOAT,
    PGAS_COMPLEX_DOUBLE,
    PGAS_COMPLEX_LONG_DOUBLE,
    /** A value and an index: structures of the value and an int, with C's padding. */
    PGAS_SHORT_INT,
    PGAS_2INT,
    PGAS_LONG_INT,
    PGAS_FLOAT_INT,
    PGAS_DOUBLE_INT,
    PGAS_LONG_DOUBLE_INT,
    PGAS_DATATYPES
};

/** An element of `nbytes` bytes, which is evaluated twice, that means something to the program's
 *  own operations only: 1 to INT_MAX - PGAS_DATATYPES of them, else there is no such type. */
#define PGAS_BYTES(nbytes) \
    ((size_t)(nbytes) <= (size_t)(INT_MAX - PGAS_DATATYPES) ? PGAS_DATATYPES + (int)(nbytes) : -1)

/** The size of an element in bytes; 0 if there is no such type. */
PGAS_API size_t pgas_datatype_size(pgas_datatype_t type);

/**
 * An operation: PGAS_ADD (PGAS_SUM), PGAS_MUL (PGAS_PRODUCT) for numbers, complex ones included;
 * PGAS_MIN and PGAS_MAX for real numbers; PGAS_AND, PGAS_OR and PGAS_XOR for integers;
 * PGAS_LOGICAL_AND and PGAS_LOGICAL_OR for numbers, whose result is 0 or 1 where there are two
 * operands or more (the only operand of one member stays what it is); PGAS_MIN_INDEX and
 * PGAS_MAX_INDEX for pairs, which keep the pair of the least (greatest) value, and of equal ones
 * that of the lowest index; or one that pgas_op_create has made. Integers wrap around. Where one
 * value is a NaN, PGAS_MIN and PGAS_MAX give the other one (comparing raises FE_INVALID, as <
 * does), and the pair of a NaN is kept only if all are NaN, and then that of the lowest rank. The
 * other operations of word.h are none of collectives.
 */
typedef int pgas_op_t;

enum {
    PGAS_LOGICAL_AND = PGAS_ATOMIC_OPS,
    PGAS_LOGICAL_OR,
    PGAS_MIN_INDEX,
    PGAS_MAX_INDEX,
    PGAS_PREDEFINED_OPS
};

#define PGAS_SUM PGAS_ADD
#define PGAS_PRODUCT PGAS_MUL

/** Combines: inout[i] = in[i] op inout[i] for `count` (> 0) elements of `type`, where `in` comes
 *  from lower ranks than `inout`. Runs in members of the team, on some of the elements at a time,
 *  also on copies that are not in the caller's buffers. It makes no call of the runtime that
 *  communicates or waits; it may call pgas_poll and pgas_fence, in which no collective goes on
 *  then. */
typedef void pgas_op_function_t(const void *in, void *inout, size_t count, pgas_datatype_t type);

/** Makes an operation of the program's own. `commutes`: whether the order of operands does not
 *  matter. Not collective: its number is the calling process's, and members that combine use the
 *  same function under whatever number. Returns PGAS_OK or PGAS_ERR_NO_MEMORY. */
PGAS_API pgas_status_t pgas_op_create(pgas_op_function_t *function, bool commutes, pgas_op_t *op);

/** Frees it; its number may be given again, also while collectives that use it are in flight. Not
 *  collective. */
PGAS_API void pgas_op_free(pgas_op_t op);

/* ---- Moving ---- */

/** Copies `nbytes` bytes at `data` from the root to all others. */
PGAS_API void pgas_broadcast(pgas_team_t *team, void *data, size_t nbytes, int root);

/** Gives each member a block of `nbytes` of the root's `src`, which has one for each rank. */
PGAS_API void pgas_scatter(pgas_team_t *team, const void *src, void *dst, size_t nbytes, int root);

/** The same with blocks of different sizes: at the root, `counts[r]` bytes at `src + displs[r]` for
 *  rank r; each member gives the size of its own block. */
PGAS_API void pgas_scatterv(pgas_team_t *team, const void *src, const size_t *counts,
                            const size_t *displs, void *dst, size_t nbytes, int root);

/** Collects a block of `nbytes` from each member at the root, by rank. */
PGAS_API void pgas_gather(pgas_team_t *team, const void *src, void *dst, size_t nbytes, int root);

/** The same with blocks of different sizes: rank r's `counts[r]` bytes go to `dst + displs[r]`. */
PGAS_API void pgas_gatherv(pgas_team_t *team, const void *src, size_t nbytes, void *dst,
                           const size_t *counts, const size_t *displs, int root);

/** The same at every member. */
PGAS_API void pgas_allgather(pgas_team_t *team, const void *src, void *dst, size_t nbytes);
PGAS_API void pgas_allgatherv(pgas_team_t *team, const void *src, size_t nbytes, void *dst,
                              const size_t *counts, const size_t *displs);

/** Sends block r of `src`, `nbytes` bytes, to rank r, and receives that of rank r as block r. */
PGAS_API void pgas_alltoall(pgas_team_t *team, const void *src, void *dst, size_t nbytes);

/** The same with blocks of different sizes: `src_counts[r]` bytes at `src + src_displs[r]` go to
 *  rank r, whose `dst_counts[r]` bytes come to `dst + dst_displs[r]`. */
PGAS_API void pgas_alltoallv(pgas_team_t *team, const void *src, const size_t *src_counts,
                             const size_t *src_displs, void *dst, const size_t *dst_counts,
                             const size_t *dst_displs);

/* ---- Combining ---- */

/** Combines the members' `count` elements one by one: at the root, and at all. */
PGAS_API void pgas_reduce(pgas_team_t *team, const void *src, void *dst, size_t count,
                          pgas_datatype_t type, pgas_op_t op, int root);
PGAS_API void pgas_allreduce(pgas_team_t *team, const void *src, void *dst, size_t count,
                             pgas_datatype_t type, pgas_op_t op);

/** Combines elements as many as all `counts` together, of which rank r gets `counts[r]`, in order
 * of ranks. All members give the same counts. */
PGAS_API void pgas_reduce_scatter(pgas_team_t *team, const void *src, void *dst,
                                  const size_t *counts, pgas_datatype_t type, pgas_op_t op);

/** Combines the elements of ranks 0 to the caller's own; the exclusive scan, of those below its
 * own: rank 0 gets the operation's neutral element, or keeps what it has if the operation is the
 *  program's. That of PGAS_MIN_INDEX and PGAS_MAX_INDEX has the index INT_MAX. */
PGAS_API void pgas_scan_inclusive(pgas_team_t *team, const void *src, void *dst, size_t count,
                                  pgas_datatype_t type, pgas_op_t op);
PGAS_API void pgas_scan_exclusive(pgas_team_t *team, const void *src, void *dst, size_t count,
                                  pgas_datatype_t type, pgas_op_t op);

/* ---- By value ---- */

/**
 * The same for one value, which is returned: pgas_allreduce_T, pgas_broadcast_T (the root's value),
 * pgas_scan_inclusive_T and pgas_scan_exclusive_T, for T int32, uint32, int64, uint64, float and
 * double. pgas_scan_exclusive_T of an operation of the program's returns `value` at rank 0.
 */
#define PGASI_BY_VALUE(name, type, code) \
    static inline type pgas_allreduce_##name(pgas_team_t *team, type value, pgas_op_t op) \
    { \
        pgas_allreduce(team, &value, &value, 1, code, op); \
        return value; \
    } \
    static inline type pgas_broadcast_##name(pgas_team_t *team, type value, int root) \
    { \
        pgas_broadcast(team, &value, sizeof value, root); \
        return value; \
    } \
    static inline type pgas_scan_inclusive_##name(pgas_team_t *team, type value, pgas_op_t op) \
    { \
        pgas_scan_inclusive(team, &value, &value, 1, code, op); \
        return value; \
    } \
    static inline type pgas_scan_exclusive_##name(pgas_team_t *team, type value, pgas_op_t op) \
    { \
        pgas_scan_exclusive(team, &value, &value, 1, code, op); \
        return value; \
    }

PGASI_BY_VALUE(int32, int32_t, PGAS_INT32)
PGASI_BY_VALUE(uint32, uint32_t, PGAS_UINT32)
PGASI_BY_VALUE(int64, int64_t, PGAS_INT64)
PGASI_BY_VALUE(uint64, uint64_t, PGAS_UINT64)
PGASI_BY_VALUE(float, float, PGAS_FLOAT)
PGASI_BY_VALUE(double, double, PGAS_DOUBLE)

PGAS_END_DECLS

#endif
