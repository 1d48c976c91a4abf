#include "am/progress.h"

#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include <pgas/detail.h>

#include "am/handlers.h"
#include "am/local.h"
#include "am/mailbox.h"
#include "am/remote.h"
#include "am/token.h"
#include "base/agent.h"
#include "base/config.h"
#include "base/log.h"
#include "base/relax.h"
#include "base/self.h"
#include "net/net.h"
#include "node/node.h"
#include "shm/bell.h"
#include "shm/bell_socket.h"

enum {
    /* Messages of one kind in one call, so that what the caller waits for is looked at again. */
    RUN_MAX = 64,
    SPINS_ALONE = 2000,
    SPINS_CROWDED = 20,
    YIELDS = 20,
    SHORTEST_US = 16,
    LONGEST_US = 1000,
    UNUSED_US = 100000,
    /* Where a thread that sleeps on the network's descriptors does not hear its bell. */
    SHORT_SLEEP_MS = 1
};

_Atomic bool pgasi_am_is_used;

static pgasi_mailbox_t *own;
static unsigned spins = SPINS_CROWDED;
/* An agent runs what has come; if there are several. */
static atomic_bool has_consumer;

static void run_message(pgasi_message_t *message)
{
    const pgasi_message_head_t *head = &message->head;
    pgas_am_token_t token = {
        .source = head->source,
        .handler = head->handler,
        .is_request = (head->kind & PGASI_AM_REPLY) == 0,
    };
    const int32_t *args = (const int32_t *)(const void *)message->body;
    unsigned char *behind = message->body + pgasi_am_payload_at(head->nargs);
    uint32_t kind = pgasi_am_kind(head->kind);
    pgasi_buffer_t *buffer = NULL;
    void *payload = NULL;
    uint64_t place = 0;
    if (kind == PGASI_AM_BUFFERED || kind == PGASI_AM_LONG)
        memcpy(&place, behind, sizeof place);
    if (kind == PGASI_AM_MEDIUM) {
        payload = behind; /* the handler may change its own copy */
    } else if (kind == PGASI_AM_BUFFERED) {
        buffer = pgasi_buffer_at(head->source, place);
        payload = pgasi_buffer_bytes(buffer);
    } else if (kind == PGASI_AM_LONG) {
        payload = pgasi_job.peers[pgasi_job.thread].base + place;
    }
    pgasi_am_token_run(&token, args, head->nargs, payload, head->nbytes);
    if (buffer != NULL)
        pgasi_buffer_free(buffer);
}

static bool take_and_run(pgasi_ring_t *ring)
{
    pgasi_message_t message;
    if (!pgasi_ring_has_message(ring))
        return false;
    pgasi_mailbox_take(ring, &message);
    run_message(&message);
    return true;
}

static unsigned run(void)
{
    unsigned count = 0;
    while (count < RUN_MAX && take_and_run(&own->replies))
        count++;
    if (pgasi_am_holds_reply)
        pgasi_am_hold_retry();
    for (unsigned i = 0; i < RUN_MAX && !pgasi_am_holds_reply && take_and_run(&own->requests); i++)
        count++;
    return pgasi_nodes.count > 1 ? count + pgasi_am_remote_run() : count;
}

/* What most polls find out. */
static bool has_any(void)
{
    return pgasi_ring_has_message(&own->replies) || pgasi_ring_has_message(&own->requests) ||
           pgasi_am_holds_reply || (pgasi_nodes.count > 1 && pgasi_am_remote_has_come());
}

/* A mailbox has one consumer. */
static bool become_consumer(void)
{
    return !pgasi_is_shared ||
           (!atomic_load_explicit(&has_consumer, memory_order_relaxed) &&
            !atomic_exchange_explicit(&has_consumer, true, memory_order_acquire));
}

static void end_consumer(void)
{
    if (pgasi_is_shared)
        atomic_store_explicit(&has_consumer, false, memory_order_release);
}

unsigned pgasi_am_run(void)
{
    if (pgasi_restriction != PGASI_UNRESTRICTED || own == NULL || !become_consumer())
        return 0;
    unsigned count = has_any() ? run() : 0;
    end_consumer();
    return count;
}

static unsigned poll(void)
{
    return pgasi_am_poll();
}

void pgasi_poll_in_turn(void)
{
    if (pgasi_restriction != PGASI_UNRESTRICTED || own == NULL)
        return;
    while (!become_consumer())
        sched_yield();
    uint64_t end = atomic_load_explicit(&own->requests.tail, memory_order_relaxed);
    run();
    while (own->requests.next < end)
        if (run() == 0)
            sched_yield(); /* another's message is not complete, or a reply has no room */
    end_consumer();
}

/* Whether there is something to run, or a reply to be sent. Ordered behind all that the calling
 * thread has written before. */
static bool has_come_to_consumer(void)
{
    return pgasi_ring_has_message_now(&own->replies) ||
           (!pgasi_am_holds_reply && pgasi_ring_has_message_now(&own->requests)) ||
           pgasi_am_remote_has_come();
}

/* If another agent runs what has come, the sleep is short. */
static bool has_come(void)
{
    if (!become_consumer())
        return false;
    bool result = has_come_to_consumer();
    end_consumer();
    return result;
}

bool pgasi_am_sleep(pgasi_event_t *event, uint32_t old, unsigned microseconds)
{
    /* Another agent may register the first handler meanwhile, and cannot wake this one. */
    if (!pgasi_am_is_used)
        return pgasi_event_sleep(event, old, pgasi_sleep_at_most(microseconds, UNUSED_US));
    if (pgasi_am_holds_reply || pgasi_is_shared)
        microseconds = pgasi_sleep_at_most(microseconds, LONGEST_US);
    pgasi_bell_sleep(&own->bell, event, old, microseconds, has_come);
    return pgasi_event_has_changed(event, old);
}

/* Nobody rings when there is room: the sleep is as long as the wait so far, about. */
static void sleep_for_room(pgasi_am_patience_t *patience, unsigned times)
{
    unsigned microseconds = times < 6 ? (unsigned)SHORTEST_US << times : (unsigned)LONGEST_US;
    pgasi_bell_sleep(&own->bell, NULL, 0, microseconds, has_come);
    pgasi_watch(&patience->watch, patience->describe);
}

void pgasi_am_give_way(pgasi_am_patience_t *patience)
{
    if (pgasi_am_progress() > 0) {
        patience->idle = 0;
        return;
    }
    unsigned idle = patience->idle++;
    if (idle >= spins + YIELDS)
        sleep_for_room(patience, idle - spins - YIELDS);
    else if (idle < spins)
        pgasi_relax();
    else if (!pgasi_yield())
        patience->idle = spins + YIELDS;
}

/* On the network's descriptors. */

static bool has_bell;

static bool hears_bell(void)
{
    return pgasi_am_is_used && pgasi_nodes.threads_count > 1;
}

static int sleep_begin(void)
{
    return has_bell && hears_bell() ? pgasi_bell_poll_begin(&own->bell) : -1;
}

static void sleep_end(void)
{
    if (has_bell && hears_bell())
        pgasi_bell_poll_end(&own->bell);
}

/* What a restricted thread cannot run does not keep it awake. */
static bool has_come_to_run(void)
{
    return pgasi_restriction == PGASI_UNRESTRICTED && own != NULL && has_come();
}

static unsigned longest_sleep(void)
{
    bool is_short = pgasi_am_holds_reply || (hears_bell() && !has_bell);
    return pgasi_am_is_used && is_short ? SHORT_SLEEP_MS : PGASI_NET_INTERVAL_MS;
}

static const pgasi_am_waiting_t waiting = {
    .poll = poll,
    .has_come = has_come_to_run,
    .sleep_begin = sleep_begin,
    .sleep_end = sleep_end,
    .longest_sleep = longest_sleep,
};

void pgasi_am_spin_init(bool alone)
{
    spins = alone ? SPINS_ALONE : SPINS_CROWDED;
}

pgas_status_t pgasi_am_start(void)
{
    bool allowed = strcmp(pgasi_settings.sleep, "bounded") != 0;
    if (!pgasi_mailbox_start() || !pgasi_am_remote_start(&waiting))
        return PGAS_ERR_NO_MEMORY;
    pgasi_bell_init(allowed);
    own = pgasi_mailbox_of(pgasi_job.thread);
    has_bell = pgasi_nodes.count > 1 && allowed && pgasi_bell_socket_open(&own->bell.socket);
    if (atomic_load(&pgasi_handlers_count) > 0)
        pgasi_am_use();
    return PGAS_OK;
}

bool pgasi_am_attach(void)
{
    return pgasi_mailbox_start();
}

void pgasi_am_detach(void)
{
    pgasi_mailbox_finish();
}

void pgasi_am_use(void)
{
    pgasi_handlers_publish();
    pgasi_am_is_used = true;
}

void pgasi_am_end(void)
{
    pgasi_am_remote_end();
}

void pgasi_am_finish(void)
{
    pgasi_am_is_used = false;
    own = NULL;
    pgasi_bell_socket_close();
    pgasi_am_remote_finish();
    pgasi_mailbox_finish();
}
