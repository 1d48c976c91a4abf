/* fathom-stream: what memory and network give a job: the parameters of the performance model. */
#include <argp.h>
#include <string.h>

#include "command.h"
#include "common/options.h"
#include "support/cli.h"

static const struct {
    const char *name;
    char *title;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"stream", "fathom-stream stream", command_stream},
    {"shared", "fathom-stream shared", command_shared},
    {"pingpong", "fathom-stream pingpong", command_pingpong},
    {"random", "fathom-stream random", command_random},
    {"latency", "fathom-stream latency", command_latency},
    {"flood", "fathom-stream flood", command_flood},
    {"calibrate", "fathom-stream calibrate", command_calibrate},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    (void)state;
    switch (key) {
    case ARGP_KEY_ARG:
        cli_fail(CLI_EXIT_USAGE, "'%s' is not a command; 'fathom-stream --help' lists them", text);
    case ARGP_KEY_NO_ARGS:
        cli_fail(CLI_EXIT_USAGE, "no command given; 'fathom-stream --help' lists them");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .parser = parse_option,
    .args_doc = "COMMAND [OPTION...]",
    .doc = "Measures what memory and network give the threads of a job.\v"
           "  stream      STREAM on private arrays\n"
           "  shared      STREAM on shared arrays, by pointers, privatised, in bulk\n"
           "  pingpong    messages to and fro between two threads\n"
           "  random      single reads of what others own: tau\n"
           "  latency     gets and puts, one at a time\n"
           "  flood       gets and puts, many in flight\n"
           "  calibrate   all parameters of the performance model, into a file\n"
           "\n'fathom-stream COMMAND --help' lists a command's options.",
};

int main(int argc, char **argv)
{
    for (size_t c = 0; argc > 1 && c < sizeof commands / sizeof commands[0]; c++)
        if (strcmp(argv[1], commands[c].name) == 0) {
            argv[1] = commands[c].title;
            return commands[c].run(argc - 1, argv + 1);
        }
    common_options_parse("fathom-stream", &argp, argc, argv, NULL);
    return 0;
}
