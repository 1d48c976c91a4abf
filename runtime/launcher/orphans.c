#include "orphans.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    ROUNDS = 100,
    ROUND_NANOSECONDS = 5000000
};

/* It can list its children. */
static bool adopts;
/* It had some before the job: of a shell that has become the launcher. */
static bool has_inherited;
static const char *job_mark;
static size_t killed;

/* Calls `visit` for each child; false if they cannot be listed. */
static bool visit_children(void (*visit)(pid_t pid))
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *list = fopen(path, "re");
    if (list == NULL)
        return false;
    long pid;
    while (fscanf(list, "%ld", &pid) == 1)
        visit((pid_t)pid);
    fclose(list);
    return true;
}

static void note_inherited(pid_t pid)
{
    (void)pid;
    has_inherited = true;
}

static bool has_mark(pid_t pid)
{
    char path[64];
    char *entry = NULL;
    size_t size = 0;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
    FILE *environment = fopen(path, "re");
    if (environment == NULL)
        return false;
    while (!found && getdelim(&entry, &size, '\0', environment) > 0)
        found = strcmp(entry, job_mark) == 0;
    free(entry);
    fclose(environment);
    return found;
}

/* Beside inherited children the mark tells: they have none, nor has what they leave to the
 * launcher. */
static void kill_child(pid_t pid)
{
    if (has_inherited && !has_mark(pid))
        return;
    kill(pid, SIGKILL);
    killed++;
}

void orphans_adopt(void)
{
    adopts = visit_children(note_inherited);
    if (adopts)
        prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void orphans_end(const char *mark)
{
    job_mark = mark;
    for (int round = 0; round < ROUNDS && adopts; round++) {
        pid_t pid;
        do
            pid = waitpid(-1, NULL, WNOHANG);
        while (pid > 0);
        /* Their own children become the launcher's next. */
        killed = 0;
        if (pid < 0 || !visit_children(kill_child) || killed == 0)
            return;
        nanosleep(&(struct timespec){.tv_nsec = ROUND_NANOSECONDS}, NULL);
    }
}
