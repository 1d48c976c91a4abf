/**
 * Every call by which a program can wait in a loop of its own gives the core away now and then
 * where threads outnumber processors, and before that has found nothing many times: on one
 * processor the thread that is waited for would get it at the end of a time slice only.
 */
#include <pgas/coll.h>
#include <pgas/coll_async.h>
#include <pgas/detail.h>
#include <pgas/lock.h>
#include <pgas/signal.h>

#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "sync/wait.h"

enum {
    LOOKS = 100
};

static unsigned given_away;

/* In place of the C library's. */
int sched_yield(void)
{
    given_away++;
    return (int)syscall(SYS_sched_yield);
}

/* Of the own thread. */
static pgas_signal_t *awaited;
static pgas_lock_t taken;
static pgas_handle_t collective;

static void test_signal(void)
{
    CHECK(!pgas_signal_test(awaited, PGAS_GE, 1));
}

static void attempt_lock(void)
{
    CHECK(!pgas_lock_attempt(taken));
}

static void try_handle(void)
{
    CHECK(!pgas_trysync(collective));
}

static void try_all(void)
{
    CHECK(!pgas_trysync_all(&collective, 1));
}

static void try_some(void)
{
    CHECK(!pgas_trysync_some(&collective, 1));
}

static void try_implicit(void)
{
    CHECK(!pgas_trysynci());
}

static void try_phase(void)
{
    CHECK(!pgasi_phase_test());
}

static void expect_given_away(const char *name, void (*look)(void))
{
    unsigned before = given_away;
    for (int i = 0; i < LOOKS; i++)
        look();
    if (given_away == before)
        fprintf(stderr, "%s never gives the core away\n", name);
    CHECK(given_away > before);
}

static void look_in_vain(pgas_ptr_t others)
{
    double in[2] = {1.0, 1.0};
    double out[2];
    pgas_team_t *all = PGAS_TEAM_ALL;
    expect_given_away("pgas_poll", pgas_poll);
    expect_given_away("pgas_fence", pgas_fence);
    expect_given_away("pgas_signal_test", test_signal);
    expect_given_away("pgas_lock_attempt", attempt_lock);
    collective = pgas_allreduce_async(all, &in[0], &out[0], 1, PGAS_DOUBLE, PGAS_SUM);
    expect_given_away("pgas_trysync", try_handle);
    expect_given_away("pgas_trysync_all", try_all);
    expect_given_away("pgas_trysync_some", try_some);
    pgas_allreduce_asynci(all, &in[1], &out[1], 1, PGAS_DOUBLE, PGAS_SUM);
    expect_given_away("pgas_trysynci", try_implicit);
    pgasi_phase_notify(PGASI_PHASE_ANONYMOUS, 0);
    expect_given_away("the split-phase barrier's test", try_phase);
    pgas_put_signal(others, NULL, 0, others, PGAS_SIGNAL_SET, 1);
    pgas_waitsync(collective);
    pgas_waitsynci();
}

/* What the other thread does when it has been told. */
static void come_late(void)
{
    double in = 1.0;
    double out;
    pgas_signal_wait(awaited, PGAS_GE, 1);
    pgas_allreduce(PGAS_TEAM_ALL, &in, &out, 1, PGAS_DOUBLE, PGAS_SUM);
    pgas_allreduce(PGAS_TEAM_ALL, &in, &out, 1, PGAS_DOUBLE, PGAS_SUM);
    pgasi_phase_notify(PGASI_PHASE_ANONYMOUS, 0);
}

int main(void)
{
    pgas_ptr_t signals;
    bool is_named;
    int name;
    CHECK(pgas_init() == PGAS_OK && pgas_threads() == 2);
    CHECK(pgas_all_alloc(2, sizeof *awaited, &signals) == PGAS_OK);
    CHECK(pgas_all_lock_alloc(&taken) == PGAS_OK);
    awaited = pgas_local(pgas_ptr_on(signals, pgas_mythread()));
    pgas_signal_set(awaited, 0);
    pgasi_wait_crowd();
    if (pgas_mythread() == 1)
        pgas_lock(taken);
    pgas_barrier();
    if (pgas_mythread() == 1)
        come_late();
    else
        look_in_vain(pgas_ptr_on(signals, 1));
    pgasi_phase_wait(&is_named, &name);
    if (pgas_mythread() == 1)
        pgas_unlock(taken);
    pgas_finalize();
    return 0;
}
