/* What counted traffic costs. */
#include "perfmodel/traffic.h"

#include <math.h>
#include <stdlib.h>

#include "fail.h"
#include "stream.h"

enum {
    NONE = -1
};

/* Bytes of a short put with a signal, which its latency has (STREAM_SIGNAL_SHORT of
 * apps/stream/signals.h). */
static const double signal_short_bytes = 8.0;

/* The parameters that price a kind of operations. */
typedef struct term {
    int latency;
    /** Of many in flight; where it is absent, and not usual, the latency stands for it. */
    int flood;
    /** What an operation may take instead: on memory in no cache, on a word that all change. */
    int far;
    int contended;
    /** What one takes on memory that several threads of the node change. */
    int shared;
    bool flood_is_usual;
    /** Where threads take turns, what one of their operations takes; else none are waited for. */
    int turn;
    /** Bytes are not part of the price. */
    bool has_bytes;
} term_t;

/* A term without flood and the rest. */
static term_t plain_term(int latency)
{
    return (term_t){latency, NONE, NONE, NONE, NONE, false, NONE, false};
}

static term_t value_term(model_place_t place, model_direction_t direction)
{
    term_t term = plain_term(MODEL_LOCAL_ACCESS_CACHED);
    if (place == MODEL_REMOTE) {
        bool gets = direction == MODEL_FROM;
        term = plain_term(gets ? MODEL_REMOTE_LATENCY : MODEL_MESSAGE_LATENCY);
        term.flood = MODEL_PRICE(gets ? MODEL_FETCH_FLOOD : MODEL_UPDATE_FLOOD, place);
    } else {
        term.far = MODEL_LOCAL_ACCESS;
    }
    return term;
}

static term_t copy_term(model_place_t place, model_direction_t direction)
{
    term_t term =
        place == MODEL_REMOTE ? value_term(place, direction) : plain_term(MODEL_BLOCK_LATENCY);
    term.has_bytes = true;
    return term;
}

static term_t atomic_term(model_place_t place, model_direction_t direction)
{
    bool fetches = direction == MODEL_FROM;
    term_t term =
        plain_term(MODEL_PRICE(fetches ? MODEL_FETCH_LATENCY : MODEL_UPDATE_LATENCY, place));
    term.flood = MODEL_PRICE(fetches ? MODEL_FETCH_FLOOD : MODEL_UPDATE_FLOOD, place);
    term.flood_is_usual = !fetches;
    if (place != MODEL_REMOTE) {
        term.far = MODEL_FETCH_FAR;
        term.contended = MODEL_FETCH_CONTENDED;
        term.shared = MODEL_FETCH_SHARED;
    }
    return term;
}

static term_t signal_term(model_place_t place)
{
    term_t term = plain_term(MODEL_PRICE(MODEL_SIGNAL_LATENCY, place));
    term.flood = MODEL_PRICE(MODEL_SIGNAL_FLOOD, place);
    term.turn = place == MODEL_OWN ? term.latency : MODEL_PRICE(MODEL_SIGNAL_TURN, place);
    return term;
}

static term_t message_term(model_place_t place)
{
    term_t term = plain_term(MODEL_PRICE(MODEL_AM_LATENCY, place));
    term.flood = MODEL_PRICE(MODEL_AM_FLOOD, place);
    term.turn = term.latency;
    term.has_bytes = true;
    return term;
}

static term_t term_of(model_place_t place, model_mode_t mode, model_direction_t direction)
{
    switch (mode) {
    case MODEL_INDIVIDUAL:
        return value_term(place, direction);
    case MODEL_ATOMIC:
        return atomic_term(place, direction);
    case MODEL_SIGNAL:
        return signal_term(place);
    case MODEL_AM:
        return message_term(place);
    default:
        return copy_term(place, direction);
    }
}

/* What a prediction is made from. */
typedef struct work {
    const model_traffic_t *traffic;
    const model_machine_t *machine;
    double in_flight;
    model_parameters_t parameters[MODEL_CASES];
    /** By node: bytes that leave, bytes that come, and operations served. */
    double *leaving;
    double *coming;
    double *served;
    /** By thread: signals to it from the thread at work; and how many threads of its node make
     *  atomic operations on its memory. */
    double *signals;
    double *users;
    /** By owner: the last such thread, plus one. */
    size_t *last_user;
    /** By owner: whether other nodes make such operations on its memory. */
    bool *is_reached;
    model_traffic_prediction_t *made;
} work_t;

static model_place_t place_of(const model_traffic_t *traffic, const model_exchange_t *exchange)
{
    if (exchange->thread == exchange->other)
        return MODEL_OWN;
    return traffic->node[exchange->thread] == traffic->node[exchange->other] ? MODEL_LOCAL
                                                                             : MODEL_REMOTE;
}

/* ---- Counts ---- */

static void count_link(work_t *work, const model_exchange_t *exchange, double bytes)
{
    size_t own = work->traffic->node[exchange->thread];
    size_t other = work->traffic->node[exchange->other];
    work->leaving[exchange->direction == MODEL_TO ? own : other] += bytes;
    work->coming[exchange->direction == MODEL_TO ? other : own] += bytes;
}

/* The share of puts to a thread that have one of the signals to it. */
static double signalled_share(const work_t *work, const model_exchange_t *exchange)
{
    if (exchange->mode != MODEL_CONTIGUOUS || exchange->direction != MODEL_TO ||
        exchange->operations == 0.0)
        return 0.0;
    return fmin(work->signals[exchange->other] / exchange->operations, 1.0);
}

static void count_exchange(work_t *work, const model_exchange_t *exchange)
{
    model_place_t place = place_of(work->traffic, exchange);
    model_thread_traffic_t *mine = &work->made->threads[exchange->thread];
    model_thread_traffic_t *other = &work->made->threads[exchange->other];
    model_kind_t *kind = &mine->kinds[place][exchange->mode][exchange->direction];
    double share = signalled_share(work, exchange);
    double bytes = exchange->bytes * (1.0 - share);
    bool has_bytes = term_of(place, exchange->mode, exchange->direction).has_bytes;
    kind->operations += exchange->operations * (1.0 - share);
    if (exchange->mode != MODEL_SIGNAL)
        kind->bytes += bytes;
    mine->kinds[place][MODEL_SIGNAL][MODEL_TO].bytes += exchange->bytes * share;
    if (exchange->mode == MODEL_ATOMIC && place != MODEL_REMOTE &&
        work->users[exchange->other] > 1.0)
        kind->shared += exchange->operations;
    if (place != MODEL_OWN)
        other->kinds[place][exchange->mode][exchange->direction].received += exchange->operations;
    if (place != MODEL_REMOTE)
        return;
    work->served[work->traffic->node[exchange->other]] += exchange->operations;
    if (has_bytes)
        count_link(work, exchange, bytes);
}

static void note_signals(work_t *work, const model_exchange_t *exchange, double operations)
{
    if (exchange->mode == MODEL_SIGNAL)
        work->signals[exchange->other] = operations;
}

/* A thread counts once for each owner, whatever its operations. */
static void count_users(work_t *work)
{
    const model_traffic_t *traffic = work->traffic;
    size_t *last = work->last_user;
    for (size_t e = 0; e < traffic->count; e++) {
        const model_exchange_t *exchange = &traffic->exchanges[e];
        if (exchange->mode != MODEL_ATOMIC || exchange->operations == 0.0)
            continue;
        if (place_of(traffic, exchange) == MODEL_REMOTE)
            work->is_reached[exchange->other] = true;
        else if (last[exchange->other] != exchange->thread + 1)
            work->users[exchange->other] += 1.0;
        if (place_of(traffic, exchange) != MODEL_REMOTE)
            last[exchange->other] = exchange->thread + 1;
    }
    for (size_t t = 0; t < traffic->threads; t++)
        work->made->is_mixed |= work->is_reached[t] && work->users[t] > 0.0;
}

/* The exchanges of a thread stand together. */
static void count(work_t *work)
{
    const model_traffic_t *traffic = work->traffic;
    const model_exchange_t *all = traffic->exchanges;
    size_t end;
    count_users(work);
    for (size_t begin = 0; begin < traffic->count; begin = end) {
        end = begin;
        while (end < traffic->count && all[end].thread == all[begin].thread)
            end++;
        for (size_t e = begin; e < end; e++)
            note_signals(work, &all[e], all[e].operations);
        for (size_t e = begin; e < end; e++)
            count_exchange(work, &all[e]);
        for (size_t e = begin; e < end; e++)
            note_signals(work, &all[e], 0.0);
    }
}

/* ---- Prices ---- */

static double value_of(const work_t *work, model_case_t which, int parameter)
{
    return parameter != NONE && work->machine->has[parameter]
               ? work->parameters[which].value[parameter]
               : 0.0;
}

/* Whether the machine has a parameter that is needed. */
static bool has(work_t *work, int parameter)
{
    work->made->is_missing[parameter] |= !work->machine->has[parameter];
    return work->machine->has[parameter];
}

static bool is_known(work_t *work, model_place_t place, model_mode_t mode, const term_t *term)
{
    bool known = has(work, term->latency);
    if (mode >= MODEL_AM)
        known = has(work, term->flood) && known;
    if (mode == MODEL_SIGNAL) {
        known = has(work, MODEL_PRICE(MODEL_SIGNAL_BULK, place)) && known;
        known = has(work, term->turn) && known;
    }
    return known;
}

/* Seconds of the bytes of a kind, but for those on a link. */
static double byte_seconds(const work_t *work, model_case_t which, model_place_t place,
                           model_mode_t mode, const term_t *term, const model_kind_t *kind)
{
    const model_parameters_t *machine = &work->parameters[which];
    if (mode == MODEL_SIGNAL) {
        double beyond = value_of(work, which, MODEL_PRICE(MODEL_SIGNAL_BULK, place)) -
                        value_of(work, which, term->latency);
        double bytes = fmax(kind->bytes - kind->operations * signal_short_bytes, 0.0);
        return bytes * fmax(beyond, 0.0) / (MODEL_SIGNAL_BYTES - signal_short_bytes);
    }
    if (!term->has_bytes || place == MODEL_REMOTE)
        return 0.0;
    if (machine->has[MODEL_PRIVATE_COPY_BANDWIDTH])
        return 2.0 * kind->bytes / machine->value[MODEL_PRIVATE_COPY_BANDWIDTH];
    return modeli_traffic_seconds((modeli_traffic_t){kind->bytes, kind->bytes}, machine);
}

/* The same operations under each assumption. */
typedef struct ways {
    double together;
    double usual;
    double one_by_one;
    double worst;
} ways_t;

static ways_t ways_of(const work_t *work, model_case_t which, const term_t *term,
                      const model_kind_t *kind, double bytes)
{
    double n = kind->operations;
    double latency = value_of(work, which, term->latency);
    bool has_flood = term->flood != NONE && work->machine->has[term->flood];
    double flood = has_flood ? fmin(value_of(work, which, term->flood), latency) : latency;
    double shared = value_of(work, which, term->shared);
    double worst = fmax(value_of(work, which, term->far), value_of(work, which, term->contended));
    double turns = n * latency;
    double usual = term->flood_is_usual ? flood : latency;
    if (term->turn != NONE)
        turns = fmax((n + kind->received) * value_of(work, which, term->turn), turns);
    if (work->in_flight > 0.0)
        usual = flood + (latency - flood) / work->in_flight;
    return (ways_t){
        .together = n * flood + bytes,
        .usual = (n - kind->shared) * usual + kind->shared * fmax(shared, usual) + bytes,
        .one_by_one = turns + bytes,
        .worst = n * fmax(worst, shared) + bytes,
    };
}

static void price_kind(work_t *work, model_place_t place, model_mode_t mode,
                       model_direction_t direction, model_kind_t *kind)
{
    ways_t ways[MODEL_CASES];
    term_t term = term_of(place, mode, direction);
    if (kind->operations == 0.0)
        return;
    kind->is_unknown = !is_known(work, place, mode, &term);
    if (kind->is_unknown)
        return;
    for (int c = 0; c < MODEL_CASES; c++) {
        model_case_t which = (model_case_t)c;
        double bytes = byte_seconds(work, which, place, mode, &term, kind);
        ways[c] = ways_of(work, which, &term, kind, bytes);
    }
    const ways_t *best = &ways[MODEL_FASTEST];
    const ways_t *worst = &ways[MODEL_SLOWEST];
    bool knows = work->in_flight > 0.0;
    kind->together = ways[MODEL_TYPICAL].together;
    kind->one_by_one = ways[MODEL_TYPICAL].one_by_one;
    kind->seconds.predicted = ways[MODEL_TYPICAL].usual;
    /* What differences of parameters price is not least where all parameters are best. */
    kind->seconds.low = fmin(knows ? best->usual : best->together, kind->seconds.predicted);
    kind->seconds.high =
        fmax(fmax(knows ? worst->usual : worst->one_by_one, worst->worst), kind->seconds.predicted);
}

static void add(model_estimate_t *sum, const model_estimate_t *part)
{
    sum->predicted += part->predicted;
    sum->low += part->low;
    sum->high += part->high;
}

/* The link of a thread's node, for threads that copy to other nodes or from them. */
static model_estimate_t link_seconds(work_t *work, size_t thread)
{
    const model_thread_traffic_t *mine = &work->made->threads[thread];
    size_t node = work->traffic->node[thread];
    double own = 0.0;
    for (int mode = MODEL_CONTIGUOUS; mode <= MODEL_AM; mode++)
        for (int direction = 0; direction < MODEL_DIRECTIONS; direction++)
            own += mine->kinds[MODEL_REMOTE][mode][direction].bytes;
    int shared = MODEL_REMOTE_BANDWIDTH_SHARED;
    int bandwidth = work->machine->has[shared] ? shared : MODEL_REMOTE_BANDWIDTH;
    if (own == 0.0 || !has(work, bandwidth))
        return (model_estimate_t){0.0, 0.0, 0.0};
    double bytes = fmax(work->leaving[node], work->coming[node]);
    return (model_estimate_t){bytes / value_of(work, MODEL_TYPICAL, bandwidth),
                              bytes / value_of(work, MODEL_FASTEST, bandwidth),
                              bytes / value_of(work, MODEL_SLOWEST, bandwidth)};
}

static void price_thread(work_t *work, size_t thread)
{
    model_thread_traffic_t *mine = &work->made->threads[thread];
    for (int place = 0; place < MODEL_PLACES; place++)
        for (int mode = 0; mode < MODEL_MODES; mode++)
            for (int direction = 0; direction < MODEL_DIRECTIONS; direction++) {
                model_kind_t *kind = &mine->kinds[place][mode][direction];
                price_kind(work, (model_place_t)place, (model_mode_t)mode,
                           (model_direction_t)direction, kind);
                add(&mine->seconds, &kind->seconds);
                mine->together += kind->together;
                mine->one_by_one += kind->one_by_one;
            }
    mine->link = link_seconds(work, thread);
    add(&mine->seconds, &mine->link);
    mine->together += mine->link.predicted;
    mine->one_by_one += mine->link.predicted;
}

static void sum_up(work_t *work)
{
    model_traffic_prediction_t *made = work->made;
    double most = 0.0;
    double all = 0.0;
    for (size_t t = 0; t < work->traffic->threads; t++) {
        const model_estimate_t *seconds = &made->threads[t].seconds;
        if (seconds->predicted > made->threads[made->slowest].seconds.predicted)
            made->slowest = t;
        made->seconds.predicted = fmax(made->seconds.predicted, seconds->predicted);
        made->seconds.low = fmax(made->seconds.low, seconds->low);
        made->seconds.high = fmax(made->seconds.high, seconds->high);
        made->together = fmax(made->together, made->threads[t].together);
        made->one_by_one = fmax(made->one_by_one, made->threads[t].one_by_one);
    }
    for (size_t node = 0; node < work->traffic->nodes; node++) {
        most = fmax(most, work->served[node]);
        all += work->served[node];
    }
    made->served = all > 0.0 ? most * (double)work->traffic->nodes / all : 0.0;
}

bool model_traffic_predict(const model_traffic_t *traffic, const model_machine_t *machine,
                           double in_flight, model_traffic_prediction_t *prediction,
                           mesh_error_t *error)
{
    model_traffic_prediction_t made = {
        .threads = calloc(traffic->threads, sizeof *made.threads),
    };
    work_t work = {
        .traffic = traffic,
        .machine = machine,
        .in_flight = in_flight,
        .leaving = calloc(3 * traffic->nodes, sizeof *work.leaving),
        .signals = calloc(2 * traffic->threads, sizeof *work.signals),
        .last_user = calloc(traffic->threads, sizeof *work.last_user),
        .is_reached = calloc(traffic->threads, sizeof *work.is_reached),
        .made = &made,
    };
    bool ready = made.threads != NULL && work.leaving != NULL && work.signals != NULL &&
                 work.last_user != NULL && work.is_reached != NULL;
    if (ready) {
        work.coming = work.leaving + traffic->nodes;
        work.served = work.coming + traffic->nodes;
        work.users = work.signals + traffic->threads;
        for (int c = 0; c < MODEL_CASES; c++)
            work.parameters[c] = model_machine_parameters(machine, (model_case_t)c);
        count(&work);
        for (size_t t = 0; t < traffic->threads; t++)
            price_thread(&work, t);
        sum_up(&work);
        *prediction = made;
    } else {
        free(made.threads);
        modeli_report(error, "not enough memory for the traffic of %zu threads", traffic->threads);
    }
    free(work.is_reached);
    free(work.last_user);
    free(work.signals);
    free(work.leaving);
    return ready;
}

void model_traffic_prediction_free(model_traffic_prediction_t *prediction)
{
    free(prediction->threads);
    prediction->threads = NULL;
}
