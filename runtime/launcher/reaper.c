#include "reaper.h"

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

/* Closes all descriptors but `from`: nobody must wait for the reaper to close one. */
static void let_go(int from)
{
    int null = open("/dev/null", O_RDWR);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && null >= 0; fd++)
        dup2(null, fd);
    if (from > STDERR_FILENO + 1)
        close_range(STDERR_FILENO + 1, (unsigned)from - 1, 0);
    close_range((unsigned)from + 1, ~0U, 0);
}

/* Waits until the kernel has ended the killed groups, but at most half a second: perhaps no process
 * reaps them. */
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

static _Noreturn void run_reaper(int from, pid_t launcher)
{
    let_go(from);
    setpgid(0, 0);
    prctl(PR_SET_NAME, "fathom-reaper");
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
            size_t larger = capacity > 0 ? 2 * capacity : 64;
            pid_t *grown = realloc(groups, larger * sizeof *groups);
            if (grown == NULL)
                continue; /* the launcher is well: this group goes unwatched */
            groups = grown;
            capacity = larger;
        }
        groups[count++] = group;
    }
    for (size_t i = 0; i < count; i++)
        kill(-groups[i], SIGKILL);
    wait_until_gone(groups, count);
    names_remove(launcher);
    _exit(EXIT_SUCCESS);
}

bool reaper_start(reaper_t *reaper)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        perror("fathom-run: pipe");
        return false;
    }
    pid_t launcher = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        run_reaper(ends[0], launcher);
    }
    close(ends[0]);
    if (pid < 0) {
        perror("fathom-run: fork");
        close(ends[1]);
        return false;
    }
    *reaper = (reaper_t){.pid = pid, .to = ends[1]};
    return true;
}

void reaper_watch(const reaper_t *reaper, pid_t group)
{
    ssize_t written;
    do
        written = write(reaper->to, &group, sizeof group);
    while (written < 0 && errno == EINTR);
}

void reaper_end(reaper_t *reaper)
{
    if (reaper->pid < 0)
        return;
    kill(reaper->pid, SIGKILL);
    waitpid(reaper->pid, NULL, 0);
    close(reaper->to);
    *reaper = (reaper_t){.pid = -1, .to = -1};
}
