#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "common/json.h"
#include "common/large.h"
#include "common/nodes.h"
#include "job.h"
#include "machine.h"
#include "private.h"
#include "report.h"

static const struct argp_option option_table[] = {
    STREAM_OPTION_ELEMENTS(
        "elements per thread and array (default: the job's arrays have four "
        "times what its threads have of the last-level cache, and 128 MiB at least, each)"),
    STREAM_OPTION_REPETITIONS("10"),
    STREAM_OPTION_JSON,
    {0},
};

static void report_kernel(stream_report_t *report, stream_kernel_t kernel, size_t elements,
                          const common_spread_t *per_thread)
{
    double threads = (double)pgas_threads();
    common_spread_t total = stream_scaled(per_thread, threads);
    common_spread_t per_node = stream_scaled(&total, 1.0 / common_nodes());
    stream_report_add(report,
                      json_pack("{s:s, s:I, s:I, s:o, s:o, s:o}", "kernel",
                                stream_kernel_names[kernel], "elements", (json_int_t)elements,
                                "bytes_per_element", (json_int_t)stream_kernel_bytes[kernel],
                                "per_thread", common_spread_to_json(per_thread), "per_node",
                                common_spread_to_json(&per_node), "total",
                                common_spread_to_json(&total)));
    if (stream_report_prints(report))
        printf("%-8s %12.2f (%8.2f .. %8.2f) %12.2f %12.2f\n", stream_kernel_names[kernel],
               per_thread->median * 1e-9, per_thread->min * 1e-9, per_thread->max * 1e-9,
               per_node.median * 1e-9, total.median * 1e-9);
}

static void measure(stream_private_t *state, const stream_options_t *options,
                    stream_report_t *report)
{
    double *samples =
        common_alloc("samples", options->repetitions * STREAM_KERNELS, sizeof(double));
    for (int kernel = 0; kernel < STREAM_KERNELS; kernel++)
        stream_private_bandwidth(state, (stream_kernel_t)kernel);
    for (size_t r = 0; r < options->repetitions; r++)
        for (size_t kernel = 0; kernel < STREAM_KERNELS; kernel++)
            samples[kernel * options->repetitions + r] =
                stream_private_bandwidth(state, (stream_kernel_t)kernel);
    report->right = stream_private_check(state);
    for (size_t kernel = 0; kernel < STREAM_KERNELS; kernel++) {
        common_spread_t spread =
            common_spread(&samples[kernel * options->repetitions], options->repetitions);
        report_kernel(report, (stream_kernel_t)kernel, state->count, &spread);
    }
    free(samples);
}

int command_stream(int argc, char **argv)
{
    enum {
        TIMES_THE_CACHE = 4
    };
    stream_options_t options = {.repetitions = 10};
    stream_options_start(option_table,
                         "STREAM on private arrays, all threads at once: copy, scale, add, triad, "
                         "and a sum, which only reads.",
                         argc, argv, &options);
    if (options.elements == 0)
        options.elements = stream_elements_beyond_cache(TIMES_THE_CACHE);
    stream_private_t state;
    stream_report_t report = stream_report_begin("stream", &options);
    stream_private_create(STREAM_IN_PRIVATE_MEMORY, options.elements, &state);
    if (stream_report_prints(&report))
        printf("STREAM, private arrays: %zu elements per thread and array; threads: %d, nodes: "
               "%d; GB/s\n%-8s %12s %22s %12s %12s\n",
               options.elements, pgas_threads(), common_nodes(), "kernel", "per thread",
               "(min .. max)", "per node", "total");
    measure(&state, &options, &report);
    stream_private_free(&state);
    stream_report_end(&report);
    return stream_options_finish(&options);
}
