#include "signals.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/signalfd.h>

static const int handled[] = {SIGCHLD, SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                              SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP, SIGWINCH};

static sigset_t original_mask;
/* When the launcher was started. */
static sigset_t ignored;

static void note_ignored(void)
{
    struct sigaction action;
    for (int number = 1; number < NSIG; number++)
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            sigaddset(&ignored, number);
}

/* Runs before the constructors of the libraries: UCX's sets a handler of SIGHUP, for its debugger,
 * even under nohup. */
__attribute__((section(".preinit_array"), used)) static void (*first_of_all)(void) = note_ignored;

/* Those by which a terminal or a shell ends or stops the commands that do not ignore them. */
static bool may_stay_ignored(int number)
{
    return number == SIGHUP || number == SIGINT || number == SIGQUIT || number == SIGTSTP;
}

int signals_open(void)
{
    sigset_t mask;
    sigemptyset(&mask);
    for (size_t i = 0; i < sizeof handled / sizeof *handled; i++) {
        int number = handled[i];
        if (may_stay_ignored(number) && sigismember(&ignored, number) == 1) {
            signal(number, SIG_IGN);
            continue;
        }
        signal(number, SIG_DFL); /* a blocked signal that is ignored may never be seen */
        sigaddset(&mask, number);
    }
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_BLOCK, &mask, &original_mask);
    int fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0)
        perror("fathom-run: signalfd");
    return fd;
}

void signals_restore(void)
{
    for (int number = 1; number < NSIG; number++)
        signal(number, sigismember(&ignored, number) == 1 ? SIG_IGN : SIG_DFL);
    sigprocmask(SIG_SETMASK, &original_mask, NULL);
}

bool signals_end_job(int number)
{
    return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}
