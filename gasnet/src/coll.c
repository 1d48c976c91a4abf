#include "coll.h"

#include <pgas/coll_async.h>
#include <pgas/detail.h>

#include "am.h"
#include "coll_images.h"

static bool is_one_of(int flags, int allowed)
{
    int given = flags & allowed;
    return given != 0 && (given & (given - 1)) == 0;
}

void gasneti_coll_begin(const char *call, gasnet_team_handle_t team, gasnet_image_t root, int flags)
{
    if (!gasneti_coll_is_open)
        gasneti_fatal(call, "called before gasnet_coll_init");
    if (!gasneti_coll_is_image())
        gasneti_fatal(call, "this thread is no image: it has not called gasnet_coll_init");
    gasneti_require_unrestricted(call);
    if (gasneti_barrier_is_open())
        gasneti_fatal(call, "called between gasnet_barrier_notify and gasnet_barrier_wait");
    if (team != GASNET_TEAM_ALL)
        gasneti_fatal(call, "the team is not GASNET_TEAM_ALL");
    if (root >= gasneti_coll_images())
        gasneti_fatal(call, "image %u: the job has %u", root, gasneti_coll_images());
    const int in = GASNET_COLL_IN_NOSYNC | GASNET_COLL_IN_MYSYNC | GASNET_COLL_IN_ALLSYNC;
    const int out = GASNET_COLL_OUT_NOSYNC | GASNET_COLL_OUT_MYSYNC | GASNET_COLL_OUT_ALLSYNC;
    if (!is_one_of(flags, in) || !is_one_of(flags, out) ||
        !is_one_of(flags, GASNET_COLL_SINGLE | GASNET_COLL_LOCAL))
        gasneti_fatal(call,
                      "the flags are 0x%x: one of GASNET_COLL_IN_, one of GASNET_COLL_OUT_, "
                      "and GASNET_COLL_SINGLE or GASNET_COLL_LOCAL must be given",
                      (unsigned)flags);
}

void gasneti_coll_check_blocking(const char *call, int flags)
{
    if ((flags & GASNET_COLL_AGGREGATE) != 0)
        gasneti_fatal(call, "a blocking call cannot be aggregated");
}

void gasneti_coll_check(const char *call, int flags, int flag, const void *at, size_t nbytes)
{
    pgas_ptr_t place;
    if ((flags & flag) != 0 && nbytes > 0 &&
        !gasneti_find_place(gasnet_mynode(), at, nbytes, &place))
        gasneti_fatal(call, "%zu bytes at %p are not in the segment, as %s says", nbytes, at,
                      flag == GASNET_COLL_DST_IN_SEGMENT ? "GASNET_COLL_DST_IN_SEGMENT"
                                                         : "GASNET_COLL_SRC_IN_SEGMENT");
}

/* ---- Data movement ---- */

/* The runtime's broadcast has one buffer. */
static pgas_handle_t start_broadcast(const gasneti_coll_move_t *move)
{
    bool is_root = move->root == (int)gasnet_mynode();
    if (is_root && move->dst != move->src)
        pgasi_copy(move->dst, move->src, move->nbytes);
    return pgas_broadcast_async(PGAS_TEAM_ALL, move->dst, move->nbytes, move->root);
}

static pgas_handle_t start_scatter(const gasneti_coll_move_t *move)
{
    return pgas_scatter_async(PGAS_TEAM_ALL, move->src, move->dst, move->nbytes, move->root);
}

pgas_handle_t gasneti_coll_start_gather(const gasneti_coll_move_t *move)
{
    return pgas_gather_async(PGAS_TEAM_ALL, move->src, move->dst, move->nbytes, move->root);
}

static pgas_handle_t start_gather_all(const gasneti_coll_move_t *move)
{
    return pgas_allgather_async(PGAS_TEAM_ALL, move->src, move->dst, move->nbytes);
}

static pgas_handle_t start_exchange(const gasneti_coll_move_t *move)
{
    return pgas_alltoall_async(PGAS_TEAM_ALL, move->src, move->dst, move->nbytes);
}

/* Checks what a call does: `dst_blocks` blocks come, and `src_blocks` go. */
static gasneti_coll_move_t checked(const char *call, gasneti_coll_move_t move,
                                   gasnet_image_t dst_blocks, gasnet_image_t src_blocks, int flags)
{
    gasneti_coll_check(call, flags, GASNET_COLL_DST_IN_SEGMENT, move.dst, dst_blocks * move.nbytes);
    gasneti_coll_check(call, flags, GASNET_COLL_SRC_IN_SEGMENT, move.src, src_blocks * move.nbytes);
    return move;
}

static gasnet_image_t at_root(gasnet_image_t root, gasnet_image_t blocks)
{
    return root == gasneti_coll_own_image() ? blocks : 0;
}

GASNETI_COLL_FORMS(broadcast, srcimage,
                   (gasnet_team_handle_t team, void *dst, gasnet_image_t srcimage, void *src,
                    size_t nbytes, int flags),
                   checked(call,
                           (gasneti_coll_move_t){.kind = GASNETI_COLL_BROADCAST,
                                                 .start = start_broadcast,
                                                 .dst = dst,
                                                 .src = src,
                                                 .nbytes = nbytes,
                                                 .root = (int)srcimage},
                           1, at_root(srcimage, 1), flags))
GASNETI_COLL_FORMS(scatter, srcimage,
                   (gasnet_team_handle_t team, void *dst, gasnet_image_t srcimage, void *src,
                    size_t nbytes, int flags),
                   checked(call,
                           (gasneti_coll_move_t){.kind = GASNETI_COLL_SCATTER,
                                                 .start = start_scatter,
                                                 .dst = dst,
                                                 .src = src,
                                                 .nbytes = nbytes,
                                                 .root = (int)srcimage},
                           1, at_root(srcimage, gasneti_coll_images()), flags))
GASNETI_COLL_FORMS(gather, dstimage,
                   (gasnet_team_handle_t team, gasnet_image_t dstimage, void *dst, void *src,
                    size_t nbytes, int flags),
                   checked(call,
                           (gasneti_coll_move_t){.kind = GASNETI_COLL_GATHER,
                                                 .start = gasneti_coll_start_gather,
                                                 .dst = dst,
                                                 .src = src,
                                                 .nbytes = nbytes,
                                                 .root = (int)dstimage},
                           at_root(dstimage, gasneti_coll_images()), 1, flags))
GASNETI_COLL_FORMS(gather_all, 0,
                   (gasnet_team_handle_t team, void *dst, void *src, size_t nbytes, int flags),
                   checked(call,
                           (gasneti_coll_move_t){.kind = GASNETI_COLL_GATHER_ALL,
                                                 .start = start_gather_all,
                                                 .dst = dst,
                                                 .src = src,
                                                 .nbytes = nbytes},
                           gasneti_coll_images(), 1, flags))
GASNETI_COLL_FORMS(exchange, 0,
                   (gasnet_team_handle_t team, void *dst, void *src, size_t nbytes, int flags),
                   checked(call,
                           (gasneti_coll_move_t){.kind = GASNETI_COLL_EXCHANGE,
                                                 .start = start_exchange,
                                                 .dst = dst,
                                                 .src = src,
                                                 .nbytes = nbytes},
                           gasneti_coll_images(), gasneti_coll_images(), flags))
