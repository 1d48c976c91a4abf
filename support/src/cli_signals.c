#include <signal.h>
#include <stddef.h>

#include "support/cli.h"

static void (*clean_up)(void);

static void on_ending_signal(int number)
{
    clean_up();
    signal(number, SIG_DFL);
    raise(number);
}

void cli_clean_up_on_signal(void (*function)(void))
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGPIPE, SIGXCPU};
    struct sigaction action = {.sa_handler = on_ending_signal};
    clean_up = function;
    sigfillset(&action.sa_mask);
    for (size_t s = 0; s < sizeof caught / sizeof caught[0]; s++) {
        struct sigaction before;
        sigaction(caught[s], NULL, &before);
        if (before.sa_handler != SIG_IGN)
            sigaction(caught[s], &action, NULL);
    }
}
