/**
 * All threads of the process keep the policy and the nice value that the program had set before
 * pgas_init: the progress thread asks for short time slices, and for nothing else.
 */
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <pgas/pgas.h>

#include "check.h"
#include "pause.h"

enum {
    NICE = 3
};

/* A thread that has ended meanwhile has no policy. */
static void check_thread(id_t thread)
{
    int policy = sched_getscheduler((pid_t)thread);
    CHECK(policy == SCHED_BATCH || (policy < 0 && errno == ESRCH));
    errno = 0;
    int nice = getpriority(PRIO_PROCESS, thread);
    CHECK((errno == 0 && nice == NICE) || errno == ESRCH);
}

static size_t check_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    size_t count = 0;
    CHECK(tasks != NULL);
    for (const struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        check_thread((id_t)strtoul(entry->d_name, NULL, 10));
        count++;
    }
    closedir(tasks);
    return count;
}

int main(void)
{
    const struct sched_param none = {0};
    CHECK(sched_setscheduler(0, SCHED_BATCH, &none) == 0);
    CHECK(setpriority(PRIO_PROCESS, 0, NICE) == 0);
    CHECK(pgas_init() == PGAS_OK);
    /* Whenever the progress thread begins. */
    for (int i = 0; i < 20; i++) {
        pgas_barrier();
        CHECK(check_threads() > 1);
        sleep_microseconds(1000);
    }
    pgas_finalize();
    return 0;
}
