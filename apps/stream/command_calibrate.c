#include <argp.h>

#include "calibrate.h"
#include "command.h"
#include "common/options.h"
#include "exchange.h"
#include "job.h"
#include "support/cli.h"

enum {
    QUICK = 1000
};

static const struct argp_option option_table[] = {
    {"out", 'o', "FILE", 0, "write the parameters there, as JSON; '-' is standard output", 0},
    {"json", 'j', "FILE", 0, "the same as --out", 0},
    {"name", 'n', "NAME", 0, "of the machine (default: the host's)", 0},
    {"seconds", 's', "SECONDS", 0,
     "about how long to measure (default 10), but three rounds at least, which may take longer", 0},
    {"quick", QUICK, NULL, 0, "the same as --seconds 3", 0},
    {"repetitions", 'r', "ROUNDS", 0,
     "rounds, each of which measures every parameter once (default: as the time allows)", 0},
    {"elements", 'e', "COUNT", 0,
     "elements per thread of arrays beyond the caches (at least 262144; default: twice what "
     "the thread has of the last-level cache, which is measured, and 64 MiB of all at least)",
     0},
    {0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    stream_calibrate_settings_t *settings = state->input;
    switch (key) {
    case 'o':
    case 'j':
        if (settings->out != NULL)
            cli_fail(CLI_EXIT_USAGE, "'%s': --out and --json are the same; one file is written",
                     text);
        settings->out = text;
        return 0;
    case 'n':
        settings->name = text;
        return 0;
    case 's':
        settings->seconds = cli_parse_real("--seconds", text, 0.01, 1e5);
        return 0;
    case QUICK:
        settings->seconds = 3.0;
        return 0;
    case 'r':
        settings->rounds = cli_parse_count("--repetitions", text, 1, 1000);
        return 0;
    case 'e':
        settings->elements =
            cli_parse_count("--elements", text, STREAM_EXCHANGE_LEAST, (size_t)1 << 40);
        return 0;
    case ARGP_KEY_ARG:
        cli_fail(CLI_EXIT_USAGE, "'%s': calibrate takes options only; see --help", text);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = option_table,
    .parser = parse_option,
    .doc = "Measures the hardware parameters of the performance model in the shape of this job, "
           "all threads at once.\vParameters that the job cannot measure are left out: those of "
           "the network need two nodes (fathom-run --nodes 2).",
};

int command_calibrate(int argc, char **argv)
{
    stream_calibrate_settings_t settings = {.seconds = 10.0};
    common_options_parse("fathom-stream", &argp, argc, argv, &settings);
    if (pgas_init() != PGAS_OK)
        return 1;
    stream_job_begin();
    stream_calibrate(&settings);
    stream_job_end();
    pgas_finalize();
    return 0;
}
