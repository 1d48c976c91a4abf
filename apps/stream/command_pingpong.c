#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "common/json.h"
#include "common/large.h"
#include "common/nodes.h"
#include "job.h"
#include "pingpong.h"
#include "report.h"

static const struct argp_option option_table[] = {
    STREAM_OPTION_SIZES,
    STREAM_OPTION_PLACE("where thread 0's partner is: local (the same node) or remote (default: "
                        "remote, if there is another node)"),
    STREAM_OPTION_SECONDS("0.02"),
    STREAM_OPTION_REPETITIONS("7"),
    STREAM_OPTION_JSON,
    {0},
};

static void report_size(stream_report_t *report, pgas_place_t place, size_t nbytes,
                        const common_spread_t *seconds)
{
    common_spread_t bandwidth = stream_rate((double)nbytes, seconds);
    stream_report_add(report, json_pack("{s:s, s:I, s:o, s:o}", "place", common_place_names[place],
                                        "nbytes", (json_int_t)nbytes, "seconds",
                                        common_spread_to_json(seconds), "bytes_per_second",
                                        common_spread_to_json(&bandwidth)));
    if (stream_report_prints(report)) {
        printf("%10zu ", nbytes);
        stream_print_spread(seconds, 1e6);
        printf(" ");
        stream_print_spread(&bandwidth, 1e-9);
        printf("\n");
    }
}

/* Repetitions alternate between the sizes: if the machine drifts, it does so for all of them. */
static void measure(stream_pingpong_t *state, const stream_options_t *options,
                    stream_report_t *report)
{
    const stream_list_t *sizes = &options->sizes;
    size_t rounds[STREAM_LIST_MAX];
    double *samples = common_alloc("times", sizes->count * options->repetitions, sizeof(double));
    for (size_t s = 0; s < sizes->count; s++) {
        report->right = stream_pingpong_check(state, sizes->values[s]) && report->right;
        rounds[s] = stream_pingpong_fit(state, sizes->values[s], options->seconds);
    }
    for (size_t r = 0; r < options->repetitions; r++)
        for (size_t s = 0; s < sizes->count; s++)
            samples[s * options->repetitions + r] =
                stream_pingpong_measure(state, sizes->values[s], rounds[s]);
    for (size_t s = 0; s < sizes->count; s++) {
        common_spread_t spread =
            common_spread(&samples[s * options->repetitions], options->repetitions);
        report_size(report, state->place, sizes->values[s], &spread);
    }
    free(samples);
}

int command_pingpong(int argc, char **argv)
{
    stream_options_t options = {
        .repetitions = 7,
        .seconds = 0.02,
        .place = -1,
        .sizes = {{8, 64, 512, 4096, 32768, 262144, 1 << 20, 4 << 20}, 8},
    };
    stream_options_start(option_table,
                         "Messages to and fro between thread 0 and a thread of another node (or of "
                         "its own): pgas_memput, then a flag. W_remote is the bandwidth of large "
                         "messages.",
                         argc, argv, &options);
    stream_pingpong_t state;
    stream_report_t report = stream_report_begin("pingpong", &options);
    stream_pingpong_create(stream_options_other_place(&options),
                           stream_list_largest(&options.sizes), &state);
    if (stream_report_prints(&report))
        printf("ping-pong, partner %s; threads: %d, nodes: %d; one way\n%10s %12s %24s %12s %24s\n",
               common_place_names[state.place], pgas_threads(), common_nodes(), "bytes", "us",
               "(min .. max)", "GB/s", "(min .. max)");
    measure(&state, &options, &report);
    stream_pingpong_free(&state);
    stream_report_end(&report);
    return stream_options_finish(&options);
}
