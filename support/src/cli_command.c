#include "support/cli_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cli.h"

static const struct argp_option common_options[] = {
    {"help", '?', NULL, 0, "Give this help list", -1},
    {"version", 'V', NULL, 0, "Print program version", -1},
    {0},
};

/* NOLINTNEXTLINE(readability-non-const-parameter): the signature is argp's. */
static error_t parse_common(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    switch (key) {
    case '?':
        argp_help(state->root_argp, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC,
                  state->name);
        exit(EXIT_SUCCESS);
    case 'V':
        printf("%s\n", argp_program_version);
        exit(EXIT_SUCCESS);
    case ARGP_KEY_ERROR:
        cli_fail(CLI_EXIT_USAGE,
                 "'%s' is not an option of this command, or lacks its value; see '%s --help'",
                 state->argv[state->next - 1], state->name);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_command_common = {common_options, parse_common, NULL, NULL, NULL, NULL, NULL};

void cli_command_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    argp_parse(argp, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP, NULL, input);
}

static void print_help(const char *program, const char *doc, const cli_command_t *commands,
                       size_t count)
{
    printf("Usage: %s COMMAND [OPTION...] ARGUMENTS\n%s\n\n", program, doc);
    for (size_t c = 0; c < count; c++)
        printf("  %-10s %s\n", commands[c].name, commands[c].help);
    printf("\n'%s COMMAND --help' lists the options of a command; '%s --version'\n"
           "prints the version.\n",
           program, program);
}

int cli_command_dispatch(const char *program, const char *doc, const cli_command_t *commands,
                         size_t count, int argc, char **argv)
{
    if (argc < 2)
        cli_fail(CLI_EXIT_USAGE, "no command given; '%s --help' lists them", program);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0) {
        print_help(program, doc, commands, count);
        return EXIT_SUCCESS;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("%s\n", argp_program_version);
        return EXIT_SUCCESS;
    }
    for (size_t c = 0; c < count; c++)
        if (strcmp(argv[1], commands[c].name) == 0) {
            argv[1] = commands[c].title;
            return commands[c].run(argc - 1, argv + 1);
        }
    cli_fail(CLI_EXIT_USAGE, "'%s' is not a command; '%s --help' lists them", argv[1], program);
}
