/*
 * Data movement: every call by every name, from and to every root, of 1 byte to several rounds, in
 * memory in and outside the segment, with every mode of synchronisation, while messages are served.
 */
#include "client.h"

#include <gasnet_coll.h>

static const size_t sizes[] = {1, 8, 1000, 32768, 100001};
static const int ins[] = {GASNET_COLL_IN_NOSYNC, GASNET_COLL_IN_MYSYNC, GASNET_COLL_IN_ALLSYNC};
static const int outs[] = {GASNET_COLL_OUT_NOSYNC, GASNET_COLL_OUT_MYSYNC, GASNET_COLL_OUT_ALLSYNC};

/* The ways to make a call. */
enum {
    PLAIN,
    NB,
    LIST,
    LIST_NB,
    WAYS
};

static unsigned calls;
static int way;
static gasnet_coll_handle_t handle;

/* Of lists if SINGLE, every node's address; only the own one is used. */
static void *dsts[64];
static void *srcs[64];

static char *block_of(char *blocks, gasnet_node_t node, size_t nbytes)
{
    return blocks + node * nbytes;
}

/* The next call's way and flags, and its lists. */
static int next(void *dst, void *src)
{
    calls++;
    way = (int)(calls % WAYS);
    int flags = ins[calls / 4 % 3] | outs[calls / 12 % 3];
    bool is_single = calls / 36 % 2 == 0;
    for (gasnet_node_t i = 0; i < 64; i++)
        dsts[i] = srcs[i] = NULL;
    gasnet_node_t own = is_single ? gasnet_mynode() : 0;
    dsts[own] = dst;
    srcs[own] = src;
    return flags | (is_single ? GASNET_COLL_SINGLE : GASNET_COLL_LOCAL);
}

static void finish(void)
{
    if (way == NB || way == LIST_NB) {
        gasnet_coll_handle_t handles[2] = {GASNET_COLL_INVALID_HANDLE, handle};
        if (calls % 3 == 0)
            while (gasnet_coll_try_sync_some(handles, 2) != GASNET_OK)
                gasnet_AMPoll();
        else if (calls % 3 == 1)
            while (gasnet_coll_try_sync_all(handles, 2) != GASNET_OK)
                ;
        gasnet_coll_wait_sync_some(handles, 2);
        CHECK(handles[1] == GASNET_COLL_INVALID_HANDLE);
        gasnet_coll_wait_sync_all(handles, 2);
        gasnet_coll_wait_sync(handles[0]);
        CHECK(gasnet_coll_try_sync(handles[0]) == GASNET_OK);
    }
    if (calls / 4 % 3 != 2 || calls / 12 % 3 != 2)
        meet();
}

#define CALL(name, plain, list) \
    do { \
        if (way == PLAIN) \
            gasnet_coll_##name plain; \
        else if (way == NB) \
            handle = gasnet_coll_##name##_nb plain; \
        else if (way == LIST) \
            gasnet_coll_##name##M list; \
        else \
            handle = gasnet_coll_##name##m_nb list; \
        finish(); \
    } while (0)

static const gasnet_team_handle_t team = GASNET_TEAM_ALL;

static void from_root(gasnet_node_t root, size_t nbytes, char *all, char *one)
{
    const gasnet_node_t me = gasnet_mynode();
    char *src = me == root ? all : NULL;
    memset(one, 0, nbytes);
    if (me == root)
        fill(all, root + nbytes, nbytes);
    int flags = next(one, src);
    CALL(broadcast, (team, one, root, src, nbytes, flags), (team, dsts, root, src, nbytes, flags));
    CHECK(is_filled(one, root + nbytes, nbytes));
    for (gasnet_node_t i = 0; me == root && i < gasnet_nodes(); i++)
        fill(block_of(all, i, nbytes), root + i, nbytes);
    flags = next(one, src);
    CALL(scatter, (team, one, root, src, nbytes, flags), (team, dsts, root, src, nbytes, flags));
    CHECK(is_filled(one, root + me, nbytes));
    fill(one, me + root, nbytes);
    memset(all, 0, nbytes * gasnet_nodes());
    flags = next(src, one);
    CALL(gather, (team, root, src, one, nbytes, flags), (team, root, src, srcs, nbytes, flags));
    for (gasnet_node_t i = 0; me == root && i < gasnet_nodes(); i++)
        CHECK(is_filled(block_of(all, i, nbytes), i + root, nbytes));
}

static void of_all(size_t nbytes, char *all, char *other)
{
    const gasnet_node_t me = gasnet_mynode();
    fill(other, me, nbytes);
    memset(all, 0, nbytes * gasnet_nodes());
    int flags = next(all, other);
    CALL(gather_all, (team, all, other, nbytes, flags), (team, dsts, srcs, nbytes, flags));
    for (gasnet_node_t i = 0; i < gasnet_nodes(); i++)
        CHECK(is_filled(block_of(all, i, nbytes), i, nbytes));
    for (gasnet_node_t i = 0; i < gasnet_nodes(); i++)
        fill(block_of(other, i, nbytes), 100 * me + i, nbytes);
    flags = next(all, other);
    CALL(exchange, (team, all, other, nbytes, flags), (team, dsts, srcs, nbytes, flags));
    for (gasnet_node_t i = 0; i < gasnet_nodes(); i++)
        CHECK(is_filled(block_of(all, i, nbytes), 100 * i + me, nbytes));
}

/* Aggregated calls, of which the last gives the handle; synchronised in another order on each node.
 */
static void in_flight(char *memory)
{
    const int flags = GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC;
    const gasnet_node_t me = gasnet_mynode();
    gasnet_coll_handle_t handles[3];
    char *blocks[4];
    for (size_t i = 0; i < 4; i++) {
        blocks[i] = memory + 64 * i;
        if (me == 0)
            fill(blocks[i], i, 64);
        else
            memset(blocks[i], 0, 64);
    }
    (void)gasnet_coll_broadcast_nb(team, blocks[0], 0, blocks[0], 64,
                                   flags | GASNET_COLL_AGGREGATE);
    for (size_t i = 0; i < 3; i++)
        handles[i] = gasnet_coll_broadcast_nb(team, blocks[i + 1], 0, blocks[i + 1], 64, flags);
    for (size_t i = 0; i < 3; i++)
        gasnet_coll_wait_sync(handles[(i + me) % 3]);
    for (size_t i = 0; i < 4; i++)
        CHECK(is_filled(blocks[i], i, 64));
}

int main(int argc, char **argv)
{
    start(&argc, &argv, 1 << 20);
    char *memory = malloc(1 + 100001 * (size_t)gasnet_nodes());
    char *other = malloc(1 + 100001 * (size_t)gasnet_nodes());
    gasnet_coll_init(NULL, 0, NULL, 0, 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (gasnet_node_t root = 0; root < gasnet_nodes(); root++) {
            from_root(root, sizes[i], memory, other);
            from_root(root, sizes[i], own_segment(), other);
        }
        of_all(sizes[i], memory, other);
        of_all(sizes[i], own_segment(), other);
    }
    in_flight(memory);
    /* In the segment, as the flags say. */
    const int flags = GASNET_COLL_LOCAL | GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC;
    fill(own_segment(), gasnet_mynode(), 64);
    gasnet_coll_gather_all(team, own_segment() + 64, own_segment(), 64,
                           flags | GASNET_COLL_DST_IN_SEGMENT | GASNET_COLL_SRC_IN_SEGMENT);
    CHECK(is_filled(own_segment() + 64, 0, 64));
    gasnet_exit(0);
}
