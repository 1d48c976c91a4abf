/**
 * Barriers that have nobody to wait for serve others, as the fence does that they include: loops of
 * such barriers get messages, and let collectives in flight go on.
 */
#include <stdatomic.h>

#include <pgas/am.h>
#include <pgas/coll_async.h>
#include <pgas/pgas.h>
#include <pgas/team.h>

#include "check.h"

static atomic_int came;

static void on_message(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                       size_t nbytes)
{
    (void)token;
    (void)args;
    (void)nargs;
    (void)payload;
    (void)nbytes;
    atomic_fetch_add(&came, 1);
}

static void alone(pgas_team_t *own)
{
    (void)own;
    pgas_barrier();
}

static void alone_in_two(pgas_team_t *own)
{
    (void)own;
    pgas_notify(PGAS_ANONYMOUS);
    pgas_wait(PGAS_ANONYMOUS);
}

static void of_team(pgas_team_t *own)
{
    pgas_team_barrier(own);
}

static void of_team_in_two(pgas_team_t *own)
{
    pgas_team_notify(own);
    pgas_team_wait(own);
}

/* A message of the next thread, or of the caller to itself. */
static void get_message(pgas_am_t message, void (*barrier)(pgas_team_t *own), pgas_team_t *own)
{
    int next = (pgas_mythread() + 1) % pgas_threads();
    int before = atomic_load(&came);
    pgas_barrier();
    pgas_am_request_short(next, message, PGAS_AM_ARGS(1));
    while (atomic_load(&came) == before)
        barrier(own);
    pgas_barrier();
}

/* The others wait, and then tell thread 0, which is in its barriers meanwhile. */
static void let_go_on(pgas_am_t message, pgas_team_t *own)
{
    uint64_t one = 1;
    uint64_t sum = 0;
    int before = atomic_load(&came);
    pgas_barrier();
    pgas_handle_t handle =
        pgas_allreduce_async(PGAS_TEAM_ALL, &one, &sum, 1, PGAS_UINT64, PGAS_SUM);
    if (pgas_mythread() == 0) {
        while (atomic_load(&came) - before < pgas_threads() - 1)
            pgas_team_barrier(own);
        pgas_waitsync(handle);
    } else {
        pgas_waitsync(handle);
        pgas_am_request_short(0, message, PGAS_AM_ARGS(1));
    }
    CHECK(sum == (uint64_t)pgas_threads());
    pgas_barrier();
}

int main(void)
{
    pgas_team_t *own;
    pgas_am_t message = pgas_am_register("message", on_message, PGAS_AM_POLL);
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_team_split(PGAS_TEAM_ALL, pgas_mythread(), 0, &own) == PGAS_OK);
    if (pgas_threads() == 1) {
        get_message(message, alone, own);
        get_message(message, alone_in_two, own);
    }
    get_message(message, of_team, own);
    get_message(message, of_team_in_two, own);
    let_go_on(message, own);
    pgas_team_free(own);
    pgas_finalize();
    return 0;
}
