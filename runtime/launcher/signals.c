#include "signals.h"

#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>

static const int handled[] = {SIGCHLD, SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                              SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP, SIGWINCH};

static sigset_t original_mask;
static bool hangup_ignored;

int signals_open(void)
{
    struct sigaction hangup;
    sigaction(SIGHUP, NULL, &hangup);
    hangup_ignored = hangup.sa_handler == SIG_IGN;

    sigset_t mask;
    sigemptyset(&mask);
    for (size_t i = 0; i < sizeof handled / sizeof *handled; i++) {
        if (handled[i] == SIGHUP && hangup_ignored)
            continue;
        signal(handled[i], SIG_DFL); /* a blocked signal that is ignored may never be seen */
        sigaddset(&mask, handled[i]);
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
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    sigprocmask(SIG_SETMASK, &original_mask, NULL);
}

bool signals_end_job(int number)
{
    return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}
