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
    ROUNDS_ALIVE = 20,
    ROUND_NANOSECONDS = 5000000
};

/* It can list its children. */
static bool adopts;
/* It had some before the job: of a shell that has become the launcher. */
static bool has_inherited;

/* What the visits of the job's last orphans share. */
typedef struct ending {
    const char *mark;
    size_t killed;
} ending_t;

/* What those share that tell the job's own children from its orphans. */
typedef struct look {
    orphans_own_t is_own;
    const void *context;
    const char *mark;
    size_t found;
} look_t;

/* Calls `visit` for each child; false if they cannot be listed. */
static bool visit_children(void (*visit)(pid_t pid, void *context), void *context)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *list = fopen(path, "re");
    if (list == NULL)
        return false;
    long pid;
    while (fscanf(list, "%ld", &pid) == 1)
        visit((pid_t)pid, context);
    fclose(list);
    return true;
}

static void note_inherited(pid_t pid, void *context)
{
    (void)pid;
    (void)context;
    has_inherited = true;
}

static bool has_mark(pid_t pid, const char *mark)
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
        found = strcmp(entry, mark) == 0;
    free(entry);
    fclose(environment);
    return found;
}

/* Beside inherited children the mark tells: they have none, nor has what they leave to the
 * launcher. */
static bool is_of_job(pid_t pid, const char *mark)
{
    return !has_inherited || has_mark(pid, mark);
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

static void kill_child(pid_t pid, void *context)
{
    ending_t *ending = context;
    if (!is_of_job(pid, ending->mark))
        return;
    kill(pid, SIGKILL);
    ending->killed++;
}

/* Asks whose it is only of a child that has ended, and which so keeps its number meanwhile. */
static void reap_child(pid_t pid, void *context)
{
    look_t *look = context;
    if (!has_ended(pid) || look->is_own(pid, look->context))
        return;
    waitpid(pid, NULL, WNOHANG);
    look->found++;
}

/* One that has ended is reaped: who is killed later is told from those that somebody else has
 * killed. */
static void find_running(pid_t pid, void *context)
{
    look_t *look = context;
    if (has_ended(pid))
        reap_child(pid, context);
    else if (!look->is_own(pid, look->context) && is_of_job(pid, look->mark))
        look->found++;
}

void orphans_adopt(void)
{
    adopts = visit_children(note_inherited, NULL);
    if (adopts)
        prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* The kernel lists the children from a position on. Where those before it have gone meanwhile, it
 * skips as many; a list from which nobody goes is whole. */
bool orphans_reap(orphans_own_t is_own, const void *context)
{
    look_t reaping = {.is_own = is_own, .context = context};
    return adopts && (!visit_children(reap_child, &reaping) || reaping.found > 0);
}

void orphans_let_end(orphans_own_t is_own, const void *context, const char *mark)
{
    for (int round = 0; round < ROUNDS_ALIVE && adopts; round++) {
        look_t running = {.is_own = is_own, .context = context, .mark = mark};
        if (!visit_children(find_running, &running) || running.found == 0)
            return;
        nanosleep(&(struct timespec){.tv_nsec = ROUND_NANOSECONDS}, NULL);
    }
}

/* A process keeps its name until it is waited for. */
static void read_name(pid_t pid, char *name, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/comm", (long)pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return;
    if (fgets(name, (int)size, file) != NULL)
        name[strcspn(name, "\n")] = '\0';
    fclose(file);
}

/* Waits for those that have ended; false if nobody is left. One that was killed while it ended by
 * itself is not `killed`. */
static bool wait_for_ended(orphans_killed_t *killed)
{
    siginfo_t info = {0};
    int error;
    while ((error = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT)) == 0 &&
           info.si_pid != 0) {
        bool is_killed = info.si_code == CLD_KILLED && info.si_status == SIGKILL;
        if (is_killed && killed->count++ == 0)
            read_name(info.si_pid, killed->first, sizeof killed->first);
        waitpid(info.si_pid, NULL, 0);
        info.si_pid = 0;
    }
    return error == 0;
}

orphans_killed_t orphans_end(const char *mark)
{
    orphans_killed_t killed = {0};
    for (int round = 0; round < ROUNDS && adopts; round++) {
        /* Their own children become the launcher's next. */
        ending_t ending = {.mark = mark};
        if (!wait_for_ended(&killed) || !visit_children(kill_child, &ending) || ending.killed == 0)
            break;
        nanosleep(&(struct timespec){.tv_nsec = ROUND_NANOSECONDS}, NULL);
    }
    return killed;
}
