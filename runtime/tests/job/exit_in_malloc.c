/**
 * Thread 0 ends the job with status 3 in a handler of a signal, which interrupts malloc most times;
 * see exit_in_malloc.sh. Tells whom the runtime kills, by a line each.
 *
 * usage: runtime_exit_in_malloc [deaf]
 * deaf: as if malloc were interrupted each time: the launcher is never told.
 */
#include <dlfcn.h>
#include <pmix.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <pgas/detail.h>

#include "check.h"

/* In place of the C library's. The first process is the machine's, or one of a namespace. */
int kill(pid_t pid, int sig)
{
    char line[64];
    int length = snprintf(line, sizeof line, "kills %d\n", (int)pid);
    CHECK(write(STDOUT_FILENO, line, (size_t)length) == length);
    return pid > 1 ? (int)syscall(SYS_kill, pid, sig) : -1;
}

static pmix_status_t (*tell_launcher)(int, const char[], pmix_proc_t[], size_t);

/* In place of the library's. */
pmix_status_t PMIx_Abort(int status, const char message[], pmix_proc_t processes[],
                         size_t nprocesses)
{
    while (tell_launcher == NULL)
        pause();
    return tell_launcher(status, message, processes, nprocesses);
}

static void on_alarm(int number)
{
    (void)number;
    pgas_exit(3); /* NOLINT(bugprone-signal-handler): that is what is tested */
}

int main(int argc, char *argv[])
{
    bool is_deaf = argc > 1 && strcmp(argv[1], "deaf") == 0;
    if (!is_deaf) {
        *(void **)&tell_launcher = dlsym(RTLD_NEXT, "PMIx_Abort");
        CHECK(tell_launcher != NULL);
    }
    CHECK(pgas_init() == PGAS_OK);
    pgasi_limit_ending(10, 4); /* as of an ending that was thought better of */
    pgasi_limit_ending(0, 4);
    pgas_barrier();
    signal(SIGALRM, on_alarm);
    suseconds_t later = 10000 + getpid() % 7 * 1000;
    if (pgas_mythread() == 0)
        setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0, later}}, NULL);
    void *volatile pieces[20];
    for (;;) {
        for (size_t i = 0; i < 20; i++)
            pieces[i] = malloc(2000 + i * 977);
        for (size_t i = 0; i < 20; i++)
            free(pieces[i]);
    }
}
