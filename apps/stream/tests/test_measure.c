/* Each measurement is of what was requested: partners are where they must be, the counted traffic
 * is that of the named access, values arrive, and times are plausible. */
#include <math.h>
#include <pgas/pgas.h>
#include <string.h>

#include "../access.h"
#include "../exchange.h"
#include "../field.h"
#include "../job.h"
#include "../pingpong.h"
#include "../prices.h"
#include "../private.h"
#include "../rounds.h"
#include "../shared.h"
#include "../transfer.h"
#include "../vectors.h"
#include "check.h"
#include "common/nodes.h"

enum {
    ELEMENTS = 1000
};

/* Where the partner is: a thread that is alone on its node is its own. */
static pgas_place_t place_of_partner(pgas_place_t place)
{
    bool is_alone = place == PGAS_LOCAL && stream_has_partners(place) && !stream_has_other(place);
    return is_alone ? PGAS_OWN : place;
}

static pgas_traffic_t counted(pgas_place_t place, pgas_mode_t mode, pgas_direction_t direction)
{
    pgas_stats_t stats;
    pgas_stats_get(&stats);
    return stats.traffic[place_of_partner(place)][mode][direction];
}

static void test_partners(void)
{
    int on_last = 0;
    int others_of_first = 0;
    for (int t = 0; t < pgas_threads(); t++) {
        int local = stream_partner(t, PGAS_LOCAL);
        int remote = stream_partner(t, PGAS_REMOTE);
        int others = 0;
        for (int other = 0; other < pgas_threads(); other++)
            others += other != t && pgas_node_of(other) == pgas_node_of(t);
        CHECK(stream_partner(t, PGAS_OWN) == t);
        others_of_first = t == 0 ? others : others_of_first;
        CHECK((local >= 0) == (others_of_first > 0));
        CHECK(local < 0 ||
              ((local != t) == (others > 0) && pgas_node_of(local) == pgas_node_of(t)));
        CHECK((remote >= 0) == (common_nodes() > 1));
        CHECK(remote < 0 || pgas_node_of(remote) != pgas_node_of(t));
        CHECK(pgas_node_of(t) < common_nodes());
        on_last += pgas_node_of(t) == common_nodes() - 1;
    }
    CHECK(on_last > 0);
    CHECK(stream_threads_per_node() >= pgas_threads() / common_nodes());
}

static void test_agreement(void)
{
    CHECK(stream_largest((double)pgas_mythread()) == (double)(pgas_threads() - 1));
    CHECK(stream_largest(-1.0 - (double)pgas_mythread()) == -1.0);
    CHECK(stream_of_thread_0((double)pgas_mythread() + 5.0) == 5.0);
    CHECK(stream_all(true));
    CHECK(!stream_all(pgas_mythread() != pgas_threads() - 1));
}

static void test_private(stream_memory_t memory)
{
    stream_private_t state;
    stream_private_create(memory, ELEMENTS, &state);
    for (int kernel = STREAM_COPY; kernel < STREAM_KERNELS; kernel++)
        CHECK(stream_private_bandwidth(&state, (stream_kernel_t)kernel) > 0.0);
    CHECK(stream_private_check(&state));
    if (pgas_mythread() == pgas_threads() - 1)
        state.arrays.b[ELEMENTS - 1] += 1e-9;
    CHECK(!stream_private_check(&state));
    stream_private_free(&state);
}

/* All values arrive, and a wrong one is found wherever it is. */
static void test_vectors(void)
{
    enum {
        COUNT = 4096
    };
    double seconds[STREAM_MOVE_RATES];
    stream_vectors_t vectors;
    stream_vectors_create(COUNT, (size_t)1 << 20, (reuse_caches_t){4096, 65536, 524288, true},
                          &vectors);
    stream_vectors_measure(&vectors, seconds);
    for (int r = 0; r < STREAM_MOVE_RATES; r++)
        CHECK(seconds[r] > 0.0 && isfinite(seconds[r]));
    CHECK(stream_vectors_check(&vectors));
    CHECK(strcmp(stream_move_name(0), "move_copy_near") == 0);
    CHECK(strcmp(stream_move_name(STREAM_MOVE_RATES - 1), "move_plan_lines_far") == 0);
    /* One value in every line, and all but one: a plan must not take them for consecutive ones. */
    CHECK(vectors.index_count[0] == COUNT - 1 && vectors.indices[0][COUNT - 2] == COUNT - 1);
    CHECK(vectors.index_count[1] == COUNT / 8);
    for (size_t k = 0; k < COUNT / 8; k++)
        CHECK(vectors.indices[1][k] / 8 == k);
    /* A thread whose values are not what its partner expects. */
    int last = pgas_threads() - 1;
    if (pgas_mythread() == last)
        vectors.version += 0.5;
    stream_vectors_measure(&vectors, seconds);
    int partner = stream_partner(last, PGAS_LOCAL);
    CHECK(stream_vectors_check(&vectors) == (partner < 0 || partner == last));
    stream_vectors_free(&vectors);
}

/* The solver's kernel, over all of both levels; a wrong value is found, and one in a row that the
 * other thread gets as well. */
static void test_field(void)
{
    stream_field_t field;
    stream_field_create((size_t)5 * 2 * 4024 * 8, &field);
    CHECK(field.rows == 5);
    stream_field_times_t times = stream_field_measure(&field);
    CHECK(times.point > 0.0 && times.streaming_point >= 0.0 && times.column > 0.0);
    CHECK(times.narrow_column > 0.0);
    CHECK(times.first_row > 0.0 && times.last_row > 0.0);
    CHECK(times.first_get > 0.0);
    CHECK(stream_field_check(&field));
    if (pgas_mythread() == 0)
        field.level[field.now][4 * 4024 + STREAM_FIELD_COLUMNS - 2] = 1.5;
    CHECK(!stream_field_check(&field));
    stream_field_free(&field);
}

static void test_exchange(void)
{
    enum {
        COUNT = 64 * 4104 + 9,
        STEPS = 2,
        LONG = 65536
    };
    stream_private_t memory;
    stream_exchange_t exchange;
    bool has_remote = stream_has_partners(PGAS_REMOTE);
    stream_private_create(STREAM_IN_SHARED_HEAP, COUNT, &memory);
    stream_exchange_create(&memory, &exchange);
    CHECK(COUNT >= STREAM_EXCHANGE_LEAST && LONG == STREAM_READ_BYTES);
    pgas_stats_reset();
    stream_exchange_times_t times = stream_exchange_measure(&exchange, STEPS);
    CHECK((times.short_read > 0.0) == has_remote && (times.long_read > 0.0) == has_remote);
    CHECK((times.short_send > 0.0) == has_remote && (times.long_send > 0.0) == has_remote);
    CHECK(counted(PGAS_REMOTE, PGAS_MODE_SIGNAL, PGAS_TO).operations ==
          (uint64_t)has_remote * STEPS * 2);
    CHECK(counted(PGAS_REMOTE, PGAS_CONTIGUOUS, PGAS_TO).bytes ==
          (uint64_t)has_remote * STEPS * (LONG + 8));
    CHECK(counted(PGAS_REMOTE, PGAS_CONTIGUOUS, PGAS_FROM).bytes ==
          (uint64_t)has_remote * STEPS * (LONG + 8));
    if (has_remote) {
        pgas_stats_reset();
        CHECK(stream_exchange_put(&exchange, 3) > 0.0);
        CHECK(counted(PGAS_REMOTE, PGAS_CONTIGUOUS, PGAS_TO).bytes == 3 * STREAM_MESSAGE_BYTES);
    }
    CHECK(stream_private_check(&memory));
    stream_exchange_free(&exchange);
    stream_private_free(&memory);
}

static void test_shared(pgas_place_t place, stream_form_t form)
{
    enum {
        REPETITIONS = 2,
        COUNT = ELEMENTS - 1
    };
    double seconds[STREAM_KERNELS * REPETITIONS];
    stream_shared_t shared;
    stream_shared_create(ELEMENTS, &shared);
    pgas_stats_reset();
    CHECK(stream_shared_measure(&shared, form, place, COUNT, REPETITIONS, seconds));
    for (size_t i = 0; i < (size_t)STREAM_SUM * REPETITIONS; i++)
        CHECK(seconds[i] > 0.0);
    /* Copy and scale read one array, add and triad two; once more to warm up. */
    size_t reads = (size_t)6 * COUNT * (REPETITIONS + 1);
    if (form == STREAM_POINTERS)
        CHECK(counted(place, PGAS_INDIVIDUAL, PGAS_FROM).operations >= reads);
    if (form == STREAM_BULK)
        CHECK(counted(place, PGAS_CONTIGUOUS, PGAS_FROM).bytes == reads * sizeof(double));
    if (form == STREAM_PRIVATISED)
        CHECK(counted(place, PGAS_CONTIGUOUS, PGAS_FROM).operations == 0);
    stream_shared_free(&shared);
}

static void test_reads(pgas_place_t place)
{
    enum {
        SPREAD = 1 << 16, /* elements, few of which have two indexes */
        INDICES = 2048,
        TURNS = 1024
    };
    stream_reads_t reads;
    stream_reads_create(place, SPREAD, INDICES, &reads);
    CHECK(stream_reads_check(&reads));
    for (size_t i = 0; i < INDICES; i++)
        CHECK(pgas_place_of(pgas_array_owner(&reads.v, reads.indices[i])) ==
              place_of_partner(place));
    reads.turns = TURNS;
    uint64_t before = counted(place, PGAS_INDIVIDUAL, PGAS_FROM).operations;
    CHECK(stream_reads_measure(&reads) >= 0.0);
    CHECK(counted(place, PGAS_INDIVIDUAL, PGAS_FROM).operations >= before + TURNS);
    /* A wrong value is found whichever index names it. */
    if (pgas_mythread() == 0)
        PGAS_PUT(double, &reads.v, reads.indices[INDICES - 1], -1.0);
    pgas_barrier();
    CHECK(!stream_reads_check(&reads));
    stream_reads_free(&reads);
}

static void test_pointers(void)
{
    stream_pointers_t pointers;
    stream_pointers_create(&pointers);
    stream_pointers_fit(&pointers, 1e-4);
    CHECK(stream_pointers_measure(&pointers) >= 0.0);
    for (size_t i = 0; i < 64; i++)
        CHECK(pointers.sums[i] == 8.0); /* 16 products of 0.5 and 1 */
    if (pgas_threads() > 1) {
        pointers.sums[0] = 8.0;
        CHECK(stream_affinity_measure(&pointers) > 0.0);
        CHECK(pointers.sums[0] == 8.0); /* the body was not executed */
    }
    stream_pointers_free(&pointers);
}

static void test_messages(pgas_place_t place)
{
    stream_pingpong_t state;
    stream_pingpong_create(place, 100000, &state);
    CHECK(stream_pingpong_check(&state, 1));
    CHECK(stream_pingpong_check(&state, 100000));
    CHECK(stream_pingpong_measure(&state, 8, 3) > 0.0);
    pgas_stats_reset();
    CHECK(stream_put_measure(&state, 1000, 7) > 0.0);
    CHECK(counted(place, PGAS_CONTIGUOUS, PGAS_TO).bytes == 7000);
    stream_pingpong_free(&state);
}

/* The traffic of the `count` operations that a price is measured by, on the calling thread. */
static void check_price(stream_prices_t *prices, int price, size_t count)
{
    const struct {
        pgas_mode_t mode;
        pgas_direction_t direction;
    } kinds[STREAM_PLACED_PRICES] = {
        [STREAM_FETCH_LATENCY] = {PGAS_MODE_ATOMIC, PGAS_FROM},
        [STREAM_FETCH_FLOOD] = {PGAS_MODE_ATOMIC, PGAS_FROM},
        [STREAM_UPDATE_LATENCY] = {PGAS_MODE_ATOMIC, PGAS_TO},
        [STREAM_UPDATE_FLOOD] = {PGAS_MODE_ATOMIC, PGAS_TO},
        [STREAM_SIGNAL_LATENCY] = {PGAS_MODE_SIGNAL, PGAS_TO},
        [STREAM_SIGNAL_FLOOD] = {PGAS_MODE_SIGNAL, PGAS_TO},
        [STREAM_SIGNAL_BULK] = {PGAS_MODE_SIGNAL, PGAS_TO},
        [STREAM_SIGNAL_TURN] = {PGAS_MODE_SIGNAL, PGAS_TO},
        [STREAM_AM_LATENCY] = {PGAS_MODE_AM, PGAS_TO},
        [STREAM_AM_FLOOD] = {PGAS_MODE_AM, PGAS_TO},
    };
    double seconds[STREAM_PRICES] = {0};
    pgas_place_t place = (pgas_place_t)(price % PGAS_PLACES);
    int kind = price / PGAS_PLACES;
    memset(prices->counts, 0, sizeof prices->counts);
    prices->counts[price] = count;
    pgas_barrier();
    pgas_stats_reset();
    stream_prices_measure(prices, seconds);
    CHECK(seconds[price] > 0.0);
    /* Replies count as well, and who asks whom need not be who asks it. */
    uint64_t operations = counted(place, kinds[kind].mode, kinds[kind].direction).operations;
    if (kind == STREAM_SIGNAL_TURN && pgas_mythread() != 0 &&
        pgas_mythread() != stream_partner(0, place))
        count = 0;
    CHECK(operations >= count && (kind == STREAM_AM_LATENCY || operations == count));
    size_t nbytes = kind == STREAM_SIGNAL_BULK ? 65536 : 8;
    if (kinds[kind].mode == PGAS_MODE_SIGNAL)
        CHECK(counted(place, PGAS_CONTIGUOUS, PGAS_TO).bytes == count * nbytes);
}

/* Every price is that of the named operations at the named place; words, signals and messages end
 * up as sent, and a word, a signal or bytes that do not are found. */
static void test_prices(void)
{
    stream_private_t memory;
    stream_prices_t prices;
    int me = pgas_mythread();
    stream_private_create(STREAM_IN_SHARED_HEAP, ELEMENTS, &memory);
    stream_prices_create(&memory, 1e-5, &prices);
    for (int price = 0; price < STREAM_FETCH_FAR; price++) {
        bool is_own_turn = price == STREAM_SIGNAL_TURN * PGAS_PLACES + PGAS_OWN;
        CHECK(stream_price_is_measured(price) ==
              (stream_has_partners((pgas_place_t)(price % PGAS_PLACES)) && !is_own_turn));
        if (stream_price_is_measured(price))
            check_price(&prices, price, 5);
    }
    CHECK(stream_price_is_measured(STREAM_FETCH_FAR));
    CHECK(stream_price_is_measured(STREAM_FETCH_CONTENDED) == stream_has_partners(PGAS_LOCAL));
    CHECK(strcmp(stream_price_name(0), "fetch_latency_own") == 0);
    CHECK(strcmp(stream_price_name(STREAM_FETCH_FAR - 1), "am_flood_remote") == 0);
    CHECK(strcmp(stream_price_name(STREAM_PRICES - 1), "fetch_shared") == 0);
    CHECK(stream_prices_check(&prices) && stream_private_check(&memory));
    uint64_t *word = pgas_local(pgas_ptr_on(prices.atomics.words, me));
    word[1] += me == 0;
    CHECK(!stream_prices_check(&prices));
    word[1] -= me == 0;
    char *landing = pgas_local(pgas_ptr_on(prices.signals.landing, me));
    landing[65535] = (char)(landing[65535] + (me == 0));
    CHECK(!stream_prices_check(&prices));
    landing[65535] = (char)(landing[65535] - (me == 0));
    prices.signals.signalled[PGAS_OWN] += me == 0;
    CHECK(!stream_prices_check(&prices));
    prices.signals.signalled[PGAS_OWN] -= me == 0;
    CHECK(stream_prices_check(&prices));
    stream_prices_free(&prices);
    stream_private_free(&memory);
}

static void test_transfers(pgas_place_t place)
{
    const size_t sizes[] = {1, 8, 1000, 70000};
    const size_t depths[] = {1, 2, 9};
    stream_link_t link;
    stream_link_create(place, 70000, 9, false, &link);
    for (int operation = 0; operation < STREAM_OPERATIONS; operation++)
        for (int mode = 0; mode < STREAM_MODES; mode++)
            for (size_t s = 0; s < 4; s++)
                for (size_t d = 0; d < 3; d++) {
                    const stream_transfer_t transfer = {STREAM_FATHOM,
                                                        (stream_operation_t)operation,
                                                        (stream_mode_t)mode, sizes[s], depths[d]};
                    pgas_direction_t direction = operation == STREAM_GET ? PGAS_FROM : PGAS_TO;
                    CHECK(stream_transfer_check(&link, &transfer));
                    pgas_stats_reset();
                    CHECK(stream_transfer_measure(&link, &transfer, 20) > 0.0);
                    uint64_t mine = pgas_mythread() == 0 ? 20 : 0;
                    CHECK(counted(place, PGAS_CONTIGUOUS, direction).operations == mine);
                    CHECK(counted(place, PGAS_CONTIGUOUS, direction).bytes == mine * sizes[s]);
                }
    stream_link_free(&link);
}

/* Meetings and reads are as many as asked for, of the partner at the place; a read of something
 * else than was shown is found. */
static double check_round(stream_rounds_t *rounds, int price, size_t count)
{
    double seconds[STREAM_ROUND_PRICES] = {0};
    pgas_place_t place = (pgas_place_t)(price % PGAS_PLACES);
    int kind = price / PGAS_PLACES;
    memset(rounds->counts, 0, sizeof rounds->counts);
    rounds->counts[price] = count;
    pgas_stats_reset();
    stream_rounds_measure(rounds, seconds);
    CHECK(seconds[price] >= 0.0 && (kind >= STREAM_ROUND_READ || seconds[price] > 0.0));
    pgas_traffic_t reads = counted(place, PGAS_CONTIGUOUS, PGAS_FROM);
    size_t nbytes =
        stream_round_bytes[(kind - STREAM_ROUND + STREAM_ROUND_SIZES) % STREAM_ROUND_SIZES];
    if (kind == STREAM_MEETING)
        CHECK(reads.operations == 0);
    else
        CHECK(reads.operations == count && reads.bytes == count * nbytes);
    return seconds[price];
}

/* A clock that takes longer than what it times makes a read free, and changes nothing else. */
static void check_slow_clock(stream_rounds_t *rounds, int price)
{
    double clock_seconds = rounds->clock_seconds;
    rounds->clock_seconds = 1e9;
    bool is_read = price / PGAS_PLACES >= STREAM_ROUND_READ;
    CHECK((check_round(rounds, price, 1) == 0.0) == is_read);
    rounds->clock_seconds = clock_seconds;
}

static uint64_t counted_meetings(void)
{
    pgas_collective_traffic_t list[16];
    uint64_t meetings = 0;
    size_t count = pgas_stats_collectives(list, 16);
    for (size_t i = 0; i < count && i < 16; i++)
        meetings += list[i].meetings;
    return meetings;
}

/* Of two nodes one thread reads, the lowest of the first, wherever the others are. */
static bool reads_alone(void)
{
    int node = pgas_node_of(pgas_mythread());
    bool is_lowest = true;
    bool has_next = false;
    for (int t = 0; t < pgas_threads(); t++) {
        is_lowest = is_lowest && (t >= pgas_mythread() || pgas_node_of(t) != node);
        has_next = has_next || pgas_node_of(t) == node + 1;
    }
    return is_lowest && has_next && node % 2 == 0;
}

/* It reads of its partner on the other; all wait before and behind that. */
static void check_alone(stream_rounds_t *rounds, int size)
{
    double seconds[STREAM_ROUND_PRICES] = {0};
    bool reads = reads_alone();
    uint64_t meetings[2];
    for (size_t more = 0; more < 2; more++) {
        memset(rounds->counts, 0, sizeof rounds->counts);
        rounds->counts[STREAM_READ_ALONE + size] = 3 + more;
        pgas_stats_reset();
        stream_rounds_measure(rounds, seconds);
        pgas_traffic_t got = counted(PGAS_REMOTE, PGAS_CONTIGUOUS, PGAS_FROM);
        CHECK(got.operations == (reads ? 3 + more : 0));
        CHECK(got.bytes == got.operations * stream_round_bytes[size]);
        CHECK(counted(PGAS_LOCAL, PGAS_CONTIGUOUS, PGAS_FROM).operations == 0);
        CHECK(seconds[STREAM_READ_ALONE + size] >= 0.0);
        meetings[more] = counted_meetings();
    }
    CHECK(meetings[1] - meetings[0] == 2);
}

static void test_reads_alone(stream_rounds_t *rounds)
{
    for (int size = 0; size < STREAM_ROUND_REMOTE_SIZES; size++) {
        CHECK(stream_round_is_measured(STREAM_READ_ALONE + size) ==
              stream_has_partners(PGAS_REMOTE));
        if (stream_has_partners(PGAS_REMOTE))
            check_alone(rounds, size);
    }
    CHECK(strcmp(stream_round_name(STREAM_READ_ALONE), "round_read_alone_8_remote") == 0);
    CHECK(strcmp(stream_round_name(STREAM_ROUND_PRICES - 1), "round_read_alone_1048576_remote") ==
          0);
}

static void test_rounds(void)
{
    stream_rounds_t rounds;
    stream_rounds_create(1e-5, &rounds);
    for (int price = 0; price < STREAM_COMBINE; price++) {
        int kind = price / PGAS_PLACES;
        pgas_place_t place = (pgas_place_t)(price % PGAS_PLACES);
        bool is_round = kind >= STREAM_ROUND && kind < STREAM_ROUND_READ;
        bool is_longest = kind == STREAM_PLACED_ROUNDS - 1;
        bool is_left_out = place == PGAS_REMOTE && (is_round || is_longest);
        CHECK(stream_round_is_measured(price) == (stream_has_partners(place) && !is_left_out));
        if (!stream_round_is_measured(price))
            continue;
        check_round(&rounds, price, 3);
        check_slow_clock(&rounds, price);
    }
    test_reads_alone(&rounds);
    CHECK(strcmp(stream_round_name(0), "meeting_own") == 0);
    CHECK(strcmp(stream_round_name(STREAM_COMBINE - 1), "round_read_16777216_remote") == 0);
    CHECK(strcmp(stream_round_name(STREAM_COMBINE), "combine_element") == 0);
    CHECK(stream_rounds_check(&rounds));
    rounds.wrong += pgas_mythread() == 0;
    CHECK(!stream_rounds_check(&rounds));
    stream_rounds_free(&rounds);
}

int main(void)
{
    if (pgas_init() != PGAS_OK)
        return 1;
    stream_job_begin();
    test_partners();
    test_agreement();
    test_private(STREAM_IN_PRIVATE_MEMORY);
    test_private(STREAM_IN_SHARED_HEAP);
    test_pointers();
    test_vectors();
    test_field();
    test_exchange();
    test_prices();
    test_rounds();
    for (int p = 0; p < PGAS_PLACES; p++) {
        pgas_place_t place = (pgas_place_t)p;
        if (!stream_has_partners(place))
            continue;
        for (int form = 0; form < STREAM_FORMS; form++)
            if (stream_shared_reaches((stream_form_t)form, place))
                test_shared(place, (stream_form_t)form);
        if (place != PGAS_OWN) {
            test_reads(place);
            test_messages(place);
            test_transfers(place);
        }
    }
    stream_job_end();
    pgas_finalize();
    return 0;
}
