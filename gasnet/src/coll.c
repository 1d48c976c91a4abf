#include <gasnet_coll.h>

#include "internal.h"

#include <string.h>

#include <pgas/async.h>
#include <pgas/heap.h>
#include <pgas/ptr.h>

/*
 * The data goes through a board of each node, in its segment of Fathom: whoever has data puts as
 * much as fits on its own board, all meet, whoever wants it gets it from there, all meet again.
 */
enum {
    LEAST_BOARD = 32 << 10,
    BYTES_PER_NODE = 64
};

static pgas_ptr_t board;
static size_t board_size;

/* ---- The board ---- */

static char *own_board(void)
{
    pgas_ptr_t start = {.thread = gasnet_mynode(), .offset = board.offset};
    return pgas_local(start);
}

static void fetch(void *dst, gasnet_node_t node, size_t offset, size_t nbytes)
{
    if (nbytes == 0)
        return;
    pgas_ptr_t from = {.thread = node, .offset = board.offset + offset};
    gasneti_enter();
    pgas_handle_t handle = pgas_memget_async(dst, from, nbytes);
    gasneti_leave();
    gasneti_wait_native(handle);
}

static void begin(const char *call, gasnet_team_handle_t team, gasnet_node_t root, int flags)
{
    if (board_size == 0)
        gasneti_fatal(call, "called before gasnet_coll_init");
    if (team != GASNET_TEAM_ALL)
        gasneti_fatal(call, "the team is not GASNET_TEAM_ALL");
    if (root >= gasnet_nodes())
        gasneti_fatal(call, "image %u: the job has %u", root, gasnet_nodes());
    if ((flags & GASNET_COLL_AGGREGATE) != 0)
        gasneti_fatal(call, "a blocking call cannot be aggregated");
}

void gasnet_coll_init(const gasnet_image_t images[], gasnet_image_t my_image,
                      const gasnet_coll_fn_entry_t fn_tbl[], size_t fn_count, int init_flags)
{
    (void)my_image;
    (void)fn_tbl;
    (void)fn_count;
    (void)init_flags;
    if (!gasneti_is_attached())
        gasneti_fatal(__func__, "called before gasnet_attach");
    if (board_size > 0)
        gasneti_fatal(__func__, "called twice");
    for (gasnet_node_t node = 0; images != NULL && node < gasnet_nodes(); node++)
        if (images[node] != 1)
            gasneti_fatal(__func__, "%u images on node %u: there can be one", images[node], node);
    size_t size = (size_t)gasnet_nodes() * BYTES_PER_NODE;
    if (size < LEAST_BOARD)
        size = LEAST_BOARD;
    gasneti_enter();
    pgas_status_t status = pgas_all_alloc(gasnet_nodes(), size, &board);
    gasneti_leave();
    if (status != PGAS_OK)
        gasneti_fatal(__func__, "no memory for %zu bytes beside the segment", size);
    board_size = size;
}

/* The part of a block that a round moves. */
static size_t part(size_t nbytes, size_t done, size_t most)
{
    return nbytes - done < most ? nbytes - done : most;
}

static char *at(void *base, gasnet_node_t block, size_t nbytes, size_t offset)
{
    return (char *)base + block * nbytes + offset;
}

/* ---- The calls ---- */

void gasnet_coll_broadcast(gasnet_team_handle_t team, void *dst, gasnet_image_t srcimage, void *src,
                           size_t nbytes, int flags)
{
    bool is_root = srcimage == gasnet_mynode();
    begin(__func__, team, srcimage, flags);
    for (size_t done = 0; done < nbytes; done += board_size) {
        size_t size = part(nbytes, done, board_size);
        if (is_root)
            memcpy(own_board(), at(src, 0, 0, done), size);
        gasneti_meet(__func__);
        if (!is_root || dst != src)
            fetch(at(dst, 0, 0, done), srcimage, 0, size);
        gasneti_meet(__func__);
    }
}

/* The root's blocks are on its board one after the other; each node takes what is its own. */
void gasnet_coll_scatter(gasnet_team_handle_t team, void *dst, gasnet_image_t srcimage, void *src,
                         size_t nbytes, int flags)
{
    size_t total = nbytes * gasnet_nodes();
    size_t mine = nbytes * gasnet_mynode();
    begin(__func__, team, srcimage, flags);
    for (size_t done = 0; done < total; done += board_size) {
        size_t size = part(total, done, board_size);
        if (srcimage == gasnet_mynode())
            memcpy(own_board(), at(src, 0, 0, done), size);
        gasneti_meet(__func__);
        size_t first = done > mine ? done : mine;
        size_t last = done + size < mine + nbytes ? done + size : mine + nbytes;
        bool is_in_place = srcimage == gasnet_mynode() && (char *)dst == at(src, 0, 0, mine);
        if (first < last && !is_in_place)
            fetch(at(dst, 0, 0, first - mine), srcimage, first - done, last - first);
        gasneti_meet(__func__);
    }
}

/* All blocks to those nodes that want them. */
static void gather(const char *call, bool is_wanted, char *dst, const char *src, size_t nbytes)
{
    for (size_t done = 0; done < nbytes; done += board_size) {
        size_t size = part(nbytes, done, board_size);
        memcpy(own_board(), src + done, size);
        gasneti_meet(call);
        for (gasnet_node_t node = 0; is_wanted && node < gasnet_nodes(); node++)
            fetch(at(dst, node, nbytes, done), node, 0, size);
        gasneti_meet(call);
    }
}

void gasnet_coll_gather(gasnet_team_handle_t team, gasnet_image_t dstimage, void *dst, void *src,
                        size_t nbytes, int flags)
{
    begin(__func__, team, dstimage, flags);
    gather(__func__, dstimage == gasnet_mynode(), dst, src, nbytes);
}

void gasnet_coll_gather_all(gasnet_team_handle_t team, void *dst, void *src, size_t nbytes,
                            int flags)
{
    begin(__func__, team, 0, flags);
    gather(__func__, true, dst, src, nbytes);
}

/* Each board has a part of the block for each node. */
void gasnet_coll_exchange(gasnet_team_handle_t team, void *dst, void *src, size_t nbytes, int flags)
{
    gasnet_node_t nodes = gasnet_nodes();
    size_t share = board_size / nodes;
    begin(__func__, team, 0, flags);
    for (size_t done = 0; done < nbytes; done += share) {
        size_t size = part(nbytes, done, share);
        for (gasnet_node_t node = 0; node < nodes; node++)
            memcpy(own_board() + node * share, at(src, node, nbytes, done), size);
        gasneti_meet(__func__);
        for (gasnet_node_t node = 0; node < nodes; node++)
            fetch(at(dst, node, nbytes, done), node, gasnet_mynode() * share, size);
        gasneti_meet(__func__);
    }
}
