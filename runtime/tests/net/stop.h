/**
 * Stops other processes for seconds, as a debugger does, or a machine that swaps.
 */
#ifndef RUNTIME_TESTS_STOP_H
#define RUNTIME_TESTS_STOP_H

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include "check.h"
#include "pause.h"

/** The letter of a process's state in /proc; '?' if there is none. */
static inline char state_of_process(pid_t pid)
{
    char path[64];
    char line[512];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *stat = fopen(path, "re");
    size_t length = stat != NULL ? fread(line, 1, sizeof line - 1, stat) : 0;
    if (stat != NULL)
        fclose(stat);
    line[length] = '\0';
    const char *name_end = strrchr(line, ')');
    if (name_end == NULL || name_end[1] == '\0')
        return '?';
    return name_end[2];
}

/** Returns when the process stands still. */
static inline void process_stop(pid_t pid)
{
    CHECK(kill(pid, SIGSTOP) == 0);
    while (state_of_process(pid) != 'T')
        sleep_microseconds(1000);
}

static inline void process_continue(pid_t pid)
{
    CHECK(kill(pid, SIGCONT) == 0);
}

#endif
