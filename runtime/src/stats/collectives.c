#include "stats/collectives.h"

#include <stdbool.h>
#include <string.h>

#include "base/in_job.h"
#include "base/turn.h"

pgasi_counted_table_t pgasi_counted;
pgasi_counted_table_t pgasi_counted_in_flight;

/* Of those that end at once, and of those in flight. */
static pgasi_counted_t sum_of(uint32_t kind, uint32_t algorithm)
{
    pgasi_counted_t sum = pgasi_counted[kind][algorithm];
    const pgasi_counted_t *more = &pgasi_counted_in_flight[kind][algorithm];
    if (more->calls > 0)
        sum.algorithm = more->algorithm;
    sum.calls += more->calls;
    sum.meetings += more->meetings;
    for (int place = 0; place < PGAS_PLACES; place++) {
        sum.traffic[place].operations += more->traffic[place].operations;
        sum.traffic[place].bytes += more->traffic[place].bytes;
    }
    return sum;
}

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
    pgasi_require_no_child(__func__);
    size_t count = 0;
    bool must_leave = pgasi_turn_take();
    for (uint32_t kind = 0; kind < PGASI_COLLECTIVE_COUNT; kind++) {
        for (uint32_t algorithm = 0; algorithm < PGASI_COUNTED_ALGORITHMS; algorithm++) {
            const pgasi_counted_t counted = sum_of(kind, algorithm);
            if (counted.calls == 0 && counted.meetings == 0)
                continue;
            if (count < max)
                list[count] = traffic_of(kind, &counted);
            count++;
        }
    }
    if (must_leave)
        pgasi_turn_leave();
    return count;
}
