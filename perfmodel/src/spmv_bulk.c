/* v2 and v3: the threads of a node make contiguous transfers together. */
#include <math.h>

#include "moves.h"
#include "rates.h"
#include "spmv_shared.h"
#include "spmv_variants.h"
#include "stream.h"

static const double real_bytes = sizeof(double);
static const double column_bytes = sizeof(int32_t);

/* Bytes copied from one place to another, as memcpy does it. */
static double copied(const modeli_case_t *from, double bytes)
{
    if (!from->machine.has[MODEL_PRIVATE_COPY_BANDWIDTH])
        return modeli_streamed(from, bytes, bytes);
    return 2.0 * bytes / modeli_at(from, MODEL_PRIVATE_COPY_BANDWIDTH);
}

/* Values moved by v2 and v3. */
static double moved(const modeli_case_t *from, const model_counts_t *counts, model_move_t move,
                    double count)
{
    double nbytes = model_thread_bytes(from->layout, counts);
    return modeli_move_seconds(modeli_values_of(from, counts, count, nbytes), &from->machine, move);
}

/* The same by a list of indexes. */
static double listed(const modeli_case_t *from, const model_counts_t *counts, model_move_t move,
                     double count)
{
    double nbytes = model_thread_bytes(from->layout, counts);
    return modeli_listed_seconds(modeli_values_of(from, counts, count, nbytes), &from->machine,
                                 move);
}

/* A product without lines out of order, by plain pointers: as measured, or the slower of memory
 * and core. */
static double product_in_order(const modeli_case_t *from, const model_counts_t *counts,
                               const modeli_rows_t *rows)
{
    if (modeli_knows_rates(&from->machine, MODEL_ROWS_KERNEL))
        return modeli_rows_seconds(rows, &from->machine, MODEL_ROWS_KERNEL);
    return fmax(modeli_product_traffic(from, counts), modeli_product_core(from, counts));
}

/* All of x lies in the thread's own copy. */
static double product(const modeli_case_t *from, const model_counts_t *counts)
{
    modeli_rows_t rows = modeli_rows_of(from, counts, counts->rows, MODEL_ALL_LINES);
    rows.home = modeli_home_of_thread(from, counts);
    return product_in_order(from, counts, &rows) + modeli_gathered(from, MODEL_ROWS_KERNEL, rows);
}

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
            local_blocks(from, counts) + (double)blocks * modeli_at(from, MODEL_BLOCK_LATENCY),
        .latency_seconds =
            (double)counts->needed_blocks[MODEL_REMOTE] * modeli_at(from, MODEL_REMOTE_LATENCY),
        .remote_bytes = (double)counts->needed_bytes[MODEL_REMOTE],
    };
}

static transfers_t put_transfers(const modeli_case_t *from, const model_counts_t *counts)
{
    double values = (double)counts->values_out[MODEL_LOCAL];
    return (transfers_t){
        .local_seconds =
            (modeli_knows_moves(&from->machine) ? moved(from, counts, MODEL_MOVE_PUT, values)
                                                : copied(from, values * real_bytes)) +
            (double)counts->messages_out[MODEL_LOCAL] * modeli_at(from, MODEL_BLOCK_LATENCY),
        .latency_seconds =
            (double)counts->messages_out[MODEL_REMOTE] * modeli_message_latency(from),
        .remote_bytes = (double)counts->values_out[MODEL_REMOTE] * real_bytes,
    };
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
        double remote = moved.latency_seconds + modeli_link_seconds(from, shared);
        thread_seconds[t] = moved.local_seconds + remote;
        slowest = fmax(slowest, side_by_side ? thread_seconds[t] : moved.local_seconds);
        in_turn += side_by_side ? 0.0 : remote;
    }
    return slowest + in_turn;
}

double modeli_run_v2(const modeli_case_t *from, model_parts_t *parts, double *nodes,
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
    return slowest + modeli_at(from, MODEL_BARRIER_LATENCY);
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
        .pack = modeli_streamed(from, out * (real_bytes + column_bytes), out * real_bytes),
        .copy = copied(from, own_bytes),
        .unpack = modeli_streamed(from, in * (real_bytes + column_bytes),
                                  lines * from->machine.cache_line_bytes),
        .compute = product(from, counts),
    };
}

double modeli_run_v3(const modeli_case_t *from, model_parts_t *parts, double *nodes,
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
    return before + after + 2.0 * modeli_at(from, MODEL_BARRIER_LATENCY);
}
