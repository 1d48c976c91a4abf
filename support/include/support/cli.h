/**
 * Command lines: what every program of the project shares on top of glibc's argp.
 *
 * Each parse function takes the option as the user typed it ("--cells"), reads its text and
 * returns the value. On bad text it prints one line naming the program, the option, the text and
 * what was expected, and ends the process with status CLI_EXIT_USAGE.
 */
#ifndef SUPPORT_CLI_H
#define SUPPORT_CLI_H

#include <argp.h>
#include <stddef.h>

/** Exit status for a command line that makes no sense. */
#define CLI_EXIT_USAGE 2

/**
 * Makes `--version` print "PROGRAM (Fathom) VERSION", and watches over standard output: a process
 * that would end well, by return from main or by exit, ends with one line and EXIT_FAILURE if
 * something that it printed could not be written. A write past the limit of file sizes (ulimit -f)
 * fails from here on, and ends the process no more. Descriptors 0 to 2 that were closed are open to
 * /dev/null from here on, so that no file or pipe gets their numbers. Call first in main, once.
 */
void cli_init(const char *program);

/** Writes out what the program has printed. Returns 0; or, if any of it could not be written, the
 *  reason (errno), EIO where the system does not tell it any more. For a program that ends in a way
 *  that cli_init does not watch over. */
int cli_output_failure(void);

/** Calls `function`, which is async-signal-safe, before a signal ends the process: one that users,
 *  shells and launchers send, or that abort, a closed pipe or a limit of time sends. A signal that
 *  is ignored stays ignored. */
void cli_clean_up_on_signal(void (*function)(void));

/**
 * Parses a command line with argp, and answers --help, --usage and --version, which need not be in
 * `argp`. Ends the process with one line and CLI_EXIT_USAGE where an option is unknown, fits
 * several, lacks its value or has one too much.
 *
 * @param argp  the parser; of its children the first, second and so on keep their places in
 *              argp_state's child_inputs. At most CLI_CHILDREN_MAX of them.
 * @param flags of argp_parse: 0 or ARGP_IN_ORDER.
 * @param argv  argv[0] is what help and messages call the program.
 * @param input handed to the parser.
 */
void cli_parse(const struct argp *argp, unsigned flags, int argc, char **argv, void *input);

/** The most children that a parser has. */
#define CLI_CHILDREN_MAX 8

/** A whole number from `min` to `max`: digits only. */
size_t cli_parse_count(const char *option, const char *text, size_t min, size_t max);

/** A finite real number from `min` to `max`, decimal. */
double cli_parse_real(const char *option, const char *text, double min, double max);

/** The index of `text` in `choices`, a list that ends with NULL. */
int cli_parse_choice(const char *option, const char *text, const char *const *choices);

/** Whole numbers from `min` to `max`, separated by commas: "1,2,8". `values` has room for `room`
 *  of them; returns how many there are, at least one. */
size_t cli_parse_list(const char *option, const char *text, size_t min, size_t max, size_t *values,
                      size_t room);

/** Two whole numbers from `min` to `max` with an x between: "300x400". */
void cli_parse_pair(const char *option, const char *text, size_t min, size_t max, size_t *first,
                    size_t *second);

/** A file that a command line names. */
typedef struct cli_file {
    /** The option, "--json", or the argument, "MATRIX". */
    const char *what;
    /** Its path; NULL: not given; "-": standard output. */
    const char *path;
    /** 0: the program only reads it. */
    int is_written;
} cli_file_t;

/** Ends the process with one line and CLI_EXIT_USAGE if a file that is written is another one of
 *  them too, by whatever name. */
void cli_check_files(const cli_file_t *files, size_t count);

/** Prints "PROGRAM: message" to standard error and ends the process with `status`. The message is
 *  one line, whatever a file that it names is called, and commands no terminal (printable.h). */
_Noreturn void cli_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
