#include "guard.h"

#include "names.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    ROUNDS = 100,
    ROUND_NANOSECONDS = 5000000
};

/** Gives up all descriptors but `from`: nobody must wait for the guard to close one. */
static void let_go(int from)
{
    int null = open("/dev/null", O_RDWR);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && null >= 0; fd++)
        dup2(null, fd);
    if (from > STDERR_FILENO + 1)
        close_range(STDERR_FILENO + 1, (unsigned)from - 1, 0);
    close_range((unsigned)from + 1, ~0U, 0);
}

/** Waits for the kernel to end killed groups, half a second at most: nobody may be there to reap
 *  them. */
static void wait_until_gone(const pid_t *groups, size_t count)
{
    size_t gone = 0;
    for (int round = 0; round < ROUNDS; round++) {
        while (gone < count && kill(-groups[gone], 0) != 0)
            gone++;
        if (gone == count)
            return;
        nanosleep(&(struct timespec){.tv_nsec = ROUND_NANOSECONDS}, NULL);
    }
}

static _Noreturn void run_guard(int from)
{
    let_go(from);
    setpgid(0, 0);
    prctl(PR_SET_NAME, "fathom-guard");
    pid_t *groups = NULL;
    size_t count = 0;
    size_t capacity = 0;
    pid_t group;
    ssize_t got;
    while ((got = read(from, &group, sizeof group)) == sizeof group ||
           (got < 0 && errno == EINTR)) {
        if (got < 0)
            continue;
        if (count == capacity) {
            capacity = capacity > 0 ? 2 * capacity : 64;
            pid_t *grown = realloc(groups, capacity * sizeof *groups);
            if (grown == NULL)
                break;
            groups = grown;
        }
        groups[count++] = group;
    }
    for (size_t i = 0; i < count; i++)
        kill(-groups[i], SIGKILL);
    wait_until_gone(groups, count);
    for (size_t i = 0; i < count; i++)
        names_remove(groups[i]);
    _exit(EXIT_SUCCESS);
}

bool guard_start(struct guard *guard)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        perror("fathom-run: pipe");
        return false;
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        run_guard(ends[0]);
    }
    close(ends[0]);
    if (pid < 0) {
        perror("fathom-run: fork");
        close(ends[1]);
        return false;
    }
    *guard = (struct guard){.pid = pid, .to = ends[1]};
    return true;
}

void guard_watch(const struct guard *guard, pid_t group)
{
    ssize_t written;
    do
        written = write(guard->to, &group, sizeof group);
    while (written < 0 && errno == EINTR);
}

void guard_end(struct guard *guard)
{
    if (guard->pid < 0)
        return;
    kill(guard->pid, SIGKILL);
    waitpid(guard->pid, NULL, 0);
    close(guard->to);
    *guard = (struct guard){.pid = -1, .to = -1};
}
