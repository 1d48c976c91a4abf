#include <pgas/stats.h>

#include <string.h>

#include <pgas/detail.h>
#include <pgas/job.h>
#include <pgas/signal.h>

#include "base/agent.h"
#include "base/in_job.h"
#include "base/turn.h"
#include "stats/collectives.h"
#include "stats/counter.h"

static void add_count(pgas_traffic_t *traffic, const pgasi_count_t *count)
{
    traffic->operations += pgasi_counter_value(&count->operations);
    traffic->bytes += pgasi_counter_value(&count->bytes);
}

static void add_values(pgas_traffic_t *traffic, const uint64_t *by_size, const pgasi_count_t *odd)
{
    add_count(traffic, odd);
    for (int c = 0; c < PGASI_SIZE_CLASSES; c++) {
        uint64_t operations = pgasi_counter_value(&by_size[c]);
        traffic->operations += operations;
        traffic->bytes += operations << c;
    }
}

static pgas_traffic_t traffic_with(const pgasi_peer_t *peer, pgas_mode_t mode, bool from)
{
    pgas_traffic_t traffic = {0, 0};
    if (mode == PGAS_INDIVIDUAL) {
        add_values(&traffic, from ? peer->value_gets : peer->value_puts,
                   from ? &peer->odd_gets : &peer->odd_puts);
    } else if (mode == PGAS_CONTIGUOUS) {
        add_count(&traffic, from ? &peer->bulk_gets : &peer->bulk_puts);
    } else if (mode == PGAS_MODE_AM) {
        if (!from) {
            add_count(&traffic, &peer->messages);
            add_count(&traffic, &peer->messages_aside);
        }
    } else if (mode == PGAS_MODE_SIGNAL) {
        uint64_t signals = from ? 0 : pgasi_counter_value(&peer->signals);
        traffic = (pgas_traffic_t){signals, signals * sizeof(pgas_signal_t)};
    } else if (mode == PGAS_MODE_ATOMIC) {
        add_count(&traffic, from ? &peer->atomic_gets : &peer->atomic_puts);
    } else {
        add_count(&traffic, from ? &peer->packed_gets : &peer->packed_puts);
    }
    return traffic;
}

typedef struct query {
    int thread;
    pgas_mode_t mode;
    bool from;
    pgas_traffic_t sum;
} query_t;

static void sum_up(pgasi_peer_t *peers, void *argument)
{
    query_t *query = argument;
    pgas_traffic_t part = traffic_with(&peers[query->thread], query->mode, query->from);
    query->sum.operations += part.operations;
    query->sum.bytes += part.bytes;
}

pgas_traffic_t pgas_stats_with(int thread, pgas_mode_t mode, pgas_direction_t direction)
{
    if (thread < 0 || thread >= pgas_threads())
        pgasi_fatal(__func__, "thread %d of %d", thread, pgas_threads());
    if ((unsigned)mode >= PGAS_MODES || (unsigned)direction >= PGAS_DIRECTIONS)
        pgasi_fatal(__func__, "there is no mode %d, or no direction %d", (int)mode, (int)direction);
    pgasi_require_no_child(__func__);
    query_t query = {.thread = thread, .mode = mode, .from = direction == PGAS_FROM};
    bool must_leave = pgasi_turn_take();
    pgasi_agents_visit(sum_up, &query);
    if (must_leave)
        pgasi_turn_leave();
    return query.sum;
}

void pgas_stats_get(pgas_stats_t *stats)
{
    memset(stats, 0, sizeof *stats);
    for (int thread = 0; thread < pgas_threads(); thread++) {
        pgas_place_t place = pgas_place_of(thread);
        for (int mode = 0; mode < PGAS_MODES; mode++) {
            for (int direction = 0; direction < PGAS_DIRECTIONS; direction++) {
                pgas_traffic_t *sum = &stats->traffic[place][mode][direction];
                pgas_traffic_t with =
                    pgas_stats_with(thread, (pgas_mode_t)mode, (pgas_direction_t)direction);
                sum->operations += with.operations;
                sum->bytes += with.bytes;
            }
        }
    }
}

static void clear_count(pgasi_count_t *count)
{
    pgasi_counter_clear(&count->operations);
    pgasi_counter_clear(&count->bytes);
}

static void reset(pgasi_peer_t *peers, void *unused)
{
    (void)unused;
    for (uint32_t thread = 0; thread < pgasi_job.threads; thread++) {
        pgasi_peer_t *peer = &peers[thread];
        pgasi_count_t *const counts[] = {
            &peer->odd_gets,    &peer->odd_puts,      &peer->bulk_gets,   &peer->bulk_puts,
            &peer->packed_gets, &peer->packed_puts,   &peer->atomic_gets, &peer->atomic_puts,
            &peer->messages,    &peer->messages_aside};
        for (int c = 0; c < PGASI_SIZE_CLASSES; c++) {
            pgasi_counter_clear(&peer->value_gets[c]);
            pgasi_counter_clear(&peer->value_puts[c]);
        }
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            clear_count(counts[i]);
        pgasi_counter_clear(&peer->signals);
    }
}

void pgasi_stats_reset(void)
{
    bool must_leave = pgasi_turn_take();
    pgasi_agents_visit(reset, NULL);
    pgasi_counted_reset();
    if (must_leave)
        pgasi_turn_leave();
}
