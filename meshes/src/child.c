#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "temporary_file.h"

enum {
    ORPHANED = 126 /* an exit status nobody is left to see */
};

/* A handler of the program would remove the parent's files. */
static void drop_handlers(void)
{
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            signal(number, SIG_DFL);
    }
}

/* If the parent ended before the signal was requested, it never comes. */
static void tie_to_parent(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(ORPHANED);
}

/* What the program does about SIGCHLD while it has no child of ours, and while it has one. */
static struct sigaction without_child;
static struct sigaction keeping;

/* Where the signal is ignored, which programs inherit, the kernel forgets how a child ended. */
static void keep_status(void)
{
    sigaction(SIGCHLD, NULL, &without_child);
    keeping = without_child;
    keeping.sa_flags &= ~SA_NOCLDWAIT;
    if (keeping.sa_handler == SIG_IGN)
        keeping.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &keeping, NULL);
}

/* Unless the program has set another action meanwhile. */
static void restore(void)
{
    struct sigaction now;
    sigaction(SIGCHLD, NULL, &now);
    if (now.sa_handler == keeping.sa_handler)
        sigaction(SIGCHLD, &without_child, NULL);
}

pid_t meshi_child_fork(int grace)
{
    sigset_t all;
    sigset_t before;
    pid_t self = getpid();
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    keep_status();
    pid_t child = fork();
    int reason = errno;
    if (child == 0) {
        tie_to_parent(self);
        setpgid(0, 0);
        drop_handlers();
        return 0;
    }
    if (child > 0) {
        setpgid(child, child);
        meshi_temporary_child(child, grace);
    } else {
        restore();
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return child;
}

/* Only async-signal-safe calls: between fork and exec. The reason why the program cannot be started
 * goes to `failure`, which is closed on exec. */
static _Noreturn void become_program(char *const *args, int log, int owner, int failure)
{
    sigset_t none;
    sigemptyset(&none);
    signal(SIGXFSZ, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int in = open("/dev/null", O_RDONLY);
    if (in >= 0 && dup2(in, 0) >= 0 && dup2(log, 1) >= 0 && dup2(log, 2) >= 0 &&
        fcntl(owner, F_SETFD, 0) == 0)
        execvp(args[0], args);
    int reason = errno;
    ssize_t told = write(failure, &reason, sizeof reason);
    _exit(told == (ssize_t)sizeof reason ? 127 : 126);
}

/* Returns 0, or the reason why the program does not run. */
static int await_exec(int failure)
{
    int reason = 0;
    ssize_t got;
    do
        got = read(failure, &reason, sizeof reason);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof reason ? reason : 0;
}

int meshi_child_start(char *const *args, int log, int owner, int grace, pid_t *child)
{
    int failure[2];
    int reason;
    if (pipe2(failure, O_CLOEXEC) != 0)
        return errno;
    pid_t pid = meshi_child_fork(grace);
    if (pid == 0)
        become_program(args, log, owner, failure[1]);
    reason = pid < 0 ? errno : 0;
    close(failure[1]);
    if (pid > 0)
        reason = await_exec(failure[0]);
    close(failure[0]);
    if (reason == 0)
        *child = pid;
    else if (pid > 0)
        meshi_child_wait(pid, NULL, NULL);
    return reason;
}

/* Until the child has been waited for, the process number is its own, and a signal handler may kill
 * it; not after that. */
static int reap(pid_t child)
{
    sigset_t all;
    sigset_t before;
    pid_t waited;
    int status;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    while ((waited = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        ;
    meshi_temporary_child(0, 0);
    restore();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return waited == child ? status : MESHI_CHILD_UNKNOWN;
}

static bool has_ended(pid_t child, int options)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT | options) == 0
               ? info.si_pid == child
               : errno != EINTR;
}

int meshi_child_wait(pid_t child, const char *stage, const mesh_progress_t *progress)
{
    static const struct timespec pause = {0, 20000000};
    bool told = progress != NULL && progress->report != NULL;
    while (!has_ended(child, told ? WNOHANG : 0))
        if (told) {
            progress->report(progress->context, stage, 0, 0);
            nanosleep(&pause, NULL);
        }
    return reap(child);
}
