/**
 * Processes of a thread of the job that are none themselves: programs that thread 0 starts, in the
 * job or behind its end, and children that fork before pgas_init. See launch.sh.
 *
 *   nested inside|behind COMMAND
 *   nested exit|exit3|fail       ends at once
 *   nested plain                 joins the job, and leaves it
 *   nested early THREAD|all      that thread ends the job by pgas_exit(5) when the others wait in
 *                                pgas_init; or all do
 *   nested fork exit|exit3|fail|init
 *                                a child does it when its parent is in the job
 *   nested join none|print       a child is the thread of the job, not its parent; and prints
 *                                what is not written out before it ends by pgas_exit
 *   nested become inside|behind  the process of a thread becomes another program, in the job or
 *                                behind its end
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pgas/pgas.h>

#include "check.h"

static int end(const char *how)
{
    if (strcmp(how, "exit") == 0)
        pgas_exit(0);
    if (strcmp(how, "exit3") == 0)
        pgas_exit(3);
    if (strcmp(how, "fail") == 0)
        pgas_fail(5, "gives up");
    if (pgas_init() != PGAS_OK)
        return 4;
    if (strcmp(how, "plain") == 0) {
        pgas_barrier();
        pgas_finalize();
    }
    return 0;
}

static int end_early(const char *who)
{
    const char *rank = getenv("PMIX_RANK");
    bool is_all = strcmp(who, "all") == 0;
    if (is_all || (rank != NULL && strcmp(rank, who) == 0)) {
        usleep(is_all ? 0 : 300000);
        pgas_exit(5);
    }
    return pgas_init() == PGAS_OK ? 0 : 4;
}

/* Returns how the child ends. */
static int run_beside(const char *how)
{
    int in_job[2];
    int status;
    char byte = 0;
    CHECK(pipe(in_job) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK(read(in_job[0], &byte, 1) == 1);
        _exit(end(how));
    }
    CHECK(pgas_init() == PGAS_OK);
    pgas_barrier();
    CHECK(write(in_job[1], &byte, 1) == 1 && waitpid(child, &status, 0) == child);
    pgas_barrier();
    pgas_finalize();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* One child after the other, which find what the one before has left. */
static void run_in_children(bool prints)
{
    for (int i = 0; i < 2; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            CHECK(pgas_init() == PGAS_OK);
            pgas_barrier();
            pgas_finalize();
            if (!prints)
                _exit(0);
            printf("kept"); /* streams are line buffered */
            pgas_exit(0);
        }
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
}

int main(int argc, char **argv)
{
    CHECK(argc >= 2);
    if (argc == 2)
        return end(argv[1]);
    if (strcmp(argv[1], "early") == 0)
        return end_early(argv[2]);
    if (strcmp(argv[1], "fork") == 0)
        return run_beside(argv[2]);
    if (strcmp(argv[1], "join") == 0) {
        run_in_children(strcmp(argv[2], "print") == 0);
        return 0;
    }
    if (strcmp(argv[1], "become") == 0) {
        CHECK(pgas_init() == PGAS_OK);
        if (strcmp(argv[2], "behind") == 0)
            pgas_finalize();
        execl(argv[0], argv[0], "inside", "true", (char *)NULL);
        return 7;
    }
    bool is_behind = strcmp(argv[1], "behind") == 0;
    if (pgas_init() != PGAS_OK)
        return 1;
    bool starts = pgas_mythread() == 0;
    int status = starts && !is_behind ? system(argv[2]) : 0; /* NOLINT(cert-env33-c) */
    pgas_barrier();
    pgas_finalize();
    if (starts && is_behind)
        status = system(argv[2]); /* NOLINT(cert-env33-c) */
    return WEXITSTATUS(status);
}
