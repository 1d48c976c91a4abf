#include "plan/setup.h"

#include <stdlib.h>
#include <string.h>

#include <pgas/heap.h>
#include <pgas/ptr.h>
#include <pgas/sync.h>

#include "base/log.h"
#include "node/node.h"
#include "plan/memory.h"
#include "plan/node_channel.h"
#include "plan/side.h"
#include "sync/barrier.h"

/*
 * The exchange. No thread knows who needs its elements, so those that receive make requests:
 *
 *   1. each reserves a slot in the queue of every thread that sends to it (one atomic addition);
 *   2. the threads that send know the lengths of their queues now, and allocate them;
 *   3. the threads that receive put their requests into the slots;
 *   4. the threads that send get the lists of elements, and reply where their ends are;
 *   5. the threads that receive read the replies.
 *
 * Barriers stand between the steps and carry the worst status along.
 */
typedef struct exchange {
    pgas_plan_t *plan;
    /* The needed elements, for the owners to get. */
    pgas_ptr_t lists;
    pgas_ptr_t queue;
    /* By link of the receive side: its slot in the owner's queue. */
    uint64_t *slots;
} exchange_t;

static bool by_node(const pgas_plan_t *plan)
{
    return (plan->options & PGAS_PLAN_BY_NODE) != 0 && pgasi_nodes.count > 1;
}

static pgasi_plan_entry_t *own_entry(const pgas_plan_t *plan)
{
    return pgasi_plan_local(pgasi_job.thread, plan->directory);
}

/* A barrier. The worst of all statuses; PGAS_OK is the smallest. */
static pgas_status_t agree(pgas_status_t status)
{
    uint64_t worst;
    pgasi_sync_exchange(status, &worst, 0, NULL);
    if (worst != PGAS_OK)
        pgasi_log_told();
    return worst > status ? (pgas_status_t)worst : status;
}

/* Step 0, before others look here. */
static pgas_status_t prepare(exchange_t *exchange, const uint32_t *elements)
{
    pgas_plan_t *plan = exchange->plan;
    pgasi_plan_side_t *side = &plan->receive_side;
    size_t nbytes = side->length * sizeof *elements;
    pgas_status_t status = pgasi_plan_ends_create(plan, side, true);
    if (status == PGAS_OK)
        status = pgas_alloc(nbytes, &exchange->lists);
    if (status == PGAS_OK && by_node(plan))
        status = pgasi_plan_node_channels_create(plan);
    exchange->slots = malloc((side->link_count + 1) * sizeof *exchange->slots);
    if (exchange->slots == NULL) {
        pgasi_log("pgas_plan_create: no memory for %zu links", side->link_count);
        return PGAS_ERR_NO_MEMORY;
    }
    if (status == PGAS_OK && nbytes > 0)
        memcpy(pgas_local(exchange->lists), elements, nbytes);
    *own_entry(plan) = (pgasi_plan_entry_t){.node_channels = plan->node_channels.offset};
    return status;
}

/* Step 1. */
static pgas_status_t reserve_slots(exchange_t *exchange)
{
    pgas_plan_t *plan = exchange->plan;
    uint64_t length = plan->directory + offsetof(pgasi_plan_entry_t, queue_length);
    for (size_t l = 0; l < plan->receive_side.link_count; l++) {
        const pgasi_plan_link_t *link = &plan->receive_side.links[l];
        if (link->end != NULL)
            exchange->slots[l] = pgasi_plan_fetch_add(link->thread, length, 1);
    }
    return by_node(plan) ? pgasi_plan_receive_channels_create(plan) : PGAS_OK;
}

/* Step 2. */
static pgas_status_t allocate_queue(exchange_t *exchange)
{
    pgasi_plan_entry_t *entry = own_entry(exchange->plan);
    pgas_status_t status = pgas_alloc(
        atomic_load(&entry->queue_length) * sizeof(pgasi_plan_request_t), &exchange->queue);
    if (status != PGAS_OK)
        return status;
    entry->queue = exchange->queue.offset;
    return by_node(exchange->plan) ? pgasi_plan_node_channels_request(exchange->plan) : PGAS_OK;
}

static pgasi_plan_request_t request_for(const exchange_t *exchange, const pgasi_plan_link_t *link)
{
    pgasi_plan_request_t request = {
        .thread = pgasi_job.thread,
        .count = link->count,
        .elements = exchange->lists.offset + link->first * sizeof(uint32_t),
        .channel_offset = link->channel_offset,
    };
    if (link->end != NULL)
        request.remote = pgasi_plan_end_of(exchange->plan, &exchange->plan->receive_side, link);
    return request;
}

/* Step 3. */
static pgas_status_t put_requests(exchange_t *exchange)
{
    pgas_plan_t *plan = exchange->plan;
    for (size_t l = 0; l < plan->receive_side.link_count; l++) {
        const pgasi_plan_link_t *link = &plan->receive_side.links[l];
        if (link->end == NULL)
            continue;
        pgasi_plan_request_t request = request_for(exchange, link);
        uint64_t queue;
        pgasi_plan_get(&queue, link->thread, plan->directory + offsetof(pgasi_plan_entry_t, queue),
                       sizeof queue);
        pgasi_plan_put(link->thread, queue + exchange->slots[l] * sizeof request, &request,
                       sizeof request);
    }
    return by_node(plan) ? pgasi_plan_node_channels_reply(plan) : PGAS_OK;
}

static int by_thread(const void *left, const void *right)
{
    const pgasi_plan_request_t *a = left;
    const pgasi_plan_request_t *b = right;
    return (a->thread > b->thread) - (a->thread < b->thread);
}

/* All requests to the calling thread, its own among them, in ascending order of threads; the caller
 * frees them. */
static pgasi_plan_request_t *collect_requests(const exchange_t *exchange, size_t *count)
{
    const pgas_plan_t *plan = exchange->plan;
    const pgasi_plan_link_t *own = pgasi_plan_own_link(&plan->receive_side);
    *count = atomic_load(&own_entry(plan)->queue_length);
    pgasi_plan_request_t *requests = malloc((*count + 1) * sizeof *requests);
    if (requests == NULL) {
        pgasi_log("pgas_plan_create: no memory for %zu links", *count);
        return NULL;
    }
    if (*count > 0)
        memcpy(requests, pgas_local(exchange->queue), *count * sizeof *requests);
    if (own != NULL)
        requests[(*count)++] = request_for(exchange, own);
    qsort(requests, *count, sizeof *requests, by_thread);
    return requests;
}

static pgas_status_t create_send_side(pgas_plan_t *plan, const pgasi_plan_request_t *requests,
                                      size_t count)
{
    pgas_status_t status = pgasi_plan_send_links_create(plan, requests, count);
    if (status == PGAS_OK)
        status = pgasi_plan_ends_create(plan, &plan->send_side,
                                        (plan->options & PGAS_PLAN_SCATTER) != 0);
    if (status == PGAS_OK && by_node(plan))
        status = pgasi_plan_send_channels_create(plan);
    if (status == PGAS_OK)
        status = pgasi_plan_send_buffer_create(plan);
    if (status == PGAS_OK)
        status = pgasi_plan_elements_get(plan, requests);
    return status;
}

static void put_replies(const pgas_plan_t *plan)
{
    for (size_t l = 0; l < plan->send_side.link_count; l++) {
        const pgasi_plan_link_t *link = &plan->send_side.links[l];
        if (link->end == NULL)
            continue;
        pgasi_plan_remote_t reply = pgasi_plan_end_of(plan, &plan->send_side, link);
        pgasi_plan_put(link->thread, link->remote.end + offsetof(pgasi_plan_end_t, remote), &reply,
                       sizeof reply);
    }
}

/* Step 4. */
static pgas_status_t serve_queue(exchange_t *exchange)
{
    size_t count;
    pgasi_plan_request_t *requests = collect_requests(exchange, &count);
    if (requests == NULL)
        return PGAS_ERR_NO_MEMORY;
    pgas_status_t status = create_send_side(exchange->plan, requests, count);
    if (status == PGAS_OK)
        put_replies(exchange->plan);
    free(requests);
    return status;
}

/* Step 5. */
static pgas_status_t read_replies(exchange_t *exchange)
{
    pgas_plan_t *plan = exchange->plan;
    for (size_t l = 0; l < plan->receive_side.link_count; l++) {
        pgasi_plan_link_t *link = &plan->receive_side.links[l];
        if (link->end != NULL)
            link->remote = link->end->remote;
    }
    pgasi_plan_mutual_find(plan);
    pgas_status_t status = pgasi_plan_scatter_buffer_create(plan);
    if (status == PGAS_OK && by_node(plan))
        status = pgasi_plan_channels_read(plan);
    return status;
}

pgas_status_t pgasi_plan_connect(pgas_plan_t *plan, const uint32_t *elements, pgas_status_t status)
{
    static pgas_status_t (*const steps[])(exchange_t *) = {
        reserve_slots, allocate_queue, put_requests, serve_queue, read_replies,
    };
    exchange_t exchange = {.plan = plan};
    pgas_ptr_t directory;
    pgas_status_t alloc_status =
        pgas_all_alloc(pgasi_job.threads, sizeof(pgasi_plan_entry_t), &directory);
    if (alloc_status != PGAS_OK)
        return alloc_status; /* the same on all threads */
    plan->directory = directory.offset;
    if (status == PGAS_OK)
        status = prepare(&exchange, elements);
    status = agree(status);
    for (size_t s = 0; s < sizeof steps / sizeof steps[0] && status == PGAS_OK; s++)
        status = agree(steps[s](&exchange));
    free(exchange.slots);
    pgas_free(exchange.queue);
    pgas_free(exchange.lists);
    pgas_all_free(directory);
    return status;
}
