#include "job/process_exit.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <pgas/detail.h>

#include "base/loaded.h"
#include "base/self.h"

enum {
    CRASHES = 3
};

static const int crashes[CRASHES] = {SIGSEGV, SIGBUS, SIGABRT};
static struct sigaction before[CRASHES];

/* A child that the program makes inherits the handlers. */
static pid_t process;
static pid_t leaver;
static int exit_status;

/* The leaver's own crash is what it would be without this: it happens again. A signal that somebody
 * has sent must be sent again. */
static void on_crash(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (gettid() != leaver && getpid() == process)
        _exit(exit_status);
    for (size_t i = 0; i < CRASHES; i++)
        if (crashes[i] == number)
            sigaction(number, &before[i], NULL);
    if (info->si_code <= 0)
        raise(number);
}

static void guard(int status, void *unused)
{
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO};
    (void)unused;
    if (!pgasi_is_in_job || getpid() != process)
        return;
    exit_status = status;
    leaver = gettid();
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < CRASHES; i++)
        sigaction(crashes[i], &action, &before[i]);
}

static bool must_fail;

int pgasi_process_exit_status(int status)
{
    return status == EXIT_SUCCESS && must_fail && getpid() == process ? EXIT_FAILURE : status;
}

/* glibc's exit may be called again here: it goes on with the handlers that are left. */
static void fail_if_well(int status, void *unused)
{
    (void)unused;
    if (pgasi_process_exit_status(status) != status)
        exit(EXIT_FAILURE);
}

/* The network keeps the runtime loaded. */
void pgasi_process_exit_watch(void)
{
    process = getpid();
    on_exit(guard, NULL);
}

void pgasi_process_exit_fail(void)
{
    pgasi_stay_loaded();
    process = getpid();
    must_fail = true;
    on_exit(fail_if_well, NULL);
}
