#include "base/self.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

pgasi_peer_t pgasi_nobody;
pgasi_job_t pgasi_job = {.peers = &pgasi_nobody, .thread = 0, .threads = 1};

bool pgasi_is_in_job;
bool pgasi_has_left_job;
bool pgasi_is_child;
_Thread_local pgasi_restriction_t pgasi_restriction;
__thread pgasi_peer_t *pgasi_peers = PGASI_NO_PEERS;

/* Of the thread that has loaded the library, which most often is the one that calls pgas_init; 0:
 * it is not in this process. */
static pgasi_peer_t **first;
static pid_t loader;

/* Of several threads the child has the one that has forked. */
static void follow_fork(void)
{
    loader = first == &pgasi_peers ? gettid() : 0;
}

/* Before main, and before the program's constructors: the first call may be one outside the job. */
__attribute__((constructor(PGASI_CONSTRUCTOR))) static void prepare(void)
{
    first = &pgasi_peers;
    loader = gettid();
    pgasi_peers = &pgasi_nobody;
    pthread_atfork(NULL, NULL, follow_fork);
}

void pgasi_self_join(pgasi_peer_t *peers)
{
    pgasi_peers = peers;
    if (pgasi_restriction == PGASI_UNATTACHED)
        pgasi_restriction = PGASI_UNRESTRICTED;
}

void pgasi_self_join_first(pgasi_peer_t *peers)
{
    if (loader != 0 && tgkill(getpid(), loader, 0) == 0) /* else its memory may be gone */
        *first = PGASI_NO_PEERS;
    pgasi_self_join(peers);
}

void pgasi_self_leave(void)
{
    pgasi_peers = PGASI_NO_PEERS;
    pgasi_restriction = PGASI_UNATTACHED;
}
