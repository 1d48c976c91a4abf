#include "node/fault.h"

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <pgas/detail.h>

#include "base/in_job.h"

static bool is_set_up[2];
static const int handled[] = {SIGSEGV, SIGBUS};
static pgasi_fault_segments_t known;

/* Restores the default action. The fault happens again when the handler returns; a signal that
 * somebody has sent must be sent again. */
static void leave_to_default(int number, const siginfo_t *info)
{
    signal(number, SIG_DFL);
    if (info->si_code <= 0)
        raise(number);
}

/* An access by way of PGASI_NO_PEERS. */
static bool is_of_no_peer(const void *addr)
{
    uintptr_t distance = (uintptr_t)addr - (uintptr_t)PGASI_NO_PEERS;
    return pgasi_peers == PGASI_NO_PEERS && distance < pgasi_job.threads * sizeof(pgasi_peer_t);
}

/* The negative number of a thread by which an access has left a table of peers, so far behind it
 * that hardly anything else is there; 0: it was another access. */
static int32_t number_in(const pgasi_peer_t *peers, const void *addr)
{
    uint64_t number = ((uint64_t)(uintptr_t)addr - (uintptr_t)peers) / sizeof *peers;
    return number > INT32_MAX && number <= UINT32_MAX ? (int32_t)(uint32_t)number : 0;
}

static int32_t negative_thread(const void *addr)
{
    int32_t number = number_in(pgasi_job.peers, addr);
    return number == 0 && pgasi_peers != PGASI_NO_PEERS ? number_in(pgasi_peers, addr) : number;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    const pgasi_fault_segments_t *segments = &known;
    bool is_fault = info->si_code > 0;
    if (is_fault && number == SIGSEGV && is_of_no_peer(info->si_addr))
        pgasi_outside_job("value access or copy");
    int32_t nobody = negative_thread(info->si_addr);
    if (is_fault && number == SIGSEGV && nobody < 0)
        pgasi_fatal("value access", "thread %" PRId32 ": no such thread", nobody);
    uint64_t distance = (uint64_t)((uintptr_t)info->si_addr - (uintptr_t)segments->segments);
    if (!is_fault || segments->segments == NULL || distance / segments->stride >= segments->count) {
        leave_to_default(number, info);
        return;
    }
    uint32_t thread = segments->threads[distance / segments->stride];
    uint64_t offset = distance % segments->stride;
    if (number == SIGBUS && info->si_code == BUS_ADRERR)
        pgasi_fatal("memory",
                    "thread %u, offset %" PRIu64 ": the system has no page for it: the "
                    "file system of the node's memory is full, as /dev/shm with "
                    "PGAS_SEGMENT=posix; PGAS_SEGMENT=memfd needs none",
                    thread, offset);
    if (number == SIGSEGV && offset < PGASI_NULL_PAGE)
        pgasi_fatal("value access", "thread %u, offset %" PRIu64 ": the null pointer", thread,
                    offset);
    leave_to_default(number, info);
}

/* True if the signal has a handler of ours now. */
static bool handle(int number)
{
    /* What ends the job may fault, too. */
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    struct sigaction before;
    if (sigaction(number, NULL, &before) != 0 || (before.sa_flags & SA_SIGINFO) != 0 ||
        before.sa_handler != SIG_DFL)
        return false;
    sigemptyset(&action.sa_mask);
    return sigaction(number, &action, NULL) == 0;
}

void pgasi_fault_handle(const pgasi_fault_segments_t *segments)
{
    known = *segments;
    for (uint32_t i = 0; i < segments->count; i++)
        mprotect(segments->segments + i * segments->stride, PGASI_NULL_PAGE, PROT_NONE);
    for (size_t i = 0; i < sizeof handled / sizeof *handled; i++)
        is_set_up[i] = handle(handled[i]);
}

void pgasi_fault_release(void)
{
    for (size_t i = 0; i < sizeof handled / sizeof *handled; i++) {
        struct sigaction now;
        if (is_set_up[i] && sigaction(handled[i], NULL, &now) == 0 &&
            (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_fault)
            signal(handled[i], SIG_DFL);
        is_set_up[i] = false;
    }
    known = (pgasi_fault_segments_t){0};
}
