#include "common/options.h"

#include <fcntl.h>
#include <meshes/temporary.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/cli.h"

/* PMIx launchers set this variable to the rank; without a launcher there is a single thread. */
static bool speaks(void)
{
    const char *rank = getenv("PMIX_RANK");
    return rank == NULL || strcmp(rank, "0") == 0;
}

/* Redirects a descriptor to /dev/null; returns a copy of the original, or -1. */
static int silence(int descriptor)
{
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
        dup2(nowhere, descriptor);
        close(nowhere);
    }
    return copy;
}

static void restore(int descriptor, int copy)
{
    if (copy < 0)
        return;
    dup2(copy, descriptor);
    close(copy);
}

static bool parsing_silently;

/* A launcher ends the job when the first thread fails: the thread that prints must be the first,
 * however late it is. The others are ended with the job; without such a launcher they end later. */
static void leave_last(int status, void *unused)
{
    const struct timespec head_start = {.tv_sec = 30};
    (void)unused;
    if (parsing_silently && status != 0)
        nanosleep(&head_start, NULL);
}

void common_options_parse(const char *program, const struct argp *argp, int argc, char **argv,
                          void *options)
{
    cli_init(program);
    if (speaks()) {
        cli_clean_up_on_signal(mesh_temporaries_remove);
        cli_parse(argp, 0, argc, argv, options);
        return;
    }
    int out = silence(STDOUT_FILENO);
    int err = silence(STDERR_FILENO);
    parsing_silently = true;
    on_exit(leave_last, NULL);
    cli_parse(argp, 0, argc, argv, options);
    parsing_silently = false;
    restore(STDERR_FILENO, err);
    restore(STDOUT_FILENO, out);
}
