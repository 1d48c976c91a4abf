/* v4 and v5: messages travel while rows are computed that need none. */
#include <math.h>

#include "moves.h"
#include "rates.h"
#include "spmv_shared.h"
#include "spmv_variants.h"
#include "support/boundary.h"

static const double real_bytes = sizeof(double);
static const double column_bytes = sizeof(int32_t);

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
    return modeli_streamed(from, read, rows * real_bytes);
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
    rows.home = modeli_home_of(local_bytes(counts), &from->machine);
    double in_order = by_bytes;
    if (modeli_knows_rates(&from->machine, MODEL_SLICED_KERNEL))
        in_order = modeli_rows_seconds(&rows, &from->machine, MODEL_SLICED_KERNEL);
    return in_order + modeli_gathered(from, MODEL_SLICED_KERNEL, rows);
}

/* Interior rows read own values in place. */
static double interior(const modeli_case_t *from, const model_counts_t *counts)
{
    uint64_t rows = counts->rows - counts->boundary_rows;
    double wide = (double)counts->wide_rows;
    return local_product(
        from, counts, modeli_rows_of(from, counts, rows, MODEL_INTERIOR_LINES),
        counts->interior_entries,
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
                         modeli_rows_of(from, counts, counts->boundary_rows, MODEL_BOUNDARY_LINES),
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
        return modeli_streamed(from, packed * (real_bytes + column_bytes), packed * real_bytes);
    return modeli_listed_seconds(modeli_values_of(from, counts, packed, local_bytes(counts)),
                                 &from->machine, MODEL_MOVE_PLAN);
}

/* Sending a thread's messages to other nodes, or in v5 its node's, beyond the start of the first
 * and their bytes, which are part of how long they travel. */
static double sent(const modeli_case_t *from, const model_counts_t *counts, model_variant_t variant)
{
    uint64_t messages =
        variant == MODEL_V5 ? counts->node_messages_out : counts->messages_out[MODEL_REMOTE];
    return messages > 1
               ? (double)(messages - 1) * modeli_at(from, (model_parameter_t)MODEL_MESSAGE_FLOOD)
               : 0.0;
}

/* Copying own values for boundary rows. */
static double copied_own(const modeli_case_t *from, const model_counts_t *counts)
{
    double own = (double)own_values(counts);
    if (!modeli_knows_moves(&from->machine))
        return modeli_streamed(from, own * real_bytes, own * real_bytes);
    return modeli_move_seconds(modeli_values_of(from, counts, own, local_bytes(counts)),
                               &from->machine, MODEL_MOVE_COPY);
}

/* Copying what boundary rows use; in v5 also taking it out of the node's messages. */
static double taken(const modeli_case_t *from, const model_counts_t *counts,
                    model_variant_t variant)
{
    double remote = (double)counts->values_in[MODEL_REMOTE];
    double landed = variant == MODEL_V5 ? remote * real_bytes : 0.0;
    double others = (double)counts->values_in[MODEL_LOCAL] + remote;
    double own = copied_own(from, counts);
    if (!modeli_knows_moves(&from->machine))
        return own +
               modeli_streamed(from, landed + others * real_bytes, landed + others * real_bytes);
    return own + modeli_streamed(from, landed, landed) +
           modeli_move_seconds(modeli_values_of(from, counts, others, local_bytes(counts)),
                               &from->machine, MODEL_MOVE_COPY_OTHER);
}

/* How long messages travel from a node and to it, all at once and in both directions at the same
 * time. */
static double travel(const modeli_case_t *from, model_variant_t variant, size_t node)
{
    size_t begin = model_layout_leader(from->layout, node);
    size_t end = model_layout_leader(from->layout, node + 1);
    double out = 0.0;
    double in = 0.0;
    for (size_t t = begin; t < end; t++) {
        out += (double)(variant == MODEL_V5 ? from->counts[t].node_values_out
                                            : from->counts[t].values_out[MODEL_REMOTE]);
        in += (double)from->counts[t].values_in[MODEL_REMOTE];
    }
    double values = fmax(out, in);
    return values > 0.0
               ? modeli_message_latency(from) + modeli_link_seconds(from, values * real_bytes)
               : 0.0;
}

/* And from the others of a node to a thread: they write their values in place, and a signal. */
static double travel_on_node(const modeli_case_t *from, const model_counts_t *counts)
{
    return counts->values_in[MODEL_LOCAL] > 0 ? modeli_at(from, (model_parameter_t)MODEL_NODE_TURN)
                                              : 0.0;
}

double modeli_run_overlapped(const modeli_case_t *from, model_variant_t variant,
                             model_parts_t *parts, double *nodes)
{
    double slowest = 0.0;
    for (size_t node = 0; node < from->layout->nodes; node++) {
        size_t end = model_layout_leader(from->layout, node + 1);
        nodes[node] = travel(from, variant, node);
        for (size_t t = model_layout_leader(from->layout, node); t < end; t++) {
            const model_counts_t *counts = &from->counts[t];
            /* Between sending and waiting there is a copy of the whole part, if there is one. */
            double inside = interior(from, counts);
            double meanwhile = inside + (copies_part(counts) ? copied_own(from, counts) : 0.0);
            double hidden = from->overlaps ? meanwhile : 0.0;
            double remote = counts->values_in[MODEL_REMOTE] > 0 ? nodes[node] : 0.0;
            double waited = fmax(remote, travel_on_node(from, counts));
            parts[t] = (model_parts_t){
                .put = planned(from, counts) + sent(from, counts, variant),
                .unpack = taken(from, counts, variant),
                .compute = inside + boundary(from, counts),
                .communication = fmax(waited - hidden, 0.0),
            };
            slowest = fmax(slowest, model_parts_sum(&parts[t]));
        }
    }
    return slowest;
}
