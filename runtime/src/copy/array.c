#include <pgas/array.h>

#include <pgas/heap.h>
#include <pgas/job.h>

#include "base/log.h"
#include "copy/access_check.h"
#include "sync/collective.h"

static pgas_status_t create(size_t count, size_t elem_size, size_t block, pgas_array_t *array)
{
    size_t threads = pgasi_job.threads;
    if (count == 0 || elem_size == 0 || count > PTRDIFF_MAX) {
        pgasi_log_once("pgas_array_create: %zu elements of %zu bytes is no array", count,
                       elem_size);
        return PGAS_ERR_ARGUMENT;
    }
    if (block > UINT32_MAX) {
        pgasi_log_once("pgas_array_create: blocks of %zu elements, %u at most", block, UINT32_MAX);
        return PGAS_ERR_ARGUMENT;
    }
    size_t used = block < count ? block : count;
    size_t nbytes;
    if (__builtin_mul_overflow(used, elem_size, &nbytes)) {
        pgasi_log_once("pgas_array_create: a block of %zu elements of %zu bytes overflows", used,
                       elem_size);
        return PGAS_ERR_ARGUMENT;
    }
    pgas_ptr_t first;
    pgas_status_t status = pgas_all_alloc((count + block - 1) / block, nbytes, &first);
    if (status != PGAS_OK)
        return status;
    *array = (pgas_array_t){
        .count = count,
        .block = block,
        .elem_size = elem_size,
        .offset = first.offset,
        .by_block = pgasi_divisor(block),
        .by_threads = pgasi_divisor(threads),
    };
    pgasi_access_check_array(array);
    return PGAS_OK;
}

pgas_status_t pgas_array_create(size_t count, size_t elem_size, size_t block, pgas_array_t *array)
{
    size_t threads = pgasi_job.threads;
    if (block == PGAS_BLOCK_EVEN)
        block = count / threads + (count % threads != 0);
    PGASI_COLLECTIVE(PGASI_ARRAY_CREATE, count, elem_size, block);
    pgas_status_t status = create(count, elem_size, block, array);
    pgasi_collective_end();
    return status;
}

void pgas_array_free(pgas_array_t *array)
{
    pgas_ptr_t first = {.thread = 0, .phase = 0, .offset = array->offset};
    PGASI_COLLECTIVE(PGASI_ARRAY_FREE, array->count, array->elem_size, array->block, array->offset);
    pgasi_access_check_no_array(array->offset);
    pgas_all_free(first);
    pgasi_collective_end();
    *array = (pgas_array_t){0};
}

size_t pgas_array_owned(const pgas_array_t *array, int thread)
{
    return pgas_affinitysize(array->count, array->block, thread);
}

size_t pgas_array_owned_blocks(const pgas_array_t *array, int thread)
{
    if (array->count == 0) /* or freed, which has no block size either */
        return 0;
    size_t blocks = (array->count - 1) / array->block + 1;
    return pgas_affinitysize(blocks, 1, thread); /* as bytes in blocks of 1 */
}
