/*
 * Collectives: every call, from and to every root, of 1 byte to several rounds, in memory in and
 * outside the segment.
 */
#include "client.h"

#include <gasnet_coll.h>

static const size_t sizes[] = {1, 8, 1000, 32768, 100001};
static const int flags = GASNET_COLL_LOCAL | GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC;

static char *block_of(char *blocks, gasnet_node_t node, size_t nbytes)
{
    return blocks + node * nbytes;
}

static void from_root(gasnet_node_t root, size_t nbytes, char *all, char *one)
{
    const gasnet_node_t me = gasnet_mynode();
    memset(one, 0, nbytes);
    if (me == root)
        fill(all, root + nbytes, nbytes);
    gasnet_coll_broadcast(GASNET_TEAM_ALL, one, root, me == root ? all : NULL, nbytes, flags);
    CHECK(is_filled(one, root + nbytes, nbytes));
    for (gasnet_node_t i = 0; me == root && i < gasnet_nodes(); i++)
        fill(block_of(all, i, nbytes), root + i, nbytes);
    gasnet_coll_scatter(GASNET_TEAM_ALL, one, root, me == root ? all : NULL, nbytes, flags);
    CHECK(is_filled(one, root + me, nbytes));
    fill(one, me + root, nbytes);
    memset(all, 0, nbytes * gasnet_nodes());
    gasnet_coll_gather(GASNET_TEAM_ALL, root, me == root ? all : NULL, one, nbytes, flags);
    for (gasnet_node_t i = 0; me == root && i < gasnet_nodes(); i++)
        CHECK(is_filled(block_of(all, i, nbytes), i + root, nbytes));
}

static void of_all(size_t nbytes, char *all, char *other)
{
    const gasnet_node_t me = gasnet_mynode();
    fill(other, me, nbytes);
    memset(all, 0, nbytes * gasnet_nodes());
    gasnet_coll_gather_all(GASNET_TEAM_ALL, all, other, nbytes, flags);
    for (gasnet_node_t i = 0; i < gasnet_nodes(); i++)
        CHECK(is_filled(block_of(all, i, nbytes), i, nbytes));
    for (gasnet_node_t i = 0; i < gasnet_nodes(); i++)
        fill(block_of(other, i, nbytes), 100 * me + i, nbytes);
    gasnet_coll_exchange(GASNET_TEAM_ALL, all, other, nbytes, flags);
    for (gasnet_node_t i = 0; i < gasnet_nodes(); i++)
        CHECK(is_filled(block_of(all, i, nbytes), 100 * i + me, nbytes));
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
    /* In place. */
    fill(memory, 3, 64);
    gasnet_coll_broadcast(GASNET_TEAM_ALL, memory, 0, memory, 64, flags);
    CHECK(is_filled(memory, 3, 64));
    gasnet_exit(0);
}
