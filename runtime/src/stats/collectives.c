#include "stats/collectives.h"

#include <string.h>

pgasi_counted_t pgasi_counted[PGASI_COLLECTIVE_COUNT][PGASI_COUNTED_ALGORITHMS];

static pgas_collective_traffic_t traffic_of(uint32_t kind, const pgasi_counted_t *counted)
{
    pgas_collective_traffic_t traffic = {
        .collective = pgasi_call_name(&(pgasi_call_t){.call = kind}),
        .algorithm = counted->algorithm,
        .calls = counted->calls,
        .meetings = counted->meetings,
    };
    memcpy(traffic.traffic, counted->traffic, sizeof traffic.traffic);
    return traffic;
}

size_t pgas_stats_collectives(pgas_collective_traffic_t *list, size_t max)
{
    size_t count = 0;
    for (uint32_t kind = 0; kind < PGASI_COLLECTIVE_COUNT; kind++) {
        for (uint32_t algorithm = 0; algorithm < PGASI_COUNTED_ALGORITHMS; algorithm++) {
            const pgasi_counted_t *counted = &pgasi_counted[kind][algorithm];
            if (counted->calls == 0 && counted->meetings == 0)
                continue;
            if (count < max)
                list[count] = traffic_of(kind, counted);
            count++;
        }
    }
    return count;
}
