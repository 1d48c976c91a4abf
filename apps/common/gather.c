#include "common/gather.h"

#include <pgas/pgas.h>

#include "common/large.h"

void *common_gather(const void *mine, size_t nbytes)
{
    void *records = common_alloc("gathered records", (size_t)pgas_threads(), nbytes);
    pgas_allgather(PGAS_TEAM_ALL, mine, records, nbytes);
    return records;
}
