/* Predictions of section 8 with the terms that the paper leaves out. */
#include "perfmodel/heat.h"

#include <math.h>
#include <stdlib.h>

#include "fail.h"
#include "stream.h"

static const double real_bytes = sizeof(double);

/* What the terms are computed from. */
typedef struct from {
    const model_heat_shape_t *shape;
    const model_layout_t *layout;
    const model_heat_counts_t *counts;
    model_parameters_t machine;
    bool overlaps;
} from_t;

static double at(const from_t *from, model_parameter_t parameter)
{
    return from->machine.has[parameter] ? from->machine.value[parameter] : 0.0;
}

static double stream(const from_t *from, double read, double written)
{
    return modeli_traffic_seconds((modeli_traffic_t){read, written}, &from->machine);
}

/* As measured, if every step passes through memory. Otherwise by the bytes: without separate rates
 * for reading and writing this is formula (22), with its three words. */
static double compute(const from_t *from, const model_heat_counts_t *counts)
{
    double steps = (double)from->shape->steps_per_exchange;
    model_parameter_t point = from->shape->streams ? MODEL_HEAT_STREAMING_POINT : MODEL_HEAT_POINT;
    if (steps == 1.0 && from->machine.has[point])
        return (double)counts->points * at(from, point);
    double bytes = (double)counts->points / steps * real_bytes / steps;
    if (!modeli_knows_writing(&from->machine))
        return 3.0 * bytes / from->machine.value[MODEL_PRIVATE_BANDWIDTH];
    if (!from->shape->streams)
        return stream(from, bytes, bytes);
    double least = stream(from, bytes, 0.0);
    return least + fmax(stream(from, 0.0, bytes) - least, least);
}

/* An access to a column: between those in narrow and in wide rows, whose elements lie further apart
 * in the page table. */
static double column_access(const from_t *from)
{
    double wide = at(from, MODEL_COLUMN_ACCESS);
    if (!from->machine.has[MODEL_NARROW_COLUMN_ACCESS])
        return wide;
    double narrow = at(from, MODEL_NARROW_COLUMN_ACCESS);
    size_t columns_of_block = from->shape->N / from->shape->Q;
    double pitch = (double)columns_of_block * real_bytes;
    double part =
        (pitch - MODEL_NARROW_COLUMN_PITCH) / (MODEL_COLUMN_PITCH - MODEL_NARROW_COLUMN_PITCH);
    return narrow + (wide - narrow) * fmin(fmax(part, 0.0), 1.0);
}

/* Values of a column: each of its rows has its own lines and its own page. If the cost of such
 * accesses is unknown, a line costs as much as a random access, or its bytes at streaming speed. */
static double columns(const from_t *from, double values, bool written)
{
    double depth = (double)from->shape->steps_per_exchange;
    double lines = values / depth * ceil(depth * real_bytes / from->machine.cache_line_bytes);
    double bytes = lines * from->machine.cache_line_bytes;
    if (from->machine.has[MODEL_COLUMN_ACCESS])
        return lines * column_access(from);
    if (from->machine.has[MODEL_LOCAL_ACCESS])
        return lines * at(from, MODEL_LOCAL_ACCESS);
    return written ? stream(from, 0.0, bytes) : stream(from, bytes, 0.0);
}

static double horizontal(const model_heat_counts_t *counts)
{
    return (double)(counts->horizontal[MODEL_LOCAL] + counts->horizontal[MODEL_REMOTE]);
}

/* Whether rows go straight from field to field: alone, and not by signals. */
static bool gets_rows(const from_t *from)
{
    model_heat_form_t form = from->shape->form;
    return form == MODEL_HEAT_STRIDED ||
           (form != MODEL_HEAT_SIGNAL && from->shape->steps_per_exchange == 1);
}

/* What is packed and unpacked besides columns. */
static double packed_rows(const from_t *from, const model_heat_counts_t *counts)
{
    double all = (double)(counts->values[MODEL_LOCAL] + counts->values[MODEL_REMOTE]);
    return gets_rows(from) ? 0.0 : all - horizontal(counts);
}

static double packing(const from_t *from, const model_heat_counts_t *counts)
{
    double across = horizontal(counts);
    double along = packed_rows(from, counts);
    if (from->shape->form == MODEL_HEAT_STRIDED)
        return 0.0;
    return columns(from, across, false) +
           stream(from, along * real_bytes, (across + along) * real_bytes);
}

static double unpacking(const from_t *from, const model_heat_counts_t *counts)
{
    double across = horizontal(counts);
    double along = packed_rows(from, counts);
    if (from->shape->form == MODEL_HEAT_STRIDED)
        return 0.0;
    return stream(from, (across + along) * real_bytes, along * real_bytes) +
           columns(from, across, true);
}

/* A strided copy reads columns at the source and writes them at the destination. */
static double strided_ends(const from_t *from, double values)
{
    return columns(from, values, false) + columns(from, values, true);
}

/* A value of a measured row, of which the first transfer's own time is no part. */
static double row_value(const from_t *from, model_parameter_t row)
{
    return fmax(at(from, row) - at(from, MODEL_HEAT_FIRST_GET) / MODEL_HEAT_ROW_VALUES, 0.0);
}

/* Rows of neighbours on the node: from below the first, from above the last that was computed. */
static double local_rows(const from_t *from, const model_heat_counts_t *counts)
{
    double all = (double)(counts->values[MODEL_LOCAL] - counts->horizontal[MODEL_LOCAL]);
    double below = (double)counts->below[MODEL_LOCAL];
    if (!gets_rows(from) || !from->machine.has[MODEL_HEAT_FIRST_ROW] ||
        !from->machine.has[MODEL_HEAT_LAST_ROW])
        return stream(from, all * real_bytes, all * real_bytes);
    return below * row_value(from, MODEL_HEAT_FIRST_ROW) +
           (all - below) * row_value(from, MODEL_HEAT_LAST_ROW);
}

/* The first transfer within the node after a step takes longer: its code and tables come from
 * memory. */
static double first_get(const from_t *from, const model_heat_counts_t *counts)
{
    bool is_got = from->shape->form != MODEL_HEAT_SIGNAL;
    return is_got && counts->values[MODEL_LOCAL] > 0 ? at(from, MODEL_HEAT_FIRST_GET) : 0.0;
}

/* Copies within the node. */
static double local_copies(const from_t *from, const model_heat_counts_t *counts)
{
    double across = (double)counts->horizontal[MODEL_LOCAL];
    double rows = first_get(from, counts) + local_rows(from, counts);
    if (from->shape->form == MODEL_HEAT_STRIDED)
        return rows + strided_ends(from, across);
    return rows + stream(from, across * real_bytes, across * real_bytes);
}

static double latency(const from_t *from)
{
    bool puts = from->shape->form == MODEL_HEAT_SIGNAL;
    return puts && from->machine.has[MODEL_MESSAGE_LATENCY] ? at(from, MODEL_MESSAGE_LATENCY)
                                                            : at(from, MODEL_REMOTE_LATENCY);
}

static double link_seconds(const from_t *from, double bytes)
{
    bool is_shared = from->machine.has[MODEL_REMOTE_BANDWIDTH_SHARED];
    if (bytes == 0.0)
        return 0.0;
    return bytes / at(from, is_shared ? MODEL_REMOTE_BANDWIDTH_SHARED : MODEL_REMOTE_BANDWIDTH);
}

/* Bytes on a node's link at the same time, and those among them that each thread reads first; and
 * the same of sections whose put returns when they have arrived. */
typedef struct load {
    double bytes;
    double first;
    double late_bytes;
    double late_first;
} load_t;

static load_t thread_load(const model_heat_counts_t *counts)
{
    double bytes = (double)counts->values[MODEL_REMOTE] * real_bytes;
    double late = (double)counts->long_values * real_bytes;
    return (load_t){bytes, fmin(bytes, MODEL_EXCHANGE_BYTES), late,
                    fmin(late, MODEL_EXCHANGE_BYTES)};
}

static load_t node_load(const from_t *from, size_t node)
{
    load_t all = {0.0, 0.0, 0.0, 0.0};
    size_t end = model_layout_leader(from->layout, node + 1);
    for (size_t t = model_layout_leader(from->layout, node); t < end; t++) {
        load_t own = thread_load(&from->counts[t]);
        all.bytes += own.bytes;
        all.first += own.first;
        all.late_bytes += own.late_bytes;
        all.late_first += own.late_first;
    }
    return all;
}

/* Transfers that the thread waits for one after another, the first right after computing. */
static double blocking_copies(const from_t *from, double messages, const load_t *load)
{
    const model_parameters_t *machine = &from->machine;
    double first =
        machine->has[MODEL_EXCHANGE_LATENCY] ? at(from, MODEL_EXCHANGE_LATENCY) : latency(from);
    double waits = first + (messages - 1.0) * latency(from);
    if (!machine->has[MODEL_EXCHANGE_BANDWIDTH])
        return waits + link_seconds(from, load->bytes);
    return waits + load->first / at(from, MODEL_EXCHANGE_BANDWIDTH) +
           link_seconds(from, load->bytes - load->first);
}

/* Whether what a sender's call takes is known, and its messages' way beside it. */
static bool knows_sending(const from_t *from)
{
    return from->shape->form == MODEL_HEAT_SIGNAL && from->machine.has[MODEL_EXCHANGE_SEND] &&
           from->machine.has[MODEL_EXCHANGE_SEND_BANDWIDTH];
}

static double signal_travels(const from_t *from, const load_t *load)
{
    int price = MODEL_PRICE(MODEL_SIGNAL_LATENCY, MODEL_REMOTE);
    double start = from->machine.has[price] ? from->machine.value[price] : latency(from);
    return start + link_seconds(from, load->bytes - load->late_bytes);
}

/* What the calls take that send a thread's sections to other nodes. */
static double sending(const from_t *from, const model_heat_counts_t *counts, const load_t *load)
{
    double messages = (double)counts->messages[MODEL_REMOTE];
    if (messages == 0.0)
        return 0.0;
    double kept = load->bytes - load->late_bytes + load->late_first;
    return messages * at(from, MODEL_EXCHANGE_SEND) +
           kept / at(from, MODEL_EXCHANGE_SEND_BANDWIDTH) +
           (double)counts->long_messages * latency(from) +
           link_seconds(from, load->late_bytes - load->late_first);
}

/* What a thread waits for signals from other nodes after the steps that need none. */
static double awaited(const from_t *from, const model_heat_counts_t *counts, const load_t *load)
{
    double steps = (double)from->shape->steps_per_exchange;
    if (!knows_sending(from) || counts->messages[MODEL_REMOTE] == counts->long_messages)
        return 0.0;
    double travels = signal_travels(from, load);
    return from->overlaps ? fmax(travels - compute(from, counts) * steps, 0.0) : travels;
}

/* The time of a thread's transfers from other nodes. */
static double remote_copies(const from_t *from, const model_heat_counts_t *counts,
                            const load_t *load)
{
    double messages = (double)counts->messages[MODEL_REMOTE];
    if (messages == 0.0 || knows_sending(from))
        return 0.0;
    if (from->shape->form >= MODEL_HEAT_ASYNC)
        return latency(from) + link_seconds(from, load->bytes);
    bool is_strided = from->shape->form == MODEL_HEAT_STRIDED;
    double across = is_strided ? (double)counts->horizontal[MODEL_REMOTE] : 0.0;
    return blocking_copies(from, messages, load) + strided_ends(from, across);
}

/* The parts of a thread's halo exchange. */
typedef struct pieces {
    double packing;
    double unpacking;
    double local;
    double waiting;
} pieces_t;

static pieces_t pieces_of(const from_t *from, const model_heat_counts_t *counts, const load_t *load)
{
    double steps = (double)from->shape->steps_per_exchange;
    double travels = remote_copies(from, counts, load);
    bool is_hidden = from->shape->form >= MODEL_HEAT_ASYNC && from->overlaps;
    return (pieces_t){
        .packing = packing(from, counts),
        .unpacking = unpacking(from, counts),
        .local =
            local_copies(from, counts) + (knows_sending(from) ? sending(from, counts, load) : 0.0),
        .waiting = is_hidden ? fmax(travels - compute(from, counts) * steps, 0.0) : travels,
    };
}

/* Formula (21) for the threads of one node. Without a shared bandwidth they use the node's link
 * one after another, as in (20), else at the same time. */
static model_heat_parts_t slowest_of_node(const from_t *from, size_t node,
                                          model_heat_parts_t *threads)
{
    bool side_by_side = from->machine.has[MODEL_REMOTE_BANDWIDTH_SHARED];
    double steps = (double)from->shape->steps_per_exchange;
    load_t all = node_load(from, node);
    double computed = 0.0;
    double in_turn = 0.0;
    pieces_t most = {0.0, 0.0, 0.0, 0.0};
    size_t end = model_layout_leader(from->layout, node + 1);
    for (size_t t = model_layout_leader(from->layout, node); t < end; t++) {
        const model_heat_counts_t *counts = &from->counts[t];
        load_t own = thread_load(counts);
        pieces_t pieces = pieces_of(from, counts, side_by_side ? &all : &own);
        threads[t] = (model_heat_parts_t){
            .halo = (pieces.packing + pieces.unpacking + pieces.local + pieces.waiting) / steps,
            .compute = compute(from, counts),
        };
        most.packing = fmax(most.packing, pieces.packing);
        most.unpacking = fmax(most.unpacking, pieces.unpacking);
        most.local = fmax(most.local, pieces.local + (side_by_side ? pieces.waiting : 0.0));
        in_turn += side_by_side ? 0.0 : pieces.waiting;
        computed = fmax(computed, threads[t].compute);
    }
    return (model_heat_parts_t){
        .halo = (most.packing + most.unpacking + most.local + in_turn) / steps,
        .compute = computed,
    };
}

static model_heat_parts_t slowest(const from_t *from, model_heat_parts_t *threads)
{
    model_heat_parts_t most = {0.0, 0.0};
    for (size_t node = 0; node < from->layout->nodes; node++) {
        model_heat_parts_t of_node = slowest_of_node(from, node, threads);
        most.halo = fmax(most.halo, of_node.halo);
        most.compute = fmax(most.compute, of_node.compute);
    }
    return most;
}

/* The longest wait for signals. */
static double signal_waits(const from_t *from)
{
    bool side_by_side = from->machine.has[MODEL_REMOTE_BANDWIDTH_SHARED];
    double most = 0.0;
    for (size_t t = 0; t < from->layout->threads; t++) {
        const model_heat_counts_t *counts = &from->counts[t];
        load_t load = side_by_side ? node_load(from, model_layout_node(from->layout, t))
                                   : thread_load(counts);
        most = fmax(most, awaited(from, counts, &load));
    }
    return most / (double)from->shape->steps_per_exchange;
}

static double barrier(const from_t *from)
{
    if (from->shape->form == MODEL_HEAT_SIGNAL)
        return signal_waits(from);
    double steps = (double)from->shape->steps_per_exchange;
    double barriers = from->shape->form == MODEL_HEAT_STRIDED && steps > 1.0 ? 2.0 : 1.0;
    return barriers * at(from, MODEL_BARRIER_LATENCY) / steps;
}

static void set(model_estimate_t *estimate, model_case_t which, double seconds)
{
    switch (which) {
    case MODEL_FASTEST:
        estimate->low = seconds;
        break;
    case MODEL_SLOWEST:
        estimate->high = seconds;
        break;
    default:
        estimate->predicted = seconds;
        estimate->low = fmin(estimate->low, seconds);
        estimate->high = fmax(estimate->high, seconds);
    }
}

static model_parameter_set_t left_out(const model_heat_shape_t *shape, const model_layout_t *layout,
                                      const model_machine_t *machine)
{
    bool has_remote = layout->nodes > 1;
    bool is_blocking = shape->form < MODEL_HEAT_ASYNC;
    bool sends = shape->form == MODEL_HEAT_SIGNAL && has_remote;
    bool has_rows = shape->P > 1 && shape->form != MODEL_HEAT_SIGNAL;
    const bool is_asked[MODEL_PARAMETERS] = {
        [MODEL_PRIVATE_READ_BANDWIDTH] = true,
        [MODEL_PRIVATE_SCALE_BANDWIDTH] = true,
        [MODEL_BARRIER_LATENCY] = shape->form != MODEL_HEAT_SIGNAL,
        [MODEL_MESSAGE_LATENCY] = sends,
        [MODEL_EXCHANGE_SEND] = sends,
        [MODEL_EXCHANGE_SEND_BANDWIDTH] = sends,
        [MODEL_PRICE(MODEL_SIGNAL_LATENCY, MODEL_REMOTE)] = sends,
        [MODEL_REMOTE_BANDWIDTH_SHARED] = has_remote,
        [MODEL_COLUMN_ACCESS] = shape->Q > 1,
        [MODEL_NARROW_COLUMN_ACCESS] = shape->Q > 1,
        [MODEL_HEAT_POINT] = shape->steps_per_exchange == 1 && !shape->streams,
        [MODEL_HEAT_STREAMING_POINT] = shape->steps_per_exchange == 1 && shape->streams,
        [MODEL_HEAT_FIRST_ROW] = has_rows,
        [MODEL_HEAT_LAST_ROW] = has_rows,
        [MODEL_HEAT_FIRST_GET] = shape->form != MODEL_HEAT_SIGNAL && shape->P * shape->Q > 1,
        [MODEL_EXCHANGE_LATENCY] = is_blocking && has_remote,
        [MODEL_EXCHANGE_BANDWIDTH] = is_blocking && has_remote,
    };
    model_parameter_set_t missing = 0;
    for (int p = 0; p < MODEL_PARAMETERS; p++)
        if (is_asked[p] && !machine->has[p])
            missing |= MODEL_BIT(p);
    return missing;
}

static void predict(from_t *from, const model_machine_t *machine, model_heat_prediction_t *made)
{
    static const model_case_t order[MODEL_CASES] = {MODEL_FASTEST, MODEL_SLOWEST, MODEL_TYPICAL};
    for (int c = 0; c < MODEL_CASES; c++) {
        from->machine = model_machine_parameters(machine, order[c]);
        from->overlaps = order[c] != MODEL_SLOWEST;
        model_heat_parts_t most = slowest(from, made->threads);
        set(&made->halo, order[c], most.halo);
        set(&made->compute, order[c], most.compute);
        set(&made->barrier, order[c], barrier(from));
        set(&made->paper_halo, order[c],
            model_heat_halo_seconds(from->layout, from->counts, &from->machine));
        set(&made->paper_compute, order[c],
            model_heat_compute_seconds(from->layout, from->counts, &from->machine));
    }
}

bool model_heat_predict(const model_heat_shape_t *shape, const model_layout_t *layout,
                        const model_machine_t *machine, model_heat_prediction_t *prediction,
                        mesh_error_t *error)
{
    model_heat_prediction_t made = {
        .has_paper = shape->form == MODEL_HEAT_MEMGET && shape->steps_per_exchange == 1,
        .left_out = left_out(shape, layout, machine),
        .threads = calloc(layout->threads, sizeof *made.threads),
    };
    model_heat_counts_t *counts = calloc(layout->threads, sizeof *counts);
    bool done = made.threads != NULL && counts != NULL;
    if (done) {
        for (size_t t = 0; t < layout->threads; t++)
            counts[t] = model_heat_count(shape, layout, t);
        predict(&(from_t){.shape = shape, .layout = layout, .counts = counts}, machine, &made);
        *prediction = made;
    } else {
        free(made.threads);
        modeli_report(error, "not enough memory for a prediction of %zu threads", layout->threads);
    }
    free(counts);
    return done;
}

void model_heat_prediction_free(model_heat_prediction_t *prediction)
{
    free(prediction->threads);
    prediction->threads = NULL;
}
