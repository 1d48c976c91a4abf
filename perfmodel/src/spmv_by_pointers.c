/* naive and v1: individual accesses. */
#include <math.h>

#include "perfmodel/formulas.h"
#include "rates.h"
#include "spmv_shared.h"
#include "spmv_variants.h"

static model_kernel_t kernel_by_pointers(model_variant_t variant)
{
    return variant == MODEL_NAIVE ? MODEL_NAIVE_KERNEL : MODEL_POINTERS_KERNEL;
}

static bool is_power_of_two(size_t number)
{
    return (number & (number - 1)) == 0;
}

/* The kernels of rows of v1: own values only, a few of another thread's, and every second one. */
typedef struct kernels {
    model_kernel_t own;
    model_kernel_t mixed;
    model_kernel_t alternately;
} kernels_t;

static kernels_t kernels_of(const modeli_case_t *from)
{
    static const kernels_t by_shifts = {MODEL_SHIFTS_KERNEL, MODEL_SHIFTS_MIXED_KERNEL,
                                        MODEL_SHIFTS_TURNS_KERNEL};
    static const kernels_t by_products = {MODEL_POINTERS_KERNEL, MODEL_POINTERS_MIXED_KERNEL,
                                          MODEL_POINTERS_TURNS_KERNEL};
    bool shifts = is_power_of_two(from->layout->blocksize) &&
                  modeli_knows_rates(&from->machine, MODEL_SHIFTS_KERNEL);
    return shifts ? by_shifts : by_products;
}

/* Rows of v1. Every access adds to the counter of the thread it goes to, and additions to one
 * counter wait for each other, for longer or shorter as the core guesses. Few accesses to another
 * thread already end most of that. So rows are interpolated by the share of such accesses, between
 * those where it is 0, one in MODEL_MIXED_PART, and a half. */
static double rows_by_pointers(const modeli_case_t *from, const model_counts_t *counts,
                               const modeli_rows_t *rows)
{
    const model_parameters_t *machine = &from->machine;
    const kernels_t kernels = kernels_of(from);
    const double few = 1.0 / MODEL_MIXED_PART;
    const double half = 0.5;
    double own = modeli_rows_seconds(rows, machine, kernels.own);
    if (!modeli_knows_rates(machine, kernels.mixed) ||
        !modeli_knows_rates(machine, kernels.alternately))
        return own;
    double mixed = modeli_rows_seconds(rows, machine, kernels.mixed);
    double turns = modeli_rows_seconds(rows, machine, kernels.alternately);
    double all = rows->rows * rows->width;
    double others = all > 0.0 ? fmin((double)counts->individual[MODEL_LOCAL] / all, half) : 0.0;
    return others < few ? own + (mixed - own) * others / few
                        : mixed + (turns - mixed) * (others - few) / (half - few);
}

/* What the loop's rates do not contain: with them, a load costs the same in all memory of the
 * node. */
static double individual(const modeli_case_t *from, const model_counts_t *counts,
                         model_variant_t variant)
{
    if (modeli_knows_rates(&from->machine, kernel_by_pointers(variant)))
        return (double)counts->individual[MODEL_REMOTE] * modeli_at(from, MODEL_REMOTE_LATENCY);
    if (!from->machine.has[MODEL_LOCAL_ACCESS])
        return model_v1_communication_seconds(counts, &from->machine);
    bool knows_cached = from->machine.has[MODEL_LOCAL_ACCESS_CACHED];
    uint64_t lines = counts->lines_in[MODEL_LOCAL];
    uint64_t again = counts->individual[MODEL_LOCAL] - lines;
    return (double)lines * modeli_at(from, MODEL_LOCAL_ACCESS) +
           (double)again *
               modeli_at(from, knows_cached ? MODEL_LOCAL_ACCESS_CACHED : MODEL_POINTER_ACCESS) +
           (double)counts->individual[MODEL_REMOTE] * modeli_at(from, MODEL_REMOTE_LATENCY);
}

/* Accesses to the thread's own memory through global addresses: x of own off-diagonals and of the
 * row, and in naive also A, J, D and y. */
static double pointers(const modeli_case_t *from, const model_counts_t *counts,
                       model_variant_t variant)
{
    double accesses = (double)(counts->individual[MODEL_OWN] + counts->rows);
    if (variant == MODEL_NAIVE)
        accesses += (double)(counts->rows * (2 * from->layout->row_nonzeros + 2));
    return accesses * modeli_at(from, MODEL_POINTER_ACCESS);
}

/* By the rates of the loop itself. Without them, the core works on addresses while the next rows
 * come from memory; only product_access tells how much else it has to do; and the individual
 * accesses include lines of x from other threads. */
static double product_by_pointers(const modeli_case_t *from, const model_counts_t *counts,
                                  model_variant_t variant)
{
    model_kernel_t kernel = kernel_by_pointers(variant);
    modeli_rows_t rows = modeli_rows_of(from, counts, counts->rows, MODEL_NODE_LINES);
    rows.home = modeli_home_of_thread(from, counts);
    if (modeli_knows_rates(&from->machine, kernel))
        return (kernel == MODEL_NAIVE_KERNEL ? modeli_rows_seconds(&rows, &from->machine, kernel)
                                             : rows_by_pointers(from, counts, &rows)) +
               modeli_lines_seconds(&rows, &from->machine, MODEL_POINTERS_KERNEL);
    double traffic = modeli_product_traffic(from, counts);
    double core = pointers(from, counts, variant);
    double lines = (double)counts->x_lines[MODEL_OWN] * modeli_at(from, MODEL_GATHER_ACCESS);
    if (!from->machine.has[MODEL_PRODUCT_ACCESS])
        return traffic + core + lines;
    return fmax(traffic, core + modeli_product_core(from, counts)) + lines;
}

double modeli_run_by_pointers(const modeli_case_t *from, model_variant_t variant,
                              model_parts_t *parts, double *nodes)
{
    double turns = variant == MODEL_NAIVE ? (double)from->layout->rows : 0.0;
    double slowest = 0.0;
    for (size_t t = 0; t < from->layout->threads; t++) {
        const model_counts_t *counts = &from->counts[t];
        size_t node = model_layout_node(from->layout, t);
        parts[t] = (model_parts_t){
            .compute = product_by_pointers(from, counts, variant) +
                       turns * modeli_at(from, MODEL_AFFINITY_TEST),
            .communication = individual(from, counts, variant),
        };
        nodes[node] = fmax(nodes[node], parts[t].communication);
        slowest = fmax(slowest, parts[t].compute + parts[t].communication);
    }
    return slowest + modeli_at(from, MODEL_BARRIER_LATENCY);
}
