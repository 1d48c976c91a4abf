#include "net_ucx_large.h"

#include <stdio.h>

#include "net_ucx.h"
#include "net_ucx_operation.h"
#include "net_ucx_post.h"

enum {
    /* Each costs UCX about a KiB here. */
    UNDER_WAY_MAX = 64
};

/* No more than this in one message. */
#define PIECE ((size_t)1 << 30)

/* No more than this in one part of a copy: where both sides are on one node, the source's thread
 * copies it while others wait for it to serve them. */
#define COPY_PIECE ((size_t)1 << 20)

static pgasi_ucx_pool_t pool = {.pending = &pgasi_ucx_background_awaited};
static _Atomic uint32_t under_way;

static bool has_room(const void *unused)
{
    (void)unused;
    return atomic_load_explicit(&under_way, memory_order_relaxed) < UNDER_WAY_MAX;
}

static void describe(char *text, size_t size)
{
    snprintf(text, size, "room for more large copies under way");
}

/* The caller drives the background worker from here on, until it unlocks. */
static uint64_t begin(uint32_t thread, void *dst, size_t nbytes, size_t piece, bool *locked)
{
    if (!has_room(NULL))
        pgasi_ucx_wait(has_room, NULL, 0, describe);
    const pgasi_ucx_operation_t operation = {
        .dst = dst,
        .size = dst != NULL ? nbytes : 0,
        .thread = thread,
        .parts = (uint32_t)((nbytes - 1) / piece + 1),
        .is_background = true,
        .under_way = &under_way,
    };
    *locked = pgasi_ucx_background_lock();
    return pgasi_ucx_operation_begin(&operation);
}

static size_t length_at(size_t at, size_t nbytes, size_t piece)
{
    return nbytes - at < piece ? nbytes - at : piece;
}

uint64_t pgasi_ucx_large_get(void *dst, pgas_ptr_t src, size_t nbytes)
{
    bool locked;
    uint64_t token = begin(src.thread, dst, nbytes, PIECE, &locked);
    ucp_ep_h ep = pgasi_ucx_background_endpoint(src.thread);
    for (size_t at = 0; at < nbytes; at += PIECE) {
        pgasi_ucx_desc_t *desc = pgasi_ucx_desc_get(&pool, src.thread);
        desc->header.get = (pgasi_ucx_get_t){
            .secret = pgasi_ucx_secret,
            .token = token,
            .at = at,
            .offset = src.offset + at,
            .nbytes = length_at(at, nbytes, PIECE),
        };
        pgasi_ucx_post_request(ep, PGASI_UCX_GET, desc, sizeof desc->header.get, NULL, 0);
    }
    pgasi_ucx_background_unlock(locked);
    return token;
}

uint64_t pgasi_ucx_large_put(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    bool locked;
    uint64_t token = begin(dst.thread, NULL, nbytes, PIECE, &locked);
    ucp_ep_h ep = pgasi_ucx_background_endpoint(dst.thread);
    for (size_t at = 0; at < nbytes; at += PIECE) {
        pgasi_ucx_desc_t *desc = pgasi_ucx_desc_get(&pool, dst.thread);
        desc->header.large_put = (pgasi_ucx_large_put_t){
            .secret = pgasi_ucx_secret,
            .token = token,
            .offset = dst.offset + at,
            .initiator = pgasi_job.thread,
        };
        pgasi_ucx_post_request(ep, PGASI_UCX_LARGE_PUT, desc, sizeof desc->header.large_put,
                               (const char *)src + at, length_at(at, nbytes, PIECE));
    }
    pgasi_ucx_background_unlock(locked);
    return token;
}

uint64_t pgasi_ucx_large_copy(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes)
{
    bool same_node = pgasi_job.peers[dst.thread].node == pgasi_job.peers[src.thread].node;
    size_t piece = same_node ? COPY_PIECE : PIECE;
    bool locked;
    uint64_t token = begin(src.thread, NULL, nbytes, piece, &locked);
    ucp_ep_h ep = pgasi_ucx_background_endpoint(src.thread);
    for (size_t at = 0; at < nbytes; at += piece) {
        pgasi_ucx_desc_t *desc = pgasi_ucx_desc_get(&pool, src.thread);
        desc->header.copy = (pgasi_ucx_copy_t){
            .secret = pgasi_ucx_secret,
            .token = token,
            .from = src.offset + at,
            .to = dst.offset + at,
            .nbytes = length_at(at, nbytes, piece),
            .initiator = pgasi_job.thread,
            .thread = dst.thread,
        };
        pgasi_ucx_post_request(ep, PGASI_UCX_COPY, desc, sizeof desc->header.copy, NULL, 0);
    }
    pgasi_ucx_background_unlock(locked);
    return token;
}

void pgasi_ucx_large_finalize(void)
{
    pgasi_ucx_pool_free(&pool);
}
