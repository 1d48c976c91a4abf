#include <pgas/heap.h>

#include <inttypes.h>
#include <stdbool.h>

#include <pgas/detail.h>
#include <pgas/sync.h>

#include "base/in_job.h"
#include "base/log.h"
#include "heap/heap_node.h"
#include "node/node.h"
#include "node/segment.h"
#include "sync/barrier.h"
#include "sync/collective.h"

typedef void log_function_t(const char *format, ...);

static pgas_status_t no_memory(log_function_t *log, const char *call, uint64_t nbytes,
                               uint64_t used)
{
    const char *around = pgasi_collective_around(call);
    log("%s%s%s: %" PRIu64 " bytes asked for in a heap of %" PRIu64 " bytes with %" PRIu64
        " in use; PGAS_HEAP_SIZE sets its size",
        call, around != NULL ? ", in " : "", around != NULL ? around : "", nbytes,
        pgasi_node_memory.heap_size, used);
    return PGAS_ERR_NO_MEMORY;
}

/* Bytes that each thread needs for its part of `nblocks` blocks. False if they, or all, overflow.
 */
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

/* What a thread has done for a collective allocation, and will undo if a node refuses. */
typedef struct step {
    bool reserved;
    uint64_t offset;
    bool refused;
    /* Bytes in use in the fullest heap of the node. */
    uint64_t used;
} step_t;

/* Every leader reserves on its node, and thread 0 allocates the block. */
static step_t reserve_and_alloc(uint64_t share)
{
    step_t step = {.reserved = false};
    if (!pgasi_node_is_leader())
        return step;
    step.reserved = pgasi_heap_reserve(pgasi_nodes.mine, pgasi_region_cost(share), &step.used);
    if (step.reserved && pgasi_job.thread == 0)
        step.offset = pgasi_heap_alloc(share);
    step.refused = !step.reserved || (pgasi_job.thread == 0 && step.offset == 0);
    return step;
}

static void undo(const step_t *step, uint64_t share)
{
    if (step->offset != 0)
        pgasi_heap_free(step->offset);
    if (step->reserved)
        pgasi_heap_unreserve(pgasi_nodes.mine, pgasi_region_cost(share), 0);
}

/*
 * The nodes agree by their reservations: `refusal` is 0 if none refused. They begin when all
 * threads have arrived, so that what any of them has freed before is free. Returns the offset, or 0
 * on all threads; `*used` then receives the bytes in use in the fullest heap that refused.
 */
static uint64_t alloc_collective(uint64_t share, uint64_t *used)
{
    uint64_t refusal;
    uint64_t offset;
    pgasi_heap_make_room(share);
    pgas_barrier();
    step_t step = reserve_and_alloc(share);
    pgasi_sync_exchange(step.refused ? step.used + 1 : 0, &refusal, step.offset, &offset);
    if (refusal == 0) {
        if (pgasi_node_is_leader())
            pgasi_heap_use(pgasi_region_cost(share), offset);
        return offset;
    }
    undo(&step, share);
    *used = refusal - 1;
    return 0;
}

static pgas_status_t all_alloc(size_t nblocks, size_t nbytes, pgas_ptr_t *ptr)
{
    uint64_t share;
    if (!share_of(nblocks, nbytes, &share)) {
        pgasi_log_once("pgas_all_alloc: %zu blocks of %zu bytes overflow", nblocks, nbytes);
        pgas_barrier();
        return PGAS_ERR_ARGUMENT;
    }
    if (share == 0) {
        pgas_barrier();
        *ptr = (pgas_ptr_t){0, 0, 0};
        return PGAS_OK;
    }
    uint64_t used = 0;
    uint64_t offset = alloc_collective(share, &used);
    if (offset == 0) {
        if (pgasi_job.thread == 0)
            no_memory(pgasi_log_once, "pgas_all_alloc", share, used);
        pgas_barrier(); /* all nodes have undone their reservations */
        pgasi_log_told();
        return PGAS_ERR_NO_MEMORY;
    }
    if (pgasi_heap_is_large(share)) {
        pgasi_segment_advise_huge(offset, share);
        pgas_barrier(); /* before anybody touches it */
    }
    set_pointer(ptr, 0, offset);
    return PGAS_OK;
}

pgas_status_t pgas_all_alloc(size_t nblocks, size_t nbytes, pgas_ptr_t *ptr)
{
    PGASI_COLLECTIVE(PGASI_ALL_ALLOC, nblocks, nbytes);
    pgas_status_t status = all_alloc(nblocks, nbytes, ptr);
    pgasi_collective_end();
    return status;
}

/* Reserves on every node, one after the other, then allocates the block. */
static uint64_t alloc_alone(uint64_t share, uint64_t *used)
{
    uint64_t needed = pgasi_region_cost(share);
    uint64_t offset = 0;
    uint32_t nodes = 0;
    pgasi_heap_make_room(share);
    *used = pgasi_heap_used(pgasi_job.thread);
    while (nodes < pgasi_nodes.count && pgasi_heap_reserve(nodes, needed, used))
        nodes++;
    if (nodes == pgasi_nodes.count)
        offset = pgasi_heap_alloc(share);
    while (offset == 0 && nodes > 0)
        pgasi_heap_unreserve(--nodes, needed, 0);
    if (offset != 0)
        pgasi_heap_use(needed, offset);
    return offset;
}

pgas_status_t pgas_global_alloc(size_t nblocks, size_t nbytes, pgas_ptr_t *ptr)
{
    pgasi_require_job(__func__);
    uint64_t share;
    if (!share_of(nblocks, nbytes, &share)) {
        pgasi_log("pgas_global_alloc: %zu blocks of %zu bytes overflow", nblocks, nbytes);
        return PGAS_ERR_ARGUMENT;
    }
    uint64_t used = 0;
    uint64_t offset = share > 0 ? alloc_alone(share, &used) : 0;
    if (share > 0 && offset == 0)
        return no_memory(pgasi_log, "pgas_global_alloc", share, used);
    set_pointer(ptr, 0, offset);
    return PGAS_OK;
}

pgas_status_t pgas_alloc(size_t nbytes, pgas_ptr_t *ptr)
{
    pgasi_require_job(__func__);
    uint64_t used = 0;
    uint64_t offset = 0;
    if (nbytes > 0) {
        offset = pgasi_heap_alloc_own(nbytes, &used);
        if (offset == 0)
            return no_memory(pgasi_log, "pgas_alloc", nbytes, used);
        pgasi_segment_advise_huge(offset, nbytes);
    }
    set_pointer(ptr, nbytes > 0 ? pgasi_job.thread : 0, offset);
    return PGAS_OK;
}

/* The block is retired first, so that only one call in the job frees it. It is freed last, when no
 * node will return its pages to the system any more. */
static bool free_collective(uint64_t offset)
{
    uint64_t reserved = pgasi_heap_retire(offset);
    if (reserved == 0)
        return false;
    for (uint32_t node = 0; node < pgasi_nodes.count; node++)
        pgasi_heap_unreserve(node, reserved, offset);
    pgasi_heap_free(offset);
    return true;
}

void pgas_free(pgas_ptr_t ptr)
{
    if (ptr.offset == 0)
        return;
    pgasi_require_job(__func__);
    pgasi_sync_epoch++;
    bool collective = ptr.offset < pgasi_node_memory.local_begin;
    if (ptr.thread >= pgasi_job.threads || (collective && ptr.thread != 0))
        pgasi_fatal("pgas_free",
                    "thread %u, offset %" PRIu64 " is not a pointer that an allocation gave",
                    ptr.thread, ptr.offset);
    bool freed =
        collective ? free_collective(ptr.offset) : pgasi_heap_free_own(ptr.thread, ptr.offset);
    if (!freed)
        pgasi_fatal("pgas_free",
                    "thread %u, offset %" PRIu64 " was not allocated, or is freed already",
                    ptr.thread, ptr.offset);
}

void pgas_all_free(pgas_ptr_t ptr)
{
    PGASI_COLLECTIVE(PGASI_ALL_FREE, ptr.thread, ptr.offset);
    pgas_barrier();
    if (pgasi_job.thread == 0)
        pgas_free(ptr);
    pgas_barrier(); /* it is free on all nodes: for collectives, too, which take memory */
    pgasi_collective_end();
}

size_t pgas_heap_size(void)
{
    pgasi_require_job(__func__);
    return pgasi_node_memory.heap_size;
}

size_t pgas_heap_used(void)
{
    pgasi_require_job(__func__);
    return pgasi_heap_used(pgasi_job.thread);
}
