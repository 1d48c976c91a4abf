#include "job/ending.h"

#include <pgas/job.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <pgas/detail.h>

#include "base/clock.h"
#include "base/fatal.h"
#include "base/log.h"
#include "base/self.h"
#include "boot/boot.h"
#include "net/net.h"
#include "node/node.h"
#include "node/segment.h"

enum {
    /* How long thread 0 may take to say which thread ends the job. */
    REPLY_MS = 1000,
    /* How long a launcher may take to kill the threads of other hosts. */
    KILL_MS = 10000,
    /* How long it may take to end this thread after the request. */
    ABORT_MS = 5000
};

/* True for the first thread of the node; on the node of thread 0, which serves all, of the job. */
static uint32_t is_first_to_end(void)
{
    return atomic_exchange(&pgasi_node_memory.control->ending, 1) == 0;
}

static size_t serve(uint32_t source, const void *request, size_t nbytes, void *reply)
{
    (void)source;
    (void)request;
    (void)nbytes;
    if (reply == NULL)
        return 0;
    uint32_t first = is_first_to_end();
    memcpy(reply, &first, sizeof first);
    return sizeof first;
}

/* Thread 0 may be dead or busy: then this node decides alone. */
static bool thread_0_allows(void)
{
    static atomic_bool called; /* the call itself may fail, and end the job */
    uint32_t first;
    bool can_call =
        pgasi_nodes.mine != 0 && pgasi_net_may_call() && !atomic_exchange(&called, true);
    return !can_call ||
           !pgasi_net_call_within(REPLY_MS, 0, PGASI_SERVICE_ENDING, "", 1, &first, sizeof first) ||
           first != 0;
}

static void claim_end(void)
{
    static _Thread_local bool is_claiming; /* thread 0 cannot be asked, which ends the job, too */
    if (pgasi_is_child || is_claiming)
        return;
    is_claiming = true;
    if (pgasi_node_memory.control != NULL && (!is_first_to_end() || !thread_0_allows()))
        pgasi_pause(KILL_MS);
}

static int status_of_job;

/* The others of the node wait for this thread and monitor no host, so this thread ends them. */
static void *end_node(void *unused)
{
    (void)unused;
    pgasi_pause(ABORT_MS);
    for (uint32_t thread = 0; thread < pgasi_job.threads; thread++) {
        char *base = pgasi_job.peers[thread].base;
        int32_t pid = base != NULL ? pgasi_segment_header(base)->pid : 0;
        if (thread != pgasi_job.thread && pid > 0)
            kill(pid, SIGKILL);
    }
    _exit(status_of_job);
}

/* The system keeps eight bits, which must not make a success of a failure. */
static int system_status(int status)
{
    int kept = status & 0xff;
    return kept == 0 && status != 0 ? 0xff : kept;
}

PGAS_NORETURN static void end_job(int wanted)
{
    int status = system_status(wanted);
    pthread_t thread;
    if (pgasi_is_child)
        _exit(status);
    status_of_job = status;
    pgasi_segment_unlink();
    /* If the thread cannot be created, only the launcher can end the node. */
    if (pgasi_net_is_up && pthread_create(&thread, NULL, end_node, NULL) == 0)
        pthread_detach(thread);
    pgasi_boot()->abort(status);
}

static const pgasi_way_out_t way_out = {.claim = claim_end, .end = end_job};

/* Before main: the first call may be one outside the job. */
__attribute__((constructor)) static void install(void)
{
    pgasi_fatal_install(&way_out);
}

void pgasi_ending_serve(void)
{
    pgasi_net_serve(PGASI_SERVICE_ENDING, serve);
}

void pgas_exit(int status)
{
    /* Outside the job the launcher reports the status; a failed call has given the reason. */
    bool silent = status == 0 || !pgasi_is_in_job || pgasi_log_has_failed();
    claim_end();
    if (!silent)
        pgasi_log("pgas_exit(%d): the job is ended", status);
    end_job(status);
}

void pgas_fail(int status, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    claim_end();
    dprintf(STDERR_FILENO, "%s: %s\n", program_invocation_short_name, text);
    end_job(status);
}
