#include <pgas/heap.h>

#include <inttypes.h>
#include <stdbool.h>

#include <pgas/detail.h>
#include <pgas/sync.h>

#include "log.h"
#include "segment.h"

/* Allocations from this size on start at a huge page, and give their pages back when freed. */
#define LARGE ((uint64_t)2 << 20)

static pgasi_segment_header_t *header_of(uint32_t thread)
{
    return (pgasi_segment_header_t *)(void *)pgasi_job.peers[thread].base;
}

static uint64_t alignment_for(uint64_t nbytes)
{
    return nbytes >= LARGE ? LARGE : PGASI_REGION_UNIT;
}

static void lock_heaps(void)
{
    pgasi_mutex_lock(&pgasi_node_memory.control->heap_mutex, pgasi_job.thread);
}

static void unlock_heaps(void)
{
    pgasi_mutex_unlock(&pgasi_node_memory.control->heap_mutex);
}

/* The fullest of the heaps from thread `first` to `last`. */
static uint64_t most_used(uint32_t first, uint32_t last)
{
    uint64_t most = 0;
    for (uint32_t i = first; i <= last; i++)
        if (header_of(i)->used > most)
            most = header_of(i)->used;
    return most;
}

static void add_used(uint32_t first, uint32_t last, uint64_t nbytes)
{
    for (uint32_t i = first; i <= last; i++)
        header_of(i)->used += nbytes;
}

/**
 * Allocates in one region what counts against the heaps of threads `first` to `last`. Returns the
 * offset, or 0; `*used` gets what was in use before.
 */
static uint64_t take(pgasi_region_t *region, char *base, uint32_t first, uint32_t last,
                     uint64_t nbytes, uint64_t *used)
{
    uint64_t offset = 0;
    uint64_t taken;
    lock_heaps();
    *used = most_used(first, last);
    if (nbytes <= pgasi_node_memory.heap_size - *used)
        offset = pgasi_region_alloc(region, base, nbytes, alignment_for(nbytes), &taken);
    if (offset != 0 && taken > pgasi_node_memory.heap_size - *used) {
        pgasi_region_free(region, base, offset, &taken);
        offset = 0;
    }
    if (offset != 0)
        add_used(first, last, taken);
    unlock_heaps();
    return offset;
}

static uint64_t take_collective(uint64_t nbytes, uint64_t *used)
{
    return take(&pgasi_node_memory.control->collective, pgasi_job.peers[0].base, 0,
                pgasi_job.threads - 1, nbytes, used);
}

typedef void log_function_t(const char *format, ...);

static pgas_status_t no_memory(log_function_t *log, const char *call, uint64_t nbytes,
                               uint64_t used)
{
    log("%s: %" PRIu64 " bytes asked for in a heap of %" PRIu64 " bytes with %" PRIu64
        " in use; PGAS_HEAP_SIZE sets its size",
        call, nbytes, pgasi_node_memory.heap_size, used);
    return PGAS_ERR_NO_MEMORY;
}

/* What each thread must hold of `nblocks` blocks. False if that, or the whole, overflows. */
static bool share_of(size_t nblocks, size_t nbytes, uint64_t *share)
{
    uint64_t rounds = nblocks / pgasi_job.threads + (nblocks % pgasi_job.threads != 0);
    size_t total;
    return !__builtin_mul_overflow(nblocks, nbytes, &total) &&
           !__builtin_mul_overflow(rounds, nbytes, share);
}

static void set_pointer(pgas_ptr_t *ptr, uint32_t thread, uint64_t offset)
{
    *ptr = (pgas_ptr_t){.thread = thread, .phase = 0, .offset = offset};
}

pgas_status_t pgas_all_alloc(size_t nblocks, size_t nbytes, pgas_ptr_t *ptr)
{
    uint64_t share;
    if (!share_of(nblocks, nbytes, &share)) {
        pgasi_log_once("pgas_all_alloc: %zu blocks of %zu bytes overflow", nblocks, nbytes);
        return PGAS_ERR_ARGUMENT;
    }
    if (share == 0) {
        *ptr = (pgas_ptr_t){0, 0, 0};
        return PGAS_OK;
    }
    uint64_t *broadcast = &pgasi_node_memory.control->broadcast;
    uint64_t used = 0;
    if (pgasi_job.thread == 0) {
        *broadcast = take_collective(share, &used);
        if (*broadcast == 0)
            no_memory(pgasi_log_once, "pgas_all_alloc", share, used);
    }
    pgas_barrier();
    uint64_t offset = *broadcast;
    if (offset != 0)
        pgasi_segment_advise_huge(offset, share);
    pgas_barrier();
    if (offset == 0) {
        pgasi_log_told();
        return PGAS_ERR_NO_MEMORY;
    }
    set_pointer(ptr, 0, offset);
    return PGAS_OK;
}

pgas_status_t pgas_global_alloc(size_t nblocks, size_t nbytes, pgas_ptr_t *ptr)
{
    uint64_t share;
    if (!share_of(nblocks, nbytes, &share)) {
        pgasi_log("pgas_global_alloc: %zu blocks of %zu bytes overflow", nblocks, nbytes);
        return PGAS_ERR_ARGUMENT;
    }
    uint64_t used = 0;
    uint64_t offset = share > 0 ? take_collective(share, &used) : 0;
    if (share > 0 && offset == 0)
        return no_memory(pgasi_log, "pgas_global_alloc", share, used);
    set_pointer(ptr, 0, offset);
    return PGAS_OK;
}

pgas_status_t pgas_alloc(size_t nbytes, pgas_ptr_t *ptr)
{
    uint32_t me = pgasi_job.thread;
    uint64_t used = 0;
    uint64_t offset = 0;
    if (nbytes > 0) {
        offset = take(&header_of(me)->local, pgasi_job.peers[me].base, me, me, nbytes, &used);
        if (offset == 0)
            return no_memory(pgasi_log, "pgas_alloc", nbytes, used);
        pgasi_segment_advise_huge(offset, nbytes);
    }
    set_pointer(ptr, nbytes > 0 ? me : 0, offset);
    return PGAS_OK;
}

void pgas_free(pgas_ptr_t ptr)
{
    if (ptr.offset == 0)
        return;
    bool collective = ptr.offset < pgasi_node_memory.local_begin;
    if (ptr.thread >= pgasi_job.threads || (collective && ptr.thread != 0))
        pgasi_fatal("pgas_free",
                    "thread %u, offset %" PRIu64 " is not a pointer that an allocation gave",
                    ptr.thread, ptr.offset);
    char *base = pgasi_job.peers[ptr.thread].base;
    pgasi_region_t *region =
        collective ? &pgasi_node_memory.control->collective : &header_of(ptr.thread)->local;
    uint32_t last = collective ? pgasi_job.threads - 1 : ptr.thread;
    lock_heaps();
    bool owned = pgasi_region_owns(region, base, ptr.offset);
    if (owned) {
        uint64_t taken;
        pgasi_region_free(region, base, ptr.offset, &taken);
        add_used(ptr.thread, last, -taken);
        if (taken >= LARGE)
            for (uint32_t i = ptr.thread; i <= last; i++)
                pgasi_segment_release(i, ptr.offset, taken - PGASI_REGION_UNIT);
    }
    unlock_heaps();
    if (!owned)
        pgasi_fatal("pgas_free",
                    "thread %u, offset %" PRIu64 " was not allocated, or is freed already",
                    ptr.thread, ptr.offset);
}

void pgas_all_free(pgas_ptr_t ptr)
{
    pgas_barrier();
    if (pgasi_job.thread == 0)
        pgas_free(ptr);
}

size_t pgas_heap_size(void)
{
    return pgasi_node_memory.heap_size;
}

size_t pgas_heap_used(void)
{
    return header_of(pgasi_job.thread)->used;
}
