/* Counts and formulas of section 8. */
#include <math.h>

#include "fail.h"
#include "perfmodel/formulas.h"
#include "perfmodel/heat.h"

static const double real_bytes = sizeof(double);

const char *const model_heat_form_names[] = {"memget", "strided", "async", "signal", NULL};

/* Points before part `part` when `points` are distributed over `parts`, as in fathom-heat2d. */
static size_t first_of(size_t points, size_t part, size_t parts)
{
    return points / parts * part + points % parts * part / parts;
}

bool model_heat_layout(const model_heat_shape_t *shape, size_t nodes, size_t threads_per_node,
                       model_layout_t *layout, mesh_error_t *error)
{
    size_t depth = shape->steps_per_exchange;
    size_t points;
    if (depth == 0)
        return modeli_fail(error, "--steps-per-exchange 0: at least one step is computed");
    if (shape->P == 0 || shape->Q == 0 || shape->P > MODEL_THREADS_MAX / shape->Q)
        return modeli_fail(error, "--grid %zux%zu: from 1 to %zu threads are possible", shape->P,
                           shape->Q, MODEL_THREADS_MAX);
    if (shape->M < 3 || shape->N < 3 || (shape->M - 2) / shape->P < depth ||
        (shape->N - 2) / shape->Q < depth)
        return modeli_fail(error,
                           "--size %zux%zu: too small for a grid of %zux%zu: every thread needs at "
                           "least %zu rows and columns of points (--steps-per-exchange), beside "
                           "the boundary",
                           shape->M, shape->N, shape->P, shape->Q, depth);
    if (__builtin_mul_overflow(shape->M, shape->N, &points) ||
        __builtin_mul_overflow(points, depth, &points))
        return modeli_fail(error,
                           "--size %zux%zu: too large: the points of %zu steps between two "
                           "exchanges do not fit into 64 bits",
                           shape->M, shape->N, depth);
    return model_layout_make(1, 1, shape->P * shape->Q, nodes, threads_per_node, 0, layout, error);
}

double model_heat_steps_served(const model_heat_shape_t *shape, size_t steps)
{
    size_t each = shape->steps_per_exchange;
    size_t exchanges = (steps + each - 1) / each;
    return (double)exchanges * (double)each;
}

static size_t rows_of(const model_heat_shape_t *shape, size_t p)
{
    return first_of(shape->M - 2, p + 1, shape->P) - first_of(shape->M - 2, p, shape->P);
}

static size_t cols_of(const model_heat_shape_t *shape, size_t q)
{
    return first_of(shape->N - 2, q + 1, shape->Q) - first_of(shape->N - 2, q, shape->Q);
}

/* Adds what comes from the neighbour `down` rows down and `right` columns right, if there is one.
 */
static void add_section(const model_heat_shape_t *shape, const model_layout_t *layout,
                        size_t thread, int down, int right, model_heat_counts_t *counts)
{
    size_t depth = shape->steps_per_exchange;
    size_t p = thread / shape->Q + (size_t)(ptrdiff_t)down;
    size_t q = thread % shape->Q + (size_t)(ptrdiff_t)right;
    if (p >= shape->P || q >= shape->Q)
        return;
    size_t node = model_layout_node(layout, p * shape->Q + q);
    model_place_t place = node == model_layout_node(layout, thread) ? MODEL_LOCAL : MODEL_REMOTE;
    uint64_t rows = down == 0 ? counts->rows : depth;
    uint64_t cols = right == 0 ? counts->cols : depth;
    counts->values[place] += rows * cols;
    counts->messages[place]++;
    if (place == MODEL_REMOTE && (double)(rows * cols) * real_bytes > MODEL_HEAT_SIGNAL_BYTES) {
        counts->long_messages++;
        counts->long_values += rows * cols;
    }
    if (down == 0)
        counts->horizontal[place] += rows * cols;
    if (down > 0)
        counts->below[place] += rows * cols;
}

/* Points of all steps between two exchanges: each step computes one layer less beyond the block,
 * on the sides that have a neighbour; the sum over `layer` from 0 of
 * (rows + layer * rows_beyond) * (cols + layer * cols_beyond). No term is more than all points. */
static uint64_t points_of(const model_heat_shape_t *shape, size_t p, size_t q,
                          const model_heat_counts_t *counts)
{
    uint64_t rows_beyond = (uint64_t)(p > 0) + (p + 1 < shape->P);
    uint64_t cols_beyond = (uint64_t)(q > 0) + (q + 1 < shape->Q);
    uint64_t steps = shape->steps_per_exchange;
    uint64_t layers = steps % 2 == 0 ? steps / 2 * (steps - 1) : steps * ((steps - 1) / 2);
    uint64_t squares =
        layers % 3 == 0 ? layers / 3 * (2 * steps - 1) : layers * ((2 * steps - 1) / 3);
    return steps * counts->rows * counts->cols +
           layers * (counts->rows * cols_beyond + counts->cols * rows_beyond) +
           squares * rows_beyond * cols_beyond;
}

model_heat_counts_t model_heat_count(const model_heat_shape_t *shape, const model_layout_t *layout,
                                     size_t thread)
{
    size_t p = thread / shape->Q;
    size_t q = thread % shape->Q;
    model_heat_counts_t counts = {.rows = rows_of(shape, p), .cols = cols_of(shape, q)};
    for (int down = -1; down <= 1; down++)
        for (int right = -1; right <= 1; right++) {
            bool is_corner = down != 0 && right != 0;
            bool is_used = is_corner ? shape->steps_per_exchange > 1 : down != right;
            if (is_used)
                add_section(shape, layout, thread, down, right, &counts);
        }
    counts.points = points_of(shape, p, q, &counts);
    return counts;
}

double model_heat_pack_seconds(const model_heat_counts_t *counts, const model_parameters_t *machine)
{
    double values = (double)(counts->horizontal[MODEL_LOCAL] + counts->horizontal[MODEL_REMOTE]);
    return values * (real_bytes + machine->cache_line_bytes) /
           machine->value[MODEL_PRIVATE_BANDWIDTH];
}

double model_heat_node_seconds(const model_layout_t *layout, const model_heat_counts_t *counts,
                               size_t node, const model_parameters_t *machine)
{
    double most = 0.0;
    double sum = 0.0;
    size_t end = model_layout_leader(layout, node + 1);
    for (size_t t = model_layout_leader(layout, node); t < end; t++) {
        double local = (double)counts[t].values[MODEL_LOCAL] * real_bytes;
        double remote = (double)counts[t].values[MODEL_REMOTE] * real_bytes;
        most = fmax(most, model_contiguous_local_seconds(2.0 * local, machine));
        if (counts[t].messages[MODEL_REMOTE] > 0)
            sum += (double)counts[t].messages[MODEL_REMOTE] * machine->value[MODEL_REMOTE_LATENCY] +
                   model_contiguous_remote_seconds(remote, machine);
    }
    return most + sum;
}

double model_heat_halo_seconds(const model_layout_t *layout, const model_heat_counts_t *counts,
                               const model_parameters_t *machine)
{
    double slowest = 0.0;
    for (size_t node = 0; node < layout->nodes; node++) {
        double pack = 0.0;
        size_t end = model_layout_leader(layout, node + 1);
        for (size_t t = model_layout_leader(layout, node); t < end; t++)
            pack = fmax(pack, model_heat_pack_seconds(&counts[t], machine));
        slowest =
            fmax(slowest, 2.0 * pack + model_heat_node_seconds(layout, counts, node, machine));
    }
    return slowest;
}

double model_heat_compute_seconds(const model_layout_t *layout, const model_heat_counts_t *counts,
                                  const model_parameters_t *machine)
{
    uint64_t most = 0;
    for (size_t t = 0; t < layout->threads; t++) {
        uint64_t points = counts[t].rows * counts[t].cols;
        most = points > most ? points : most;
    }
    return 3.0 * (double)most * real_bytes / machine->value[MODEL_PRIVATE_BANDWIDTH];
}
