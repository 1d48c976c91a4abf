/**
 * Signals are for the program's own threads: those that the runtime and its libraries have made
 * block them, so that a signal that the program blocks waits until the program takes it.
 */
#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static const int taken[] = {SIGUSR1, SIGTERM, SIGALRM, SIGCHLD};

enum {
    TAKEN = sizeof taken / sizeof taken[0],
    ROUNDS = 20,
#ifdef __SANITIZE_THREAD__
    SANITIZER_HAS_A_THREAD = 1
#else
    SANITIZER_HAS_A_THREAD = 0
#endif
};

static uint64_t blocked_of(const char *thread)
{
    char path[64];
    char line[256];
    uint64_t blocked = 0;
    snprintf(path, sizeof path, "/proc/self/task/%.16s/status", thread);
    FILE *status = fopen(path, "r");
    if (status == NULL)
        return UINT64_MAX; /* it has ended */
    while (fgets(line, sizeof line, status) != NULL)
        sscanf(line, "SigBlk: %" SCNx64, &blocked);
    fclose(status);
    return blocked;
}

static void check_others(void)
{
    DIR *threads = opendir("/proc/self/task");
    CHECK(threads != NULL);
    const struct dirent *entry;
    while ((entry = readdir(threads)) != NULL) {
        if (entry->d_name[0] == '.' || atoi(entry->d_name) == getpid())
            continue;
        uint64_t blocked = blocked_of(entry->d_name);
        for (int i = 0; i < TAKEN; i++)
            CHECK((blocked >> (taken[i] - 1) & 1) != 0);
    }
    closedir(threads);
}

int main(void)
{
    sigset_t before;
    sigset_t after;
    CHECK(sigprocmask(SIG_SETMASK, NULL, &before) == 0);
    CHECK(pgas_init() == PGAS_OK);
    CHECK(sigprocmask(SIG_SETMASK, NULL, &after) == 0);
    for (int number = 1; number < 32; number++)
        CHECK(sigismember(&after, number) == sigismember(&before, number));
    if (!SANITIZER_HAS_A_THREAD)
        check_others();
    sigset_t own;
    sigemptyset(&own);
    for (int i = 0; i < TAKEN; i++)
        sigaddset(&own, taken[i]);
    CHECK(sigprocmask(SIG_BLOCK, &own, NULL) == 0);
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(kill(getpid(), taken[round % TAKEN]) == 0);
        pgas_barrier();
        CHECK(sigtimedwait(&own, NULL, &(struct timespec){.tv_sec = 60}) == taken[round % TAKEN]);
    }
    pgas_finalize();
    return 0;
}
