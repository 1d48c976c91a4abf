#include "support/cli_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cli.h"

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
