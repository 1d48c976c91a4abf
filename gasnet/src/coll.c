#include "coll.h"

#include <stdlib.h>
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

static gasnet_coll_fn_entry_t *functions;
static size_t functions_count;

/* ---- The board ---- */

char *gasneti_coll_board(void)
{
    pgas_ptr_t start = {.thread = gasnet_mynode(), .offset = board.offset};
    return pgas_local(start);
}

void gasneti_coll_fetch(void *dst, gasnet_node_t node, size_t offset, size_t nbytes)
{
    if (nbytes == 0)
        return;
    pgas_ptr_t from = {.thread = node, .offset = board.offset + offset};
    gasneti_enter();
    pgas_handle_t handle = pgas_memget_async(dst, from, nbytes);
    gasneti_leave();
    gasneti_wait_native(handle);
}

static void allocate_board(const char *call, size_t size)
{
    gasneti_enter();
    pgas_status_t status = pgas_all_alloc(gasnet_nodes(), size, &board);
    gasneti_leave();
    if (status != PGAS_OK)
        gasneti_fatal(call, "no memory for %zu bytes beside the segment", size);
    board_size = size;
}

size_t gasneti_coll_reserve(const char *call, size_t least)
{
    if (least > board_size) {
        gasneti_enter();
        pgas_all_free(board);
        gasneti_leave();
        allocate_board(call, least);
    }
    return board_size;
}

static bool is_one_of(int flags, int allowed)
{
    int given = flags & allowed;
    return given != 0 && (given & (given - 1)) == 0;
}

void gasneti_coll_begin(const char *call, gasnet_team_handle_t team, gasnet_node_t root, int flags)
{
    if (board_size == 0)
        gasneti_fatal(call, "called before gasnet_coll_init");
    if (team != GASNET_TEAM_ALL)
        gasneti_fatal(call, "the team is not GASNET_TEAM_ALL");
    if (root >= gasnet_nodes())
        gasneti_fatal(call, "image %u: the job has %u", root, gasnet_nodes());
    if ((flags & GASNET_COLL_AGGREGATE) != 0)
        gasneti_fatal(call, "a blocking call cannot be aggregated");
    const int in = GASNET_COLL_IN_NOSYNC | GASNET_COLL_IN_MYSYNC | GASNET_COLL_IN_ALLSYNC;
    const int out = GASNET_COLL_OUT_NOSYNC | GASNET_COLL_OUT_MYSYNC | GASNET_COLL_OUT_ALLSYNC;
    if (!is_one_of(flags, in) || !is_one_of(flags, out) ||
        !is_one_of(flags, GASNET_COLL_SINGLE | GASNET_COLL_LOCAL))
        gasneti_fatal(call,
                      "the flags are 0x%x: one of GASNET_COLL_IN_, one of GASNET_COLL_OUT_, "
                      "and GASNET_COLL_SINGLE or GASNET_COLL_LOCAL must be given",
                      (unsigned)flags);
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

const gasnet_coll_fn_entry_t *gasneti_coll_function(const char *call, gasnet_coll_fn_handle_t func)
{
    if (func >= functions_count || functions[func].fnptr == NULL)
        gasneti_fatal(call, "there is no function %u: gasnet_coll_init was given %zu", func,
                      functions_count);
    return &functions[func];
}

static void copy_functions(const char *call, const gasnet_coll_fn_entry_t fn_tbl[], size_t count)
{
    if (count == 0)
        return;
    functions = gasneti_allocate(call, count * sizeof *functions);
    memcpy(functions, fn_tbl, count * sizeof *functions);
    functions_count = count;
}

void gasnet_coll_init(const gasnet_image_t images[], gasnet_image_t my_image,
                      const gasnet_coll_fn_entry_t fn_tbl[], size_t fn_count, int init_flags)
{
    (void)my_image;
    if (!gasneti_is_attached())
        gasneti_fatal(__func__, "called before gasnet_attach");
    if (board_size > 0)
        gasneti_fatal(__func__, "called twice");
    if (init_flags != 0)
        gasneti_fatal(__func__, "init_flags are %d: they must be 0", init_flags);
    for (gasnet_node_t node = 0; images != NULL && node < gasnet_nodes(); node++)
        if (images[node] != 1)
            gasneti_fatal(__func__, "%u images on node %u: there can be one", images[node], node);
    copy_functions(__func__, fn_tbl, fn_count);
    size_t size = (size_t)gasnet_nodes() * BYTES_PER_NODE;
    allocate_board(__func__, size > LEAST_BOARD ? size : LEAST_BOARD);
}

/* ---- Handles ---- */

static void check_handles(const char *call, const gasnet_coll_handle_t *handles, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (handles[i] != GASNET_COLL_INVALID_HANDLE)
            gasneti_fatal(call, "handle %zu is none of a collective", i);
}

void gasnet_coll_wait_sync(gasnet_coll_handle_t handle)
{
    check_handles(__func__, &handle, 1);
}

int gasnet_coll_try_sync(gasnet_coll_handle_t handle)
{
    check_handles(__func__, &handle, 1);
    return GASNET_OK;
}

void gasnet_coll_wait_sync_all(gasnet_coll_handle_t *handles, size_t n)
{
    check_handles(__func__, handles, n);
}

int gasnet_coll_try_sync_all(gasnet_coll_handle_t *handles, size_t n)
{
    check_handles(__func__, handles, n);
    return GASNET_OK;
}

void gasnet_coll_wait_sync_some(gasnet_coll_handle_t *handles, size_t n)
{
    check_handles(__func__, handles, n);
}

int gasnet_coll_try_sync_some(gasnet_coll_handle_t *handles, size_t n)
{
    check_handles(__func__, handles, n);
    return GASNET_OK;
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
    gasneti_coll_begin(__func__, team, srcimage, flags);
    gasneti_coll_check(__func__, flags, GASNET_COLL_DST_IN_SEGMENT, dst, nbytes);
    gasneti_coll_check(__func__, flags, GASNET_COLL_SRC_IN_SEGMENT, src, is_root ? nbytes : 0);
    for (size_t done = 0; done < nbytes; done += board_size) {
        size_t size = part(nbytes, done, board_size);
        if (is_root)
            memcpy(gasneti_coll_board(), at(src, 0, 0, done), size);
        gasneti_meet(__func__);
        if (!is_root || dst != src)
            gasneti_coll_fetch(at(dst, 0, 0, done), srcimage, 0, size);
        gasneti_meet(__func__);
    }
}

/* The root's blocks are on its board one after the other; each node takes what is its own. */
void gasnet_coll_scatter(gasnet_team_handle_t team, void *dst, gasnet_image_t srcimage, void *src,
                         size_t nbytes, int flags)
{
    size_t total = nbytes * gasnet_nodes();
    size_t mine = nbytes * gasnet_mynode();
    gasneti_coll_begin(__func__, team, srcimage, flags);
    gasneti_coll_check(__func__, flags, GASNET_COLL_DST_IN_SEGMENT, dst, nbytes);
    gasneti_coll_check(__func__, flags, GASNET_COLL_SRC_IN_SEGMENT, src,
                       srcimage == gasnet_mynode() ? total : 0);
    for (size_t done = 0; done < total; done += board_size) {
        size_t size = part(total, done, board_size);
        if (srcimage == gasnet_mynode())
            memcpy(gasneti_coll_board(), at(src, 0, 0, done), size);
        gasneti_meet(__func__);
        size_t first = done > mine ? done : mine;
        size_t last = done + size < mine + nbytes ? done + size : mine + nbytes;
        bool is_in_place = srcimage == gasnet_mynode() && (char *)dst == at(src, 0, 0, mine);
        if (first < last && !is_in_place)
            gasneti_coll_fetch(at(dst, 0, 0, first - mine), srcimage, first - done, last - first);
        gasneti_meet(__func__);
    }
}

/* All blocks to those nodes that want them. */
static void gather(const char *call, bool is_wanted, char *dst, const char *src, size_t nbytes)
{
    for (size_t done = 0; done < nbytes; done += board_size) {
        size_t size = part(nbytes, done, board_size);
        memcpy(gasneti_coll_board(), src + done, size);
        gasneti_meet(call);
        for (gasnet_node_t node = 0; is_wanted && node < gasnet_nodes(); node++)
            gasneti_coll_fetch(at(dst, node, nbytes, done), node, 0, size);
        gasneti_meet(call);
    }
}

void gasnet_coll_gather(gasnet_team_handle_t team, gasnet_image_t dstimage, void *dst, void *src,
                        size_t nbytes, int flags)
{
    gasneti_coll_begin(__func__, team, dstimage, flags);
    gasneti_coll_check(__func__, flags, GASNET_COLL_DST_IN_SEGMENT, dst,
                       dstimage == gasnet_mynode() ? nbytes * gasnet_nodes() : 0);
    gasneti_coll_check(__func__, flags, GASNET_COLL_SRC_IN_SEGMENT, src, nbytes);
    gather(__func__, dstimage == gasnet_mynode(), dst, src, nbytes);
}

void gasnet_coll_gather_all(gasnet_team_handle_t team, void *dst, void *src, size_t nbytes,
                            int flags)
{
    gasneti_coll_begin(__func__, team, 0, flags);
    gasneti_coll_check(__func__, flags, GASNET_COLL_DST_IN_SEGMENT, dst, nbytes * gasnet_nodes());
    gasneti_coll_check(__func__, flags, GASNET_COLL_SRC_IN_SEGMENT, src, nbytes);
    gather(__func__, true, dst, src, nbytes);
}

/* Each board has a part of the block for each node. */
void gasnet_coll_exchange(gasnet_team_handle_t team, void *dst, void *src, size_t nbytes, int flags)
{
    gasnet_node_t nodes = gasnet_nodes();
    size_t share = board_size / nodes;
    gasneti_coll_begin(__func__, team, 0, flags);
    gasneti_coll_check(__func__, flags, GASNET_COLL_DST_IN_SEGMENT, dst, nbytes * nodes);
    gasneti_coll_check(__func__, flags, GASNET_COLL_SRC_IN_SEGMENT, src, nbytes * nodes);
    for (size_t done = 0; done < nbytes; done += share) {
        size_t size = part(nbytes, done, share);
        for (gasnet_node_t node = 0; node < nodes; node++)
            memcpy(gasneti_coll_board() + node * share, at(src, node, nbytes, done), size);
        gasneti_meet(__func__);
        for (gasnet_node_t node = 0; node < nodes; node++)
            gasneti_coll_fetch(at(dst, node, nbytes, done), node, gasnet_mynode() * share, size);
        gasneti_meet(__func__);
    }
}
