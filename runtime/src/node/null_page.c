#include "node/null_page.h"

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <pgas/detail.h>

static bool is_set_up;
static pgasi_null_pages_t protected;
static uint64_t protected_bytes;

/* Restores the default action. The fault happens again when the handler returns; a signal that
 * somebody has sent must be sent again. */
static void leave_to_default(int number, const siginfo_t *info)
{
    signal(number, SIG_DFL);
    if (info->si_code <= 0)
        raise(number);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    const pgasi_null_pages_t *pages = &protected;
    if (info->si_code > 0 && pgasi_peers == NULL &&
        (uintptr_t)info->si_addr < pgasi_job.threads * sizeof(pgasi_peer_t))
        pgasi_fatal("value access or copy", "called by an operating-system thread that is not "
                                            "attached (pgas_attach_thread)");
    uint64_t distance = (uint64_t)((uintptr_t)info->si_addr - (uintptr_t)pages->segments);
    if (info->si_code <= 0 || pages->segments == NULL || distance / pages->stride >= pages->count ||
        distance % pages->stride >= protected_bytes) {
        leave_to_default(number, info);
        return;
    }
    pgasi_fatal("value access", "thread %u, offset %" PRIu64 ": the null pointer",
                pages->threads[distance / pages->stride], distance % pages->stride);
}

void pgasi_null_page_protect(const pgasi_null_pages_t *pages, uint64_t nbytes)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    struct sigaction before;
    protected = *pages;
    protected_bytes = nbytes;
    for (uint32_t i = 0; i < pages->count; i++)
        mprotect(pages->segments + i * pages->stride, nbytes, PROT_NONE);
    if (sigaction(SIGSEGV, NULL, &before) != 0 || (before.sa_flags & SA_SIGINFO) != 0 ||
        before.sa_handler != SIG_DFL)
        return;
    sigemptyset(&action.sa_mask);
    is_set_up = sigaction(SIGSEGV, &action, NULL) == 0;
}

void pgasi_null_page_release(void)
{
    struct sigaction now;
    if (is_set_up && sigaction(SIGSEGV, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
        now.sa_sigaction == on_fault)
        signal(SIGSEGV, SIG_DFL);
    is_set_up = false;
    protected = (pgasi_null_pages_t){0};
}
