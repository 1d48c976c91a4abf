#include <pgas/stats.h>

#include <string.h>

#include <pgas/detail.h>
#include <pgas/job.h>
#include <pgas/signal.h>

#include "base/agent.h"
#include "base/in_job.h"
#include "base/turn.h"
#include "stats/collectives.h"

static void add_values(pgas_traffic_t *traffic, const uint64_t *by_size, const pgasi_count_t *odd)
{
    traffic->operations += odd->operations;
    traffic->bytes += odd->bytes;
    for (int c = 0; c < PGASI_SIZE_CLASSES; c++) {
        traffic->operations += by_size[c];
        traffic->bytes += by_size[c] << c;
    }
}

static pgas_traffic_t messages_to(const pgasi_peer_t *peer)
{
    const pgasi_count_t *aside = &peer->messages_aside;
    return (pgas_traffic_t){
        peer->messages.operations + __atomic_load_n(&aside->operations, __ATOMIC_RELAXED),
        peer->messages.bytes + __atomic_load_n(&aside->bytes, __ATOMIC_RELAXED)};
}

static pgas_traffic_t traffic_with(const pgasi_peer_t *peer, pgas_mode_t mode, bool from)
{
    pgas_traffic_t traffic = {0, 0};
    if (mode == PGAS_INDIVIDUAL) {
        add_values(&traffic, from ? peer->value_gets : peer->value_puts,
                   from ? &peer->odd_gets : &peer->odd_puts);
    } else if (mode == PGAS_CONTIGUOUS) {
        const pgasi_count_t *bulk = from ? &peer->bulk_gets : &peer->bulk_puts;
        traffic = (pgas_traffic_t){bulk->operations, bulk->bytes};
    } else if (mode == PGAS_MODE_AM) {
        if (!from)
            traffic = messages_to(peer);
    } else if (mode == PGAS_MODE_SIGNAL) {
        if (!from)
            traffic = (pgas_traffic_t){peer->signals, peer->signals * sizeof(pgas_signal_t)};
    } else if (mode == PGAS_MODE_ATOMIC) {
        const pgasi_count_t *atomics = from ? &peer->atomic_gets : &peer->atomic_puts;
        traffic = (pgas_traffic_t){atomics->operations, atomics->bytes};
    } else {
        const pgasi_count_t *packed = from ? &peer->packed_gets : &peer->packed_puts;
        traffic = (pgas_traffic_t){packed->operations, packed->bytes};
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

static void reset(pgasi_peer_t *peers, void *unused)
{
    (void)unused;
    for (uint32_t thread = 0; thread < pgasi_job.threads; thread++) {
        pgasi_peer_t *peer = &peers[thread];
        memset(peer->value_gets, 0, sizeof peer->value_gets);
        memset(peer->value_puts, 0, sizeof peer->value_puts);
        peer->odd_gets = peer->odd_puts = (pgasi_count_t){0, 0};
        peer->bulk_gets = peer->bulk_puts = (pgasi_count_t){0, 0};
        peer->packed_gets = peer->packed_puts = (pgasi_count_t){0, 0};
        peer->atomic_gets = peer->atomic_puts = (pgasi_count_t){0, 0};
        peer->signals = 0;
        peer->messages = (pgasi_count_t){0, 0};
        __atomic_store_n(&peer->messages_aside.operations, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&peer->messages_aside.bytes, 0, __ATOMIC_RELAXED);
    }
}

void pgas_stats_reset(void)
{
    pgasi_require_no_child(__func__);
    bool must_leave = pgasi_turn_take();
    pgasi_agents_visit(reset, NULL);
    memset(pgasi_counted, 0, sizeof pgasi_counted);
    memset(pgasi_counted_in_flight, 0, sizeof pgasi_counted_in_flight);
    if (must_leave)
        pgasi_turn_leave();
}
