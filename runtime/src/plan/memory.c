#include "plan/memory.h"

#include <stdlib.h>
#include <string.h>

#include <pgas/heap.h>
#include <pgas/ptr.h>

#include "base/log.h"
#include "copy/async.h"
#include "net/net.h"

void *pgasi_plan_private_alloc(pgas_plan_t *plan, size_t count, size_t elem_size)
{
    size_t nbytes;
    void *memory = NULL;
    if (__builtin_mul_overflow(count, elem_size, &nbytes) ||
        posix_memalign(&memory, 64, nbytes > 0 ? nbytes : 1) != 0) {
        pgasi_log("pgas_plan_create: no memory for %zu times %zu bytes", count, elem_size);
        return NULL;
    }
    memset(memory, 0, nbytes);
    plan->memory_bytes += nbytes;
    return memory;
}

pgas_status_t pgasi_plan_shared_alloc(pgas_plan_t *plan, size_t nbytes, pgas_ptr_t *ptr)
{
    pgas_status_t status = pgas_alloc(nbytes, ptr);
    if (status == PGAS_OK)
        plan->memory_bytes += nbytes;
    return status;
}

static pgas_ptr_t at(uint32_t thread, uint64_t offset)
{
    return (pgas_ptr_t){.thread = thread, .offset = offset};
}

void *pgasi_plan_local(uint32_t thread, uint64_t offset)
{
    return pgas_local(at(thread, offset));
}

void pgasi_plan_get(void *dst, uint32_t thread, uint64_t offset, size_t nbytes)
{
    pgasi_group_t *group = pgasi_empty_group();
    pgasi_start_get(group, dst, at(thread, offset), nbytes);
    pgasi_group_wait(group);
}

void pgasi_plan_put(uint32_t thread, uint64_t offset, const void *src, size_t nbytes)
{
    pgasi_group_t *group = pgasi_empty_group();
    pgasi_start_put(group, at(thread, offset), src, nbytes);
    pgasi_group_wait(group);
}

uint64_t pgasi_plan_fetch_add(uint32_t thread, uint64_t offset, uint64_t operand)
{
    _Atomic uint64_t *word = pgasi_plan_local(thread, offset);
    if (word != NULL)
        return atomic_fetch_add(word, operand);
    uint64_t old;
    const pgasi_net_atomic_t add = {PGAS_ADD, PGAS_UINT64, operand, 0};
    pgasi_net_wait(pgasi_net_atomic_nb(at(thread, offset), &add, &old));
    return old;
}
