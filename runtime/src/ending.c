#include "ending.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#include <pgas/detail.h>

#include "boot.h"
#include "net.h"
#include "node_memory.h"

enum {
    LAUNCHER_SECONDS = 5 /* to end this thread once it was asked to */
};

static int status_of_job;

/* The others wait for this thread, and do not watch hosts: who does takes them along. */
static void *end_node(void *unused)
{
    (void)unused;
    sleep(LAUNCHER_SECONDS);
    for (uint32_t thread = 0; thread < pgasi_job.threads; thread++) {
        char *base = pgasi_job.peers[thread].base;
        int32_t pid = base != NULL ? pgasi_segment_header(base)->pid : 0;
        if (thread != pgasi_job.thread && pid > 0)
            kill(pid, SIGKILL);
    }
    _exit(status_of_job);
}

void pgasi_end_job(int status)
{
    pthread_t thread;
    status_of_job = status;
    /* Where it cannot be started, only the launcher can help. */
    if (pgasi_net_is_up && pthread_create(&thread, NULL, end_node, NULL) == 0)
        pthread_detach(thread);
    pgasi_boot()->abort(status);
}
