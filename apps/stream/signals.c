#include "signals.h"

#include <stdlib.h>
#include <string.h>

#include "common/large.h"
#include "job.h"

enum {
    LINE = 64
};

/* What handlers count, in the main thread. */
static uint64_t replies;
static uint64_t arrivals[PGAS_PLACES];

static pgas_am_t reply;
static pgas_am_t request;
static pgas_am_t notice;

static void count_reply(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                        size_t nbytes)
{
    (void)token;
    (void)args;
    (void)nargs;
    (void)payload;
    (void)nbytes;
    replies++;
}

static void answer(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                   size_t nbytes)
{
    (void)args;
    (void)nargs;
    (void)payload;
    (void)nbytes;
    pgas_am_reply_short(token, reply, NULL, 0);
}

static void count_notice(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                         size_t nbytes)
{
    (void)token;
    (void)nargs;
    (void)payload;
    (void)nbytes;
    arrivals[args[0]]++;
}

static void register_handlers(void)
{
    static bool done;
    if (done)
        return;
    reply = pgas_am_register("stream reply", count_reply, PGAS_AM_POLL);
    request = pgas_am_register("stream request", answer, PGAS_AM_POLL);
    notice = pgas_am_register("stream notice", count_notice, PGAS_AM_POLL);
    done = true;
}

static pgas_ptr_t signal_of(const stream_signals_t *signals, int thread, int place)
{
    return pgas_ptr_shift(pgas_ptr_on(signals->signals, thread), (ptrdiff_t)place * LINE);
}

static pgas_signal_t *own_signal(const stream_signals_t *signals, int place)
{
    return pgas_local(signal_of(signals, pgas_mythread(), place));
}

static char *own_landing(const stream_signals_t *signals)
{
    return pgas_local(pgas_ptr_on(signals->landing, pgas_mythread()));
}

static void find_partners(stream_signals_t *signals, int place)
{
    int me = pgas_mythread();
    bool exist = stream_has_partners((pgas_place_t)place);
    signals->partner[place] = exist ? stream_partner(me, (pgas_place_t)place) : -1;
    for (int t = 0; exist && t < pgas_threads(); t++)
        signals->senders[place] += stream_partner(t, (pgas_place_t)place) == me;
}

void stream_signals_create(stream_signals_t *signals)
{
    size_t threads = (size_t)pgas_threads();
    *signals = (stream_signals_t){
        .source = common_alloc("messages", STREAM_SIGNAL_LONG, 1),
    };
    if (pgas_all_alloc(threads, STREAM_SIGNAL_LONG, &signals->landing) != PGAS_OK ||
        pgas_all_alloc(threads, (size_t)PGAS_PLACES * LINE, &signals->signals) != PGAS_OK)
        pgas_exit(1);
    for (size_t i = 0; i < STREAM_SIGNAL_LONG; i++)
        signals->source[i] = (char)(i * 7 + 1);
    memset(own_landing(signals), 0, STREAM_SIGNAL_LONG);
    replies = 0;
    for (int place = 0; place < PGAS_PLACES; place++) {
        arrivals[place] = 0;
        pgas_signal_set(own_signal(signals, place), 0);
        find_partners(signals, place);
    }
    register_handlers();
    pgas_barrier();
}

void stream_signals_free(stream_signals_t *signals)
{
    pgas_all_free(signals->signals);
    pgas_all_free(signals->landing);
    free(signals->source);
}

static void put(const stream_signals_t *signals, int thread, size_t nbytes)
{
    pgas_put_signal(pgas_ptr_on(signals->landing, thread), signals->source, nbytes,
                    signal_of(signals, thread, signals->place), PGAS_SIGNAL_ADD, 1);
}

static void wait_for(stream_signals_t *signals, uint64_t puts)
{
    signals->signalled[signals->place] += puts * signals->senders[signals->place];
    pgas_signal_wait(own_signal(signals, signals->place), PGAS_GE,
                     signals->signalled[signals->place]);
}

static void steps(stream_signals_t *signals, size_t nbytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put(signals, signals->partner[signals->place], nbytes);
        wait_for(signals, 1);
    }
}

void stream_signals_short(void *context, size_t count)
{
    steps(context, STREAM_SIGNAL_SHORT, count);
}

void stream_signals_long(void *context, size_t count)
{
    steps(context, STREAM_SIGNAL_LONG, count);
}

static void wait_turn(stream_signals_t *signals)
{
    signals->signalled[signals->place]++;
    pgas_signal_wait(own_signal(signals, signals->place), PGAS_GE,
                     signals->signalled[signals->place]);
}

void stream_signals_turns(void *context, size_t count)
{
    stream_signals_t *signals = context;
    int me = pgas_mythread();
    int partner = stream_partner(0, (pgas_place_t)signals->place);
    for (size_t i = 0; i < count && me == 0; i++) {
        put(signals, partner, STREAM_SIGNAL_SHORT);
        wait_turn(signals);
    }
    for (size_t i = 0; i < count && me == partner; i++) {
        wait_turn(signals);
        put(signals, 0, STREAM_SIGNAL_SHORT);
    }
}

void stream_signals_flood(void *context, size_t count)
{
    stream_signals_t *signals = context;
    for (size_t i = 0; i < count; i++)
        put(signals, signals->partner[signals->place], STREAM_SIGNAL_SHORT);
    wait_for(signals, count);
}

void stream_signals_ask(void *context, size_t count)
{
    stream_signals_t *signals = context;
    for (size_t i = 0; i < count; i++) {
        signals->asked++;
        pgas_am_request_short(signals->partner[signals->place], request, NULL, 0);
        PGAS_WAIT_UNTIL(uint64_t, &replies, PGAS_GE, signals->asked);
    }
}

void stream_signals_tell(void *context, size_t count)
{
    stream_signals_t *signals = context;
    int place = signals->place;
    for (size_t i = 0; i < count; i++)
        pgas_am_request_short(signals->partner[place], notice, PGAS_AM_ARGS(place));
    signals->told[place] += count * signals->senders[place];
    PGAS_WAIT_UNTIL(uint64_t, &arrivals[place], PGAS_GE, signals->told[place]);
}

bool stream_signals_check(const stream_signals_t *signals)
{
    const char *landing = own_landing(signals);
    bool right = replies == signals->asked;
    bool is_sent = false;
    for (int place = 0; place < PGAS_PLACES; place++) {
        right &= pgas_signal_fetch(own_signal(signals, place)) == signals->signalled[place];
        right &= arrivals[place] == signals->told[place];
        is_sent |= signals->signalled[place] > 0;
    }
    if (is_sent)
        right &= memcmp(landing, signals->source, STREAM_SIGNAL_LONG) == 0;
    return stream_all(right);
}
