#include "stats/collectives.h"

#include <stdbool.h>
#include <string.h>

#include "base/in_job.h"
#include "base/turn.h"
#include "stats/counter.h"

pgasi_counted_table_t pgasi_counted;
pgasi_counted_table_t pgasi_counted_in_flight;

static void add(pgasi_counted_t *sum, const pgasi_counted_t *counted)
{
    uint64_t calls = pgasi_counter_value(&counted->calls);
    if (calls > 0)
        sum->algorithm = __atomic_load_n(&counted->algorithm, __ATOMIC_RELAXED);
    sum->calls += calls;
    sum->meetings += pgasi_counter_value(&counted->meetings);
    for (int place = 0; place < PGAS_PLACES; place++) {
        const pgas_traffic_t *traffic = &counted->traffic[place];
        sum->traffic[place].operations += pgasi_counter_value(&traffic->operations);
        sum->traffic[place].bytes += pgasi_counter_value(&traffic->bytes);
    }
}

/* Of those that end at once, and of those in flight. */
static pgasi_counted_t sum_of(uint32_t kind, uint32_t algorithm)
{
    pgasi_counted_t sum = {.algorithm = ""};
    add(&sum, &pgasi_counted[kind][algorithm]);
    add(&sum, &pgasi_counted_in_flight[kind][algorithm]);
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

static void clear(pgasi_counted_t *counted)
{
    pgasi_counter_clear(&counted->calls);
    pgasi_counter_clear(&counted->meetings);
    for (int place = 0; place < PGAS_PLACES; place++) {
        pgasi_counter_clear(&counted->traffic[place].operations);
        pgasi_counter_clear(&counted->traffic[place].bytes);
    }
}

void pgasi_counted_reset(void)
{
    for (uint32_t kind = 0; kind < PGASI_COLLECTIVE_COUNT; kind++) {
        for (uint32_t algorithm = 0; algorithm < PGASI_COUNTED_ALGORITHMS; algorithm++) {
            clear(&pgasi_counted[kind][algorithm]);
            clear(&pgasi_counted_in_flight[kind][algorithm]);
        }
    }
}
