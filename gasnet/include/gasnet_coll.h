/**
 * Collectives of GASNet-1, after the design notes "GASNet collectives": the blocking data movement
 * on GASNET_TEAM_ALL, with one image per node. Included by gasnet.h.
 *
 * All nodes make the same calls in the same order, none between a gasnet_barrier_notify and its
 * wait. Addresses may lie anywhere in the node's memory, with GASNET_COLL_SINGLE and _LOCAL.
 * Every call synchronises as IN_ALLSYNC and OUT_ALLSYNC do, which every mode allows. Handlers run
 * while a call waits. Reductions, and calls that return handles, are not provided.
 */
#ifndef GASNET_COLL_H
#define GASNET_COLL_H

#include <stddef.h>
#include <stdint.h>

#include <gasnet_types.h>

PGAS_BEGIN_DECLS

typedef uint32_t gasnet_image_t;

typedef struct gasneti_team *gasnet_team_handle_t;
#define GASNET_TEAM_ALL ((gasnet_team_handle_t)0)

#ifndef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#endif
typedef void (*gasnet_coll_fn_t)();
#ifndef __cplusplus
#pragma GCC diagnostic pop
#endif

typedef struct {
    gasnet_coll_fn_t fnptr;
    unsigned int flags;
} gasnet_coll_fn_entry_t;

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

/** `images` is NULL, or one for each node. `fn_tbl` is ignored. Collective. */
PGAS_API void gasnet_coll_init(const gasnet_image_t images[], gasnet_image_t my_image,
                               const gasnet_coll_fn_entry_t fn_tbl[], size_t fn_count,
                               int init_flags);

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

PGAS_END_DECLS

#endif
