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

/* Children of the shell that has become the launcher. Nobody waits for them before orphans_end, so
 * their numbers are no other process's. */
static pid_t *inherited;
static size_t inherited_count;
/* They are all known, so that other children are the job's. */
static bool adopts;
static const char *job_mark;
static size_t killed;

/* Calls `visit` for each child until it returns false; true if it never did. */
static bool visit_children(bool (*visit)(pid_t pid))
{
    char path[64];
    bool goes_on = true;
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *list = fopen(path, "re");
    if (list == NULL)
        return false;
    long pid;
    while (goes_on && fscanf(list, "%ld", &pid) == 1)
        goes_on = visit((pid_t)pid);
    fclose(list);
    return goes_on;
}

static bool note_inherited(pid_t pid)
{
    pid_t *longer = realloc(inherited, (inherited_count + 1) * sizeof *inherited);
    if (longer == NULL)
        return false;
    inherited = longer;
    inherited[inherited_count++] = pid;
    return true;
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

/* Where there are inherited children, others may be theirs, which come to the launcher, too. */
static bool kill_child(pid_t pid)
{
    for (size_t i = 0; i < inherited_count; i++)
        if (inherited[i] == pid)
            return true;
    if (inherited_count > 0 && !has_mark(pid))
        return true;
    kill(pid, SIGKILL);
    killed++;
    return true;
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
