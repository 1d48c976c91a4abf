#include "prices.h"

#include "job.h"

/* What a loop of a price works on, and how many operations of each thread one iteration is. */
static const struct {
    const char *names[PGAS_PLACES];
    stream_loop_t loop;
    bool is_atomic;
    double operations;
} placed[STREAM_PLACED_PRICES] = {
#define NAMES(name) \
    { \
        name "_own", name "_local", name "_remote" \
    }
    [STREAM_FETCH_LATENCY] = {NAMES("fetch_latency"), stream_atomics_fetch, true, 1.0},
    [STREAM_FETCH_FLOOD] = {NAMES("fetch_flood"), stream_atomics_fetch_flood, true, 1.0},
    [STREAM_UPDATE_LATENCY] = {NAMES("update_latency"), stream_atomics_update, true, 1.0},
    [STREAM_UPDATE_FLOOD] = {NAMES("update_flood"), stream_atomics_update_flood, true, 1.0},
    [STREAM_SIGNAL_LATENCY] = {NAMES("signal_latency"), stream_signals_short, false, 1.0},
    [STREAM_SIGNAL_FLOOD] = {NAMES("signal_flood"), stream_signals_flood, false, 1.0},
    [STREAM_SIGNAL_BULK] = {NAMES("signal_bulk"), stream_signals_long, false, 1.0},
    [STREAM_SIGNAL_TURN] = {NAMES("signal_turn"), stream_signals_turns, false, 2.0},
    [STREAM_AM_LATENCY] = {NAMES("am_latency"), stream_signals_ask, false, 2.0},
    [STREAM_AM_FLOOD] = {NAMES("am_flood"), stream_signals_tell, false, 1.0},
#undef NAMES
};

/* Those of memory of the node. */
static const struct {
    const char *name;
    stream_loop_t loop;
} extra[STREAM_PRICES - STREAM_FETCH_FAR] = {
    {"fetch_far", stream_atomics_fetch_far},
    {"fetch_contended", stream_atomics_fetch_contended},
    {"fetch_shared", stream_atomics_fetch_shared},
};

static pgas_place_t memory_of_node(void)
{
    return stream_has_partners(PGAS_LOCAL) ? PGAS_LOCAL : PGAS_OWN;
}

const char *stream_price_name(int price)
{
    if (price < STREAM_FETCH_FAR)
        return placed[price / PGAS_PLACES].names[price % PGAS_PLACES];
    return extra[price - STREAM_FETCH_FAR].name;
}

bool stream_price_is_measured(int price)
{
    if (price == STREAM_SIGNAL_TURN * PGAS_PLACES + PGAS_OWN)
        return false;
    if (price < STREAM_FETCH_FAR)
        return stream_has_partners((pgas_place_t)(price % PGAS_PLACES));
    return price == STREAM_FETCH_FAR || stream_has_partners(PGAS_LOCAL);
}

/* The loop of a price, prepared for its partners. */
static stream_loop_t prepare(stream_prices_t *prices, int price, void **context)
{
    bool is_placed = price < STREAM_FETCH_FAR;
    pgas_place_t place = is_placed ? (pgas_place_t)(price % PGAS_PLACES) : memory_of_node();
    prices->atomics.partner = stream_partner(pgas_mythread(), place);
    prices->signals.place = (int)place;
    *context = &prices->atomics;
    if (!is_placed)
        return extra[price - STREAM_FETCH_FAR].loop;
    if (!placed[price / PGAS_PLACES].is_atomic)
        *context = &prices->signals;
    return placed[price / PGAS_PLACES].loop;
}

void stream_prices_create(stream_private_t *memory, double slot, stream_prices_t *prices)
{
    void *context;
    stream_atomics_create(memory, &prices->atomics);
    stream_signals_create(&prices->signals);
    for (int price = 0; price < STREAM_PRICES; price++)
        if (stream_price_is_measured(price)) {
            stream_loop_t loop = prepare(prices, price, &context);
            prices->counts[price] = stream_fit(loop, context, slot);
        }
}

void stream_prices_free(stream_prices_t *prices)
{
    stream_signals_free(&prices->signals);
    stream_atomics_free(&prices->atomics);
}

void stream_prices_measure(stream_prices_t *prices, double seconds[STREAM_PRICES])
{
    for (int price = 0; price < STREAM_PRICES; price++) {
        void *context;
        if (!stream_price_is_measured(price) || prices->counts[price] == 0)
            continue;
        stream_loop_t loop = prepare(prices, price, &context);
        double operations = price < STREAM_FETCH_FAR ? placed[price / PGAS_PLACES].operations : 1.0;
        double count = (double)prices->counts[price] * operations;
        seconds[price] = stream_time(loop, context, prices->counts[price]) / count;
    }
}

bool stream_prices_check(const stream_prices_t *prices)
{
    bool right = stream_atomics_check(&prices->atomics);
    return stream_signals_check(&prices->signals) && right;
}
