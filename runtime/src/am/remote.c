#include "am/remote.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pgas/detail.h>

#include "am/handlers.h"
#include "am/mailbox.h"
#include "am/queue.h"
#include "am/token.h"
#include "base/agent.h"
#include "base/log.h"
#include "base/self.h"
#include "base/spare.h"
#include "net/net.h"
#include "node/node.h"
#include "shm/guard.h"

enum {
    RUN_MAX = 64,
    AT_HAND = 64
};

/* A message that has come. A medium's payload follows. */
typedef struct item {
    pgasi_queue_link_t link;
    pgasi_net_am_t am;
    void *payload;
    size_t nbytes;
    alignas(16) unsigned char bytes[];
} item_t;

/* First in, first out. Filled by whoever progresses the target worker; one at a time takes. */
typedef struct queue {
    pgasi_queue_t items;
    pgasi_guard_t taking;
} queue_t;

static pgasi_spare_t spare;

static atomic_bool has_ended;

/* By who may run them: the main thread alone, anybody. */
static queue_t queues[2] = {{.items = PGASI_QUEUE_EMPTY(queues[0].items)},
                            {.items = PGASI_QUEUE_EMPTY(queues[1].items)}};

/* By thread: the credits that its requests from here have taken, and those that are to be returned
 * to it. */
typedef struct credits {
    _Atomic uint32_t taken;
    _Atomic uint32_t owed;
} credits_t;

static credits_t *credits;

/* Short messages that the main thread has found itself and runs next: they need no memory, and
 * nobody else sees them. */
static struct {
    unsigned count;
    pgasi_net_am_t messages[AT_HAND];
} at_hand;

static bool has_item(queue_t *queue)
{
    return pgasi_queue_has_item(&queue->items) &&
           !atomic_load_explicit(&has_ended, memory_order_relaxed);
}

static item_t *pop(queue_t *queue)
{
    if (!has_item(queue))
        return NULL;
    pgasi_guard_lock(&queue->taking);
    item_t *item = (item_t *)pgasi_queue_take(&queue->items);
    pgasi_guard_unlock(&queue->taking);
    return item;
}

/* Credits. */

static bool is_free(uint32_t taken, const pgasi_outgoing_t *out)
{
    return taken == 0 || taken + pgasi_am_cost(out->nbytes) <= PGASI_AM_WINDOW;
}

static bool has_credit(const void *argument)
{
    const pgasi_outgoing_t *out = argument;
    return is_free(atomic_load_explicit(&credits[out->thread].taken, memory_order_relaxed), out);
}

/* Several agents may take credit at once, and never more than there is. */
static bool take_credit(const pgasi_outgoing_t *out)
{
    _Atomic uint32_t *taken = &credits[out->thread].taken;
    uint32_t before = atomic_load_explicit(taken, memory_order_relaxed);
    while (is_free(before, out))
        if (atomic_compare_exchange_weak_explicit(taken, &before,
                                                  before + pgasi_am_cost(out->nbytes),
                                                  memory_order_relaxed, memory_order_relaxed))
            return true;
    return false;
}

/* Never more than have been taken, whatever came. */
static void give_credits(uint32_t thread, uint32_t count)
{
    uint32_t taken = atomic_load(&credits[thread].taken);
    while (!atomic_compare_exchange_weak(&credits[thread].taken, &taken,
                                         taken - (count < taken ? count : taken)))
        continue;
}

static uint32_t collect_owed(uint32_t thread)
{
    if (atomic_load_explicit(&credits[thread].owed, memory_order_relaxed) == 0)
        return 0;
    return atomic_exchange(&credits[thread].owed, 0);
}

/* A request's handler has ended without a reply. */
static void owe(uint32_t thread, uint32_t cost)
{
    if (atomic_fetch_add(&credits[thread].owed, cost) + cost < PGASI_AM_RETURNED)
        return;
    const pgasi_net_am_t am = {
        .is_reply = 1,
        .source = pgasi_job.thread,
        .kind = PGASI_AM_CREDIT,
        .credits = collect_owed(thread),
    };
    if (am.credits > 0)
        pgasi_net_am_send(thread, &am, NULL, 0, false);
}

/* Sending. */

static _Thread_local uint32_t awaited;

static void describe(char *text, size_t size)
{
    snprintf(text, size, "thread %u to run earlier messages", awaited);
}

static void send(const pgasi_outgoing_t *out, bool is_reply, uint32_t cost)
{
    pgasi_net_am_t am; /* of the arguments only those that there are */
    am.offset = out->offset;
    am.is_placed = out->kind == PGASI_AM_LONG;
    am.is_reply = is_reply;
    am.payload_behind = 0;
    am.source = pgasi_job.thread;
    am.credits = cost;
    am.handler = (uint16_t)out->handler;
    am.kind = (uint8_t)out->kind;
    am.nargs = (uint8_t)out->nargs;
    if (out->nargs > 0)
        memcpy(am.args, out->args, out->nargs * sizeof *out->args);
    pgasi_net_am_send(out->thread, &am, out->payload, out->nbytes, !out->is_async);
}

void pgasi_am_request_remote(const pgasi_outgoing_t *out)
{
    while (!take_credit(out)) {
        awaited = out->thread;
        pgasi_net_am_wait(has_credit, out, describe);
    }
    send(out, false, pgasi_am_cost(out->nbytes));
}

void pgasi_am_reply_remote(const pgasi_outgoing_t *out, const pgas_am_token_t *token)
{
    send(out, true, token->cost + collect_owed(out->thread));
}

/* Receiving. */

static bool accepts(const pgasi_net_am_t *am, size_t nbytes)
{
    uint32_t taken = atomic_load_explicit(&credits[am->source].taken, memory_order_relaxed);
    bool is_reply = am->is_reply != 0;
    bool is_long = am->is_placed != 0;
    bool returns_credits = am->credits > 0 && am->credits <= taken;
    if (am->kind == PGASI_AM_CREDIT)
        return is_reply && returns_credits && nbytes == 0;
    if (!pgasi_handler_exists(am->handler) ||
        (is_reply ? !returns_credits : am->credits != pgasi_am_cost(nbytes)))
        return false;
    switch (am->kind) {
    case PGASI_AM_SHORT:
        return !is_long && nbytes == 0;
    case PGASI_AM_MEDIUM:
        return !is_long && nbytes <= PGAS_AM_MAX_MEDIUM;
    case PGASI_AM_LONG:
        return is_long && nbytes <= PGAS_AM_MAX_LONG;
    default:
        return false;
    }
}

static bool take_at_hand(const pgasi_net_am_t *am, bool polls_next)
{
    if (!polls_next || am->kind != PGASI_AM_SHORT || pgasi_is_shared || at_hand.count == AT_HAND ||
        pgasi_restriction != PGASI_UNRESTRICTED ||
        atomic_load_explicit(&has_ended, memory_order_relaxed))
        return false;
    pgasi_net_am_copy(&at_hand.messages[at_hand.count++], am);
    return true;
}

static void deliver(const pgasi_net_am_t *am, void *payload, size_t nbytes, bool polls_next)
{
    if (am->kind == PGASI_AM_CREDIT) {
        give_credits(am->source, am->credits);
        return;
    }
    if (take_at_hand(am, polls_next))
        return;
    bool is_medium = am->kind == PGASI_AM_MEDIUM;
    item_t *item = pgasi_spare_alloc(&spare, sizeof *item + (is_medium ? nbytes : 0));
    if (item == NULL)
        pgasi_fatal("network", "no memory for a message");
    pgasi_net_am_copy(&item->am, am);
    item->payload = am->is_placed != 0 ? payload : NULL;
    item->nbytes = nbytes;
    if (is_medium) {
        item->payload = item->bytes;
        if (nbytes > 0)
            pgasi_copy(item->bytes, payload, nbytes);
    }
    pgasi_queue_add(&queues[pgasi_handlers[am->handler].where].items, &item->link);
    pgasi_bell_ring(&pgasi_mailbox_of(pgasi_job.thread)->bell);
}

static void run(const pgasi_net_am_t *am, void *payload, size_t nbytes)
{
    bool is_request = am->is_reply == 0;
    pgas_am_token_t token = {
        .source = am->source,
        .handler = am->handler,
        .is_request = is_request,
        .cost = is_request ? pgasi_am_cost(nbytes) : 0,
    };
    pgasi_am_token_run(&token, am->args, am->nargs, payload, nbytes);
    if (!is_request)
        give_credits(token.source, am->credits);
    else if (!token.has_replied)
        owe(token.source, token.cost);
}

/* A handler that runs for one of them adds none: it may not progress the network. */
static unsigned run_at_hand(void)
{
    unsigned count = at_hand.count;
    if (count > 1)
        pgasi_net_am_hold();
    for (unsigned i = 0; i < count; i++)
        run(&at_hand.messages[i], NULL, 0);
    if (count > 1)
        pgasi_net_am_release();
    at_hand.count = 0;
    return count;
}

static unsigned run_queue(queue_t *queue)
{
    unsigned count = 0;
    bool are_several = false;
    for (item_t *item; count < RUN_MAX && (item = pop(queue)) != NULL; count++) {
        if (count == 0 && pgasi_queue_has_item(&queue->items)) {
            are_several = true;
            pgasi_net_am_hold();
        }
        run(&item->am, item->payload, item->nbytes);
        pgasi_spare_free(&spare, item);
    }
    if (are_several)
        pgasi_net_am_release();
    return count;
}

unsigned pgasi_am_remote_run(void)
{
    return run_at_hand() + run_queue(&queues[PGAS_AM_POLL]) + run_queue(&queues[PGAS_AM_ANYWHERE]);
}

static unsigned serve(void)
{
    return run_queue(&queues[PGAS_AM_ANYWHERE]);
}

bool pgasi_am_remote_has_come(void)
{
    return at_hand.count > 0 || has_item(&queues[PGAS_AM_POLL]) ||
           has_item(&queues[PGAS_AM_ANYWHERE]);
}

void pgasi_am_remote_end(void)
{
    has_ended = true;
}

bool pgasi_am_remote_start(const pgasi_am_waiting_t *waiting)
{
    static pgasi_net_am_client_t client;
    client = (pgasi_net_am_client_t){
        .accepts = accepts,
        .deliver = deliver,
        .poll = waiting->poll,
        .serve = serve,
        .has_come = waiting->has_come,
        .sleep_begin = waiting->sleep_begin,
        .sleep_end = waiting->sleep_end,
        .longest_sleep = waiting->longest_sleep,
    };
    if (pgasi_nodes.count == 1)
        return true;
    credits = calloc(pgasi_job.threads, sizeof *credits);
    if (credits == NULL) {
        pgasi_log("no memory for the credits of %u threads", pgasi_job.threads);
        return false;
    }
    pgasi_net_am_install(&client);
    return true;
}

void pgasi_am_remote_finish(void)
{
    has_ended = false;
    at_hand.count = 0;
    for (unsigned i = 0; i < 2; i++)
        for (item_t *item; (item = pop(&queues[i])) != NULL;)
            free(item);
    pgasi_spare_finalize(&spare);
    free(credits);
    credits = NULL;
}
