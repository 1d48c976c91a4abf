#include "rounds.h"

#include <stdlib.h>
#include <string.h>

#include "common/large.h"
#include "common/nodes.h"
#include "common/timing.h"
#include "job.h"

enum {
    LONGEST = 1 << 24,
    OPERANDS = 512,
    CLOCKS = 64
};

const size_t stream_round_bytes[STREAM_ROUND_SIZES] = {8, 4096, 65536, 1 << 20, LONGEST};

#define PLACES(name) name "_own", name "_local", name "_remote"

static const char *const names[STREAM_ROUND_PRICES] = {
    PLACES("meeting"),
    PLACES("round_8"),
    PLACES("round_4096"),
    PLACES("round_65536"),
    PLACES("round_1048576"),
    PLACES("round_16777216"),
    PLACES("round_read_8"),
    PLACES("round_read_4096"),
    PLACES("round_read_65536"),
    PLACES("round_read_1048576"),
    PLACES("round_read_16777216"),
    "combine_element",
    "round_read_alone_8_remote",
    "round_read_alone_4096_remote",
    "round_read_alone_65536_remote",
    "round_read_alone_1048576_remote",
};

const char *stream_round_name(int price)
{
    return names[price];
}

/* A network's bytes cost alike from 64 KiB on, and 16 MiB of each thread may take seconds there. */
bool stream_round_is_measured(int price)
{
    if (price == STREAM_COMBINE)
        return true;
    if (price >= STREAM_READ_ALONE)
        return stream_has_partners(PGAS_REMOTE);
    int kind = price / PGAS_PLACES;
    pgas_place_t place = (pgas_place_t)(price % PGAS_PLACES);
    bool is_on_node = kind >= STREAM_ROUND && kind < STREAM_ROUND_READ;
    bool is_longest = kind == STREAM_PLACED_ROUNDS - 1;
    return stream_has_partners(place) && !((is_on_node || is_longest) && place == PGAS_REMOTE);
}

/* ---- Loops ---- */

static void meetings(void *context, size_t count)
{
    stream_rounds_t *rounds = context;
    pgas_team_t *teams[PGAS_PLACES] = {rounds->alone, PGAS_TEAM_NODE, PGAS_TEAM_LEADERS};
    if (!pgas_team_has_me(teams[rounds->place]))
        return;
    for (size_t i = 0; i < count; i++)
        pgas_team_barrier(teams[rounds->place]);
}

static pgas_ptr_t buffer_of(const stream_rounds_t *rounds, int thread)
{
    return pgas_ptr_shift(pgas_ptr_on(rounds->shown, thread),
                          (ptrdiff_t)(rounds->rounds % 2 * LONGEST));
}

/* All threads do; or alone the lowest of every second node, of the one behind it. */
static bool is_reader(const stream_rounds_t *rounds)
{
    int node = pgas_node_of(pgas_mythread());
    return !rounds->is_alone ||
           (pgas_team_has_me(PGAS_TEAM_LEADERS) && node % 2 == 0 && node + 1 < common_nodes());
}

static void read_partner(stream_rounds_t *rounds)
{
    int partner = stream_partner(pgas_mythread(), (pgas_place_t)rounds->place);
    double start = rounds->is_read ? common_seconds() : 0.0;
    pgas_memget(rounds->into, buffer_of(rounds, partner), rounds->nbytes);
    rounds->read_seconds += rounds->is_read ? common_seconds() - start : 0.0;
    rounds->wrong += memcmp(rounds->into, &rounds->rounds, sizeof rounds->rounds) != 0;
}

/* What is shown begins with the number of its round. A buffer is written again when all have met
 * in the round after it. Who does not read waits for those that do, as in a collective. */
static void show_and_read(void *context, size_t count)
{
    stream_rounds_t *rounds = context;
    pgas_team_t *teams[PGAS_PLACES] = {rounds->alone, PGAS_TEAM_NODE, PGAS_TEAM_ALL};
    bool reads = is_reader(rounds);
    rounds->read_seconds = 0.0;
    for (size_t i = 0; i < count; i++) {
        rounds->rounds++;
        memcpy(rounds->source, &rounds->rounds, sizeof rounds->rounds);
        pgas_memput(buffer_of(rounds, pgas_mythread()), rounds->source, rounds->nbytes);
        pgas_team_barrier(teams[rounds->place]);
        if (reads)
            read_partner(rounds);
        if (rounds->is_alone)
            pgas_team_barrier(teams[rounds->place]);
    }
}

static void add_up(void *context, size_t count)
{
    const stream_rounds_t *rounds = context;
    double *result = rounds->operands;
    const double *operand = result + OPERANDS;
    for (size_t i = 0; i < count; i++) {
        for (size_t e = 0; e < OPERANDS; e++)
            result[e] += operand[e];
        __asm__ volatile("" : : "r"(result) : "memory");
    }
}

/* ---- Measuring ---- */

/* The loop of a price, prepared. */
static stream_loop_t prepare(stream_rounds_t *rounds, int price)
{
    int kind = price / PGAS_PLACES;
    int size = (kind - STREAM_ROUND) % STREAM_ROUND_SIZES;
    rounds->place = price % PGAS_PLACES;
    rounds->is_alone = price >= STREAM_READ_ALONE;
    rounds->is_read = kind >= STREAM_ROUND_READ;
    if (price == STREAM_COMBINE)
        return add_up;
    if (kind == STREAM_MEETING)
        return meetings;
    if (rounds->is_alone) {
        rounds->place = PGAS_REMOTE;
        size = price - STREAM_READ_ALONE;
    }
    rounds->nbytes = stream_round_bytes[size];
    return show_and_read;
}

/* What the clock adds to each read. */
static double clock_seconds(void)
{
    double least = 1.0;
    for (int i = 0; i < CLOCKS; i++) {
        double start = common_seconds();
        double took = common_seconds() - start;
        least = took < least ? took : least;
    }
    return least;
}

/* A loop's time has that of the barriers around it, which between nodes is that of many rounds; a
 * tenth of a second at most, where threads wait for processors. */
static double long_beside_barriers(stream_rounds_t *rounds)
{
    const double most = 0.1;
    enum {
        TURNS = 5,
        BARRIERS = 20
    };
    double least = 1.0;
    for (int turn = 0; turn < TURNS; turn++) {
        double took = stream_time(meetings, rounds, 0);
        least = took < least ? took : least;
    }
    return BARRIERS * least < most ? BARRIERS * least : most;
}

void stream_rounds_create(double slot, stream_rounds_t *rounds)
{
    *rounds = (stream_rounds_t){
        .source = common_alloc("messages", LONGEST, 1),
        .into = common_alloc("messages", LONGEST, 1),
        .operands = common_alloc("operands", 2 * (size_t)OPERANDS, sizeof(double)),
        .clock_seconds = clock_seconds(),
    };
    if (pgas_all_alloc((size_t)pgas_threads(), 2 * (size_t)LONGEST, &rounds->shown) != PGAS_OK ||
        pgas_team_split(PGAS_TEAM_ALL, pgas_mythread(), 0, &rounds->alone) != PGAS_OK)
        pgas_exit(1);
    memset(rounds->source, 1, LONGEST);
    for (size_t i = 0; i < 2 * (size_t)OPERANDS; i++)
        rounds->operands[i] = 0.0;
    double least = long_beside_barriers(rounds);
    slot = slot > least ? slot : least;
    for (int price = 0; price < STREAM_ROUND_PRICES; price++)
        if (stream_round_is_measured(price))
            rounds->counts[price] = stream_fit(prepare(rounds, price), rounds, slot);
}

void stream_rounds_free(stream_rounds_t *rounds)
{
    pgas_team_free(rounds->alone);
    pgas_all_free(rounds->shown);
    free(rounds->operands);
    free(rounds->into);
    free(rounds->source);
}

/* The seconds of a price by its loop. */
static double measure(stream_rounds_t *rounds, int price)
{
    stream_loop_t loop = prepare(rounds, price);
    double count = (double)rounds->counts[price];
    double all = stream_time(loop, rounds, rounds->counts[price]);
    if (price == STREAM_COMBINE)
        return all / (count * OPERANDS);
    if (!rounds->is_read)
        return all / count;
    double read = stream_largest(rounds->read_seconds) / count - rounds->clock_seconds;
    return read > 0.0 ? read : 0.0;
}

void stream_rounds_measure(stream_rounds_t *rounds, double seconds[STREAM_ROUND_PRICES])
{
    for (int price = 0; price < STREAM_ROUND_PRICES; price++)
        if (rounds->counts[price] > 0)
            seconds[price] = measure(rounds, price);
}

bool stream_rounds_check(const stream_rounds_t *rounds)
{
    return stream_all(rounds->wrong == 0);
}
