/**
 * Command lines: what every program of the project shares on top of glibc's argp.
 *
 * Each parse function takes the option as the user typed it ("--cells"), reads its text and
 * returns the value. On bad text it prints one line naming the program, the option, the text and
 * what was expected, and ends the process with status CLI_EXIT_USAGE.
 */
#ifndef SUPPORT_CLI_H
#define SUPPORT_CLI_H

#include <stddef.h>

/** Exit status for a command line that makes no sense. */
#define CLI_EXIT_USAGE 2

/** Makes `--version` print "PROGRAM (Fathom) VERSION" and argp's own errors end with
 *  CLI_EXIT_USAGE. Call first in main. */
void cli_init(const char *program);

/** A whole number from `min` to `max`. */
size_t cli_parse_count(const char *option, const char *text, size_t min, size_t max);

/** A finite real number from `min` to `max`. */
double cli_parse_real(const char *option, const char *text, double min, double max);

/** The index of `text` in `choices`, a list that ends with NULL. */
int cli_parse_choice(const char *option, const char *text, const char *const *choices);

/** Prints "PROGRAM: message" to standard error and ends the process with `status`. */
_Noreturn void cli_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
