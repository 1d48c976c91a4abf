#include "net/ucx/attach.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include <pgas/detail.h>

#include "base/log.h"
#include "net/net.h"
#include "net/ucx/aggregate.h"
#include "net/ucx/failure.h"
#include "net/ucx/initiator.h"
#include "net/ucx/numbered.h"
#include "net/ucx/pending.h"
#include "net/ucx/rma.h"
#include "net/ucx/rma_keys.h"
#include "net/ucx/worker.h"
#include "stats/counter.h"

/* All initiators that have been made, of agents that are attached and of earlier ones. */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pgasi_ucx_initiator_t *initiators;

static void free_initiator(pgasi_ucx_initiator_t *initiator)
{
    pgasi_ucx_aggregate_free(initiator);
    pgasi_ucx_keys_free(initiator);
    pgasi_ucx_pool_free(&initiator->rma);
    pgasi_ucx_pool_free(&initiator->requests);
    pgasi_ucx_pool_free(&initiator->buffers);
    pgasi_ucx_pool_free(&initiator->fetching);
    free((void *)initiator->endpoints);
    free(initiator->targets);
    free(initiator);
}

static pgasi_ucx_initiator_t *create_tables(uint32_t agent)
{
    pgasi_ucx_initiator_t *initiator = calloc(1, sizeof *initiator);
    if (initiator == NULL)
        return NULL;
    initiator->agent = agent;
    initiator->requests =
        (pgasi_ucx_pool_t){.payload_size = PGASI_NET_MESSAGE_MAX, .pending = &initiator->awaited};
    initiator->buffers =
        (pgasi_ucx_pool_t){.payload_size = PGASI_UCX_EAGER_MAX, .pending = &initiator->awaited};
    initiator->endpoints = calloc(pgasi_job.threads, sizeof(ucp_ep_h));
    initiator->targets = calloc(pgasi_job.threads, sizeof *initiator->targets);
    pgasi_ucx_operation_init(initiator);
    bool has_keys = !pgasi_ucx_rma_is_on || pgasi_ucx_keys_init(initiator);
    if (pgasi_ucx_aggregate_init(initiator) && has_keys && initiator->endpoints != NULL &&
        initiator->targets != NULL)
        return initiator;
    free_initiator(initiator);
    return NULL;
}

/* The calling agent's. A worker that no two threads use at once: UCX calls it single if it stays
 * with one of them. */
static pgas_status_t create(uint32_t agent)
{
    ucs_thread_mode_t mode = agent == 0 ? UCS_THREAD_MODE_SINGLE : UCS_THREAD_MODE_SERIALIZED;
    pgasi_ucx_initiator_t *initiator = create_tables(agent);
    if (initiator == NULL) {
        pgasi_log("no memory for connections to %u threads", pgasi_job.threads);
        return PGAS_ERR_NO_MEMORY;
    }
    ucs_status_t status = pgasi_ucx_worker_create(mode, &initiator->worker);
    if (status == UCS_OK)
        status = ucp_worker_get_efd(initiator->worker, &initiator->fd);
    pgasi_ucx_me = initiator;
    if (status == UCS_OK && agent != 0)
        status = pgasi_ucx_attach_accept();
    if (status == UCS_OK) {
        initiator->next = initiators;
        initiators = initiator;
        return PGAS_OK;
    }
    if (initiator->worker != NULL)
        ucp_worker_destroy(initiator->worker);
    free_initiator(initiator);
    return pgasi_ucx_check("ucp_worker_create", status);
}

pgas_status_t pgasi_ucx_attach_main(void)
{
    pgasi_ucx_numbered_start(pgasi_ucx_puts_acked);
    return create(0);
}

ucs_status_t pgasi_ucx_attach_accept(void)
{
    ucs_status_t status = pgasi_ucx_numbered_accept();
    return status == UCS_OK ? pgasi_ucx_operation_accept() : status;
}

/* An initiator that is kept goes on with the numbers of its messages, and with its connections. */
static pgas_status_t take(uint32_t agent)
{
    pgasi_ucx_initiator_t *initiator = initiators;
    while (initiator != NULL && initiator->agent != agent)
        initiator = initiator->next;
    if (initiator == NULL)
        return create(agent);
    pgasi_ucx_me = initiator;
    return PGAS_OK;
}

pgas_status_t pgasi_net_attach(uint32_t agent)
{
    if (!pgasi_net_is_up)
        return PGAS_OK;
    pthread_mutex_lock(&guard);
    pgas_status_t status = take(agent);
    pthread_mutex_unlock(&guard);
    if (status != PGAS_OK)
        pgasi_ucx_me = NULL;
    return status;
}

void pgasi_net_detach(void)
{
    if (pgasi_ucx_me == NULL)
        return;
    pgasi_net_wait_all();
    /* Orders all that this thread has done with it before what the next one does. */
    pthread_mutex_lock(&guard);
    pgasi_ucx_me = NULL;
    pthread_mutex_unlock(&guard);
}

void pgasi_net_wait_everybody(void)
{
    pgasi_ucx_initiator_t *mine = pgasi_ucx_me;
    for (pgasi_ucx_initiator_t *i = initiators; i != NULL; i = i->next) {
        pgasi_ucx_me = i;
        pgasi_net_wait_all();
    }
    pgasi_ucx_me = mine;
}

void pgasi_ucx_attach_stop(void)
{
    for (pgasi_ucx_initiator_t *i = initiators; i != NULL; i = i->next) {
        pgasi_ucx_keys_release(i);
        ucp_worker_destroy(i->worker);
    }
}

/* Of all initiators together when they were reset. */
static uint64_t operations_before;

/* With the guard. */
static uint64_t count_operations(void)
{
    uint64_t count = 0;
    for (const pgasi_ucx_initiator_t *i = initiators; i != NULL; i = i->next)
        count += i->keys != NULL ? pgasi_counter_value(&i->keys->operations) : 0;
    return count;
}

uint64_t pgasi_net_rma_operations(void)
{
    pthread_mutex_lock(&guard);
    uint64_t count = count_operations() - operations_before;
    pthread_mutex_unlock(&guard);
    return count;
}

void pgasi_net_rma_reset(void)
{
    pthread_mutex_lock(&guard);
    operations_before = count_operations();
    pthread_mutex_unlock(&guard);
}

void pgasi_ucx_attach_finalize(void)
{
    while (initiators != NULL) {
        pgasi_ucx_initiator_t *initiator = initiators;
        initiators = initiator->next;
        free_initiator(initiator);
    }
    pgasi_ucx_me = NULL;
}
