#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs some of the above. */
#include <cmocka.h>

#include "small_job.h"

static const size_t rows = 800;
model_layout_t layout;
model_counts_t counts[4];
model_machine_t machine;
model_parameters_t parameters;

void small_job_set(model_parameter_t parameter, double value)
{
    machine.has[parameter] = true;
    machine.parameters[parameter] = (model_spread_t){value, value / 2.0, value * 2.0};
    parameters = model_machine_parameters(&machine, MODEL_TYPICAL);
}

int small_job_prepare(void **state)
{
    (void)state;
    mesh_error_t error;
    machine = (model_machine_t){.cache_line_bytes = 64.0};
    small_job_set(MODEL_PRIVATE_BANDWIDTH, 1e9);
    small_job_set(MODEL_REMOTE_BANDWIDTH, 1e8);
    small_job_set(MODEL_REMOTE_LATENCY, 1e-5);
    if (!model_layout_make(rows, 16, 4, 2, 0, 100, &layout, &error))
        return 1;
    for (size_t t = 0; t < 4; t++)
        counts[t] = (model_counts_t){
            .rows = 200,
            .blocks = 2,
            .individual = {3000, 150, 50},
            .needed_blocks = {2, 1, 1},
            .needed_bytes = {1600, 800, 800},
            .values_in = {0, 60, 20},
            .messages_in = {0, 1, 1},
            .values_out = {0, 60, 20},
            .messages_out = {0, 1, 1},
            .node_messages_out = t % 2 == 0 ? 1 : 0,
            .node_values_out = t % 2 == 0 ? 40 : 0,
            .lines_in = {0, 10, 5},
            .x_lines = {70, 20, 10},
            .sequence_lines = {40, 30, 20, 10},
            .close_lines = {20, 5, 5, 0},
            .near_lines = {10, 5, 5, 20},
            .far_lines = {70, 60, 30, 40},
            .close_rows = {20, 5, 5, 0},
            .near_rows = {10, 5, 5, 20},
            .far_rows = {70, 60, 30, 40},
            .boundary_rows = 50,
            .boundary_own_values = 30,
            .interior_entries = 2400,
            .boundary_entries = 800,
        };
    counts[3].individual[MODEL_REMOTE] = 150;
    counts[3].values_out[MODEL_REMOTE] = 100;
    counts[1].values_in[MODEL_LOCAL] = 160;
    return 0;
}

model_prediction_t small_job_predict(model_variant_t variant)
{
    mesh_error_t error;
    model_prediction_t prediction;
    assert_true(model_predict(&layout, counts, &machine, variant, &prediction, &error));
    return prediction;
}

void small_job_add_all(void)
{
    small_job_set(MODEL_PRIVATE_READ_BANDWIDTH, 1e9);
    small_job_set(MODEL_PRIVATE_SCALE_BANDWIDTH, 16.0 / 24e-9);
    small_job_set(MODEL_PRIVATE_COPY_BANDWIDTH, 0.8e9);
    small_job_set(MODEL_BARRIER_LATENCY, 1e-4);
    small_job_set(MODEL_MESSAGE_LATENCY, 3e-5);
    small_job_set(MODEL_POINTER_ACCESS, 4e-9);
    small_job_set(MODEL_LOCAL_ACCESS, 1e-7);
    small_job_set(MODEL_LOCAL_ACCESS_CACHED, 5e-9);
    small_job_set(MODEL_AFFINITY_TEST, 2e-9);
    small_job_set(MODEL_REMOTE_BANDWIDTH_SHARED, 5e7);
}

void small_job_add_rates(model_kernel_t kernel, double row, double line)
{
    static const double times[MODEL_RATE_KINDS] = {0.0, 0.0, 0.5, 0.5, 1.0, 1.0, 10.0, 10.0};
    int kinds = kernel < MODEL_LINE_KERNELS ? MODEL_RATE_KINDS : MODEL_RATE_CLOSE_ONE;
    for (int w = 0; w < MODEL_RATE_WIDTHS; w++)
        for (int kind = 0; kind < kinds; kind++)
            small_job_set((model_parameter_t)MODEL_RATE(kernel, kind, w), line * times[kind]);
    for (int w = 0; w < MODEL_RATE_WIDTHS; w++) {
        small_job_set((model_parameter_t)MODEL_RATE(kernel, MODEL_RATE_ROW, w), row);
        small_job_set((model_parameter_t)MODEL_RATE(kernel, MODEL_RATE_HELD, w), row / 2.0);
    }
}
