/**
 * A plan's memory: allocated and counted, and reached in other segments during set-up.
 */
#ifndef PGASI_PLAN_MEMORY_H
#define PGASI_PLAN_MEMORY_H

#include "plan/types.h"

/** Rounded up to whole cache lines. */
static inline size_t pgasi_plan_lines(size_t nbytes)
{
    return (nbytes + 63) / 64 * 64;
}

/** Private memory of `count` elements, zeroed, and aligned to 64 bytes, as elements in a segment
 * may be; counted in plan->memory_bytes. Logs and returns NULL where there is none. `count` 0 gives
 *  some memory too. */
void *pgasi_plan_private_alloc(pgas_plan_t *plan, size_t count, size_t elem_size);

/** Memory in the own segment, not zeroed, aligned to 64 bytes, counted likewise. */
pgas_status_t pgasi_plan_shared_alloc(pgas_plan_t *plan, size_t nbytes, pgas_ptr_t *ptr);

/** The address of memory in a segment of the own node; NULL for other nodes. */
void *pgasi_plan_local(uint32_t thread, uint64_t offset);

/** Copies and atomic additions anywhere, complete on return, not counted as traffic. The addition
 *  is to a word of 8 bytes, and returns what it held before. */
void pgasi_plan_get(void *dst, uint32_t thread, uint64_t offset, size_t nbytes);
void pgasi_plan_put(uint32_t thread, uint64_t offset, const void *src, size_t nbytes);
uint64_t pgasi_plan_fetch_add(uint32_t thread, uint64_t offset, uint64_t operand);

#endif
