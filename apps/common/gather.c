#include "common/gather.h"

#include <pgas/pgas.h>

#include "common/large.h"

void *common_gather(const void *mine, size_t nbytes)
{
    size_t threads = (size_t)pgas_threads();
    pgas_array_t all;
    if (pgas_array_create(threads, nbytes, 1, &all) != PGAS_OK)
        pgas_exit(1);
    pgas_memput(pgas_array_at(&all, (size_t)pgas_mythread()), mine, nbytes);
    pgas_barrier();
    char *records = common_alloc("gathered records", threads, nbytes);
    for (size_t t = 0; t < threads; t++)
        pgas_memget(records + t * nbytes, pgas_array_at(&all, t), nbytes);
    pgas_array_free(&all);
    return records;
}
