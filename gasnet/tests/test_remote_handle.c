/*
 * A put to another supernode has a handle, however soon it is complete: clients take
 * GASNET_INVALID_HANDLE as the word that a place is local, and then neither tell its owner nor wait
 * to be told. Puts of all kinds and sizes to all nodes, in turns with an exchange between
 * neighbours in which each waits for what a put with a handle announces.
 */
#include "client.h"

#include <gasnet_coll.h>
#include <gasnet_vis.h>

#include <string.h>

enum {
    MOST_NODES = 8,
    MOST = 200000,
    ROUNDS = 30,
    SECTIONS = 40
};

/* What a node's neighbours write to, and say so. */
typedef struct room {
    char bytes[MOST];
    volatile int is_told;
} room_t;

static char source[MOST];
static room_t *rooms[MOST_NODES];

static int is_remote(gasnet_node_t node)
{
    gasnet_nodeinfo_t *all = (gasnet_nodeinfo_t *)malloc(gasnet_nodes() * sizeof *all);
    CHECK(gasnet_getNodeInfo(all, (int)gasnet_nodes()) == GASNET_OK);
    int remote = all[node].supernode != all[gasnet_mynode()].supernode;
    free(all);
    return remote;
}

static void check(gasnet_node_t node, gasnet_handle_t handle)
{
    CHECK(!is_remote(node) || handle != GASNET_INVALID_HANDLE);
    gasnet_wait_syncnb(handle);
}

static void put_strided(gasnet_node_t node, char *there)
{
    const size_t strides[] = {SECTIONS * 2};
    const size_t count[] = {SECTIONS, SECTIONS};
    check(node, gasnet_puts_nb_bulk(node, there, strides, source, strides, count, 1));
}

static void put_all_kinds(gasnet_node_t node, size_t nbytes)
{
    char *there = rooms[node]->bytes;
    check(node, gasnet_put_nb(node, there, source, nbytes));
    check(node, gasnet_put_nb_bulk(node, there, source, nbytes));
    check(node, gasnet_memset_nb(node, there, 0, nbytes));
    check(node, gasnet_put_nb_val(node, there, 1, sizeof(int)));
    put_strided(node, there);
}

/* What a program does that concludes from the handle where the neighbour is. */
static void exchange(gasnet_node_t to, size_t nbytes)
{
    gasnet_handle_t handle = gasnet_put_nb_bulk(to, rooms[to]->bytes, source, nbytes);
    if (handle != GASNET_INVALID_HANDLE) {
        gasnet_wait_syncnb(handle);
        gasnet_put_val(to, (void *)&rooms[to]->is_told, 1, sizeof(int));
        GASNET_BLOCKUNTIL(rooms[gasnet_mynode()]->is_told != 0);
        rooms[gasnet_mynode()]->is_told = 0;
    }
    meet();
}

static void find_rooms(int *argc, char ***argv)
{
#ifdef GASNET_SEGMENT_EVERYTHING
    static room_t own;
    room_t *mine = &own;
    CHECK(gasnet_init(argc, argv) == GASNET_OK);
    CHECK(gasnet_attach(NULL, 0, 0, 0) == GASNET_OK);
#else
    start(argc, argv, (sizeof(room_t) / GASNET_PAGESIZE + 1) * GASNET_PAGESIZE);
    room_t *mine = (room_t *)(void *)own_segment();
#endif
    CHECK(gasnet_nodes() <= MOST_NODES);
    gasnet_coll_init(NULL, 0, NULL, 0, 0);
    gasnet_coll_gather_all(GASNET_TEAM_ALL, rooms, &mine, sizeof(void *),
                           GASNET_COLL_LOCAL | GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {1, 8, 100, 4096, 16385, 70000, MOST};
    find_rooms(&argc, &argv);
    fill(source, gasnet_mynode(), sizeof source);
    for (int round = 0; round < ROUNDS; round++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            for (gasnet_node_t node = 0; node < gasnet_nodes(); node++)
                put_all_kinds(node, sizes[k]);
            meet();
            /* Two nodes are each other's only neighbour. */
            if (gasnet_nodes() == 2)
                exchange(1 - gasnet_mynode(), sizes[k]);
        }
    meet();
    gasnet_exit(0);
}
