#include "job_state.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "support/printable.h"

enum {
    DEPTH = 8 /* of shells that start each other */
};

static const double kill_grace = 5.0; /* for the kernel to end a killed process */

double job_now(void)
{
    return 1e-9 * (double)pgasi_nanoseconds();
}

void job_enter(job_t *job, job_phase_t phase, double seconds)
{
    job->phase = phase;
    job->deadline = seconds < 0 ? -1 : job_now() + seconds;
}

void job_say(job_t *job, const char *format, ...)
{
    char line[PATH_MAX + 1024] = "fathom-run: ";
    size_t used = strlen(line);
    va_list args;
    va_start(args, format);
    vsnprintf(line + used, sizeof line - used, format, args);
    va_end(args);
    printable_make(line, strlen(line), true);
    sink_add_line(&job->err, line);
}

bool job_claim_report(job_t *job)
{
    bool first = !job->reported;
    job->reported = true;
    return first;
}

/* Threads are not reaped before the end, so the group numbers are theirs. */
void job_signal(const job_t *job, int number, size_t spared)
{
    for (size_t t = 0; t < job->started; t++) {
        if (t != spared)
            kill(-job->threads[t].life.pid, number);
    }
}

void job_kill(job_t *job)
{
    job_signal(job, SIGSTOP, SIZE_MAX);
    job_signal(job, SIGKILL, SIZE_MAX);
    job_enter(job, JOB_KILLED, kill_grace);
}

/* True if the process has a handler for the signal. */
static bool process_catches(pid_t pid, int number)
{
    char path[64];
    char line[256];
    unsigned long long caught = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *status = fopen(path, "re");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, "SigCgt:", 7) == 0)
            caught = strtoull(line + 7, NULL, 16);
    if (status != NULL)
        fclose(status);
    return (caught >> (number - 1) & 1) != 0;
}

/* Calls `is_such` for the processes that a thread of control has started and that run, until it is
 * true of one; *has_list becomes true if the kernel tells them. */
static bool any_child_of(const char *process, const char *task, bool (*is_such)(pid_t, int, int),
                         int number, int depth, bool *has_list)
{
    char path[PATH_MAX];
    long child;
    bool found = false;
    snprintf(path, sizeof path, "%s/%s/children", process, task);
    FILE *children = fopen(path, "re");
    *has_list = *has_list || children != NULL;
    while (children != NULL && !found && fscanf(children, "%ld", &child) == 1)
        found = is_such((pid_t)child, number, depth);
    if (children != NULL)
        fclose(children);
    return found;
}

/* The same for those of all its threads of control; `unknown` where the kernel does not tell. */
static bool any_child(pid_t pid, bool (*is_such)(pid_t, int, int), int number, int depth,
                      bool unknown)
{
    char path[64];
    const struct dirent *task;
    bool found = false;
    bool has_list = false;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    DIR *tasks = opendir(path);
    while (tasks != NULL && !found && (task = readdir(tasks)) != NULL)
        if (task->d_name[0] != '.')
            found = any_child_of(path, task->d_name, is_such, number, depth, &has_list);
    if (tasks != NULL)
        closedir(tasks);
    return found || (!has_list && unknown);
}

/* True if the process, or one below it, has a handler: a shell that starts the program has none. */
static bool catches(pid_t pid, int number, int depth)
{
    return process_catches(pid, number) ||
           (depth > 0 && any_child(pid, catches, number, depth - 1, false));
}

static bool is_there(pid_t pid, int number, int depth)
{
    (void)number;
    (void)depth;
    return pid > 0;
}

/* True of a process that is in the thread's group beside it. */
static bool is_beside(pid_t pid, int thread, int depth)
{
    (void)depth;
    return pid != thread && getpgid(pid) == thread;
}

/* Whether the thread that has ended the job may end by itself: what handles the signal, what has
 * started the program, as a shell, and what reads from it may have something to do yet; what reads
 * may have lost its parent, and is the launcher's then. Else it would do nothing but see the
 * others' ends. */
static bool is_spared(const job_t *job, size_t t, int number)
{
    pid_t pid = job->threads[t].life.pid;
    return job->started == 1 || catches(pid, number, DEPTH) ||
           any_child(pid, is_there, number, 0, true) ||
           any_child(getpid(), is_beside, pid, 0, false);
}

/* A thread that saw a connection close while it was being made would print an assertion of UCX. A
 * thread with a handler is not stopped: the signal would go to whichever of its threads of control
 * wakes up first, and not to the main one, which waits to be interrupted. */
void job_stop(job_t *job, int number, double seconds, size_t spared)
{
    if (spared != SIZE_MAX && !is_spared(job, spared, number))
        spared = SIZE_MAX;
    for (size_t t = 0; t < job->started; t++) {
        if (!catches(job->threads[t].life.pid, number, DEPTH))
            kill(-job->threads[t].life.pid, SIGSTOP);
        else if (seconds < JOB_HANDLER_GRACE)
            seconds = JOB_HANDLER_GRACE;
    }
    job_signal(job, number, spared);
    job_signal(job, SIGCONT, SIZE_MAX);
    job_enter(job, JOB_STOPPING, seconds);
}
