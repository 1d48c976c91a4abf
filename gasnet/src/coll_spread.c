/*
 * What a node with several images moves. Blocks travel by the runtime's collectives for blocks of
 * different sizes: one block of a node, which has those of its images in their order. Where a node
 * has one image, and where one address serves for all, they lie in the program's memory, else in a
 * copy, which is made when the data start and dealt out when they have come.
 */
#include "coll_meet.h"

#include <stdlib.h>

#include <pgas/coll_async.h>
#include <pgas/detail.h>

#include "coll_images.h"

/* Of an operation from when its data start until they have come. */
typedef struct copies {
    /* Blocks of the node's images; NULL if there is no copy. */
    char *sent;
    char *received;
    /* Where the blocks of other nodes lie, and how long they are. */
    size_t *counts;
    size_t *displs;
} copies_t;

static gasnet_image_t locals(void)
{
    return gasneti_coll_images_of(gasnet_mynode());
}

/* ---- Starts ---- */

static const char *call_of(const gasneti_coll_move_t *move)
{
    static const char *const names[] = {
        [GASNETI_COLL_BROADCAST] = "gasnet_coll_broadcast",
        [GASNETI_COLL_SCATTER] = "gasnet_coll_scatter",
        [GASNETI_COLL_GATHER] = "gasnet_coll_gather",
        [GASNETI_COLL_GATHER_ALL] = "gasnet_coll_gather_all",
        [GASNETI_COLL_EXCHANGE] = "gasnet_coll_exchange",
    };
    return names[move->kind];
}

static char *blocks_for(const gasneti_coll_move_t *move, size_t count)
{
    return gasneti_allocate(call_of(move), count * move->nbytes + 1);
}

/* Of each node `times` blocks for each of its images. */
static copies_t *open_copies(const gasneti_coll_move_t *move, size_t times)
{
    const gasnet_node_t nodes = gasnet_nodes();
    copies_t *copies = move->computation;
    copies->counts = gasneti_allocate(call_of(move), (size_t)2 * nodes * sizeof *copies->counts);
    copies->displs = copies->counts + nodes;
    for (gasnet_node_t node = 0; node < nodes; node++) {
        copies->counts[node] = times * gasneti_coll_images_of(node) * move->nbytes;
        copies->displs[node] = times * gasneti_coll_first_of(node) * move->nbytes;
    }
    return copies;
}

static gasneti_coll_side_t root_of(const gasneti_coll_move_t *move)
{
    const gasnet_image_t first = gasneti_coll_first_of(gasnet_mynode());
    const gasnet_image_t root = (gasnet_image_t)move->root;
    const bool is_here = root >= first && root - first < locals();
    return is_here ? move->sides[root - first] : (gasneti_coll_side_t){NULL, NULL};
}

static int node_of_root(const gasneti_coll_move_t *move)
{
    return (int)gasneti_coll_node_of((gasnet_image_t)move->root);
}

/* The blocks that the node's images send, one each. */
static const void *own_blocks(const gasneti_coll_move_t *move, copies_t *copies)
{
    if (locals() == 1)
        return move->sides[0].src;
    copies->sent = blocks_for(move, locals());
    for (gasnet_image_t i = 0; i < locals(); i++)
        pgasi_copy(copies->sent + i * move->nbytes, move->sides[i].src, move->nbytes);
    return copies->sent;
}

/* Where what is broadcast is, or comes first. */
static void *broadcast_place(const gasneti_coll_move_t *move)
{
    return node_of_root(move) == (int)gasnet_mynode() ? (void *)(uintptr_t)root_of(move).src
                                                      : move->sides[0].dst;
}

static pgas_handle_t start_broadcast(const gasneti_coll_move_t *move)
{
    return pgas_broadcast_async(PGAS_TEAM_ALL, broadcast_place(move), move->nbytes,
                                node_of_root(move));
}

static pgas_handle_t start_scatter(const gasneti_coll_move_t *move)
{
    copies_t *copies = open_copies(move, 1);
    void *dst = move->sides[0].dst;
    if (locals() > 1)
        dst = copies->received = blocks_for(move, locals());
    return pgas_scatterv_async(PGAS_TEAM_ALL, root_of(move).src, copies->counts, copies->displs,
                               dst, locals() * move->nbytes, node_of_root(move));
}

static pgas_handle_t start_gather(const gasneti_coll_move_t *move)
{
    copies_t *copies = open_copies(move, 1);
    return pgas_gatherv_async(PGAS_TEAM_ALL, own_blocks(move, copies), locals() * move->nbytes,
                              root_of(move).dst, copies->counts, copies->displs,
                              node_of_root(move));
}

/* They come to the first image, and from there to the others. */
static pgas_handle_t start_gather_all(const gasneti_coll_move_t *move)
{
    copies_t *copies = open_copies(move, 1);
    return pgas_allgatherv_async(PGAS_TEAM_ALL, own_blocks(move, copies), locals() * move->nbytes,
                                 move->sides[0].dst, copies->counts, copies->displs);
}

/* For each image, in the order of their numbers, a block of each image of this node. */
static const void *blocks_for_all(const gasneti_coll_move_t *move, copies_t *copies)
{
    const size_t nbytes = move->nbytes;
    if (locals() == 1)
        return move->sides[0].src;
    char *to = copies->sent = blocks_for(move, (size_t)locals() * gasneti_coll_images());
    for (gasnet_image_t image = 0; image < gasneti_coll_images(); image++)
        for (gasnet_image_t i = 0; i < locals(); i++, to += nbytes)
            pgasi_copy(to, (const char *)move->sides[i].src + image * nbytes, nbytes);
    return copies->sent;
}

static pgas_handle_t start_exchange(const gasneti_coll_move_t *move)
{
    copies_t *copies = open_copies(move, locals());
    const void *src = blocks_for_all(move, copies);
    void *dst = move->sides[0].dst;
    if (locals() > 1)
        dst = copies->received = blocks_for(move, (size_t)locals() * gasneti_coll_images());
    return pgas_alltoallv_async(PGAS_TEAM_ALL, src, copies->counts, copies->displs, dst,
                                copies->counts, copies->displs);
}

/* ---- Ends ---- */

/* What the first has, or is broadcast, to all. */
static void copy_to_images(const gasneti_coll_move_t *move, const void *from, size_t nbytes)
{
    for (gasnet_image_t i = 0; i < locals(); i++)
        if (move->sides[i].dst != from)
            pgasi_copy(move->sides[i].dst, from, nbytes);
}

static void deal_blocks(const gasneti_coll_move_t *move, const copies_t *copies)
{
    for (gasnet_image_t i = 0; copies->received != NULL && i < locals(); i++)
        pgasi_copy(move->sides[i].dst, copies->received + i * move->nbytes, move->nbytes);
}

/* From each node come, for each image of this one, the blocks of that node's images. */
static void deal_exchanged(const gasneti_coll_move_t *move, const copies_t *copies)
{
    const char *from = copies->received;
    for (gasnet_node_t node = 0; from != NULL && node < gasnet_nodes(); node++) {
        const size_t nbytes = gasneti_coll_images_of(node) * move->nbytes;
        const size_t place = gasneti_coll_first_of(node) * move->nbytes;
        for (gasnet_image_t i = 0; i < locals(); i++, from += nbytes)
            pgasi_copy((char *)move->sides[i].dst + place, from, nbytes);
    }
}

static void finish(gasneti_coll_move_t *move)
{
    copies_t *copies = move->computation;
    if (move->kind == GASNETI_COLL_BROADCAST)
        copy_to_images(move, broadcast_place(move), move->nbytes);
    else if (move->kind == GASNETI_COLL_SCATTER)
        deal_blocks(move, copies);
    else if (move->kind == GASNETI_COLL_GATHER_ALL)
        copy_to_images(move, move->sides[0].dst, gasneti_coll_images() * move->nbytes);
    else if (move->kind == GASNETI_COLL_EXCHANGE)
        deal_exchanged(move, copies);
    free(copies->sent);
    free(copies->received);
    free(copies->counts);
    free(copies);
}

gasneti_coll_move_t gasneti_coll_spread(const gasneti_coll_move_t *move,
                                        const gasneti_coll_side_t *sides)
{
    static gasneti_coll_start_t *const starts[] = {
        [GASNETI_COLL_BROADCAST] = start_broadcast, [GASNETI_COLL_SCATTER] = start_scatter,
        [GASNETI_COLL_GATHER] = start_gather,       [GASNETI_COLL_GATHER_ALL] = start_gather_all,
        [GASNETI_COLL_EXCHANGE] = start_exchange,
    };
    gasneti_coll_move_t result = *move;
    result.sides = sides;
    if (move->kind == GASNETI_COLL_COMPUTATION)
        return result;
    copies_t *copies = gasneti_allocate(call_of(move), sizeof *copies);
    *copies = (copies_t){.sent = NULL};
    result.start = starts[move->kind];
    result.finish = finish;
    result.computation = copies;
    return result;
}

size_t gasneti_coll_copied(const gasneti_coll_move_t *move)
{
    size_t blocks = move->kind == GASNETI_COLL_BROADCAST ? 0 : gasneti_coll_images();
    if (move->kind == GASNETI_COLL_EXCHANGE)
        blocks *= locals();
    return blocks * move->nbytes;
}
