#include "transfer.h"

#include <stdlib.h>
#include <string.h>

#include "common/large.h"
#include "job.h"
#include "transfer_native.h"

const char *const stream_interface_names[STREAM_INTERFACES] = {"fathom", "gasnet"};
const char *const stream_operation_names[STREAM_OPERATIONS] = {"get", "put"};
const char *const stream_mode_names[STREAM_MODES] = {"blocking", "explicit", "implicit"};

void stream_link_create(pgas_place_t place, size_t nbytes, size_t depth, bool gasnet,
                        stream_link_t *link)
{
    size_t total;
    if (__builtin_mul_overflow(nbytes, depth, &total))
        pgas_fail(1, "%zu messages of %zu bytes in flight overflow", depth, nbytes);
    *link = (stream_link_t){.place = place, .nbytes = total};
    if (gasnet) {
        link->gasnet = stream_gasnet_create(total, depth);
        memset(stream_gasnet_memory(link->gasnet), 0, total);
    }
    if (pgas_all_alloc((size_t)pgas_threads(), total, &link->shared) != PGAS_OK)
        pgas_exit(1);
    link->buffer = common_alloc("messages", total, 1);
    link->handles = common_alloc("handles", depth, sizeof *link->handles);
    memset(link->buffer, 0, total);
    pgas_memset((pgas_ptr_t){(uint32_t)pgas_mythread(), 0, link->shared.offset}, 0, total);
    pgas_barrier();
}

void stream_link_free(stream_link_t *link)
{
    pgas_all_free(link->shared);
    free(link->buffer);
    free(link->handles);
    if (link->gasnet != NULL)
        stream_gasnet_free(link->gasnet);
}

typedef struct run {
    const stream_link_t *link;
    const stream_transfer_t *transfer;
} run_t;

static void run_transfers(void *context, size_t count)
{
    const run_t *run = context;
    if (pgas_mythread() != 0)
        return;
    const stream_link_t *link = run->link;
    const int partner = stream_partner(0, link->place);
    if (run->transfer->interface == STREAM_GASNET) {
        stream_gasnet_run(link->gasnet, partner, link->buffer, run->transfer, count);
        return;
    }
    const stream_native_t memory = {
        .remote = {(uint32_t)partner, 0, link->shared.offset},
        .buffer = link->buffer,
        .handles = link->handles,
    };
    stream_native_run(&memory, run->transfer, count);
}

double stream_transfer_measure(const stream_link_t *link, const stream_transfer_t *transfer,
                               size_t count)
{
    run_t run = {link, transfer};
    return stream_time(run_transfers, &run, count) / (double)count;
}

size_t stream_transfer_fit(const stream_link_t *link, const stream_transfer_t *transfer,
                           double seconds, size_t most)
{
    run_t run = {link, transfer};
    size_t count = most < transfer->depth ? most : transfer->depth;
    while (count < most && !stream_fills(run_transfers, &run, count, seconds / 2))
        count = count <= most / 2 ? 2 * count : most;
    return count;
}

static char pattern(size_t i, const stream_transfer_t *t, bool far)
{
    size_t kind =
        (t->interface * (size_t)STREAM_OPERATIONS + t->operation) * STREAM_MODES + t->mode;
    return (char)(i * 31 + kind * 7 + t->nbytes * 3 + t->depth * 5 + (far ? 128 : 0));
}

static char *own_memory(const stream_link_t *link, stream_interface_t interface)
{
    if (interface == STREAM_GASNET)
        return stream_gasnet_memory(link->gasnet);
    return pgas_local((pgas_ptr_t){(uint32_t)pgas_mythread(), 0, link->shared.offset});
}

bool stream_transfer_check(const stream_link_t *link, const stream_transfer_t *t)
{
    size_t nbytes = t->nbytes * t->depth;
    bool serves = pgas_mythread() == stream_partner(0, link->place);
    bool starts = pgas_mythread() == 0;
    char *mine = own_memory(link, t->interface);
    run_t run = {link, t};
    for (size_t i = 0; i < nbytes && serves; i++)
        mine[i] = pattern(i, t, true);
    for (size_t i = 0; i < nbytes && starts; i++)
        link->buffer[i] = pattern(i, t, false);
    pgas_barrier();
    run_transfers(&run, t->depth);
    pgas_barrier();
    bool right = true;
    for (size_t i = 0; i < nbytes && serves && t->operation == STREAM_PUT; i++)
        right &= mine[i] == pattern(i, t, false);
    for (size_t i = 0; i < nbytes && starts && t->operation == STREAM_GET; i++)
        right &= link->buffer[i] == pattern(i, t, true);
    return stream_all(right);
}
