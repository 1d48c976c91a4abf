#include "transfer_gasnet.h"

#include <gasnet.h>
#include <pgas/pgas.h>
#include <stdlib.h>

#include "common/large.h"

struct stream_gasnet {
    /** Of all nodes. */
    gasnet_seginfo_t *segments;
    gasnet_handle_t *handles;
};

void stream_gasnet_begin(void)
{
    int status = gasnet_init(NULL, NULL);
    if (status != GASNET_OK)
        exit(1);
}

void stream_gasnet_end(void)
{
    gasnet_exit(0);
    abort();
}

/* All threads call it; thread 0 ends the job. */
static void refuse_size(size_t size)
{
    if (gasnet_mynode() == 0)
        pgas_fail(1, "a GASNet segment of %zu bytes: %zu are possible; PGAS_HEAP_SIZE sets that",
                  size, (size_t)gasnet_getMaxGlobalSegmentSize());
    pgas_barrier();
}

stream_gasnet_t *stream_gasnet_create(size_t nbytes, size_t depth)
{
    size_t nodes = gasnet_nodes();
    size_t size = (nbytes + GASNET_PAGESIZE - 1) / GASNET_PAGESIZE * GASNET_PAGESIZE;
    if (size > gasnet_getMaxGlobalSegmentSize())
        refuse_size(size);
    if (gasnet_attach(NULL, 0, size, 0) != GASNET_OK)
        pgas_fail(1, "gasnet_attach has failed");
    stream_gasnet_t *gasnet = common_alloc("GASNet's side of a link", 1, sizeof *gasnet);
    gasnet->segments = common_alloc("segments", nodes, sizeof *gasnet->segments);
    gasnet->handles = common_alloc("handles", depth, sizeof(gasnet_handle_t));
    if (gasnet_getSegmentInfo(gasnet->segments, (int)nodes) != GASNET_OK)
        pgas_fail(1, "gasnet_getSegmentInfo has failed");
    return gasnet;
}

void stream_gasnet_free(stream_gasnet_t *gasnet)
{
    free(gasnet->segments);
    free(gasnet->handles);
    free(gasnet);
}

char *stream_gasnet_memory(const stream_gasnet_t *gasnet)
{
    return gasnet->segments[gasnet_mynode()].addr;
}

typedef struct remote {
    gasnet_node_t node;
    char *address;
} remote_t;

typedef gasnet_handle_t handle_t;

#define COMPLETE GASNET_INVALID_HANDLE

static inline remote_t at(remote_t remote, size_t offset)
{
    remote.address += offset;
    return remote;
}

/* The calls whose sources must not change before the sync, as with Fathom's own. */

static inline void get(void *dst, remote_t src, size_t nbytes)
{
    gasnet_get_bulk(dst, src.node, src.address, nbytes);
}

static inline void put(remote_t dst, void *src, size_t nbytes)
{
    gasnet_put_bulk(dst.node, dst.address, src, nbytes);
}

static inline handle_t start_get(void *dst, remote_t src, size_t nbytes)
{
    return gasnet_get_nb_bulk(dst, src.node, src.address, nbytes);
}

static inline handle_t start_put(remote_t dst, void *src, size_t nbytes)
{
    return gasnet_put_nb_bulk(dst.node, dst.address, src, nbytes);
}

static inline void wait_for(handle_t handle)
{
    gasnet_wait_syncnb(handle);
}

static inline void start_get_implicit(void *dst, remote_t src, size_t nbytes)
{
    gasnet_get_nbi_bulk(dst, src.node, src.address, nbytes);
}

static inline void start_put_implicit(remote_t dst, void *src, size_t nbytes)
{
    gasnet_put_nbi_bulk(dst.node, dst.address, src, nbytes);
}

static inline void wait_for_implicit(void)
{
    gasnet_wait_syncnbi_all();
}

#include "transfer_loops.h"

/* NOLINTNEXTLINE(readability-non-const-parameter): gets write the buffer. */
void stream_gasnet_run(const stream_gasnet_t *gasnet, int partner, char *buffer,
                       const stream_transfer_t *transfer, size_t count)
{
    const loop_t loop = {
        .remote = {(gasnet_node_t)partner, gasnet->segments[partner].addr},
        .buffer = buffer,
        .nbytes = transfer->nbytes,
        .depth = transfer->depth,
        .handles = gasnet->handles,
        .count = count,
    };
    run_loop(&loop, transfer);
}
