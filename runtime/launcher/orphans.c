#include "orphans.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    ROUNDS = 100,
    ROUND_NANOSECONDS = 5000000,
    MOST_INHERITED = 64
};

/* Children of the shell that has become the launcher. Nobody waits for them before orphans_end, so
 * their numbers are no other process's. */
static pid_t inherited[MOST_INHERITED];
static size_t inherited_count;

/* Calls `visit` for each child; returns how many times that was true. */
static size_t visit_children(bool (*visit)(pid_t pid))
{
    char path[64];
    size_t count = 0;
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *list = fopen(path, "re");
    if (list == NULL)
        return 0;
    long pid;
    while (fscanf(list, "%ld", &pid) == 1)
        count += visit((pid_t)pid);
    fclose(list);
    return count;
}

static bool note_inherited(pid_t pid)
{
    bool has_room = inherited_count < MOST_INHERITED;
    if (has_room)
        inherited[inherited_count++] = pid;
    return has_room;
}

static bool kill_child(pid_t pid)
{
    for (size_t i = 0; i < inherited_count; i++)
        if (inherited[i] == pid)
            return false;
    kill(pid, SIGKILL);
    return true;
}

void orphans_adopt(void)
{
    visit_children(note_inherited);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void orphans_end(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        pid_t pid;
        do
            pid = waitpid(-1, NULL, WNOHANG);
        while (pid > 0);
        /* Their own children become the launcher's next. */
        if (pid < 0 || visit_children(kill_child) == 0)
            return;
        nanosleep(&(struct timespec){.tv_nsec = ROUND_NANOSECONDS}, NULL);
    }
}
