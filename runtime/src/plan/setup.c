#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include <pgas/heap.h>
#include <pgas/ptr.h>
#include <pgas/sync.h>

#include "base/log.h"
#include "copy/async.h"
#include "net/net.h"
#include "node/node.h"
#include "sync/barrier.h"

/*
 * The exchange. No thread knows who needs its elements, so the needing ones come:
 *
 *   1. each asks for a place in the queue of every owner (one atomic addition each);
 *   2. the owners, who know now how long their queues are, make room for them;
 *   3. the needing threads put what they ask for into their places;
 *   4. the owners fetch the lists, and tell each needing thread where its messages to them go.
 *
 * Barriers stand between the steps and carry the worst status along.
 */

/* What the others must find of a thread before anything is agreed: in every segment at the same
 * offset. */
typedef struct board {
    _Atomic uint64_t queue_length;
    uint64_t queue;
    uint64_t gates;
} board_t;

/* What a needing thread puts into an owner's queue. Offsets are of its own segment. */
typedef struct request {
    uint32_t thread;
    uint32_t count;
    uint64_t elements;
    uint64_t end;
    uint64_t landing;
    uint64_t stride;
    uint64_t part;
} request_t;

/* What lasts for the exchange only. */
typedef struct exchange {
    pgas_plan_t *plan;
    /* The needed elements, for the owners to fetch. */
    pgas_ptr_t lists;
    pgas_ptr_t queue;
    /* By link: its place in the owner's queue. */
    uint64_t *places;
} exchange_t;

static uint64_t boards;

void *pgasi_plan_private(pgas_plan_t *plan, size_t count, size_t elem_size)
{
    void *memory = calloc(count > 0 ? count : 1, elem_size > 0 ? elem_size : 1);
    if (memory == NULL)
        pgasi_log("pgas_plan_create: no memory for %zu times %zu bytes", count, elem_size);
    else
        plan->memory_bytes += count * elem_size;
    return memory;
}

pgas_status_t pgasi_plan_shared(pgas_plan_t *plan, size_t nbytes, pgas_ptr_t *ptr)
{
    pgas_status_t status = pgas_alloc(nbytes, ptr);
    if (status == PGAS_OK)
        plan->memory_bytes += nbytes;
    return status;
}

static pgas_ptr_t at(uint32_t thread, uint64_t offset)
{
    return (pgas_ptr_t){.thread = thread, .offset = offset};
}

void pgasi_plan_fetch(void *dst, uint32_t thread, uint64_t offset, size_t nbytes)
{
    pgasi_group_t *group = pgasi_empty_group();
    pgasi_start_get(group, dst, at(thread, offset), nbytes);
    pgasi_group_wait(group);
}

void pgasi_plan_store(uint32_t thread, uint64_t offset, const void *src, size_t nbytes)
{
    pgasi_group_t *group = pgasi_empty_group();
    pgasi_start_put(group, at(thread, offset), src, nbytes);
    pgasi_group_wait(group);
}

uint64_t pgasi_plan_add(uint32_t thread, uint64_t offset, size_t nbytes, uint64_t operand)
{
    void *word = pgas_local(at(thread, offset));
    if (word == NULL)
        return pgasi_net_atomic(PGASI_NET_ADD, at(thread, offset), nbytes, operand, 0);
    if (nbytes == sizeof(uint32_t))
        return atomic_fetch_add((_Atomic uint32_t *)word, (uint32_t)operand);
    return atomic_fetch_add((_Atomic uint64_t *)word, operand);
}

static board_t *own_board(void)
{
    return pgas_local(at(pgasi_job.thread, boards));
}

static uint64_t gates_of(uint32_t leader)
{
    uint64_t gates;
    pgasi_plan_fetch(&gates, leader, boards + offsetof(board_t, gates), sizeof gates);
    return gates;
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

static bool is_far(uint32_t thread)
{
    return pgasi_job.peers[thread].node != pgasi_nodes.mine;
}

static bool by_node(const pgas_plan_t *plan)
{
    return (plan->options & PGAS_PLAN_BY_NODE) != 0 && pgasi_nodes.count > 1;
}

/* Makes a side's ends, and where values land if they do. */
static pgas_status_t make_memory(pgas_plan_t *plan, pgasi_plan_side_t *side, bool receives)
{
    size_t ends = side->link_count * sizeof *side->ends;
    side->stride = pgasi_plan_lines(side->length * plan->layout.elem_size);
    pgas_status_t status = pgasi_plan_shared(
        plan, ends + (receives ? PGASI_PLAN_SLOTS * side->stride : 0), &side->memory);
    if (status != PGAS_OK || pgas_ptr_is_null(side->memory))
        return status;
    char *memory = pgas_local(side->memory);
    memset(memory, 0, ends);
    side->ends = (pgasi_plan_end_t *)(void *)memory;
    side->landing = receives ? memory + ends : NULL;
    for (size_t l = 0; l < side->link_count; l++)
        if (side->links[l].thread != pgasi_job.thread)
            side->links[l].end = &side->ends[l];
    return PGAS_OK;
}

static uint64_t offset_of(const void *memory)
{
    return memory == NULL ? 0 : (uint64_t)((const char *)memory - (char *)own_board()) + boards;
}

static uint64_t landing_of(const pgas_plan_t *plan, const pgasi_plan_side_t *side,
                           const pgasi_plan_link_t *link)
{
    return side->landing == NULL ? 0
                                 : offset_of(side->landing) + link->first * plan->layout.elem_size;
}

/* Before anybody looks: the own side, and, for leaders, the gates. */
static pgas_status_t prepare(exchange_t *exchange, const uint32_t *elements)
{
    pgas_plan_t *plan = exchange->plan;
    pgasi_plan_side_t *needs = &plan->needs;
    size_t nbytes = needs->length * sizeof *elements;
    pgas_status_t status = make_memory(plan, needs, true);
    if (status == PGAS_OK)
        status = pgas_alloc(nbytes, &exchange->lists);
    if (status == PGAS_OK && by_node(plan))
        status = pgasi_plan_make_gates(plan);
    exchange->places = malloc((needs->link_count + 1) * sizeof *exchange->places);
    if (exchange->places == NULL) {
        pgasi_log("pgas_plan_create: no memory for %zu links", needs->link_count);
        return PGAS_ERR_NO_MEMORY;
    }
    if (status == PGAS_OK && nbytes > 0)
        memcpy(pgas_local(exchange->lists), elements, nbytes);
    *own_board() = (board_t){.gates = plan->gates.offset};
    return status;
}

/* Step 1. */
static pgas_status_t ask_for_places(exchange_t *exchange)
{
    pgas_plan_t *plan = exchange->plan;
    for (size_t l = 0; l < plan->needs.link_count; l++)
        if (plan->needs.links[l].end != NULL)
            exchange->places[l] =
                pgasi_plan_add(plan->needs.links[l].thread,
                               boards + offsetof(board_t, queue_length), sizeof(uint64_t), 1);
    return by_node(plan) ? pgasi_plan_claim_parts(plan, gates_of) : PGAS_OK;
}

/* Step 2. */
static pgas_status_t make_queue(exchange_t *exchange)
{
    board_t *board = own_board();
    pgas_status_t status =
        pgas_alloc(atomic_load(&board->queue_length) * sizeof(request_t), &exchange->queue);
    if (status != PGAS_OK)
        return status;
    board->queue = exchange->queue.offset;
    return by_node(exchange->plan) ? pgasi_plan_make_needs_gates(exchange->plan, gates_of)
                                   : PGAS_OK;
}

/* Step 3. */
static pgas_status_t put_requests(exchange_t *exchange)
{
    pgas_plan_t *plan = exchange->plan;
    for (size_t l = 0; l < plan->needs.link_count; l++) {
        const pgasi_plan_link_t *link = &plan->needs.links[l];
        if (link->end == NULL)
            continue;
        request_t request = {
            .thread = pgasi_job.thread,
            .count = link->count,
            .elements = exchange->lists.offset + link->first * sizeof(uint32_t),
            .end = offset_of(link->end),
            .landing = landing_of(plan, &plan->needs, link),
            .stride = plan->needs.stride,
            .part = link->part,
        };
        uint64_t queue;
        pgasi_plan_fetch(&queue, link->thread, boards + offsetof(board_t, queue), sizeof queue);
        pgasi_plan_store(link->thread, queue + exchange->places[l] * sizeof request, &request,
                         sizeof request);
    }
    return by_node(plan) ? pgasi_plan_make_owed_gates(plan, gates_of) : PGAS_OK;
}

static int by_thread(const void *left, const void *right)
{
    const request_t *a = left;
    const request_t *b = right;
    return (a->thread > b->thread) - (a->thread < b->thread);
}

/* The own needs of own elements, which nobody asks for. */
static const pgasi_plan_link_t *own_link(const pgas_plan_t *plan)
{
    for (size_t l = 0; l < plan->needs.link_count; l++)
        if (plan->needs.links[l].thread == pgasi_job.thread)
            return &plan->needs.links[l];
    return NULL;
}

static request_t own_request(const exchange_t *exchange)
{
    const pgasi_plan_link_t *link = own_link(exchange->plan);
    if (link == NULL)
        return (request_t){.count = 0};
    return (request_t){
        .thread = pgasi_job.thread,
        .count = link->count,
        .elements = exchange->lists.offset + link->first * sizeof(uint32_t),
    };
}

static pgas_status_t make_owed_links(pgas_plan_t *plan, const request_t *requests, size_t count)
{
    pgasi_plan_side_t *owed = &plan->owed;
    owed->links = pgasi_plan_private(plan, count, sizeof *owed->links);
    if (owed->links == NULL)
        return PGAS_ERR_NO_MEMORY;
    for (size_t r = 0; r < count; r++) {
        owed->links[owed->link_count++] = (pgasi_plan_link_t){
            .thread = requests[r].thread,
            .count = requests[r].count,
            .first = (uint32_t)owed->length,
            .far_end = requests[r].end,
            .far_landing = requests[r].landing,
            .far_stride = requests[r].stride,
            .part = requests[r].part,
            .route = -1,
        };
        owed->length += requests[r].count;
    }
    /* Elements may be owed to many; their positions are numbers of 32 bits. */
    if (owed->length <= UINT32_MAX)
        return PGAS_OK;
    pgasi_log("pgas_plan_create: others need %zu values of this thread; 2^32 are too many",
              owed->length);
    return PGAS_ERR_UNSUPPORTED;
}

/* Elements one behind the other need no list. */
static void find_runs(pgas_plan_t *plan)
{
    for (size_t l = 0; l < plan->owed.link_count; l++) {
        pgasi_plan_link_t *link = &plan->owed.links[l];
        const uint32_t *elements = plan->elements + link->first;
        bool is_run = elements[link->count - 1] - elements[0] == link->count - 1;
        link->first_element = is_run ? elements[0] : 0;
        link->elements = is_run ? NULL : elements;
    }
}

static pgas_status_t fetch_elements(pgas_plan_t *plan, const request_t *requests)
{
    plan->elements = pgasi_plan_private(plan, plan->owed.length, sizeof *plan->elements);
    if (plan->elements == NULL)
        return PGAS_ERR_NO_MEMORY;
    pgasi_group_t *group = pgasi_empty_group();
    for (size_t l = 0; l < plan->owed.link_count; l++)
        pgasi_start_get(group, plan->elements + plan->owed.links[l].first,
                        at(requests[l].thread, requests[l].elements),
                        requests[l].count * sizeof(uint32_t));
    pgasi_group_wait(group);
    find_runs(plan);
    return PGAS_OK;
}

/* Room to pack what goes to other nodes by itself. */
static pgas_status_t make_owed_staging(pgas_plan_t *plan)
{
    pgasi_plan_side_t *owed = &plan->owed;
    size_t count = 0;
    for (size_t l = 0; l < owed->link_count; l++)
        if (is_far(owed->links[l].thread) && owed->links[l].route < 0) {
            owed->links[l].staged = count;
            count += owed->links[l].count;
        }
    if (count == 0)
        return PGAS_OK;
    owed->staging_stride = pgasi_plan_lines(count * plan->layout.elem_size);
    owed->staging = pgasi_plan_private(plan, PGASI_PLAN_SLOTS, owed->staging_stride);
    return owed->staging != NULL ? PGAS_OK : PGAS_ERR_NO_MEMORY;
}

/* Tells each needing thread where this side is. */
static void answer(const pgas_plan_t *plan)
{
    for (size_t l = 0; l < plan->owed.link_count; l++) {
        const pgasi_plan_link_t *link = &plan->owed.links[l];
        uint64_t told[3] = {offset_of(link->end), landing_of(plan, &plan->owed, link),
                            plan->owed.stride};
        if (link->end != NULL)
            pgasi_plan_store(link->thread, link->far_end + offsetof(pgasi_plan_end_t, far_end),
                             told, sizeof told);
    }
}

/* Step 4. */
static pgas_status_t serve_queue(exchange_t *exchange)
{
    pgas_plan_t *plan = exchange->plan;
    size_t count = atomic_load(&own_board()->queue_length);
    request_t *requests = malloc((count + 1) * sizeof *requests);
    if (requests == NULL) {
        pgasi_log("pgas_plan_create: no memory for %zu links", count);
        return PGAS_ERR_NO_MEMORY;
    }
    if (count > 0)
        memcpy(requests, pgas_local(exchange->queue), count * sizeof *requests);
    requests[count] = own_request(exchange);
    count += requests[count].count > 0;
    qsort(requests, count, sizeof *requests, by_thread);
    pgas_status_t status = make_owed_links(plan, requests, count);
    if (status == PGAS_OK)
        status = make_memory(plan, &plan->owed, (plan->options & PGAS_PLAN_SCATTER) != 0);
    if (status == PGAS_OK && by_node(plan))
        status = pgasi_plan_make_owed_routes(plan, gates_of);
    if (status == PGAS_OK)
        status = make_owed_staging(plan);
    if (status == PGAS_OK)
        status = fetch_elements(plan, requests);
    if (status == PGAS_OK)
        answer(plan);
    free(requests);
    return status;
}

/* What a scatter packs: all that the thread gives, so that values for one element can be joined. */
static pgas_status_t make_needs_staging(pgas_plan_t *plan)
{
    pgasi_plan_side_t *needs = &plan->needs;
    if ((plan->options & PGAS_PLAN_SCATTER) == 0)
        return PGAS_OK;
    needs->staging_stride = needs->stride;
    needs->staging = pgasi_plan_private(plan, PGASI_PLAN_SLOTS, needs->staging_stride);
    for (size_t l = 0; l < needs->link_count; l++)
        needs->links[l].staged = needs->links[l].first;
    return needs->staging != NULL ? PGAS_OK : PGAS_ERR_NO_MEMORY;
}

/* Both lists are in ascending order of threads. */
static void find_mutual_links(pgas_plan_t *plan)
{
    size_t o = 0;
    for (size_t n = 0; n < plan->needs.link_count; n++) {
        pgasi_plan_link_t *link = &plan->needs.links[n];
        while (o < plan->owed.link_count && plan->owed.links[o].thread < link->thread)
            o++;
        if (o < plan->owed.link_count && plan->owed.links[o].thread == link->thread)
            link->is_mutual = plan->owed.links[o].is_mutual = true;
    }
}

static pgas_status_t hear_answers(exchange_t *exchange)
{
    pgas_plan_t *plan = exchange->plan;
    for (size_t l = 0; l < plan->needs.link_count; l++) {
        pgasi_plan_link_t *link = &plan->needs.links[l];
        if (link->end == NULL)
            continue;
        link->far_end = link->end->far_end;
        link->far_landing = link->end->far_landing;
        link->far_stride = link->end->far_stride;
    }
    find_mutual_links(plan);
    pgas_status_t status = make_needs_staging(plan);
    if (status == PGAS_OK && by_node(plan))
        status = pgasi_plan_read_gates(plan);
    return status;
}

pgas_status_t pgasi_plan_connect(pgas_plan_t *plan, const uint32_t *elements, pgas_status_t status)
{
    static pgas_status_t (*const steps[])(exchange_t *) = {ask_for_places, make_queue, put_requests,
                                                           serve_queue, hear_answers};
    exchange_t exchange = {.plan = plan};
    pgas_ptr_t board;
    pgas_status_t alloc_status = pgas_all_alloc(pgasi_job.threads, sizeof(board_t), &board);
    if (alloc_status != PGAS_OK)
        return alloc_status; /* the same on all threads */
    boards = board.offset;
    if (status == PGAS_OK)
        status = prepare(&exchange, elements);
    status = agree(status);
    for (size_t s = 0; s < sizeof steps / sizeof steps[0] && status == PGAS_OK; s++)
        status = agree(steps[s](&exchange));
    free(exchange.places);
    pgas_free(exchange.queue);
    pgas_free(exchange.lists);
    pgas_all_free(board);
    return status;
}
