#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "common/json.h"
#include "common/large.h"
#include "common/nodes.h"
#include "job.h"
#include "machine.h"
#include "report.h"
#include "shared.h"

static const struct argp_option option_table[] = {
    STREAM_OPTION_ELEMENTS("elements per thread and array (default: the job's arrays have twice "
                           "what its threads have of the last-level cache, and 64 MiB at least, "
                           "each); no more than 4096 of them are read one "
                           "by one from another node"),
    STREAM_OPTION_PLACE("whose elements are read: own, local (another thread's of the node) or "
                        "remote (default: all that there are)"),
    STREAM_OPTION_REPETITIONS("5"),
    STREAM_OPTION_JSON,
    {0},
};

static void report_kernel(stream_report_t *report, stream_form_t form, pgas_place_t place,
                          stream_kernel_t kernel, size_t count, const common_spread_t *seconds)
{
    common_spread_t per_thread =
        stream_rate((double)(stream_kernel_bytes[kernel] * count), seconds);
    common_spread_t total = stream_scaled(&per_thread, pgas_threads());
    stream_report_add(report, json_pack("{s:s, s:s, s:s, s:I, s:I, s:o, s:o}", "form",
                                        stream_form_names[form], "place", common_place_names[place],
                                        "kernel", stream_kernel_names[kernel], "elements",
                                        (json_int_t)count, "bytes_per_element",
                                        (json_int_t)stream_kernel_bytes[kernel], "per_thread",
                                        common_spread_to_json(&per_thread), "total",
                                        common_spread_to_json(&total)));
    if (stream_report_prints(report))
        printf("%-11s %-7s %-8s %12.4g (%9.4g .. %9.4g) %12.4g\n", stream_form_names[form],
               common_place_names[place], stream_kernel_names[kernel], per_thread.median * 1e-9,
               per_thread.min * 1e-9, per_thread.max * 1e-9, total.median * 1e-9);
}

static void measure(stream_shared_t *shared, stream_form_t form, pgas_place_t place,
                    const stream_options_t *options, stream_report_t *report)
{
    enum {
        FAR_ELEMENTS = 4096
    };
    size_t count = shared->elements;
    if (form == STREAM_POINTERS && place == PGAS_REMOTE && count > FAR_ELEMENTS)
        count = FAR_ELEMENTS;
    double *seconds = common_alloc("times", options->repetitions * STREAM_KERNELS, sizeof(double));
    if (!stream_shared_measure(shared, form, place, count, options->repetitions, seconds))
        report->right = false;
    for (size_t kernel = STREAM_COPY; kernel <= STREAM_TRIAD; kernel++) {
        common_spread_t spread =
            common_spread(&seconds[kernel * options->repetitions], options->repetitions);
        report_kernel(report, form, place, (stream_kernel_t)kernel, count, &spread);
    }
    free(seconds);
}

int command_shared(int argc, char **argv)
{
    enum {
        TIMES_THE_CACHE = 2
    };
    stream_options_t options = {.repetitions = 5, .place = -1};
    stream_options_start(
        option_table,
        "STREAM on shared arrays, all threads at once: through pointers-to-shared, "
        "privatised, and by bulk copy. A thread writes its own elements.",
        argc, argv, &options);
    stream_options_demand_place(&options);
    if (options.elements == 0)
        options.elements = stream_elements_beyond_cache(TIMES_THE_CACHE);
    stream_shared_t shared;
    stream_report_t report = stream_report_begin("shared", &options);
    stream_shared_create(options.elements, &shared);
    if (stream_report_prints(&report))
        printf("STREAM, shared arrays: %zu elements per thread and array; threads: %d, nodes: %d; "
               "GB/s\n%-11s %-7s %-8s %12s %24s %12s\n",
               options.elements, pgas_threads(), common_nodes(), "form", "reads", "kernel",
               "per thread", "(min .. max)", "total");
    for (int place = 0; place < PGAS_PLACES; place++)
        for (int form = 0; form < STREAM_FORMS; form++)
            if ((options.place < 0 || options.place == place) &&
                stream_has_partners((pgas_place_t)place) &&
                stream_shared_reaches((stream_form_t)form, (pgas_place_t)place))
                measure(&shared, (stream_form_t)form, (pgas_place_t)place, &options, &report);
    stream_shared_free(&shared);
    stream_report_end(&report);
    return stream_options_finish(&options);
}
