#include "perfmodel/formulas.h"

#include <math.h>

static const double real_bytes = sizeof(double);
static const double column_bytes = sizeof(int32_t);

static double private_bandwidth(const model_parameters_t *machine)
{
    return machine->value[MODEL_PRIVATE_BANDWIDTH];
}

/* A sum without terms needs no parameter: it may be absent on a machine with one node. */
static double remote_seconds(double operations, double bytes, const model_parameters_t *machine)
{
    if (operations == 0.0)
        return 0.0;
    return operations * machine->value[MODEL_REMOTE_LATENCY] +
           model_contiguous_remote_seconds(bytes, machine);
}

uint64_t model_blocks_of_thread(const model_layout_t *layout, size_t thread)
{
    uint64_t total = model_layout_blocks(layout);
    return total / layout->threads + (thread < total % layout->threads);
}

double model_bytes_per_row(size_t row_nonzeros)
{
    return (double)row_nonzeros * (real_bytes + column_bytes) + 3.0 * real_bytes;
}

double model_compute_seconds(const model_layout_t *layout, uint64_t blocks,
                             const model_parameters_t *machine)
{
    return (double)blocks * (double)layout->blocksize * model_bytes_per_row(layout->row_nonzeros) /
           private_bandwidth(machine);
}

double model_contiguous_local_seconds(double bytes, const model_parameters_t *machine)
{
    return bytes / private_bandwidth(machine);
}

double model_contiguous_remote_seconds(double bytes, const model_parameters_t *machine)
{
    return bytes / machine->value[MODEL_REMOTE_BANDWIDTH];
}

double model_individual_local_seconds(const model_parameters_t *machine)
{
    return machine->cache_line_bytes / private_bandwidth(machine);
}

double model_v1_communication_seconds(const model_counts_t *counts,
                                      const model_parameters_t *machine)
{
    return (double)counts->individual[MODEL_LOCAL] * model_individual_local_seconds(machine) +
           (double)counts->individual[MODEL_REMOTE] * machine->value[MODEL_REMOTE_LATENCY];
}

double model_v2_local_seconds(const model_layout_t *layout, const model_counts_t *counts,
                              const model_parameters_t *machine)
{
    uint64_t blocks = counts->needed_blocks[MODEL_OWN] + counts->needed_blocks[MODEL_LOCAL];
    double block_bytes = (double)layout->blocksize * real_bytes;
    return (double)blocks * model_contiguous_local_seconds(2.0 * block_bytes, machine);
}

double model_v2_remote_seconds(const model_layout_t *layout, const model_counts_t *counts,
                               const model_parameters_t *machine)
{
    double blocks = (double)counts->needed_blocks[MODEL_REMOTE];
    return remote_seconds(blocks, blocks * (double)layout->blocksize * real_bytes, machine);
}

double model_v2_node_seconds(const model_layout_t *layout, const model_counts_t *counts,
                             size_t node, const model_parameters_t *machine)
{
    double most = 0.0;
    double sum = 0.0;
    size_t end = model_layout_leader(layout, node + 1);
    for (size_t t = model_layout_leader(layout, node); t < end; t++) {
        most = fmax(most, model_v2_local_seconds(layout, &counts[t], machine));
        sum += model_v2_remote_seconds(layout, &counts[t], machine);
    }
    return most + sum;
}

double model_pack_seconds(const model_counts_t *counts, const model_parameters_t *machine)
{
    double values = (double)(counts->values_out[MODEL_LOCAL] + counts->values_out[MODEL_REMOTE]);
    return values * (2.0 * real_bytes + column_bytes) / private_bandwidth(machine);
}

double model_v3_local_seconds(const model_counts_t *counts, const model_parameters_t *machine)
{
    double values = (double)counts->values_out[MODEL_LOCAL];
    return model_contiguous_local_seconds(2.0 * values * real_bytes, machine);
}

double model_v3_remote_seconds(const model_counts_t *counts, const model_parameters_t *machine)
{
    return remote_seconds((double)counts->messages_out[MODEL_REMOTE],
                          (double)counts->values_out[MODEL_REMOTE] * real_bytes, machine);
}

double model_v3_node_seconds(const model_layout_t *layout, const model_counts_t *counts,
                             size_t node, const model_parameters_t *machine)
{
    double most = 0.0;
    double sum = 0.0;
    size_t end = model_layout_leader(layout, node + 1);
    for (size_t t = model_layout_leader(layout, node); t < end; t++) {
        most = fmax(most, model_v3_local_seconds(&counts[t], machine));
        sum += model_v3_remote_seconds(&counts[t], machine);
    }
    return most + sum;
}

double model_copy_seconds(const model_layout_t *layout, uint64_t blocks,
                          const model_parameters_t *machine)
{
    return 2.0 * (double)blocks * (double)layout->blocksize * real_bytes /
           private_bandwidth(machine);
}

double model_unpack_seconds(const model_counts_t *counts, const model_parameters_t *machine)
{
    double values = (double)(counts->values_in[MODEL_LOCAL] + counts->values_in[MODEL_REMOTE]);
    return values * (real_bytes + column_bytes + machine->cache_line_bytes) /
           private_bandwidth(machine);
}

double model_v1_seconds(const model_layout_t *layout, const model_counts_t *counts,
                        const model_parameters_t *machine)
{
    double slowest = 0.0;
    for (size_t t = 0; t < layout->threads; t++)
        slowest = fmax(slowest, model_compute_seconds(layout, counts[t].blocks, machine) +
                                    model_v1_communication_seconds(&counts[t], machine));
    return slowest;
}

double model_v2_seconds(const model_layout_t *layout, const model_counts_t *counts,
                        const model_parameters_t *machine)
{
    double slowest = 0.0;
    for (size_t node = 0; node < layout->nodes; node++) {
        double compute = 0.0;
        size_t end = model_layout_leader(layout, node + 1);
        for (size_t t = model_layout_leader(layout, node); t < end; t++)
            compute = fmax(compute, model_compute_seconds(layout, counts[t].blocks, machine));
        slowest = fmax(slowest, compute + model_v2_node_seconds(layout, counts, node, machine));
    }
    return slowest;
}

double model_v3_seconds(const model_layout_t *layout, const model_counts_t *counts,
                        const model_parameters_t *machine)
{
    double before = 0.0;
    double after = 0.0;
    for (size_t node = 0; node < layout->nodes; node++) {
        double pack = 0.0;
        size_t end = model_layout_leader(layout, node + 1);
        for (size_t t = model_layout_leader(layout, node); t < end; t++)
            pack = fmax(pack, model_pack_seconds(&counts[t], machine));
        before = fmax(before, pack + model_v3_node_seconds(layout, counts, node, machine));
    }
    for (size_t t = 0; t < layout->threads; t++)
        after = fmax(after, model_copy_seconds(layout, counts[t].blocks, machine) +
                                model_unpack_seconds(&counts[t], machine) +
                                model_compute_seconds(layout, counts[t].blocks, machine));
    return before + after;
}
