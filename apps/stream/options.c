#include "options.h"

#include <pgas/pgas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/nodes.h"
#include "common/options.h"
#include "job.h"
#include "support/cli.h"
#include "transfer_gasnet.h"

static stream_list_t parse_list(const char *option, const char *text, size_t max)
{
    stream_list_t list;
    list.count = cli_parse_list(option, text, 1, max, list.values, STREAM_LIST_MAX);
    return list;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    static const char *const places[] = {"own", "local", "remote", NULL};
    const size_t many = (size_t)1 << 40;
    stream_options_t *options = state->input;
    switch (key) {
    case 'j':
        options->json = text;
        return 0;
    case 'e':
        options->elements = cli_parse_count("--elements", text, 1, many);
        return 0;
    case 'r':
        options->repetitions = cli_parse_count("--repetitions", text, 1, 1000000);
        return 0;
    case 's':
        options->seconds = cli_parse_real("--seconds", text, 1e-6, 1e5);
        return 0;
    case 'g':
        options->gasnet = true;
        return 0;
    case 'n':
        options->operations = cli_parse_count("--operations", text, 1, many);
        return 0;
    case 'p':
        options->place = cli_parse_choice("--place", text, places);
        return 0;
    case 'z':
        options->sizes = parse_list("--sizes", text, (size_t)1 << 30);
        return 0;
    case 'd':
        options->depths = parse_list("--depths", text, 65535);
        return 0;
    case ARGP_KEY_ARG:
        cli_fail(CLI_EXIT_USAGE, "'%s': the command takes options only; see --help", text);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

size_t stream_list_largest(const stream_list_t *list)
{
    size_t largest = 0;
    for (size_t i = 0; i < list->count; i++)
        largest = list->values[i] > largest ? list->values[i] : largest;
    return largest;
}

void stream_options_start(const struct argp_option *table, const char *doc, int argc, char **argv,
                          stream_options_t *options)
{
    const struct argp argp = {.options = table, .parser = parse_option, .doc = doc};
    common_options_parse("fathom-stream", &argp, argc, argv, options);
    if (options->gasnet)
        stream_gasnet_begin();
    else if (pgas_init() != PGAS_OK)
        exit(1);
    stream_job_begin();
}

/* All threads call it; thread 0 ends the job. */
static void refuse_place(const stream_options_t *options)
{
    static const char *const wheres[PGAS_PLACES] = {"but itself", "on its node", "on another node"};
    if (pgas_mythread() == 0)
        pgas_fail(CLI_EXIT_USAGE,
                  "--place: there is a thread with no other one %s: threads: %d, nodes: %d",
                  wheres[options->place], pgas_threads(), common_nodes());
    pgas_barrier();
}

void stream_options_demand_place(const stream_options_t *options)
{
    if (options->place >= 0 && !stream_has_partners((pgas_place_t)options->place))
        refuse_place(options);
}

pgas_place_t stream_options_other_place(stream_options_t *options)
{
    if (options->place < 0)
        options->place = common_nodes() > 1 ? PGAS_REMOTE : PGAS_LOCAL;
    if (options->place == PGAS_OWN || stream_partner(0, (pgas_place_t)options->place) < 0)
        refuse_place(options);
    return (pgas_place_t)options->place;
}

/* gasnet_exit leaves without the functions that look at standard output at the end. */
_Noreturn static void finish_with_gasnet(void)
{
    int reason = cli_output_failure();
    if (reason != 0)
        pgas_fail(1, "standard output cannot be written: %s", strerror(reason));
    stream_gasnet_end();
}

int stream_options_finish(const stream_options_t *options)
{
    stream_job_end();
    if (options->gasnet)
        finish_with_gasnet();
    pgas_finalize();
    return 0;
}
