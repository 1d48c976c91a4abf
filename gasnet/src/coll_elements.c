#include "coll_elements.h"

#include <stdlib.h>
#include <string.h>

#include "coll_images.h"

enum {
    /* Of a node at once, unless an element is larger. */
    MOST_BYTES = 32 << 10
};

void gasneti_coll_elements_open(gasneti_coll_elements_t *it)
{
    size_t most = it->size < MOST_BYTES ? MOST_BYTES / it->size : 1;
    it->most = most < it->count ? most : it->count;
    const size_t nbytes = it->most * it->size;
    /* Behind what comes, and for what is sent, there is room for two results: a function's and the
     * one before, which it reads. */
    if (gasneti_coll_images_of(gasnet_mynode()) > 1)
        it->sent = gasneti_allocate(it->call, 2 * nbytes);
    if (it->reader == gasnet_mynode())
        it->received = gasneti_allocate(it->call, (gasnet_nodes() + (size_t)2) * nbytes);
}

void gasneti_coll_elements_close(gasneti_coll_elements_t *it)
{
    free(it->sent);
    free(it->received);
}

/* Combines what there is with what the next in order has, in that half of `room` where it is not.
 */
static const char *add(const gasneti_coll_elements_t *it, const char *so_far, const char *next,
                       char *room)
{
    const gasneti_coll_operator_t *function = &it->function;
    const size_t count = it->end - it->begin;
    char *result = so_far == room ? room + it->most * it->size : room;
    function->call(result, count, so_far, count, next, it->size, function->flags, function->arg);
    return result;
}

static const char *combine_own(const gasneti_coll_elements_t *it)
{
    const gasnet_image_t images = gasneti_coll_images_of(gasnet_mynode());
    const size_t place = it->begin * it->size;
    const char *so_far = it->own[0] + place;
    for (gasnet_image_t i = 1; i < images; i++)
        so_far = add(it, so_far, it->own[i] + place, it->sent);
    return so_far;
}

static void combine_received(const gasneti_coll_elements_t *it)
{
    const size_t nbytes = (it->end - it->begin) * it->size;
    char *room = it->received + gasnet_nodes() * it->most * it->size;
    const char *so_far = it->received;
    for (gasnet_node_t node = 1; node < gasnet_nodes(); node++)
        so_far = add(it, so_far, it->received + node * nbytes, room);
    memcpy(it->result + it->begin * it->size, so_far, nbytes);
}

bool gasneti_coll_elements_next(gasneti_coll_elements_t *it, gasneti_coll_move_t *move)
{
    if (it->end > 0 && it->received != NULL)
        combine_received(it);
    it->begin = it->end;
    if (it->begin == it->count)
        return false;
    it->end = it->count - it->begin < it->most ? it->count : it->begin + it->most;
    move->start = gasneti_coll_start_gather;
    move->dst = it->received;
    move->src = combine_own(it);
    move->nbytes = (it->end - it->begin) * it->size;
    move->root = (int)it->reader;
    return true;
}
