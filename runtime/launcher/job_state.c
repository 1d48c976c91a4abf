#include "job_state.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/printable.h"

enum {
    DEPTH = 8, /* of shells that start each other */
    STOP_NANOSECONDS = 500000
};

static const double stop_grace = 0.9; /* for the threads to stop: waiting for files, one may not */
static const double kill_grace = 5.0; /* for the kernel to end a killed process */

double job_now(void)
{
    return 1e-9 * (double)pgasi_nanoseconds();
}

bool job_has_stood_still(const job_t *job)
{
    return job_now() - job->last_turn > JOB_LONGEST_TURN;
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

/* True if the signal is in the set of the process that the kernel calls `set`, as "SigCgt:". */
static bool has_in(pid_t pid, const char *set, int number)
{
    char path[64];
    char line[256];
    unsigned long long numbers = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *status = fopen(path, "re");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, set, strlen(set)) == 0)
            numbers = strtoull(line + strlen(set), NULL, 16);
    if (status != NULL)
        fclose(status);
    return (numbers >> (number - 1) & 1) != 0;
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
    return has_in(pid, "SigCgt:", number) ||
           (depth > 0 && any_child(pid, catches, number, depth - 1, false));
}

/* True if the process, or one below it, may outlive the signal. */
static bool withstands(pid_t pid, int number, int depth)
{
    return has_in(pid, "SigCgt:", number) || has_in(pid, "SigIgn:", number) ||
           has_in(pid, "SigBlk:", number) ||
           (depth > 0 && any_child(pid, withstands, number, depth - 1, false));
}

static bool is_there(pid_t pid, int number, int depth)
{
    (void)number;
    (void)depth;
    return pid > 0;
}

/* True if the state that the kernel tells for a thread of control is none of one that has stopped
 * or ended. It stands behind the name, which may have anything in it. */
static bool is_running(const char *process, const char *task)
{
    char path[PATH_MAX];
    char line[512];
    snprintf(path, sizeof path, "%s/%s/stat", process, task);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    const char *name_end = strrchr(line, ')');
    return name_end != NULL && name_end[1] == ' ' && strchr("TtZXx", name_end[2]) == NULL;
}

/* True if a thread of control of the process runs, or of one below it in the group. */
static bool runs(pid_t pid, int group, int depth)
{
    char path[64];
    const struct dirent *task;
    bool found = false;
    if (getpgid(pid) != group)
        return false;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    DIR *tasks = opendir(path);
    while (tasks != NULL && !found && (task = readdir(tasks)) != NULL)
        found = task->d_name[0] != '.' && is_running(path, task->d_name);
    if (tasks != NULL)
        closedir(tasks);
    return found || (depth > 0 && any_child(pid, runs, group, depth - 1, false));
}

/* The kernel tells one thread of control to stop the others, and they go on until that one has had
 * a processor. */
static void wait_until_stopped(job_t *job)
{
    double end = job_now() + stop_grace;
    for (size_t t = 0; t < job->started; t++) {
        pid_t pid = job->threads[t].life.pid;
        while (job->threads[t].is_held && runs(pid, pid, DEPTH) && job_now() < end)
            nanosleep(&(struct timespec){.tv_nsec = STOP_NANOSECONDS}, NULL);
    }
    job->last_turn = job_now();
}

static bool is_none(pid_t pid, int number, int depth)
{
    (void)pid;
    (void)number;
    (void)depth;
    return false;
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

/* Ends a thread that has stopped. A signal would wait in it until it goes on, and then until a
 * thread of control that does not block it has a processor: the runtime's own go on meanwhile. So
 * one that the signal only kills is killed at once. SIGQUIT leaves a core file besides. */
static void end_held(pid_t pid, int number)
{
    bool is_mere_end = number != SIGQUIT && !withstands(pid, number, DEPTH) &&
                       !any_child(getpid(), is_beside, pid, 0, false) &&
                       !any_child(pid, is_none, number, 0, true); /* its children can be seen */
    kill(-pid, is_mere_end ? SIGKILL : number);
}

/* A thread that saw a connection close while it was being made would print an assertion of UCX. A
 * thread with a handler is not stopped: the signal would go to whichever of its threads of control
 * wakes up first, and not to the main one, which waits to be interrupted. */
void job_stop(job_t *job, int number, double seconds, size_t spared)
{
    if (spared != SIZE_MAX && !is_spared(job, spared, number))
        spared = SIZE_MAX;
    job->is_stopped = true;
    for (size_t t = 0; t < job->started; t++) {
        job_thread_t *thread = &job->threads[t];
        thread->is_held = !catches(thread->life.pid, number, DEPTH);
        if (thread->is_held)
            kill(-thread->life.pid, SIGSTOP);
        else if (seconds < JOB_HANDLER_GRACE)
            seconds = JOB_HANDLER_GRACE;
    }
    wait_until_stopped(job);
    for (size_t t = 0; t < job->started; t++) {
        if (t == spared)
            continue;
        if (job->threads[t].is_held)
            end_held(job->threads[t].life.pid, number);
        else
            kill(-job->threads[t].life.pid, number);
    }
    job_signal(job, SIGCONT, SIZE_MAX);
    job_enter(job, JOB_STOPPING, seconds);
}

void job_kill(job_t *job)
{
    job_signal(job, SIGSTOP, SIZE_MAX);
    for (size_t t = 0; t < job->started; t++)
        job->threads[t].is_held = true;
    wait_until_stopped(job);
    job_signal(job, SIGKILL, SIZE_MAX);
    job_enter(job, JOB_KILLED, kill_grace);
}
