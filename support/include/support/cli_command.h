/**
 * Command lines of programs with subcommands: "fathom-mesh order --method rcm IN OUT".
 */
#ifndef SUPPORT_CLI_COMMAND_H
#define SUPPORT_CLI_COMMAND_H

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

/** Answers --help and --version of the program, or runs the subcommand that argv[1] names and
 *  returns its status; ends the process with CLI_EXIT_USAGE where there is none. `doc` says in a
 *  line what the program does. Call cli_init before. */
int cli_command_dispatch(const char *program, const char *doc, const cli_command_t *commands,
                         size_t count, int argc, char **argv);

#endif
