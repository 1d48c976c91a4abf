/*
 * A program that uses the heap between gasnet_init and gasnet_attach. On the node where it has left
 * less, the segment is what is left; the others have what they ask for. Where it has left nothing,
 * all nodes are told so, and may try again.
 */
#include "client.h"

#include <pgas/heap.h>
#include <pgas/ptr.h>

static void handler(gasnet_token_t token)
{
    (void)token;
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{0, (void (*)())handler}, {200, (void (*)())handler}};
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    uintptr_t most = gasnet_getMaxLocalSegmentSize();
    const gasnet_node_t last = gasnet_nodes() - 1;
    pgas_ptr_t taken = pgas_ptr_null();
    pgas_ptr_t rest = pgas_ptr_null();
    if (gasnet_mynode() == last) {
        CHECK(pgas_alloc(pgas_heap_size() - pgas_heap_used() - most / 2, &taken) == PGAS_OK);
        for (size_t size = most; size >= GASNET_PAGESIZE; size /= 2)
            while (pgas_alloc(size, &rest) == PGAS_OK)
                ;
    }
    CHECK(gasnet_attach(table, 2, most, 0) == GASNET_ERR_RESOURCE);
    if (gasnet_mynode() == last)
        pgas_free(taken);
    CHECK(gasnet_attach(table, 2, most, 0) == GASNET_OK);
    CHECK(table[0].index == 128 && table[1].index == 200);
    segments = malloc(gasnet_nodes() * sizeof *segments);
    CHECK(gasnet_getSegmentInfo(segments, (int)gasnet_nodes()) == GASNET_OK);
    for (gasnet_node_t node = 0; node < last; node++)
        CHECK(segments[node].size == most);
    CHECK(segments[last].size > 0 && segments[last].size < most);
    gasnet_put_val(last, segment_of(last) + segments[last].size - 8, 7, 8);
    meet();
    if (gasnet_mynode() == last)
        CHECK(*(uint64_t *)(own_segment() + segments[last].size - 8) == 7);
    meet();
    gasnet_exit(0);
}
