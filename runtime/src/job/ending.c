#include "job/ending.h"

#include <pgas/job.h>

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pgas/detail.h>

#include "base/clock.h"
#include "base/fatal.h"
#include "base/in_job.h"
#include "base/log.h"
#include "base/self.h"
#include "boot/boot.h"
#include "boot/launch.h"
#include "job/process_exit.h"
#include "net/net.h"
#include "node/node.h"
#include "node/segment.h"

enum {
    /* How long thread 0 may take to say which thread ends the job. */
    REPLY_S = 1,
    /* How long a launcher may take to kill the threads of other hosts. */
    KILL_MS = 10000,
    /* How long it may take to end this thread after the request, where others wait for that, and
     * where they do not. */
    ABORT_S = 5,
    ABORT_ALONE_S = 20,
    /* Bytes that are there for the end of a job whose address space or data are limited. */
    RESERVE = 256 * 1024
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

/* Where this operating-system thread goes on if its question to thread 0 ends the job itself, for
 * want of memory, descriptors, or thread 0; NULL while it asks nothing. */
static _Thread_local jmp_buf *unanswered;

/* Thread 0 may be dead, busy or out of reach: then this node decides alone, and the job ends for
 * the reason that it was to end for. */
static bool thread_0_allows(void)
{
    jmp_buf place;
    uint32_t first = 1;
    if (pgasi_nodes.mine == 0 || !pgasi_net_may_call())
        return true;
    if (setjmp(place) == 0) {
        unanswered = &place;
        if (!pgasi_net_call_within(REPLY_S * 1000, 0, PGASI_SERVICE_ENDING, "", 1, &first,
                                   sizeof first))
            first = 1;
        unanswered = NULL;
        return first != 0;
    }
    unanswered = NULL;
    return true;
}

/* The system keeps eight bits, which must not make a success of a failure. */
static int system_status(int status)
{
    int kept = status & 0xff;
    return kept == 0 && status != 0 ? 0xff : kept;
}

/* Of the first that ends the job; -1: of nobody yet. */
static _Atomic int status_of_job = -1;
/* The operating-system thread whose ending has a limit; 0: none has. */
static _Atomic pid_t limited;
static _Atomic uint64_t end_of_patience = UINT64_MAX;
static bool is_by_fathom_run;
/* The process in which the program began. */
static pid_t program;

static void keep_status(int wanted)
{
    int nobody = -1;
    atomic_compare_exchange_strong(&status_of_job, &nobody, system_status(wanted));
}

/* Where the launcher may not notice that this thread has ended, the others of the node may wait for
 * it, and monitor no host. fathom-run notices, and would take one that is killed for the cause. */
static void end_neighbours(void)
{
    if (is_by_fathom_run || !pgasi_net_is_up)
        return;
    for (uint32_t thread = 0; thread < pgasi_job.threads; thread++) {
        pid_t pid = pgasi_segment_process(thread);
        if (thread != pgasi_job.thread && pid > 0)
            kill(pid, SIGKILL);
    }
}

/* A timer of the program's may have the same signal. */
static void on_alarm(int signal)
{
    (void)signal;
    if (pgasi_milliseconds() < end_of_patience) {
        if (end_of_patience != UINT64_MAX)
            alarm(1);
        return;
    }
    end_neighbours();
    int status = status_of_job;
    _exit(status >= 0 ? status : EXIT_FAILURE);
}

/* By a signal: nothing is allocated for it, and it comes where the thread waits for a lock of the
 * C library's that it holds itself, since a handler of the program's that ends the job has
 * interrupted malloc. */
void pgasi_limit_ending(unsigned seconds, int status)
{
    pid_t mine = gettid();
    pid_t nobody = 0;
    if (!atomic_compare_exchange_strong(&limited, &nobody, mine) && nobody != mine)
        return;
    end_of_patience = seconds > 0 ? pgasi_milliseconds() + (uint64_t)seconds * 1000 : UINT64_MAX;
    if (seconds == 0) {
        alarm(0);
        status_of_job = -1;
        limited = 0;
        return;
    }
    keep_status(status);
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigset_t own;
    sigfillset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    sigemptyset(&own);
    sigaddset(&own, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &own, NULL);
    alarm(seconds);
}

static void claim_end(void)
{
    static atomic_flag is_claimed = ATOMIC_FLAG_INIT; /* by another OS thread */
    static _Thread_local bool is_claiming;
    if (unanswered != NULL)
        longjmp(*unanswered, 1);
    if (pgasi_is_child || pgasi_launch_is_elsewhere() || is_claiming)
        return;
    is_claiming = true;
    bool is_first = !atomic_flag_test_and_set(&is_claimed);
    if (is_first) /* the line is written yet */
        pgasi_limit_ending(REPLY_S + PGASI_LOG_PATIENCE_S + ABORT_S, EXIT_FAILURE);
    if (pgasi_node_memory.control == NULL || (is_first_to_end() && thread_0_allows()))
        return;
    if (is_first)
        pgasi_limit_ending(0, EXIT_FAILURE);
    pgasi_pause(KILL_MS);
}

/* PMIx crashes where it has no memory for the request that ends the job. */
static void *reserve = MAP_FAILED;

static void make_reserve(void)
{
    reserve = mmap(NULL, RESERVE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void give_reserve(void)
{
    if (reserve != MAP_FAILED)
        munmap(reserve, RESERVE);
    reserve = MAP_FAILED;
}

PGAS_NORETURN static void end_job(int wanted)
{
    int status = system_status(wanted);
    if (pgasi_is_child)
        _exit(status);
    if (pgasi_launch_is_elsewhere()) {
        if (getpid() == program || pgasi_launch_had_place()) /* its streams are its own */
            pgasi_flush_streams();
        _exit(status);
    }
    pgasi_segment_unlink();
    pgasi_limit_ending(pgasi_net_is_up ? ABORT_S : ABORT_ALONE_S, wanted);
    give_reserve();
    pgasi_boot()->abort(status);
}

static const pgasi_way_out_t way_out = {.claim = claim_end, .end = end_job};

/* Before the program's constructors, too: the first call may be one outside the job. */
__attribute__((constructor(PGASI_CONSTRUCTOR))) static void install(void)
{
    pgasi_fatal_install(&way_out);
    make_reserve();
    pgasi_launch_share();
    program = getpid();
    is_by_fathom_run = pgasi_launch_is_by_fathom_run();
}

void pgasi_ending_serve(void)
{
    pgasi_net_serve(PGASI_SERVICE_ENDING, serve);
}

void pgas_exit(int status)
{
    /* A failed call has given the reason. A process that is none of the job's ends alone. */
    bool silent = status == 0 || pgasi_launch_is_elsewhere() || pgasi_log_has_failed();
    keep_status(status);
    claim_end();
    pgasi_guess_thread();
    if (!silent && pgasi_is_in_job)
        pgasi_log("pgas_exit(%d): the job is ended", status);
    if (!silent && !pgasi_is_in_job) { /* nobody knows yet who is the first */
        pgasi_log_release(false);
        pgasi_log_alike("pgas_exit(%d): the job is ended", status);
    }
    end_job(pgasi_process_exit_status(status));
}

void pgas_fail(int status, const char *format, ...)
{
    int reason = errno; /* for %m */
    char head[512];
    va_list args;
    keep_status(status);
    claim_end();
    snprintf(head, sizeof head, "%s: ", program_invocation_short_name);
    errno = reason;
    va_start(args, format);
    pgasi_log_line(head, format, args);
    va_end(args);
    end_job(status);
}
