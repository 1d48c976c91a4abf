#include "exchange.h"

#include <stdlib.h>
#include <string.h>

#include "common/large.h"

/* What a thread requests from an owner: an element of the owner's linked list. It lies in the
 * requesting thread's segment, followed by the indexes. */
typedef struct request {
    pgas_ptr_t next;
    pgas_ptr_t indices;
    pgas_ptr_t destination;
    uint64_t count;
    int32_t thread;
} request_t;

/* Every owner's list, and the lock that guards it. */
typedef struct inbox {
    pgas_ptr_t first;
    pgas_lock_t lock;
} inbox_t;

static pgas_ptr_t alloc_mine(size_t nbytes)
{
    pgas_ptr_t ptr;
    if (pgas_alloc(nbytes, &ptr) != PGAS_OK)
        pgas_exit(1);
    return ptr;
}

/* Marks the values of other threads that this thread's rows use, and counts them by owner. */
static void mark_needed(const spmv_problem_t *problem, unsigned char *needed, size_t *count_from)
{
    memset(needed, 0, problem->n);
    memset(count_from, 0, (size_t)pgas_threads() * sizeof *count_from);
    const int32_t *loc_J = pgas_array_mine(&problem->J);
    size_t elements = pgas_array_owned(&problem->D, pgas_mythread()) * problem->r_nz;
    for (size_t e = 0; e < elements; e++) {
        size_t column = (size_t)loc_J[e];
        int owner = pgas_array_owner(problem->x, column);
        if (owner != pgas_mythread() && !needed[column]) {
            needed[column] = 1;
            count_from[owner]++;
        }
    }
}

/* One incoming message per owner; `place_of[owner]` gets its number. */
static void make_incoming(const size_t *count_from, size_t *place_of, spmv_exchange_t *exchange)
{
    size_t threads = (size_t)pgas_threads();
    exchange->incoming_count = 0;
    for (size_t t = 0; t < threads; t++)
        exchange->incoming_count += count_from[t] > 0;
    exchange->incoming =
        common_alloc("incoming messages", exchange->incoming_count, sizeof *exchange->incoming);
    size_t m = 0;
    for (size_t t = 0; t < threads; t++) {
        if (count_from[t] == 0)
            continue;
        place_of[t] = m;
        exchange->incoming[m++] = (spmv_incoming_t){
            .thread = (int)t,
            .count = 0,
            .indices = common_alloc("indexes", count_from[t], sizeof(uint32_t)),
            .buffer = alloc_mine(count_from[t] * sizeof(double)),
        };
    }
}

static void fill_incoming(const spmv_problem_t *problem, const unsigned char *needed,
                          const size_t *place_of, spmv_exchange_t *exchange)
{
    for (size_t i = 0; i < problem->n; i++) {
        if (!needed[i])
            continue;
        spmv_incoming_t *message = &exchange->incoming[place_of[pgas_array_owner(problem->x, i)]];
        message->indices[message->count++] = (uint32_t)i;
    }
}

static void find_incoming(const spmv_problem_t *problem, spmv_exchange_t *exchange)
{
    size_t threads = (size_t)pgas_threads();
    unsigned char *needed = common_alloc("marks of needed values", problem->n, 1);
    size_t *count_from = common_alloc("counts by owner", threads, sizeof *count_from);
    size_t *place_of = common_alloc("messages by owner", threads, sizeof *place_of);
    mark_needed(problem, needed, count_from);
    make_incoming(count_from, place_of, exchange);
    fill_incoming(problem, needed, place_of, exchange);
    free(place_of);
    free(count_from);
    free(needed);
}

/* Adds a request to the owner's list; returns where it lies. */
static pgas_ptr_t post(const pgas_array_t *inboxes, const spmv_incoming_t *message)
{
    size_t nbytes = message->count * sizeof(uint32_t);
    request_t request = {
        .indices = alloc_mine(nbytes),
        .destination = message->buffer,
        .count = message->count,
        .thread = pgas_mythread(),
    };
    pgas_memput(request.indices, message->indices, nbytes);
    pgas_ptr_t link = alloc_mine(sizeof request);
    pgas_ptr_t inbox_at = pgas_array_at(inboxes, (size_t)message->thread);
    inbox_t inbox;
    pgas_memget(&inbox, inbox_at, sizeof inbox);
    pgas_lock(inbox.lock);
    pgas_memget(&inbox, inbox_at, sizeof inbox);
    request.next = inbox.first;
    pgas_memput(link, &request, sizeof request);
    inbox.first = link;
    pgas_memput(inbox_at, &inbox, sizeof inbox);
    pgas_unlock(inbox.lock);
    return link;
}

static int by_thread(const void *left, const void *right)
{
    const spmv_outgoing_t *a = left;
    const spmv_outgoing_t *b = right;
    return (a->thread > b->thread) - (a->thread < b->thread);
}

/* Turns a request into a message: its global indexes become places in the own part of x. */
static spmv_outgoing_t accept(const spmv_problem_t *problem, const request_t *request)
{
    spmv_outgoing_t message = {
        .thread = request->thread,
        .count = request->count,
        .indices = common_alloc("indexes", request->count, sizeof(uint32_t)),
        .buffer = common_alloc("send buffer", request->count, sizeof(double)),
        .destination = request->destination,
    };
    pgas_memget(message.indices, request->indices, request->count * sizeof(uint32_t));
    for (size_t k = 0; k < message.count; k++) {
        pgas_ptr_t at = pgas_array_at(problem->x, message.indices[k]);
        message.indices[k] = (uint32_t)((at.offset - problem->x->offset) / sizeof(double));
    }
    return message;
}

static void collect_outgoing(const spmv_problem_t *problem, const pgas_array_t *inboxes,
                             spmv_exchange_t *exchange)
{
    inbox_t inbox;
    request_t request;
    pgas_memget(&inbox, pgas_array_at(inboxes, (size_t)pgas_mythread()), sizeof inbox);
    exchange->outgoing_count = 0;
    for (pgas_ptr_t link = inbox.first; !pgas_ptr_is_null(link); link = request.next) {
        pgas_memget(&request, link, sizeof request);
        exchange->outgoing_count++;
    }
    exchange->outgoing =
        common_alloc("outgoing messages", exchange->outgoing_count, sizeof *exchange->outgoing);
    size_t m = 0;
    for (pgas_ptr_t link = inbox.first; !pgas_ptr_is_null(link); link = request.next) {
        pgas_memget(&request, link, sizeof request);
        exchange->outgoing[m++] = accept(problem, &request);
    }
    qsort(exchange->outgoing, exchange->outgoing_count, sizeof *exchange->outgoing, by_thread);
}

static void open_inbox(const pgas_array_t *inboxes)
{
    inbox_t inbox = {.first = pgas_ptr_null()};
    if (pgas_global_lock_alloc(&inbox.lock) != PGAS_OK)
        pgas_exit(1);
    pgas_memput(pgas_array_at(inboxes, (size_t)pgas_mythread()), &inbox, sizeof inbox);
    pgas_barrier();
}

static void close_inbox(pgas_array_t *inboxes)
{
    inbox_t inbox;
    pgas_memget(&inbox, pgas_array_at(inboxes, (size_t)pgas_mythread()), sizeof inbox);
    pgas_lock_free(inbox.lock);
    pgas_array_free(inboxes);
}

void spmv_exchange_create(const spmv_problem_t *problem, spmv_exchange_t *exchange)
{
    pgas_array_t inboxes;
    if (pgas_array_create((size_t)pgas_threads(), sizeof(inbox_t), 1, &inboxes) != PGAS_OK)
        pgas_exit(1);
    open_inbox(&inboxes);
    find_incoming(problem, exchange);
    pgas_ptr_t *links = common_alloc("requests", exchange->incoming_count, sizeof *links);
    for (size_t m = 0; m < exchange->incoming_count; m++)
        links[m] = post(&inboxes, &exchange->incoming[m]);
    pgas_barrier();
    collect_outgoing(problem, &inboxes, exchange);
    pgas_barrier();
    for (size_t m = 0; m < exchange->incoming_count; m++) {
        request_t request;
        pgas_memget(&request, links[m], sizeof request);
        pgas_free(request.indices);
        pgas_free(links[m]);
    }
    free(links);
    close_inbox(&inboxes);
}

void spmv_exchange_free(spmv_exchange_t *exchange)
{
    pgas_barrier();
    for (size_t m = 0; m < exchange->outgoing_count; m++) {
        free(exchange->outgoing[m].buffer);
        free(exchange->outgoing[m].indices);
    }
    free(exchange->outgoing);
    for (size_t m = 0; m < exchange->incoming_count; m++) {
        pgas_free(exchange->incoming[m].buffer);
        free(exchange->incoming[m].indices);
    }
    free(exchange->incoming);
}
