#include "base/agent.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/self.h"

bool pgasi_is_shared;
_Thread_local uint32_t pgasi_agent;

/* The counters of agents by number, and the sums of those that have detached. The main thread's are
 * pgasi_job.peers. */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pgasi_peer_t *tables[PGAS_ATTACHED_MAX];
static uint32_t count;
static pgasi_peer_t *detached;

/* As the main thread's, without its counts. */
static pgasi_peer_t *create_table(void)
{
    pgasi_peer_t *table =
        aligned_alloc(_Alignof(pgasi_peer_t), pgasi_job.threads * sizeof(pgasi_peer_t));
    for (uint32_t i = 0; i < pgasi_job.threads && table != NULL; i++)
        table[i] = (pgasi_peer_t){.base = pgasi_job.peers[i].base, .node = pgasi_job.peers[i].node};
    return table;
}

bool pgasi_agent_create(bool *is_full)
{
    pgasi_peer_t *table = create_table();
    pthread_mutex_lock(&guard);
    if (detached == NULL)
        detached = create_table();
    uint32_t number = 1;
    while (number < PGAS_ATTACHED_MAX && tables[number] != NULL)
        number++;
    *is_full = number == PGAS_ATTACHED_MAX;
    bool done = table != NULL && detached != NULL && !*is_full;
    if (done) {
        tables[number] = table;
        count++;
    }
    pthread_mutex_unlock(&guard);
    if (!done) {
        free(table);
        return false;
    }
    pgasi_agent = number;
    pgasi_self_join(table);
    return true;
}

static void add_count(pgasi_count_t *sum, const pgasi_count_t *part)
{
    sum->operations += part->operations;
    sum->bytes += part->bytes;
}

static void add(pgasi_peer_t *sum, const pgasi_peer_t *part)
{
    for (int i = 0; i < PGASI_SIZE_CLASSES; i++) {
        sum->value_gets[i] += part->value_gets[i];
        sum->value_puts[i] += part->value_puts[i];
    }
    add_count(&sum->odd_gets, &part->odd_gets);
    add_count(&sum->odd_puts, &part->odd_puts);
    add_count(&sum->bulk_gets, &part->bulk_gets);
    add_count(&sum->bulk_puts, &part->bulk_puts);
    add_count(&sum->packed_gets, &part->packed_gets);
    add_count(&sum->packed_puts, &part->packed_puts);
    add_count(&sum->messages, &part->messages);
    add_count(&sum->atomic_gets, &part->atomic_gets);
    add_count(&sum->atomic_puts, &part->atomic_puts);
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

uint32_t pgasi_agents(void)
{
    pthread_mutex_lock(&guard);
    uint32_t result = count;
    pthread_mutex_unlock(&guard);
    return result;
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
    pthread_mutex_unlock(&guard);
}

void pgasi_agents_finish(void)
{
    pthread_mutex_lock(&guard);
    free(detached);
    detached = NULL;
    pthread_mutex_unlock(&guard);
}
