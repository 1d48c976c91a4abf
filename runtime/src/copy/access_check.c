#include "copy/access_check.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include <pgas/detail.h>
#include <pgas/ptr.h>

#include "heap/heap_node.h"
#include "net/net.h"
#include "node/node.h"
#include "node/segment.h"
#include "sync/barrier.h"

#ifdef PGAS_DEBUG
enum {
    MOST_KNOWN = 32
};

/* Of collective allocations, which lie at the same offsets in all segments. */
#define ANY_THREAD UINT32_MAX

typedef struct block {
    uint32_t thread;
    uint64_t begin;
    uint64_t end;
} block_t;

/* Blocks that the heap has reported; a new one replaces the oldest. */
static _Thread_local block_t known[MOST_KNOWN];
static _Thread_local size_t known_count;
static _Thread_local size_t next_known;
static _Thread_local uint64_t known_epoch;

/* Arrays that have not been freed; of all agents. */
static pthread_mutex_t arrays_guard = PTHREAD_MUTEX_INITIALIZER;
static pgas_array_t *arrays;
static size_t arrays_count;
static size_t arrays_size;

/* Known blocks may have changed since. */
static void forget_old(void)
{
    if (known_epoch != pgasi_sync_epoch)
        known_count = next_known = 0;
    known_epoch = pgasi_sync_epoch;
}

static const block_t *find_known(uint32_t thread, uint64_t offset)
{
    forget_old();
    for (size_t i = 0; i < known_count; i++)
        if (known[i].thread == thread && offset >= known[i].begin && offset < known[i].end)
            return &known[i];
    return NULL;
}

/* The block in which an access of `nbytes` begins. One that does not end in it is never one of the
 * known ones: what the heap says now decides. */
static const block_t *find_block(pgas_ptr_t ptr, size_t nbytes)
{
    bool is_collective = ptr.offset < pgasi_node_memory.local_begin;
    block_t block = {.thread = is_collective ? ANY_THREAD : ptr.thread};
    const block_t *found = find_known(block.thread, ptr.offset);
    if (found != NULL && nbytes <= found->end - ptr.offset)
        return found;
    if (found != NULL)
        known_count = next_known = 0;
    if (!pgasi_heap_find(is_collective ? 0 : ptr.thread, ptr.offset, &block.begin, &block.end))
        return NULL;
    block_t *place = &known[next_known];
    next_known = (next_known + 1) % MOST_KNOWN;
    known_count += known_count < MOST_KNOWN;
    *place = block;
    return place;
}

/* Whether the heaps of other nodes can be asked. */
static bool can_ask(void)
{
    return pgasi_nodes.count == 1 || pgasi_net_may_call();
}

void pgasi_check_allocated(const char *call, pgas_ptr_t ptr, size_t nbytes)
{
    if (!can_ask())
        return;
    const block_t *block = find_block(ptr, nbytes);
    if (block == NULL)
        pgasi_fatal(call, "%zu bytes at thread %u, offset %" PRIu64 ": outside every allocation",
                    nbytes, ptr.thread, ptr.offset);
    if (nbytes > block->end - ptr.offset)
        pgasi_fatal(call,
                    "%zu bytes at thread %u, offset %" PRIu64
                    ": beyond the end of the allocation, at offset %" PRIu64,
                    nbytes, ptr.thread, ptr.offset, block->end);
}

static bool overlap(uint64_t a, uint64_t b, size_t nbytes)
{
    return a < b ? b - a < nbytes : a - b < nbytes;
}

static PGAS_NORETURN void fail_overlapping(const char *call, pgas_ptr_t ptr, size_t nbytes)
{
    pgasi_fatal(call, "%zu bytes at thread %u, offset %" PRIu64 ": source and destination overlap",
                nbytes, ptr.thread, ptr.offset);
}

void pgasi_check_overlap(const char *call, pgas_ptr_t a, pgas_ptr_t b, size_t nbytes)
{
    if (a.thread == b.thread && overlap(a.offset, b.offset, nbytes))
        fail_overlapping(call, a, nbytes);
}

void pgasi_check_private_overlap(const char *call, pgas_ptr_t shared, const void *address,
                                 size_t nbytes)
{
    const char *here = pgas_local(shared);
    if (here != NULL && overlap((uintptr_t)here, (uintptr_t)address, nbytes))
        fail_overlapping(call, shared, nbytes);
}

static void drop_array(uint64_t offset)
{
    for (size_t i = 0; i < arrays_count; i++)
        if (arrays[i].offset == offset)
            arrays[i--] = arrays[--arrays_count];
}

void pgasi_access_check_array(const pgas_array_t *array)
{
    pthread_mutex_lock(&arrays_guard);
    drop_array(array->offset);
    if (arrays_count == arrays_size) {
        arrays_size = arrays_size == 0 ? 16 : 2 * arrays_size;
        arrays = realloc(arrays, arrays_size * sizeof *arrays);
        if (arrays == NULL)
            pgasi_fatal("pgas_array_create", "no memory to check %zu arrays", arrays_size);
    }
    arrays[arrays_count++] = *array;
    pthread_mutex_unlock(&arrays_guard);
}

void pgasi_access_check_no_array(uint64_t offset)
{
    pthread_mutex_lock(&arrays_guard);
    drop_array(offset);
    pthread_mutex_unlock(&arrays_guard);
}

/* Finds the array that begins where the block of an access does. */
static bool find_array(pgas_ptr_t ptr, size_t nbytes, pgas_array_t *array)
{
    const block_t *block = find_block(ptr, nbytes);
    bool found = false;
    if (block == NULL || block->thread != ANY_THREAD)
        return false;
    pthread_mutex_lock(&arrays_guard);
    for (size_t i = 0; i < arrays_count && !found; i++) {
        found = arrays[i].offset == block->begin;
        if (found)
            *array = arrays[i];
    }
    pthread_mutex_unlock(&arrays_guard);
    return found;
}

/* A part of an element may be one of its members. */
void pgasi_check_element(const char *call, pgas_ptr_t ptr, size_t nbytes)
{
    pgas_array_t array;
    if (!can_ask() || !find_array(ptr, nbytes, &array))
        return;
    uint64_t within = (ptr.offset - array.offset) % array.elem_size;
    if (within + nbytes > array.elem_size)
        pgasi_fatal(call,
                    "%zu bytes at thread %u, offset %" PRIu64
                    ": not within one element of its array, of %zu bytes",
                    nbytes, ptr.thread, ptr.offset, array.elem_size);
}

#endif
