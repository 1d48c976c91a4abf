/**
 * Command lines of programs that run as many threads: only thread 0 prints.
 */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include <argp.h>

/**
 * Parses the command line before pgas_init, on every thread alike. `--help`, `--version` and errors
 * end the program as cli_parse does, but only the launcher's rank 0 prints. From here on errors of
 * standard output are found at the end of the program, as cli_init says, and a signal that ends
 * rank 0, which writes the files, removes one that is half written. The others have no handlers: so
 * a launcher can end them at once.
 *
 * @param program the program's name, for --version.
 * @param argp    the parser; see argp_parse.
 * @param options handed to the parser as its input.
 */
void common_options_parse(const char *program, const struct argp *argp, int argc, char **argv,
                          void *options);

#endif
