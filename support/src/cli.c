#include "support/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/printable.h"

static char version[128];

/* Of a write that failed earlier nobody has kept the reason: another one tells it. */
int cli_output_failure(void)
{
    if (fflush(stdout) != 0)
        return errno;
    if (ferror(stdout) == 0)
        return 0;
    return write(STDOUT_FILENO, "\n", 1) < 0 ? errno : EIO;
}

/* A process that fails has said why, and its output may be incomplete. If standard output was
 * closed from the start, printing nothing to it is no failure. */
static void check_output(int status, void *context)
{
    (void)context;
    if (status != EXIT_SUCCESS)
        return;
    int reason = cli_output_failure();
    if (fclose(stdout) != 0 && reason == 0 && errno != EBADF)
        reason = errno;
    if (reason == 0)
        return;
    fprintf(stderr, "%s: standard output cannot be written: %s\n", program_invocation_short_name,
            strerror(reason));
    _exit(EXIT_FAILURE);
}

/* What is printed to a standard output that was closed must fail as before, so that it is open for
 * reading only. */
static void open_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

/* JSON from which a part is missing, for want of memory, would look whole. */
static void *allocate_json(size_t nbytes)
{
    void *memory = malloc(nbytes);
    if (memory == NULL)
        cli_fail(EXIT_FAILURE, "not enough memory for %zu bytes of JSON", nbytes);
    return memory;
}

void cli_init(const char *program)
{
    open_standard_files();
    snprintf(version, sizeof version, "%s (Fathom) %s", program, FATHOM_VERSION);
    argp_program_version = version;
    on_exit(check_output, NULL);
    json_set_alloc_funcs(allocate_json, free);
    signal(SIGXFSZ, SIG_IGN); /* a write that fails says more */
}

void cli_fail(int status, const char *format, ...)
{
    char text[8192]; /* a path, a list of values, and what is wrong with them */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    printable_make(text, strlen(text), true);
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, text);
    exit(status);
}
