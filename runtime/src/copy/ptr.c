#include <pgas/ptr.h>

#include <inttypes.h>

#include <pgas/job.h>

#include "base/fatal.h"
#include "node/segment.h"

pgas_ptr_t pgas_ptr_of(const void *address)
{
    pgas_ptr_t at = pgasi_segment_place(address);
    return at.offset >= PGASI_HEAP_BEGIN ? at : pgas_ptr_null();
}

/* A pointer's phase has 32 bits. */
static void require_phases(const char *call, size_t block)
{
    if (block > UINT32_MAX)
        pgasi_fatal(call, "blocks of %zu elements: at most %" PRIu32 " are possible", block,
                    UINT32_MAX);
}

/* Quotient and remainder with the remainder in [0, divisor). */
static ptrdiff_t floor_divide(ptrdiff_t dividend, ptrdiff_t divisor, ptrdiff_t *remainder)
{
    ptrdiff_t quotient = dividend / divisor;
    ptrdiff_t rest = dividend % divisor;
    if (rest < 0) {
        rest += divisor;
        quotient--;
    }
    *remainder = rest;
    return quotient;
}

pgas_ptr_t pgas_ptr_add(pgas_ptr_t ptr, ptrdiff_t count, size_t elem_size, size_t block)
{
    require_phases(__func__, block);
    ptrdiff_t size = (ptrdiff_t)elem_size;
    if (block == 0) {
        ptr.offset += (uint64_t)(count * size);
        return ptr;
    }
    ptrdiff_t phase;
    ptrdiff_t thread;
    ptrdiff_t blocks = floor_divide((ptrdiff_t)ptr.phase + count, (ptrdiff_t)block, &phase);
    ptrdiff_t rounds =
        floor_divide((ptrdiff_t)ptr.thread + blocks, (ptrdiff_t)pgasi_job.threads, &thread);
    ptrdiff_t elements = phase - (ptrdiff_t)ptr.phase + rounds * (ptrdiff_t)block;
    return (pgas_ptr_t){
        .thread = (uint32_t)thread,
        .phase = (uint32_t)phase,
        .offset = ptr.offset + (uint64_t)(elements * size),
    };
}

ptrdiff_t pgas_ptr_diff(pgas_ptr_t a, pgas_ptr_t b, size_t elem_size, size_t block)
{
    require_phases(__func__, block);
    ptrdiff_t elements = (ptrdiff_t)(a.offset - b.offset) / (ptrdiff_t)elem_size;
    if (block == 0)
        return elements;
    /* Both distances are known exactly: along the owner's memory, and across the threads. */
    ptrdiff_t phases = (ptrdiff_t)a.phase - (ptrdiff_t)b.phase;
    ptrdiff_t rounds = (elements - phases) / (ptrdiff_t)block;
    ptrdiff_t blocks =
        rounds * (ptrdiff_t)pgasi_job.threads + (ptrdiff_t)a.thread - (ptrdiff_t)b.thread;
    return blocks * (ptrdiff_t)block + phases;
}

size_t pgas_affinitysize(size_t total, size_t nbytes, int thread)
{
    if (nbytes == 0)
        return thread == 0 ? total : 0;
    size_t threads = pgasi_job.threads;
    size_t whole = total / nbytes;
    size_t mine = (whole / threads + ((size_t)thread < whole % threads)) * nbytes;
    return (size_t)thread == whole % threads ? mine + total % nbytes : mine;
}
