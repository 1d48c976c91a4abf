#include <stdio.h>
#include <stdlib.h>

#include "access.h"
#include "command.h"
#include "common/json.h"
#include "common/large.h"
#include "common/nodes.h"
#include "job.h"
#include "machine.h"
#include "report.h"

enum {
    INDICES = 1 << 20,
    FAR_INDICES = 1 << 14
};

static const struct argp_option option_table[] = {
    STREAM_OPTION_ELEMENTS("elements per thread of the array (default: twice what the threads "
                           "have of the last-level cache, and 64 MiB at least, together; 65536 "
                           "where other nodes' are read)"),
    STREAM_OPTION_PLACE("whose elements are read: local (other threads' of the node; a thread that "
                        "is alone on its node reads its own, if other nodes have several) or "
                        "remote (default: both, where there are any)"),
    STREAM_OPTION_SECONDS("0.05"),
    STREAM_OPTION_REPETITIONS("7"),
    STREAM_OPTION_JSON,
    {0},
};

static size_t choose_elements(const stream_options_t *options, pgas_place_t place)
{
    enum {
        TIMES_THE_CACHE = 2,
        FAR_ELEMENTS = 1 << 16
    };
    if (options->elements > 0)
        return options->elements;
    return place == PGAS_REMOTE ? FAR_ELEMENTS : stream_elements_beyond_cache(TIMES_THE_CACHE);
}

static void measure(pgas_place_t place, const stream_options_t *options, stream_report_t *report)
{
    stream_reads_t reads;
    size_t elements = choose_elements(options, place);
    double *samples = common_alloc("times", options->repetitions, sizeof(double));
    stream_reads_create(place, elements, place == PGAS_REMOTE ? FAR_INDICES : INDICES, &reads);
    report->right = stream_reads_check(&reads) && report->right;
    stream_reads_fit(&reads, options->seconds);
    for (size_t r = 0; r < options->repetitions; r++)
        samples[r] = stream_reads_measure(&reads);
    common_spread_t spread = common_spread(samples, options->repetitions);
    stream_report_add(report,
                      json_pack("{s:s, s:I, s:I, s:o}", "place", common_place_names[place],
                                "elements", (json_int_t)elements, "reads", (json_int_t)reads.turns,
                                "seconds", common_spread_to_json(&spread)));
    if (stream_report_prints(report)) {
        printf("%-8s %12zu %12zu ", common_place_names[place], elements, reads.turns);
        stream_print_spread(&spread, 1e6);
        printf("\n");
    }
    stream_reads_free(&reads);
    free(samples);
}

int command_random(int argc, char **argv)
{
    stream_options_t options = {.repetitions = 7, .seconds = 0.05, .place = -1};
    stream_options_start(option_table,
                         "Random individual reads of what other threads own, all threads at once, "
                         "less the traversal of the index array (Listing 6): remote, this is tau.",
                         argc, argv, &options);
    if (options.place >= 0 || pgas_threads() == 1)
        stream_options_other_place(&options);
    stream_options_demand_place(&options);
    stream_report_t report = stream_report_begin("random", &options);
    if (stream_report_prints(&report))
        printf("random reads; threads: %d, nodes: %d; us per read\n%-8s %12s %12s %12s %24s\n",
               pgas_threads(), common_nodes(), "owner", "elements", "reads", "us", "(min .. max)");
    for (int place = PGAS_LOCAL; place < PGAS_PLACES; place++)
        if ((options.place < 0 || options.place == place) &&
            stream_has_partners((pgas_place_t)place))
            measure((pgas_place_t)place, &options, &report);
    stream_report_end(&report);
    return stream_options_finish(&options);
}
