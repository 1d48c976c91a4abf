/**
 * Collectives of GASNet-1, after the design notes "GASNet collectives": data movement and
 * computation on GASNET_TEAM_ALL. Included by gasnet.h.
 *
 * Who takes part is an *image*. There is one per node, or, in GASNET_PAR, gasnet_coll_init says how
 * many: each is a client thread, the one that has called gasnet_coll_init with the image's number,
 * and images are numbered node by node. Roots are image numbers; blocks are those of images, in the
 * order of their numbers.
 *
 * All images make the same calls in the same order, none between a gasnet_barrier_notify and its
 * wait, none in handlers; nothing is in flight at a gasnet_barrier_notify. `flags` has one flag
 * each of IN, of OUT, and of SINGLE and LOCAL; more or fewer end the job. Images of one node that
 * differ in the operation, its root, sizes, layouts, function or flags end the job. Addresses may
 * lie anywhere in the node's memory, those of an argument with DST_IN_SEGMENT or SRC_IN_SEGMENT in
 * its segment. Source and destination do not overlap, except that blocks may be the same where the
 * notes allow it.
 *
 * An operation is initiated by its call and complete when its handle is synchronised, which means
 * what its OUT flag says; a call without _nb does both. A call with a handle never waits for
 * another node or image, whatever its IN flag; any number may be in flight, and handles are
 * synchronised in any order, by the thread that has initiated. NOSYNC is MYSYNC. Handlers run while
 * a call waits. A thread that ends waits for what it has in flight.
 *
 * With one image per node, data progress as those of pgas/coll_async.h; what follows them, what
 * computes, and what waits for other nodes, in syncs, in initiations and in gasnet_AMPoll of the
 * thread that has initiated. One thread of a node at a time has operations in flight.
 *
 * With several images on any node, each node has a thread of the library, which begins an operation
 * when all images of the node have initiated it, and continues it until it is complete, whether
 * they poll or not; it sleeps while there is none, and never ends: the program ends by gasnet_exit,
 * exit or a return from main, not when all its own threads have ended by pthread_exit. Operations
 * are complete on a node in the order of their initiation. That thread runs handlers as any client
 * thread does, and the functions of reductions and scans, also those without GASNET_COLL_AMSAFE,
 * which the notes keep to threads of the program: such a function must not rely on thread-local
 * data. Blocks of several images of a node travel as one, in a copy, but for what is
 * broadcast and what gather_all brings, which goes to one image and from there to the others.
 *
 * Data of more than 4 KiB that lie outside the segment are copied to the heap of the node
 * (PGAS_HEAP_SIZE) for others of its supernode to read, of which gasnet_attach leaves a sixteenth,
 * at most 256 MiB; a line ends the job if they do not fit. With several images on any node so are,
 * wherever they lie, for others of the job, what a root scatters, and what a node exchanges over a
 * network with remote memory access; and, for others of its supernode, what a node exchanges, and
 * what is gathered from a node that has several. An operation of that kind begins when those in
 * flight and it take at most 8 MiB of the process's memory, or those are complete.
 *
 * With GASNET_COLL_AGGREGATE a call with a handle returns the invalid one: the next handle of the
 * thread completes it, too.
 *
 * Each image gives its own addresses: a call with one address the image's, a call with lists
 * (those that end in m) in its place of the list, which has one address for each image of the job
 * if SINGLE, and one for each image of the node if LOCAL. The others of a list are not read. The
 * source of a broadcast or scatter and the destination of a gather or reduction are those that the
 * root gives.
 */
#ifndef GASNET_COLL_H
#define GASNET_COLL_H

#include <stddef.h>
#include <stdint.h>

#include <pgas/job.h>

#include <gasnet_types.h>

PGAS_BEGIN_DECLS

typedef uint32_t gasnet_image_t;

typedef struct gasneti_team *gasnet_team_handle_t;
#define GASNET_TEAM_ALL ((gasnet_team_handle_t)0)
/** Its name inside GASNet-1, which programs use. */
#define gasnete_coll_team_all GASNET_TEAM_ALL

/** Handles of operations in flight. The invalid one, all bits zero, is complete. */
typedef struct gasneti_coll_operation *gasnet_coll_handle_t;
#define GASNET_COLL_INVALID_HANDLE ((gasnet_coll_handle_t)0)

#ifndef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#endif
typedef void (*gasnet_coll_fn_t)();
#ifndef __cplusplus
#pragma GCC diagnostic pop
#endif

/** A function for reductions and scans; `flags` has GASNET_COLL_NONCOMM if it does not commute. */
typedef struct {
    gasnet_coll_fn_t fnptr;
    unsigned int flags;
} gasnet_coll_fn_entry_t;

/** The index of a function in the table of gasnet_coll_init. */
typedef uint32_t gasnet_coll_fn_handle_t;

/** What such a function is: sets results[i] to the operands at `left_operands`, and those at
 *  `right_operands` up to i, combined; or, element by element (see gasnet_coll_reduce), to left and
 *  right operand i combined, where `left_count` and `result_count` are the same, 1 or more. Nothing
 *  else has as many left operands as results, unless there is one of each. Results lie nowhere
 * among the operands. `flags` has GASNET_COLL_NONCOMM as registered; `arg` is the call's
 * `func_arg`. Called in the thread that has initiated, in any of the calls named above, or with
 * several images in the library's; it may make all calls of GASNet but collectives, their syncs,
 * and barriers. */
typedef void gasnet_coll_reduce_fn(void *results, size_t result_count, const void *left_operands,
                                   size_t left_count, const void *right_operands, size_t elem_size,
                                   int flags, int arg);
typedef gasnet_coll_reduce_fn *gasnet_coll_reduce_fn_t;

#define GASNET_COLL_IN_NOSYNC (1 << 0)
#define GASNET_COLL_IN_MYSYNC (1 << 1)
#define GASNET_COLL_IN_ALLSYNC (1 << 2)
#define GASNET_COLL_OUT_NOSYNC (1 << 3)
#define GASNET_COLL_OUT_MYSYNC (1 << 4)
#define GASNET_COLL_OUT_ALLSYNC (1 << 5)
#define GASNET_COLL_SINGLE (1 << 6)
#define GASNET_COLL_LOCAL (1 << 7)
#define GASNET_COLL_AGGREGATE (1 << 8)
#define GASNET_COLL_DST_IN_SEGMENT (1 << 9)
#define GASNET_COLL_SRC_IN_SEGMENT (1 << 10)
/** Of scans, one of them. */
#define GASNET_COLL_INCLUSIVE_SCAN (1 << 11)
#define GASNET_COLL_EXCLUSIVE_SCAN (1 << 12)
/** Of functions. AMSAFE is ignored: no function is called by a handler, and with several images per
 *  node all are called by the library's thread. */
#define GASNET_COLL_NONCOMM (1 << 13)
#define GASNET_COLL_AMSAFE (1 << 14)

/** The calling thread is image `my_image` from now on. `images` is NULL for one image per node,
 *  `my_image` is ignored then, and one thread of each node calls; or has the number of images of
 *  each node, at least 1. If one is more, which GASNET_PAR allows, as many threads of each node
 *  call, once, with the images of that node; it returns when all of all nodes have called. In
 *  GASNET_SEQ it is NULL. All give the same `images` and `fn_count`, those of a node the same
 *  functions; others end the job. `images` and `fn_tbl` are copied. `init_flags` is 0. */
PGAS_API void gasnet_coll_init(const gasnet_image_t images[], gasnet_image_t my_image,
                               const gasnet_coll_fn_entry_t fn_tbl[], size_t fn_count,
                               int init_flags);

/* ---- Data movement, and with a handle ---- */

PGAS_API void gasnet_coll_broadcast(gasnet_team_handle_t team, void *dst, gasnet_image_t srcimage,
                                    void *src, size_t nbytes, int flags);
PGAS_API void gasnet_coll_scatter(gasnet_team_handle_t team, void *dst, gasnet_image_t srcimage,
                                  void *src, size_t nbytes, int flags);
PGAS_API void gasnet_coll_gather(gasnet_team_handle_t team, gasnet_image_t dstimage, void *dst,
                                 void *src, size_t nbytes, int flags);
PGAS_API void gasnet_coll_gather_all(gasnet_team_handle_t team, void *dst, void *src, size_t nbytes,
                                     int flags);
PGAS_API void gasnet_coll_exchange(gasnet_team_handle_t team, void *dst, void *src, size_t nbytes,
                                   int flags);

PGAS_API gasnet_coll_handle_t gasnet_coll_broadcast_nb(gasnet_team_handle_t team, void *dst,
                                                       gasnet_image_t srcimage, void *src,
                                                       size_t nbytes, int flags);
PGAS_API gasnet_coll_handle_t gasnet_coll_scatter_nb(gasnet_team_handle_t team, void *dst,
                                                     gasnet_image_t srcimage, void *src,
                                                     size_t nbytes, int flags);
PGAS_API gasnet_coll_handle_t gasnet_coll_gather_nb(gasnet_team_handle_t team,
                                                    gasnet_image_t dstimage, void *dst, void *src,
                                                    size_t nbytes, int flags);
PGAS_API gasnet_coll_handle_t gasnet_coll_gather_all_nb(gasnet_team_handle_t team, void *dst,
                                                        void *src, size_t nbytes, int flags);
PGAS_API gasnet_coll_handle_t gasnet_coll_exchange_nb(gasnet_team_handle_t team, void *dst,
                                                      void *src, size_t nbytes, int flags);

/* ---- Computation ---- */

/**
 * The operands are `elem_count` elements of `elem_size` bytes of an array in blocks of `blksz`
 * elements, dealt to the images in turn, from element `offset` on; `src` is where the image's part
 * of that array begins. `blksz` 0: all are on image `offset`. With several images per node this is
 * so for calls with one address, too, for which the notes deal to nodes. gasnet_coll_reduce
 * combines them into the element at `dst` of image `dstimage`: each node the blocks of each of its
 * images, then that image's node the results. gasnet_coll_scan replaces each by all before it,
 * itself among them if inclusive, in an array that may be dealt otherwise; of an exclusive scan
 * element 0 stays as it is. Every node computes the whole of a scan. `elem_count` 0 writes nothing.
 *
 * A reduction whose `src_blksz` and `src_offset` are both 0 is another one, that of the releases of
 * GASNet-1, which is not in the notes: each image has `elem_count` elements at `src`, and `dst` of
 * image `dstimage` gets `elem_count` results, result i from element i of all images, in the order
 * of their numbers. To reduce what lies on image 0 alone, as the notes would have it, give
 * `src_blksz` `elem_count`.
 */
PGAS_API void gasnet_coll_reduce(gasnet_team_handle_t team, gasnet_image_t dstimage, void *dst,
                                 void *src, size_t src_blksz, size_t src_offset, size_t elem_size,
                                 size_t elem_count, gasnet_coll_fn_handle_t func, int func_arg,
                                 int flags);
PGAS_API void gasnet_coll_scan(gasnet_team_handle_t team, void *dst, size_t dst_blksz,
                               size_t dst_offset, void *src, size_t src_blksz, size_t src_offset,
                               size_t elem_size, size_t elem_count, gasnet_coll_fn_handle_t func,
                               int func_arg, int flags);

PGAS_API gasnet_coll_handle_t gasnet_coll_reduce_nb(gasnet_team_handle_t team,
                                                    gasnet_image_t dstimage, void *dst, void *src,
                                                    size_t src_blksz, size_t src_offset,
                                                    size_t elem_size, size_t elem_count,
                                                    gasnet_coll_fn_handle_t func, int func_arg,
                                                    int flags);
PGAS_API gasnet_coll_handle_t gasnet_coll_scan_nb(gasnet_team_handle_t team, void *dst,
                                                  size_t dst_blksz, size_t dst_offset, void *src,
                                                  size_t src_blksz, size_t src_offset,
                                                  size_t elem_size, size_t elem_count,
                                                  gasnet_coll_fn_handle_t func, int func_arg,
                                                  int flags);

/* ---- Handles ---- */

/** As the calls of gasnet_extended.h for its handles: of a list, those that are complete are
 *  overwritten with the invalid one, which is ignored. A handle that is not in flight ends the job.
 */
PGAS_API void gasnet_coll_wait_sync(gasnet_coll_handle_t handle);
PGAS_API int gasnet_coll_try_sync(gasnet_coll_handle_t handle);
PGAS_API void gasnet_coll_wait_sync_all(gasnet_coll_handle_t *handles, size_t n);
PGAS_API int gasnet_coll_try_sync_all(gasnet_coll_handle_t *handles, size_t n);
PGAS_API void gasnet_coll_wait_sync_some(gasnet_coll_handle_t *handles, size_t n);
PGAS_API int gasnet_coll_try_sync_some(gasnet_coll_handle_t *handles, size_t n);

/* ---- Names of later releases ---- */

/** Do nothing: there are no choices that are tuned, and no profile of them. */
static inline void gasnet_coll_dumpTuningState(const char *filename, gasnet_team_handle_t team)
{
    (void)filename;
    (void)team;
}

static inline void gasnet_coll_dumpProfile(const char *filename, gasnet_team_handle_t team)
{
    (void)filename;
    (void)team;
}

/* ---- Lists of addresses ---- */

/** The calling image's address of a list; NULL if the calling thread is none, of which the call
 * that gets it tells. */
PGAS_API void *gasneti_coll_own(void *const list[], int flags);

static inline void gasnet_coll_broadcastm(gasnet_team_handle_t team, void *const dstlist[],
                                          gasnet_image_t srcimage, void *src, size_t nbytes,
                                          int flags)
{
    gasnet_coll_broadcast(team, gasneti_coll_own(dstlist, flags), srcimage, src, nbytes, flags);
}

static inline gasnet_coll_handle_t gasnet_coll_broadcastm_nb(gasnet_team_handle_t team,
                                                             void *const dstlist[],
                                                             gasnet_image_t srcimage, void *src,
                                                             size_t nbytes, int flags)
{
    return gasnet_coll_broadcast_nb(team, gasneti_coll_own(dstlist, flags), srcimage, src, nbytes,
                                    flags);
}

static inline void gasnet_coll_scatterm(gasnet_team_handle_t team, void *const dstlist[],
                                        gasnet_image_t srcimage, void *src, size_t nbytes,
                                        int flags)
{
    gasnet_coll_scatter(team, gasneti_coll_own(dstlist, flags), srcimage, src, nbytes, flags);
}

static inline gasnet_coll_handle_t gasnet_coll_scatterm_nb(gasnet_team_handle_t team,
                                                           void *const dstlist[],
                                                           gasnet_image_t srcimage, void *src,
                                                           size_t nbytes, int flags)
{
    return gasnet_coll_scatter_nb(team, gasneti_coll_own(dstlist, flags), srcimage, src, nbytes,
                                  flags);
}

static inline void gasnet_coll_gatherm(gasnet_team_handle_t team, gasnet_image_t dstimage,
                                       void *dst, void *const srclist[], size_t nbytes, int flags)
{
    gasnet_coll_gather(team, dstimage, dst, gasneti_coll_own(srclist, flags), nbytes, flags);
}

static inline gasnet_coll_handle_t gasnet_coll_gatherm_nb(gasnet_team_handle_t team,
                                                          gasnet_image_t dstimage, void *dst,
                                                          void *const srclist[], size_t nbytes,
                                                          int flags)
{
    return gasnet_coll_gather_nb(team, dstimage, dst, gasneti_coll_own(srclist, flags), nbytes,
                                 flags);
}

static inline void gasnet_coll_gather_allm(gasnet_team_handle_t team, void *const dstlist[],
                                           void *const srclist[], size_t nbytes, int flags)
{
    gasnet_coll_gather_all(team, gasneti_coll_own(dstlist, flags), gasneti_coll_own(srclist, flags),
                           nbytes, flags);
}

static inline gasnet_coll_handle_t gasnet_coll_gather_allm_nb(gasnet_team_handle_t team,
                                                              void *const dstlist[],
                                                              void *const srclist[], size_t nbytes,
                                                              int flags)
{
    return gasnet_coll_gather_all_nb(team, gasneti_coll_own(dstlist, flags),
                                     gasneti_coll_own(srclist, flags), nbytes, flags);
}

static inline void gasnet_coll_exchangem(gasnet_team_handle_t team, void *const dstlist[],
                                         void *const srclist[], size_t nbytes, int flags)
{
    gasnet_coll_exchange(team, gasneti_coll_own(dstlist, flags), gasneti_coll_own(srclist, flags),
                         nbytes, flags);
}

static inline gasnet_coll_handle_t gasnet_coll_exchangem_nb(gasnet_team_handle_t team,
                                                            void *const dstlist[],
                                                            void *const srclist[], size_t nbytes,
                                                            int flags)
{
    return gasnet_coll_exchange_nb(team, gasneti_coll_own(dstlist, flags),
                                   gasneti_coll_own(srclist, flags), nbytes, flags);
}

static inline void gasnet_coll_reducem(gasnet_team_handle_t team, gasnet_image_t dstimage,
                                       void *dst, void *const srclist[], size_t src_blksz,
                                       size_t src_offset, size_t elem_size, size_t elem_count,
                                       gasnet_coll_fn_handle_t func, int func_arg, int flags)
{
    gasnet_coll_reduce(team, dstimage, dst, gasneti_coll_own(srclist, flags), src_blksz, src_offset,
                       elem_size, elem_count, func, func_arg, flags);
}

static inline gasnet_coll_handle_t
gasnet_coll_reducem_nb(gasnet_team_handle_t team, gasnet_image_t dstimage, void *dst,
                       void *const srclist[], size_t src_blksz, size_t src_offset, size_t elem_size,
                       size_t elem_count, gasnet_coll_fn_handle_t func, int func_arg, int flags)
{
    return gasnet_coll_reduce_nb(team, dstimage, dst, gasneti_coll_own(srclist, flags), src_blksz,
                                 src_offset, elem_size, elem_count, func, func_arg, flags);
}

static inline void gasnet_coll_scanm(gasnet_team_handle_t team, void *const dstlist[],
                                     size_t dst_blksz, size_t dst_offset, void *const srclist[],
                                     size_t src_blksz, size_t src_offset, size_t elem_size,
                                     size_t elem_count, gasnet_coll_fn_handle_t func, int func_arg,
                                     int flags)
{
    gasnet_coll_scan(team, gasneti_coll_own(dstlist, flags), dst_blksz, dst_offset,
                     gasneti_coll_own(srclist, flags), src_blksz, src_offset, elem_size, elem_count,
                     func, func_arg, flags);
}

static inline gasnet_coll_handle_t
gasnet_coll_scanm_nb(gasnet_team_handle_t team, void *const dstlist[], size_t dst_blksz,
                     size_t dst_offset, void *const srclist[], size_t src_blksz, size_t src_offset,
                     size_t elem_size, size_t elem_count, gasnet_coll_fn_handle_t func,
                     int func_arg, int flags)
{
    return gasnet_coll_scan_nb(team, gasneti_coll_own(dstlist, flags), dst_blksz, dst_offset,
                               gasneti_coll_own(srclist, flags), src_blksz, src_offset, elem_size,
                               elem_count, func, func_arg, flags);
}

PGAS_END_DECLS

/** As releases of GASNet-1 spell these. */
#define gasnet_coll_broadcastM gasnet_coll_broadcastm
#define gasnet_coll_broadcastM_nb gasnet_coll_broadcastm_nb
#define gasnet_coll_scatterM gasnet_coll_scatterm
#define gasnet_coll_scatterM_nb gasnet_coll_scatterm_nb
#define gasnet_coll_gatherM gasnet_coll_gatherm
#define gasnet_coll_gatherM_nb gasnet_coll_gatherm_nb
#define gasnet_coll_gather_allM gasnet_coll_gather_allm
#define gasnet_coll_gather_allM_nb gasnet_coll_gather_allm_nb
#define gasnet_coll_exchangeM gasnet_coll_exchangem
#define gasnet_coll_exchangeM_nb gasnet_coll_exchangem_nb
#define gasnet_coll_reduceM gasnet_coll_reducem
#define gasnet_coll_reduceM_nb gasnet_coll_reducem_nb
#define gasnet_coll_scanM gasnet_coll_scanm
#define gasnet_coll_scanM_nb gasnet_coll_scanm_nb

#endif
