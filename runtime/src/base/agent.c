#include "base/agent.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/self.h"

bool pgasi_is_shared;
_Thread_local uint32_t pgasi_agent;

/* The counters of agents by number, and the sums of those that have detached. The main thread's are
 * pgasi_job.peers. */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pgasi_peer_t *tables[PGAS_ATTACHED_MAX];
static _Atomic uint32_t count;
static pgasi_peer_t *detached;
static pgasi_peer_t *beside;

/* As the main thread's, without its counts. */
static pgasi_peer_t *create_table(void)
{
    pgasi_peer_t *table =
        aligned_alloc(_Alignof(pgasi_peer_t), pgasi_job.threads * sizeof(pgasi_peer_t));
    for (uint32_t i = 0; i < pgasi_job.threads && table != NULL; i++)
        table[i] = (pgasi_peer_t){.base = pgasi_job.peers[i].base, .node = pgasi_job.peers[i].node};
    return table;
}

/* Under the guard. */
static pgasi_agent_made_t enter(pgasi_peer_t *table)
{
    uint32_t number = 1;
    if (!pgasi_is_shared)
        return PGASI_AGENT_NO_SHARING;
    if (detached == NULL)
        detached = create_table();
    while (number < PGAS_ATTACHED_MAX && tables[number] != NULL)
        number++;
    if (number == PGAS_ATTACHED_MAX)
        return PGASI_AGENT_NO_NUMBER;
    if (table == NULL || detached == NULL)
        return PGASI_AGENT_NO_MEMORY;
    tables[number] = table;
    count++;
    pgasi_agent = number;
    return PGASI_AGENT_IS_MADE;
}

pgasi_agent_made_t pgasi_agent_create(void)
{
    pgasi_peer_t *table = create_table();
    pthread_mutex_lock(&guard);
    pgasi_agent_made_t made = enter(table);
    pthread_mutex_unlock(&guard);
    if (made == PGASI_AGENT_IS_MADE)
        pgasi_self_join(table);
    else
        free(table);
    return made;
}

/* Counters are all that lies between the address and the node. */
static void add(pgasi_peer_t *sum, const pgasi_peer_t *part)
{
    enum {
        COUNTERS =
            (offsetof(pgasi_peer_t, node) - offsetof(pgasi_peer_t, value_gets)) / sizeof(uint64_t)
    };
    const size_t begin = offsetof(pgasi_peer_t, value_gets);
    uint64_t sums[COUNTERS];
    uint64_t parts[COUNTERS];
    memcpy(sums, (const char *)sum + begin, sizeof sums);
    memcpy(parts, (const char *)part + begin, sizeof parts);
    for (size_t i = 0; i < COUNTERS; i++)
        sums[i] += parts[i];
    memcpy((char *)sum + begin, sums, sizeof sums);
}

void pgasi_agent_destroy(void)
{
    pgasi_peer_t *table = pgasi_peers;
    pgasi_self_leave();
    pthread_mutex_lock(&guard);
    for (uint32_t i = 0; i < pgasi_job.threads; i++)
        add(&detached[i], &table[i]);
    tables[pgasi_agent] = NULL;
    count--;
    pthread_mutex_unlock(&guard);
    free(table);
    pgasi_agent = 0;
}

/* Without the guard, which the progress thread would take all the time, also while the program
 * forks. */
uint32_t pgasi_agents(void)
{
    return atomic_load(&count);
}

uint32_t pgasi_agents_stop(void)
{
    pthread_mutex_lock(&guard);
    uint32_t agents = count;
    if (agents == 0)
        pgasi_is_shared = false;
    pthread_mutex_unlock(&guard);
    return agents;
}

void pgasi_agents_visit(void (*visit)(pgasi_peer_t *peers, void *argument), void *argument)
{
    pthread_mutex_lock(&guard);
    visit(pgasi_job.peers, argument);
    for (uint32_t i = 1, left = count; left > 0; i++)
        if (tables[i] != NULL) {
            visit(tables[i], argument);
            left--;
        }
    if (detached != NULL)
        visit(detached, argument);
    if (beside != NULL)
        visit(beside, argument);
    pthread_mutex_unlock(&guard);
}

pgasi_peer_t *pgasi_agents_beside(void)
{
    pthread_mutex_lock(&guard);
    if (beside == NULL)
        beside = create_table();
    pgasi_peer_t *table = beside;
    pthread_mutex_unlock(&guard);
    if (table == NULL)
        pgasi_fatal("network", "no memory for a table of %u threads", pgasi_job.threads);
    return table;
}

/* Into the main thread's counts, which outlive the job. */
static void add_to_main(const pgasi_peer_t *table)
{
    for (uint32_t i = 0; i < pgasi_job.threads && table != NULL; i++)
        add(&pgasi_job.peers[i], &table[i]);
}

void pgasi_agents_finish(void)
{
    pthread_mutex_lock(&guard);
    add_to_main(detached);
    add_to_main(beside);
    free(detached);
    detached = NULL;
    free(beside);
    beside = NULL;
    pthread_mutex_unlock(&guard);
}
