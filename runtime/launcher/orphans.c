#include "orphans.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    ROUNDS = 100,
    ROUND_NANOSECONDS = 5000000
};

void orphans_adopt(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static void kill_children(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *list = fopen(path, "re");
    if (list == NULL)
        return;
    long pid;
    while (fscanf(list, "%ld", &pid) == 1)
        kill((pid_t)pid, SIGKILL);
    fclose(list);
}

void orphans_end(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        pid_t pid;
        do
            pid = waitpid(-1, NULL, WNOHANG);
        while (pid > 0);
        if (pid < 0)
            return;
        kill_children(); /* their own children become the launcher's next */
        nanosleep(&(struct timespec){.tv_nsec = ROUND_NANOSECONDS}, NULL);
    }
}
