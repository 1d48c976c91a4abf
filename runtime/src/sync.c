#include <pgas/sync.h>

#include <stdatomic.h>
#include <stdbool.h>

#include <pgas/detail.h>

#include "segment.h"

/*
 * The barrier counts arrivals; the last one starts the next generation, which the others wait for.
 * Each thread runs once per barrier, however many share a core.
 */
static bool notified;
static int notified_id;
static uint32_t notified_generation;

void pgas_fence(void)
{
    atomic_thread_fence(memory_order_seq_cst);
}

/* The first thread to name the phase writes its id down; the others compare. */
static void name_phase(pgasi_barrier_t *barrier, int id)
{
    uint64_t mine = (uint64_t)(uint32_t)id << 32 | (pgasi_job.thread + 1);
    uint64_t named = 0;
    if (atomic_compare_exchange_strong(&barrier->named, &named, mine))
        return;
    if (named >> 32 != (uint32_t)id)
        pgasi_fatal("pgas_notify", "barrier id %d, but thread %u named this phase %d", id,
                    (uint32_t)named - 1, (int)(uint32_t)(named >> 32));
}

static void arrive(int id)
{
    pgasi_barrier_t *barrier = &pgasi_node_memory.control->barrier;
    if (id != PGAS_ANONYMOUS)
        name_phase(barrier, id);
    notified_generation = atomic_load_explicit(&barrier->generation.value, memory_order_relaxed);
    uint32_t arrived = atomic_fetch_add(&barrier->arrived, 1) + 1;
    if (arrived == pgasi_job.threads) {
        if (atomic_load_explicit(&barrier->named, memory_order_relaxed) != 0)
            atomic_store_explicit(&barrier->named, 0, memory_order_relaxed);
        atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
        pgasi_event_set(&barrier->generation, notified_generation + 1);
    }
}

/* The arrival is sequentially consistent and the wait acquires: what anybody did before arriving
 * comes before what anybody does after leaving, without a fence of its own. */
static void depart(void)
{
    pgasi_event_wait(&pgasi_node_memory.control->barrier.generation, notified_generation, NULL);
}

void pgas_barrier(void)
{
    if (notified)
        pgasi_fatal("pgas_barrier", "called between pgas_notify and pgas_wait");
    arrive(PGAS_ANONYMOUS);
    depart();
}

void pgas_notify(int id)
{
    if (notified)
        pgasi_fatal("pgas_notify", "called twice without pgas_wait");
    arrive(id);
    notified = true;
    notified_id = id;
}

void pgas_wait(int id)
{
    if (!notified)
        pgasi_fatal("pgas_wait", "called without pgas_notify");
    if (id != notified_id && id != PGAS_ANONYMOUS && notified_id != PGAS_ANONYMOUS)
        pgasi_fatal("pgas_wait", "barrier id %d, but this thread notified %d", id, notified_id);
    depart();
    notified = false;
}
