#include "spmv_terms.h"

#include <math.h>

#include "moves.h"
#include "perfmodel/formulas.h"
#include "rates.h"
#include "stream.h"
#include "support/boundary.h"

static const double real_bytes = sizeof(double);
static const double column_bytes = sizeof(int32_t);

static double at(const modeli_case_t *from, model_parameter_t parameter)
{
    return from->machine.has[parameter] ? from->machine.value[parameter] : 0.0;
}

static double stream(const modeli_case_t *from, double read, double written)
{
    return modeli_traffic_seconds((modeli_traffic_t){read, written}, &from->machine);
}

/* Bytes copied from one place to another, as memcpy does it. */
static double copied(const modeli_case_t *from, double bytes)
{
    if (!from->machine.has[MODEL_PRIVATE_COPY_BANDWIDTH])
        return stream(from, bytes, bytes);
    return 2.0 * bytes / at(from, MODEL_PRIVATE_COPY_BANDWIDTH);
}

/* The bytes of formula (6), as if all lines of x came in order: at product_bandwidth, or with
 * reading and writing separate. */
static double product_traffic(const modeli_case_t *from, const model_counts_t *counts)
{
    double rows = (double)counts->rows;
    double row_bytes = model_bytes_per_row(from->layout->row_nonzeros);
    if (from->machine.has[MODEL_PRODUCT_BANDWIDTH])
        return rows * row_bytes / at(from, MODEL_PRODUCT_BANDWIDTH);
    return stream(from, rows * (row_bytes - real_bytes), rows * real_bytes);
}

/* Rows of a thread, and the lines of a kind that they fetch out of order. */
static modeli_rows_t rows_of(const modeli_case_t *from, const model_counts_t *counts, uint64_t rows,
                             model_line_kind_t kind)
{
    return (modeli_rows_t){
        .rows = (double)rows,
        .width = (double)from->layout->row_nonzeros,
        .close = (double)counts->close_lines[kind],
        .near = (double)counts->near_lines[kind],
        .far = (double)counts->far_lines[kind],
    };
}

/* Values of a thread whose uses lie `nbytes` apart, in lines as full as those of its values from
 * others: what it sends is assumed to be like what it receives. */
static modeli_values_t values_of(const modeli_case_t *from, const model_counts_t *counts,
                                 double count, double nbytes)
{
    double in = (double)(counts->values_in[MODEL_LOCAL] + counts->values_in[MODEL_REMOTE]);
    double lines = (double)(counts->lines_in[MODEL_LOCAL] + counts->lines_in[MODEL_REMOTE]);
    return (modeli_values_t){
        .count = count,
        .lines = in > 0.0 ? count * lines / in : 0.0,
        .held = modeli_held_part(nbytes, &from->machine),
    };
}

/* Values moved by v2 and v3. */
static double moved(const modeli_case_t *from, const model_counts_t *counts, model_move_t move,
                    double count)
{
    double nbytes = model_thread_bytes(from->layout, counts);
    return modeli_move_seconds(values_of(from, counts, count, nbytes), &from->machine, move);
}

/* The same by a list of indexes. */
static double listed(const modeli_case_t *from, const model_counts_t *counts, model_move_t move,
                     double count)
{
    double nbytes = model_thread_bytes(from->layout, counts);
    return modeli_listed_seconds(values_of(from, counts, count, nbytes), &from->machine, move);
}

/* Whether a thread's data in naive to v3 stay in its share of the last-level cache. */
static bool is_held(const modeli_case_t *from, const model_counts_t *counts)
{
    return modeli_is_held(model_thread_bytes(from->layout, counts), &from->machine);
}

/* Lines of x out of order: meanwhile neither memory nor core makes progress. */
static double gathered(const modeli_case_t *from, model_kernel_t kernel, modeli_rows_t rows)
{
    if (modeli_knows_rates(&from->machine, kernel))
        return modeli_lines_seconds(&rows, &from->machine, kernel);
    return (rows.close + rows.near + rows.far) * at(from, MODEL_GATHER_ACCESS);
}

/* What the core alone needs for the products. */
static double product_core(const modeli_case_t *from, const model_counts_t *counts)
{
    double products = (double)(counts->rows * from->layout->row_nonzeros);
    return products * at(from, MODEL_PRODUCT_ACCESS);
}

/* A product without lines out of order, by plain pointers: as measured, or the slower of memory
 * and core. */
static double product_in_order(const modeli_case_t *from, const model_counts_t *counts)
{
    modeli_rows_t rows = rows_of(from, counts, counts->rows, MODEL_ALL_LINES);
    rows.is_held = is_held(from, counts);
    if (modeli_knows_rates(&from->machine, MODEL_ROWS_KERNEL))
        return modeli_rows_seconds(&rows, &from->machine, MODEL_ROWS_KERNEL);
    return fmax(product_traffic(from, counts), product_core(from, counts));
}

/* All of x lies in the thread's own copy. */
static double product(const modeli_case_t *from, const model_counts_t *counts)
{
    modeli_rows_t rows = rows_of(from, counts, counts->rows, MODEL_ALL_LINES);
    return product_in_order(from, counts) + gathered(from, MODEL_ROWS_KERNEL, rows);
}

/* -- naive and v1: individual accesses -- */

static model_kernel_t kernel_by_pointers(model_variant_t variant)
{
    return variant == MODEL_NAIVE ? MODEL_NAIVE_KERNEL : MODEL_POINTERS_KERNEL;
}

static bool is_power_of_two(size_t number)
{
    return (number & (number - 1)) == 0;
}

/* Rows of v1. Every access adds to the counter of the thread it goes to, and additions to one
 * counter wait for each other. Rows of own columns are one such chain, of which accesses to own
 * values form a part; the rest of the work takes as long as in rows that access two threads
 * alternately. */
static double rows_by_pointers(const modeli_case_t *from, const model_counts_t *counts,
                               const modeli_rows_t *rows)
{
    const model_parameters_t *machine = &from->machine;
    bool shifts = is_power_of_two(from->layout->blocksize) &&
                  modeli_knows_rates(machine, MODEL_SHIFTS_KERNEL);
    model_kernel_t alternately = shifts ? MODEL_SHIFTS_TURNS_KERNEL : MODEL_POINTERS_TURNS_KERNEL;
    double own =
        modeli_rows_seconds(rows, machine, shifts ? MODEL_SHIFTS_KERNEL : MODEL_POINTERS_KERNEL);
    if (!modeli_knows_rates(machine, alternately))
        return own;
    double turns = modeli_rows_seconds(rows, machine, alternately);
    double all = rows->rows * (rows->width + 1.0);
    double others = all > 0.0 ? (double)counts->individual[MODEL_LOCAL] / all : 0.0;
    return fmin(own, fmax(turns, own * (1.0 - others)));
}

/* What the loop's rates do not contain: with them, a load costs the same in all memory of the
 * node. */
static double individual(const modeli_case_t *from, const model_counts_t *counts,
                         model_variant_t variant)
{
    if (modeli_knows_rates(&from->machine, kernel_by_pointers(variant)))
        return (double)counts->individual[MODEL_REMOTE] * at(from, MODEL_REMOTE_LATENCY);
    if (!from->machine.has[MODEL_LOCAL_ACCESS])
        return model_v1_communication_seconds(counts, &from->machine);
    bool knows_cached = from->machine.has[MODEL_LOCAL_ACCESS_CACHED];
    uint64_t lines = counts->lines_in[MODEL_LOCAL];
    uint64_t again = counts->individual[MODEL_LOCAL] - lines;
    return (double)lines * at(from, MODEL_LOCAL_ACCESS) +
           (double)again *
               at(from, knows_cached ? MODEL_LOCAL_ACCESS_CACHED : MODEL_POINTER_ACCESS) +
           (double)counts->individual[MODEL_REMOTE] * at(from, MODEL_REMOTE_LATENCY);
}

/* Accesses to the thread's own memory through global addresses: x of own off-diagonals and of the
 * row, and in naive also A, J, D and y. */
static double pointers(const modeli_case_t *from, const model_counts_t *counts,
                       model_variant_t variant)
{
    double accesses = (double)(counts->individual[MODEL_OWN] + counts->rows);
    if (variant == MODEL_NAIVE)
        accesses += (double)(counts->rows * (2 * from->layout->row_nonzeros + 2));
    return accesses * at(from, MODEL_POINTER_ACCESS);
}

/* By the rates of the loop itself. Without them, the core works on addresses while the next rows
 * come from memory; only product_access tells how much else it has to do; and the individual
 * accesses include lines of x from other threads. */
static double product_by_pointers(const modeli_case_t *from, const model_counts_t *counts,
                                  model_variant_t variant)
{
    model_kernel_t kernel = kernel_by_pointers(variant);
    modeli_rows_t rows = rows_of(from, counts, counts->rows, MODEL_NODE_LINES);
    rows.is_held = is_held(from, counts);
    if (modeli_knows_rates(&from->machine, kernel))
        return (kernel == MODEL_NAIVE_KERNEL ? modeli_rows_seconds(&rows, &from->machine, kernel)
                                             : rows_by_pointers(from, counts, &rows)) +
               modeli_lines_seconds(&rows, &from->machine, MODEL_POINTERS_KERNEL);
    double traffic = product_traffic(from, counts);
    double core = pointers(from, counts, variant);
    double lines = (double)counts->x_lines[MODEL_OWN] * at(from, MODEL_GATHER_ACCESS);
    if (!from->machine.has[MODEL_PRODUCT_ACCESS])
        return traffic + core + lines;
    return fmax(traffic, core + product_core(from, counts)) + lines;
}

static double run_by_pointers(const modeli_case_t *from, model_variant_t variant,
                              model_parts_t *parts, double *nodes)
{
    double turns = variant == MODEL_NAIVE ? (double)from->layout->rows : 0.0;
    double slowest = 0.0;
    for (size_t t = 0; t < from->layout->threads; t++) {
        const model_counts_t *counts = &from->counts[t];
        size_t node = model_layout_node(from->layout, t);
        parts[t] = (model_parts_t){
            .compute =
                product_by_pointers(from, counts, variant) + turns * at(from, MODEL_AFFINITY_TEST),
            .communication = individual(from, counts, variant),
        };
        nodes[node] = fmax(nodes[node], parts[t].communication);
        slowest = fmax(slowest, parts[t].compute + parts[t].communication);
    }
    return slowest + at(from, MODEL_BARRIER_LATENCY);
}

/* -- v2 and v3: the threads of a node make contiguous transfers together -- */

/* A thread's transfers: within its node, in seconds, and to or from other nodes. */
typedef struct transfers {
    double local_seconds;
    double latency_seconds;
    double remote_bytes;
} transfers_t;

typedef transfers_t transfers_of_t(const modeli_case_t *from, const model_counts_t *counts);

/* Blocks of the own node, copied. */
static double local_blocks(const modeli_case_t *from, const model_counts_t *counts)
{
    double own = (double)counts->needed_bytes[MODEL_OWN];
    double others = (double)counts->needed_bytes[MODEL_LOCAL];
    if (!modeli_knows_moves(&from->machine))
        return copied(from, own + others);
    return moved(from, counts, MODEL_MOVE_COPY, own / real_bytes) +
           moved(from, counts, MODEL_MOVE_COPY_OTHER, others / real_bytes);
}

static transfers_t block_transfers(const modeli_case_t *from, const model_counts_t *counts)
{
    uint64_t blocks = counts->needed_blocks[MODEL_OWN] + counts->needed_blocks[MODEL_LOCAL];
    return (transfers_t){
        .local_seconds =
            local_blocks(from, counts) + (double)blocks * at(from, MODEL_BLOCK_LATENCY),
        .latency_seconds =
            (double)counts->needed_blocks[MODEL_REMOTE] * at(from, MODEL_REMOTE_LATENCY),
        .remote_bytes = (double)counts->needed_bytes[MODEL_REMOTE],
    };
}

static double message_latency(const modeli_case_t *from)
{
    return from->machine.has[MODEL_MESSAGE_LATENCY] ? at(from, MODEL_MESSAGE_LATENCY)
                                                    : at(from, MODEL_REMOTE_LATENCY);
}

static transfers_t put_transfers(const modeli_case_t *from, const model_counts_t *counts)
{
    double values = (double)counts->values_out[MODEL_LOCAL];
    return (transfers_t){
        .local_seconds = modeli_knows_moves(&from->machine)
                             ? moved(from, counts, MODEL_MOVE_PUT, values)
                             : copied(from, values * real_bytes),
        .latency_seconds = (double)counts->messages_out[MODEL_REMOTE] * message_latency(from),
        .remote_bytes = (double)counts->values_out[MODEL_REMOTE] * real_bytes,
    };
}

static double link_seconds(const modeli_case_t *from, double bytes)
{
    if (bytes == 0.0)
        return 0.0;
    if (from->machine.has[MODEL_REMOTE_BANDWIDTH_SHARED])
        return bytes / at(from, MODEL_REMOTE_BANDWIDTH_SHARED);
    return model_contiguous_remote_seconds(bytes, &from->machine);
}

/* The communication of a node, and each thread's part in it: by (11) and (13) the threads use the
 * link one after another, else at the same time. */
static double node_transfers(const modeli_case_t *from, size_t node, transfers_of_t *transfers_of,
                             double *thread_seconds)
{
    bool side_by_side = from->machine.has[MODEL_REMOTE_BANDWIDTH_SHARED];
    size_t begin = model_layout_leader(from->layout, node);
    size_t end = model_layout_leader(from->layout, node + 1);
    double node_bytes = 0.0;
    double slowest = 0.0;
    double in_turn = 0.0;
    for (size_t t = begin; t < end; t++)
        node_bytes += transfers_of(from, &from->counts[t]).remote_bytes;
    for (size_t t = begin; t < end; t++) {
        transfers_t moved = transfers_of(from, &from->counts[t]);
        double shared = side_by_side && moved.remote_bytes > 0.0 ? node_bytes : moved.remote_bytes;
        double remote = moved.latency_seconds + link_seconds(from, shared);
        thread_seconds[t] = moved.local_seconds + remote;
        slowest = fmax(slowest, side_by_side ? thread_seconds[t] : moved.local_seconds);
        in_turn += side_by_side ? 0.0 : remote;
    }
    return slowest + in_turn;
}

static double run_v2(const modeli_case_t *from, model_parts_t *parts, double *nodes,
                     double *thread_seconds)
{
    double slowest = 0.0;
    for (size_t node = 0; node < from->layout->nodes; node++) {
        double compute = 0.0;
        size_t end = model_layout_leader(from->layout, node + 1);
        nodes[node] = node_transfers(from, node, block_transfers, thread_seconds);
        for (size_t t = model_layout_leader(from->layout, node); t < end; t++) {
            parts[t] = (model_parts_t){
                .copy = thread_seconds[t],
                .compute = product(from, &from->counts[t]),
            };
            compute = fmax(compute, parts[t].compute);
        }
        slowest = fmax(slowest, compute + nodes[node]);
    }
    return slowest + at(from, MODEL_BARRIER_LATENCY);
}

/* The lines of x that unpacking writes to; in the paper one per value. */
static double lines_written(const modeli_case_t *from, const model_counts_t *counts)
{
    const uint64_t *in =
        modeli_knows_writing(&from->machine) ? counts->lines_in : counts->values_in;
    return (double)(in[MODEL_LOCAL] + in[MODEL_REMOTE]);
}

static model_parts_t parts_v3(const modeli_case_t *from, const model_counts_t *counts)
{
    double out = (double)(counts->values_out[MODEL_LOCAL] + counts->values_out[MODEL_REMOTE]);
    double in = (double)(counts->values_in[MODEL_LOCAL] + counts->values_in[MODEL_REMOTE]);
    double own_bytes = (double)counts->rows * real_bytes;
    double lines = lines_written(from, counts);
    if (modeli_knows_moves(&from->machine))
        return (model_parts_t){
            .pack = listed(from, counts, MODEL_MOVE_PACK, out),
            .copy = moved(from, counts, MODEL_MOVE_COPY, (double)counts->rows),
            .unpack = listed(from, counts, MODEL_MOVE_UNPACK, in),
            .compute = product(from, counts),
        };
    return (model_parts_t){
        .pack = stream(from, out * (real_bytes + column_bytes), out * real_bytes),
        .copy = copied(from, own_bytes),
        .unpack =
            stream(from, in * (real_bytes + column_bytes), lines * from->machine.cache_line_bytes),
        .compute = product(from, counts),
    };
}

static double run_v3(const modeli_case_t *from, model_parts_t *parts, double *nodes,
                     double *thread_seconds)
{
    double before = 0.0;
    double after = 0.0;
    for (size_t node = 0; node < from->layout->nodes; node++) {
        double pack = 0.0;
        size_t end = model_layout_leader(from->layout, node + 1);
        double put = node_transfers(from, node, put_transfers, thread_seconds);
        for (size_t t = model_layout_leader(from->layout, node); t < end; t++) {
            parts[t] = parts_v3(from, &from->counts[t]);
            parts[t].put = thread_seconds[t];
            pack = fmax(pack, parts[t].pack);
            after = fmax(after, parts[t].copy + parts[t].unpack + parts[t].compute);
        }
        nodes[node] = pack + put;
        before = fmax(before, nodes[node]);
    }
    return before + after + 2.0 * at(from, MODEL_BARRIER_LATENCY);
}

/* -- v4 and v5: overlapped -- */

static bool copies_part(const model_counts_t *counts)
{
    return boundary_copies_part(counts->boundary_own_values, counts->rows);
}

/* Own values that boundary rows take from a copy of the thread's part, or pack. */
static uint64_t own_values(const model_counts_t *counts)
{
    return copies_part(counts) ? counts->rows : counts->boundary_own_values;
}

static uint64_t boundary_values(const model_counts_t *counts)
{
    return own_values(counts) + counts->values_in[MODEL_LOCAL] + counts->values_in[MODEL_REMOTE];
}

/* Rows of v4's matrix with their places for off-diagonals: columns in 16 bits where they fit, a
 * slice's head for every eight rows; and the positions of boundary rows in the thread's part,
 * since these rows are not consecutive. */
static double sliced_product(const modeli_case_t *from, double narrow, double wide, double placed,
                             uint64_t entries)
{
    static const double narrow_bytes = 2.0;
    static const double wide_bytes = 4.0;
    static const double head_bytes = 32.0 / 8.0;
    static const double place_bytes = 4.0;
    double rows = narrow + wide;
    double width = rows > 0.0 ? (double)entries / rows : 0.0;
    double read = rows * (width * real_bytes + 2.0 * real_bytes + head_bytes) +
                  width * (narrow * narrow_bytes + wide * wide_bytes) + placed * place_bytes;
    return stream(from, read, rows * real_bytes);
}

/* The bytes of both matrices of v4 and v5 with 16-bit columns, of D, x and y, and of what boundary
 * rows use of x. */
static double local_bytes(const model_counts_t *counts)
{
    static const double entry_bytes = 8.0 + 2.0;
    return (double)(counts->interior_entries + counts->boundary_entries) * entry_bytes +
           (double)(3 * counts->rows + boundary_values(counts)) * real_bytes;
}

/* Rows of one kind, by the rates of the local product, else by their bytes. */
static double local_product(const modeli_case_t *from, const model_counts_t *counts,
                            modeli_rows_t rows, uint64_t entries, double by_bytes)
{
    rows.width = rows.rows > 0.0 ? (double)entries / rows.rows : 0.0;
    rows.is_held = modeli_is_held(local_bytes(counts), &from->machine);
    double in_order = by_bytes;
    if (modeli_knows_rates(&from->machine, MODEL_SLICED_KERNEL))
        in_order = modeli_rows_seconds(&rows, &from->machine, MODEL_SLICED_KERNEL);
    return in_order + gathered(from, MODEL_SLICED_KERNEL, rows);
}

/* Interior rows read own values in place. */
static double interior(const modeli_case_t *from, const model_counts_t *counts)
{
    uint64_t rows = counts->rows - counts->boundary_rows;
    double wide = (double)counts->wide_rows;
    return local_product(
        from, counts, rows_of(from, counts, rows, MODEL_INTERIOR_LINES), counts->interior_entries,
        sliced_product(from, (double)rows - wide, wide, 0.0, counts->interior_entries));
}

/* Boundary rows read a dense vector of the values that they use, thread by thread in the order of
 * x. */
static double boundary(const modeli_case_t *from, const model_counts_t *counts)
{
    uint64_t values = boundary_values(counts);
    double rows = (double)counts->boundary_rows;
    bool is_wide = values > UINT16_MAX;
    return local_product(from, counts,
                         rows_of(from, counts, counts->boundary_rows, MODEL_BOUNDARY_LINES),
                         counts->boundary_entries,
                         sliced_product(from, is_wide ? 0.0 : rows, is_wide ? rows : 0.0, rows,
                                        counts->boundary_entries));
}

/* Packing what others and the own boundary rows need. */
static double planned(const modeli_case_t *from, const model_counts_t *counts)
{
    double packed = (double)(counts->values_out[MODEL_LOCAL] + counts->values_out[MODEL_REMOTE] +
                             (copies_part(counts) ? 0 : counts->boundary_own_values));
    if (!modeli_knows_moves(&from->machine))
        return stream(from, packed * (real_bytes + column_bytes), packed * real_bytes);
    return modeli_listed_seconds(values_of(from, counts, packed, local_bytes(counts)),
                                 &from->machine, MODEL_MOVE_PLAN);
}

/* Copying what boundary rows use; in v5 also taking it out of the node's messages. */
static double taken(const modeli_case_t *from, const model_counts_t *counts,
                    model_variant_t variant)
{
    double remote = (double)counts->values_in[MODEL_REMOTE];
    double landed = variant == MODEL_V5 ? remote * real_bytes : 0.0;
    double bytes = (double)boundary_values(counts) * real_bytes;
    if (!modeli_knows_moves(&from->machine))
        return stream(from, landed + bytes, landed + bytes);
    double nbytes = local_bytes(counts);
    double own = (double)own_values(counts);
    double others = (double)counts->values_in[MODEL_LOCAL] + remote;
    return stream(from, landed, landed) +
           modeli_move_seconds(values_of(from, counts, own, nbytes), &from->machine,
                               MODEL_MOVE_COPY) +
           modeli_move_seconds(values_of(from, counts, others, nbytes), &from->machine,
                               MODEL_MOVE_COPY_OTHER);
}

/* How long a node's messages travel, all at once. */
static double travel(const modeli_case_t *from, model_variant_t variant, size_t node)
{
    size_t begin = model_layout_leader(from->layout, node);
    size_t end = model_layout_leader(from->layout, node + 1);
    double values = 0.0;
    for (size_t t = begin; t < end; t++)
        values += (double)(variant == MODEL_V5 ? from->counts[t].node_values_out
                                               : from->counts[t].values_out[MODEL_REMOTE]);
    return values > 0.0 ? message_latency(from) + link_seconds(from, values * real_bytes) : 0.0;
}

static double run_overlapped(const modeli_case_t *from, model_variant_t variant,
                             model_parts_t *parts, double *nodes)
{
    double slowest = 0.0;
    for (size_t node = 0; node < from->layout->nodes; node++) {
        size_t end = model_layout_leader(from->layout, node + 1);
        nodes[node] = travel(from, variant, node);
        for (size_t t = model_layout_leader(from->layout, node); t < end; t++) {
            const model_counts_t *counts = &from->counts[t];
            double hidden = from->overlaps ? interior(from, counts) : 0.0;
            double waited = counts->values_in[MODEL_REMOTE] > 0 ? nodes[node] : 0.0;
            parts[t] = (model_parts_t){
                .put = planned(from, counts),
                .unpack = taken(from, counts, variant),
                .compute = interior(from, counts) + boundary(from, counts),
                .communication = fmax(waited - hidden, 0.0),
            };
            slowest = fmax(slowest, model_parts_sum(&parts[t]));
        }
    }
    return slowest;
}

double modeli_spmv_seconds(const modeli_case_t *from, model_variant_t variant, model_parts_t *parts,
                           double *nodes, double *room)
{
    for (size_t node = 0; node < from->layout->nodes; node++)
        nodes[node] = 0.0;
    switch (variant) {
    case MODEL_V2:
        return run_v2(from, parts, nodes, room);
    case MODEL_V3:
        return run_v3(from, parts, nodes, room);
    case MODEL_V4:
    case MODEL_V5:
        return run_overlapped(from, variant, parts, nodes);
    default:
        return run_by_pointers(from, variant, parts, nodes);
    }
}
