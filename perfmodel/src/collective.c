/* What the steps of a collective cost. */
#include "perfmodel/collective.h"

#include <math.h>
#include <string.h>

#include "collective_steps.h"

static const double sizes[MODEL_ROUND_SIZES] = MODEL_ROUND_BYTES;

static double rounds_between(size_t nodes)
{
    double rounds = 0.0;
    for (size_t reached = 1; reached < nodes; reached *= 2)
        rounds += 1.0;
    return rounds;
}

/* What does not travel itself is told to all. */
static modeli_carry_t carry_of(const modeli_member_t *member, const modeli_step_t *step)
{
    if (step->carry != MODELI_CARRY_NOTHING)
        return step->carry;
    return member->carry != MODELI_CARRY_NOTHING ? member->carry : MODELI_CARRY_ALL;
}

/* Bytes that a node sends with the messages of a meeting. */
static double carried_bytes(const modeli_member_t *member, const modeli_step_t *step)
{
    size_t nodes = member->call->layout.nodes;
    modeli_carry_t carry = carry_of(member, step);
    double blocks = 0.0;
    for (size_t round = 0; (size_t)1 << round < nodes; round++)
        blocks += modeli_carried(carry, nodes, member->root_node, member->node, round);
    return (step->between + 1.0) * step->block * blocks;
}

model_collective_counts_t model_collective_count(const model_collective_t *collective,
                                                 const model_collective_call_t *call, size_t member)
{
    model_collective_counts_t counts = {.meetings = 0.0};
    modeli_step_t steps[MODELI_STEPS] = {{0}};
    modeli_member_t who = modeli_member(collective, call, member);
    size_t count = collective->steps(&who, steps);
    for (size_t s = 0; s < count; s++) {
        for (int place = 0; place < MODEL_PLACES; place++) {
            const modeli_reads_t *reads = &steps[s].reads[place];
            counts.messages[place] += reads->sources * reads->times;
            counts.bytes[place] += reads->sources * reads->bytes;
        }
        counts.meetings += steps[s].between + (steps[s].meets ? 1.0 : 0.0);
        if (who.is_lowest_of_node && steps[s].meets)
            counts.bytes[MODEL_REMOTE] += carried_bytes(&who, &steps[s]);
    }
    if (who.is_lowest_of_node)
        counts.messages[MODEL_REMOTE] += counts.meetings * rounds_between(call->layout.nodes);
    return counts;
}

/* ---- Prices ---- */

/* Who reads of other nodes between two meetings: so many nodes, members of the last of them, and of
 * all; and whether all of them read of the root. */
typedef struct readers {
    size_t nodes;
    size_t last_node;
    double members;
    double all;
    bool of_root;
} readers_t;

/* The parameters at work, and the shapes of the job and of the calibration. */
typedef struct prices {
    double value[MODEL_PARAMETERS];
    bool has_copy_bandwidth;
    const model_collective_call_t *call;
    double measured_on_node;
    double measured_rounds;
    /** Threads of a node over those of the calibration; at least 1. */
    double fuller;
} prices_t;

static double value_of(const prices_t *prices, int price, size_t size, model_place_t place)
{
    return prices->value[MODEL_ROUND_PRICE(price, size, place)];
}

static double meeting_of(const prices_t *prices, double on_node)
{
    double alone = value_of(prices, MODEL_MEETING, 0, MODEL_OWN);
    double seconds = alone;
    if (on_node > 1.0)
        seconds += (value_of(prices, MODEL_MEETING, 0, MODEL_LOCAL) - alone) * (on_node - 1.0) /
                   (prices->measured_on_node - 1.0);
    size_t nodes = prices->call->layout.nodes;
    if (nodes > 1)
        seconds += (value_of(prices, MODEL_MEETING, 0, MODEL_REMOTE) - alone) *
                   rounds_between(nodes) / prices->measured_rounds;
    return fmax(seconds, 0.0);
}

static size_t sizes_at(model_place_t place)
{
    return place == MODEL_REMOTE ? MODEL_ROUND_REMOTE_SIZES : MODEL_ROUND_SIZES;
}

/* Seconds at a size, from those at the `count` measured ones. The slope beyond them is at least
 * `least`. */
static double between(const double seconds[], size_t count, double bytes, double least)
{
    size_t s = 1;
    if (bytes <= 0.0)
        return 0.0;
    if (bytes <= sizes[0])
        return seconds[0];
    while (s < count - 1 && bytes > sizes[s])
        s++;
    double slope = fmax(seconds[s] - seconds[s - 1], 0.0) / (sizes[s] - sizes[s - 1]);
    if (bytes <= sizes[s])
        return seconds[s - 1] + slope * (bytes - sizes[s - 1]);
    return seconds[s] + fmax(slope, least) * (bytes - sizes[s]);
}

/* Reading and writing a byte of memory. */
static double byte_of_memory(const prices_t *prices)
{
    return prices->has_copy_bandwidth ? 2.0 / prices->value[MODEL_PRIVATE_COPY_BANDWIDTH] : 0.0;
}

static double read_seconds(const prices_t *prices, model_place_t place, double bytes)
{
    double seconds[MODEL_ROUND_SIZES];
    size_t count = sizes_at(place);
    for (size_t s = 0; s < count; s++)
        seconds[s] = value_of(prices, MODEL_ROUND_READ, s, place);
    for (size_t s = 1; s < count && place == MODEL_REMOTE; s++)
        seconds[s] = seconds[0] + (seconds[s] - seconds[0]) * prices->fuller;
    return between(seconds, count, bytes, place == MODEL_REMOTE ? 0.0 : byte_of_memory(prices));
}

/* From another node, while no other node reads: it is measured with one reader, and so many share
 * the way. */
static double read_alone_seconds(const prices_t *prices, double members, double bytes)
{
    double seconds[MODEL_ROUND_REMOTE_SIZES];
    for (size_t s = 0; s < MODEL_ROUND_REMOTE_SIZES; s++)
        seconds[s] = prices->value[MODEL_READ_ALONE(s)];
    for (size_t s = 1; s < MODEL_ROUND_REMOTE_SIZES; s++)
        seconds[s] = seconds[0] + (seconds[s] - seconds[0]) * members;
    return between(seconds, MODEL_ROUND_REMOTE_SIZES, bytes, 0.0);
}

/* What all read of the root its node has to send. */
static double read_remote_seconds(const prices_t *prices, const readers_t *readers, double bytes)
{
    if (readers->nodes == 1)
        return read_alone_seconds(prices, readers->members, bytes);
    double sent = readers->of_root ? read_alone_seconds(prices, readers->all, bytes) : 0.0;
    return fmax(read_seconds(prices, MODEL_REMOTE, bytes), sent);
}

static double show_seconds(const prices_t *prices, bool is_alone, double bytes)
{
    double seconds[MODEL_ROUND_SIZES];
    model_place_t place = is_alone ? MODEL_OWN : MODEL_LOCAL;
    for (size_t s = 0; s < MODEL_ROUND_SIZES; s++)
        seconds[s] = fmax(value_of(prices, MODEL_ROUND, s, place) -
                              value_of(prices, MODEL_ROUND_READ, s, place) -
                              value_of(prices, MODEL_MEETING, 0, place),
                          0.0);
    return between(seconds, MODEL_ROUND_SIZES, bytes, byte_of_memory(prices));
}

/* Blocks that a node sends in a round, the one that sends most. */
static double most_carried(modeli_carry_t carry, size_t nodes, size_t round)
{
    double step = (double)((size_t)1 << round);
    if (carry == MODELI_CARRY_EACH)
        return modeli_carried(carry, nodes, 0, 0, round);
    return carry == MODELI_CARRY_FROM_ROOT ? 1.0 : fmin(step, (double)nodes - step);
}

/* What the bytes that travel with a meeting add to it. In each round the node that sends most
 * counts; the messages before it have brought what it sends. Those from a root and to it go one way
 * between two nodes at a time. */
static double carried_seconds(const prices_t *prices, const modeli_member_t *member,
                              const modeli_step_t *step)
{
    size_t nodes = prices->call->layout.nodes;
    modeli_carry_t carry = carry_of(member, step);
    bool is_one_way = carry == MODELI_CARRY_FROM_ROOT || carry == MODELI_CARRY_TO_ROOT;
    const readers_t readers = {.nodes = is_one_way ? 1 : nodes, .members = 1.0};
    double seconds = 0.0;
    if (step->block == 0.0)
        return 0.0;
    for (size_t round = 0; (size_t)1 << round < nodes; round++) {
        double bytes = most_carried(carry, nodes, round) * step->block;
        seconds += fmax(read_remote_seconds(prices, &readers, bytes) -
                            read_remote_seconds(prices, &readers, sizes[0]),
                        0.0);
    }
    return seconds;
}

/* Reads of its own node, one after the other. */
static double near_seconds(const prices_t *prices, model_place_t place, const modeli_reads_t *reads)
{
    if (reads->sources == 0.0 || reads->bytes == 0.0)
        return 0.0;
    return reads->times * reads->sources * read_seconds(prices, place, reads->bytes / reads->times);
}

/* Reads of other nodes, all of a piece in flight together. */
static double far_seconds(const prices_t *prices, const readers_t *readers,
                          const modeli_reads_t *reads)
{
    if (reads->sources == 0.0 || reads->bytes == 0.0)
        return 0.0;
    double first = read_remote_seconds(prices, readers, reads->bytes / reads->times);
    double more = prices->value[MODEL_PRICE(MODEL_FETCH_FLOOD, MODEL_REMOTE)] + first -
                  read_remote_seconds(prices, readers, sizes[0]);
    return reads->times * (first + (reads->sources - 1.0) * more);
}

static double step_seconds(const prices_t *prices, const modeli_member_t *member,
                           const readers_t *readers, const modeli_step_t *step)
{
    bool is_alone = member->on_node == 1.0 || step->in_trays;
    double pieces = fmax(step->between, 1.0);
    return pieces * show_seconds(prices, is_alone, step->shown / pieces) +
           near_seconds(prices, MODEL_OWN, &step->reads[MODEL_OWN]) +
           near_seconds(prices, is_alone ? MODEL_OWN : MODEL_LOCAL, &step->reads[MODEL_LOCAL]) +
           far_seconds(prices, readers, &step->reads[MODEL_REMOTE]) +
           (step->between + 1.0) * carried_seconds(prices, member, step) +
           step->combined / sizeof(double) * prices->value[MODEL_COMBINE_ELEMENT];
}

/* ---- Members ---- */

enum {
    /* Members mostly do what others do: leaders, roots and the rest. Beyond so many kinds, as in a
     * scan, every member is one of its own. */
    KINDS = 48
};

/* What a member does. */
typedef struct kind {
    modeli_member_t member;
    size_t count;
    modeli_step_t steps[MODELI_STEPS];
} kind_t;

/* A call by those who take part in it. */
typedef struct profile {
    const model_collective_t *collective;
    const model_collective_call_t *call;
    /** Who reads before each meeting and behind the last one. */
    readers_t readers[MODELI_STEPS + 1];
    /** The kinds of members, unless there are more. */
    size_t kinds;
    kind_t kind[KINDS];
    bool has_all_kinds;
} profile_t;

static void find_kind(const profile_t *profile, size_t rank, kind_t *kind)
{
    memset(kind->steps, 0, sizeof kind->steps);
    kind->member = modeli_member(profile->collective, profile->call, rank);
    kind->count = profile->collective->steps(&kind->member, kind->steps);
}

/* Members of a node are in a row. */
static void add_readers(profile_t *profile, const kind_t *kind)
{
    size_t meetings = 0;
    bool reads = false;
    bool of_root = true;
    for (size_t s = 0; s < kind->count; s++) {
        const modeli_reads_t *remote = &kind->steps[s].reads[MODEL_REMOTE];
        bool reads_now = remote->sources > 0.0 && remote->bytes > 0.0;
        reads = reads || reads_now;
        of_root = of_root && (!reads_now || kind->steps[s].of_root);
        if (reads && (kind->steps[s].meets || s + 1 == kind->count)) {
            readers_t *here = &profile->readers[meetings];
            bool is_first = here->nodes == 0;
            bool is_next = is_first || here->last_node != kind->member.node;
            *here = (readers_t){
                .nodes = here->nodes + (is_next ? 1 : 0),
                .last_node = kind->member.node,
                .members = (is_next ? 0.0 : here->members) + 1.0,
                .all = here->all + 1.0,
                .of_root = of_root && (is_first || here->of_root),
            };
            reads = false;
            of_root = true;
        }
        meetings += kind->steps[s].meets ? 1 : 0;
    }
}

/* Whether two cost the same, whatever the prices. */
static bool is_same_kind(const kind_t *a, const kind_t *b)
{
    return a->count == b->count && (a->member.on_node == 1.0) == (b->member.on_node == 1.0) &&
           memcmp(a->steps, b->steps, a->count * sizeof *a->steps) == 0;
}

static void add_kind(profile_t *profile, const kind_t *kind)
{
    if (!profile->has_all_kinds)
        return;
    for (size_t k = profile->kinds; k > 0; k--)
        if (is_same_kind(&profile->kind[k - 1], kind))
            return;
    if (profile->kinds < KINDS)
        profile->kind[profile->kinds++] = *kind;
    else
        profile->has_all_kinds = false;
}

static void profile_call(profile_t *profile, const model_collective_t *collective,
                         const model_collective_call_t *call)
{
    memset(profile, 0, sizeof *profile);
    profile->collective = collective;
    profile->call = call;
    profile->has_all_kinds = true;
    for (size_t rank = 0; rank < call->layout.threads; rank++) {
        kind_t kind;
        find_kind(profile, rank, &kind);
        add_readers(profile, &kind);
        add_kind(profile, &kind);
    }
}

/* ---- Calls ---- */

/* Adds what a member takes between two meetings where it is the slowest so far; returns how many
 * meetings there are. What goes in pieces counts as a whole. */
static double add_slowest(const prices_t *prices, const profile_t *profile, const kind_t *kind,
                          double slowest[MODELI_STEPS + 1])
{
    double seconds = 0.0;
    double inner = 0.0;
    size_t meetings = 0;
    for (size_t s = 0; s < kind->count; s++) {
        seconds +=
            step_seconds(prices, &kind->member, &profile->readers[meetings], &kind->steps[s]);
        slowest[meetings] = fmax(slowest[meetings], seconds);
        inner += kind->steps[s].between;
        if (kind->steps[s].meets) {
            meetings++;
            seconds = 0.0;
        }
    }
    return inner + (double)meetings;
}

/* Between two meetings the slowest member counts. All have as many meetings. */
static double call_seconds(const prices_t *prices, const profile_t *profile)
{
    const model_layout_t *layout = &profile->call->layout;
    double slowest[MODELI_STEPS + 1] = {0.0};
    double meetings = 0.0;
    if (profile->has_all_kinds) {
        for (size_t k = 0; k < profile->kinds; k++)
            meetings = add_slowest(prices, profile, &profile->kind[k], slowest);
    } else {
        for (size_t rank = 0; rank < layout->threads; rank++) {
            kind_t kind;
            find_kind(profile, rank, &kind);
            meetings = add_slowest(prices, profile, &kind, slowest);
        }
    }
    double all = meetings * meeting_of(prices, (double)layout->threads_per_node);
    for (size_t m = 0; m <= MODELI_STEPS; m++)
        all += slowest[m];
    return all;
}

/* ---- Cases ---- */

static prices_t prices_of(const model_collective_call_t *call, const model_machine_t *machine)
{
    prices_t prices = {
        .call = call,
        .has_copy_bandwidth = machine->has[MODEL_PRIVATE_COPY_BANDWIDTH],
        .measured_on_node = (double)machine->threads_per_node,
        .measured_rounds = rounds_between(machine->nodes),
        .fuller = 1.0,
    };
    for (int p = 0; p < MODEL_PARAMETERS; p++)
        prices.value[p] = machine->parameters[p].median;
    if (machine->threads_per_node > 0)
        prices.fuller = fmax((double)call->layout.threads_per_node / prices.measured_on_node, 1.0);
    return prices;
}

/* Whether the predictions use a parameter; others have no part in deviations. */
static bool is_used(int parameter)
{
    return parameter > MODEL_FETCH_SHARED || parameter == MODEL_PRIVATE_COPY_BANDWIDTH ||
           parameter == MODEL_PRICE(MODEL_FETCH_FLOOD, MODEL_REMOTE);
}

model_estimate_t model_collective_predict(const model_collective_t *collective,
                                          const model_collective_call_t *call,
                                          const model_machine_t *machine)
{
    double seconds[MODEL_CASES];
    prices_t prices = prices_of(call, machine);
    profile_t profile;
    profile_call(&profile, collective, call);
    for (int which = 0; which < MODEL_CASES; which++) {
        model_parameters_t parameters = model_machine_parameters(machine, (model_case_t)which);
        memcpy(prices.value, parameters.value, sizeof prices.value);
        seconds[which] = call_seconds(&prices, &profile);
    }
    return (model_estimate_t){
        .predicted = seconds[MODEL_TYPICAL],
        .low = fmin(seconds[MODEL_FASTEST], seconds[MODEL_TYPICAL]),
        .high = fmax(seconds[MODEL_SLOWEST], seconds[MODEL_TYPICAL]),
    };
}

model_collective_gap_t model_collective_compare(const model_collective_t *slower,
                                                const model_collective_t *faster,
                                                const model_collective_call_t *call,
                                                const model_machine_t *machine)
{
    prices_t prices = prices_of(call, machine);
    profile_t slow;
    profile_t fast;
    profile_call(&slow, slower, call);
    profile_call(&fast, faster, call);
    double reference = call_seconds(&prices, &fast);
    double gap = call_seconds(&prices, &slow) - reference;
    double closing = 0.0;
    for (int p = 0; p < MODEL_PARAMETERS; p++) {
        const model_spread_t *spread = &machine->parameters[p];
        if (!is_used(p) || !machine->has[p])
            continue;
        prices.value[p] = spread->min;
        double down = call_seconds(&prices, &slow) - call_seconds(&prices, &fast) - gap;
        prices.value[p] = spread->max;
        double up = call_seconds(&prices, &slow) - call_seconds(&prices, &fast) - gap;
        prices.value[p] = spread->median;
        double closed = fmin(fmin(down, up), 0.0);
        closing += closed * closed;
    }
    return reference > 0.0 ? (model_collective_gap_t){gap / reference, sqrt(closing) / reference}
                           : (model_collective_gap_t){0.0, 0.0};
}

/* ---- What is needed ---- */

/* Meetings, the sizes of a kind at a place. */
static bool lacks(const model_machine_t *machine, int price, size_t count, model_place_t place,
                  int *missing)
{
    for (size_t s = 0; s < count; s++)
        if (!machine->has[MODEL_ROUND_PRICE(price, s, place)]) {
            *missing = MODEL_ROUND_PRICE(price, s, place);
            return true;
        }
    return false;
}

static bool lacks_place(const model_machine_t *machine, model_place_t place, int *missing)
{
    return lacks(machine, MODEL_MEETING, 1, place, missing) ||
           lacks(machine, MODEL_ROUND_READ, sizes_at(place), place, missing) ||
           (place != MODEL_REMOTE &&
            lacks(machine, MODEL_ROUND, MODEL_ROUND_SIZES, place, missing));
}

bool model_collective_is_priced(const model_collective_t *collective,
                                const model_collective_call_t *call, const model_machine_t *machine,
                                int *missing)
{
    (void)collective;
    bool is_shared = call->layout.threads_per_node > 1;
    bool is_remote = call->layout.nodes > 1;
    *missing = MODEL_COMBINE_ELEMENT;
    if (!machine->has[MODEL_COMBINE_ELEMENT] || lacks_place(machine, MODEL_OWN, missing) ||
        (is_shared && lacks_place(machine, MODEL_LOCAL, missing)) ||
        (is_remote && lacks_place(machine, MODEL_REMOTE, missing)))
        return false;
    *missing = MODEL_PRICE(MODEL_FETCH_FLOOD, MODEL_REMOTE);
    if (is_remote && !machine->has[*missing])
        return false;
    for (int s = 0; s < MODEL_ROUND_REMOTE_SIZES && is_remote; s++) {
        *missing = MODEL_READ_ALONE(s);
        if (!machine->has[*missing])
            return false;
    }
    return true;
}
