/**
 * Command lines of programs with subcommands: "fathom-mesh order --method rcm IN OUT".
 */
#ifndef SUPPORT_CLI_COMMAND_H
#define SUPPORT_CLI_COMMAND_H

#include <argp.h>
#include <stddef.h>

/** A subcommand. */
typedef struct cli_command {
    const char *name;
    /** What its help calls it, "PROGRAM NAME". */
    char *title;
    /** Runs it; argv[0] is the title. Returns the exit status. */
    int (*run)(int argc, char **argv);
    /** One line for the program's help. */
    const char *help;
} cli_command_t;

/** The options --help and --version, to be a child of every subcommand's parser. */
extern const struct argp cli_command_common;

/** Parses a subcommand's command line with argp; answers --help and --version; ends the process
 *  with one line and CLI_EXIT_USAGE when an option is unknown or lacks its value. `argp` has
 *  cli_command_common among its children. */
void cli_command_parse(const struct argp *argp, int argc, char **argv, void *input);

/** Answers --help and --version of the program, or runs the subcommand that argv[1] names and
 *  returns its status; ends the process with CLI_EXIT_USAGE where there is none. `doc` says in a
 *  line what the program does. Call cli_init before. */
int cli_command_dispatch(const char *program, const char *doc, const cli_command_t *commands,
                         size_t count, int argc, char **argv);

#endif
