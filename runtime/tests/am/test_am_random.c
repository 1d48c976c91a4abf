/**
 * Random active messages of all kinds among all pairs of threads, requests and replies crossing:
 * every one arrives once, with its arguments and bytes, and the counts agree in the end. Arguments:
 * the number of requests of each thread, and `wrap`: the rings are about to wrap the turns of their
 * slots.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "job_random.h"
#include "message.h"

#include "am/mailbox.h"

enum {
    LONGEST = 256 << 10,
    SLOTS = 4, /* long messages under way between two threads */
    FIRST = 2 /* arguments that say how to read the others */
};

typedef enum kind {
    SHORT,
    MEDIUM,
    LONG,
    ASYNC,
    KINDS
} kind_t;

static pgas_am_t requests[2];
static pgas_am_t replies;
static pgas_ptr_t rooms;
static uint64_t state;
static unsigned char *sources;
/* By thread. Handlers of PGAS_AM_ANYWHERE run beside the main thread. */
static size_t *sent;
static atomic_size_t *received;
static atomic_bool (*is_busy)[SLOTS];
static size_t wanted_replies;
static atomic_size_t taken_replies;

static size_t size_of(uint32_t seed, kind_t kind)
{
    size_t most = kind == SHORT ? 0 : kind == MEDIUM ? PGAS_AM_MAX_MEDIUM : LONGEST;
    uint64_t random = seed;
    return random_size(&random, most);
}

/* A slot of the room for messages between `source` and `target`, at one of them. */
static pgas_ptr_t slot_at(int thread, int other, unsigned slot, bool is_reply)
{
    pgas_ptr_t place = rooms;
    place.thread = (uint32_t)thread;
    place.offset += (((size_t)other * 2 + is_reply) * SLOTS + slot) * LONGEST;
    return place;
}

/* What a request asks for: the kind of the reply + 1, or 0, and the slot. */
static int32_t order(unsigned reply, unsigned slot)
{
    return (int32_t)(reply << 8 | slot);
}

static void send_reply(pgas_am_token_t *token, kind_t kind, uint32_t seed, unsigned slot,
                       unsigned nargs)
{
    int32_t back[PGAS_AM_MAX_ARGS];
    int source = pgas_am_source(token);
    size_t size = size_of(seed + 1, kind);
    unsigned char *bytes = size > 0 ? malloc(size) : NULL;
    CHECK(size == 0 || bytes != NULL);
    message_fill(seed + 1, back, nargs, bytes, size);
    back[0] = (int32_t)(seed + 1);
    back[1] = order(0, slot);
    if (kind == SHORT)
        pgas_am_reply_short(token, replies, back, nargs);
    else if (kind == MEDIUM)
        pgas_am_reply_medium(token, replies, back, nargs, bytes, size);
    else
        pgas_am_reply_long(token, replies, back, nargs, bytes, size,
                           slot_at(source, pgas_mythread(), slot, true));
    free(bytes);
}

/* Handlers do not interrupt each other within an OS thread. */
static _Thread_local bool is_inside;

static void take_request(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                         size_t nbytes)
{
    CHECK(!is_inside);
    is_inside = true;
    uint32_t seed = (uint32_t)args[0];
    unsigned reply = (unsigned)args[1] >> 8;
    unsigned slot = (unsigned)args[1] & 0xff;
    int source = pgas_am_source(token);
    message_check(seed, args, FIRST, nargs, payload, nbytes);
    atomic_fetch_add(&received[source], 1);
    if (reply > 0)
        send_reply(token, (kind_t)(reply - 1), seed, slot, nargs);
    is_inside = false;
}

static void take_reply(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                       size_t nbytes)
{
    CHECK(!is_inside);
    message_check((uint32_t)args[0], args, FIRST, nargs, payload, nbytes);
    unsigned slot = (unsigned)args[1] & 0xff;
    CHECK(atomic_exchange(&is_busy[pgas_am_source(token)][slot], false));
    atomic_fetch_add(&taken_replies, 1);
}

static unsigned free_slot(int thread)
{
    for (unsigned slot = 0;; slot = (slot + 1) % SLOTS) {
        bool expected = false;
        if (atomic_compare_exchange_strong(&is_busy[thread][slot], &expected, true))
            return slot;
        pgas_poll();
    }
}

static void send_one(void)
{
    int32_t args[PGAS_AM_MAX_ARGS];
    int thread = (int)random_below(&state, (size_t)pgas_threads());
    unsigned nargs = FIRST + (unsigned)random_below(&state, PGAS_AM_MAX_ARGS - FIRST + 1);
    uint32_t seed = (uint32_t)random_next(&state);
    pgas_am_t am = requests[random_below(&state, 2)];
    kind_t kind = (kind_t)random_below(&state, KINDS);
    bool replied = kind >= LONG || random_below(&state, 2) == 0;
    unsigned slot = 0;
    if (random_below(&state, 4) != 0 && kind >= LONG)
        kind = SHORT;
    if (replied)
        slot = free_slot(thread);
    unsigned char *bytes = sources + ((size_t)thread * SLOTS + slot) * LONGEST;
    size_t size = size_of(seed, kind);
    if (!replied) /* the slot's source may be in use */
        bytes = sources + (size_t)pgas_threads() * SLOTS * LONGEST;
    message_fill(seed, args, nargs, bytes, size);
    args[0] = (int32_t)seed;
    args[1] = order(replied ? 1 + (unsigned)random_below(&state, LONG + 1) : 0, slot);
    pgas_ptr_t dst = slot_at(thread, pgas_mythread(), slot, false);
    sent[thread]++;
    wanted_replies += replied;
    if (kind == SHORT)
        pgas_am_request_short(thread, am, args, nargs);
    else if (kind == MEDIUM)
        pgas_am_request_medium(thread, am, args, nargs, bytes, size);
    else if (kind == LONG)
        pgas_am_request_long(thread, am, args, nargs, bytes, size, dst);
    else
        pgas_am_request_long_async(thread, am, args, nargs, bytes, size, dst);
    if (kind != ASYNC)
        memset(bytes, 0, size);
}

/* As if the ring had been used for long. */
static void preset(pgasi_ring_t *ring)
{
    uint64_t position = (((uint64_t)1 << 32) - 3) * PGASI_RING_SLOTS + 7;
    ring->next = position;
    for (uint64_t i = 1; i <= PGASI_RING_SLOTS; i++)
        atomic_store(&pgasi_ring_slot(ring, position - i)->turn, pgasi_ring_turn(position - i));
    atomic_store(&ring->head, position);
    atomic_store(&ring->tail, position);
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 6000;
    if (getenv("FATHOM_TEST_SANITIZED") != NULL)
        count /= 8;
    requests[0] = pgas_am_register("request", take_request, PGAS_AM_POLL);
    requests[1] = pgas_am_register("request anywhere", take_request, PGAS_AM_ANYWHERE);
    replies = pgas_am_register("reply", take_reply, PGAS_AM_ANYWHERE);
    CHECK(pgas_init() == PGAS_OK);
    size_t threads = (size_t)pgas_threads();
    if (argc > 2 && strcmp(argv[2], "wrap") == 0) {
        preset(&pgasi_mailbox_of(pgasi_job.thread)->requests);
        preset(&pgasi_mailbox_of(pgasi_job.thread)->replies);
    }
    state = random_seed_of_thread(random_seed_of_job());
    sent = calloc(threads, sizeof *sent);
    received = calloc(threads, sizeof *received);
    is_busy = calloc(threads, sizeof *is_busy);
    sources = malloc((threads * SLOTS + 1) * LONGEST);
    CHECK(sent != NULL && received != NULL && is_busy != NULL && sources != NULL);
    pgas_array_t counts; /* [target][source] */
    CHECK(pgas_array_create(threads * threads, sizeof(uint64_t), threads, &counts) == PGAS_OK);
    CHECK(pgas_all_alloc(threads, threads * 2 * SLOTS * LONGEST, &rooms) == PGAS_OK);
    pgas_stats_reset();
    pgas_barrier(); /* handlers need all of that */
    for (size_t i = 0; i < count; i++) {
        send_one();
        if (i % 1000 == 999)
            pgas_barrier(); /* in which those that wait run what comes */
    }
    while (atomic_load(&taken_replies) < wanted_replies)
        pgas_poll();
    CHECK(atomic_load(&taken_replies) == wanted_replies);
    for (size_t t = 0; t < threads; t++) {
        PGAS_PUT(uint64_t, &counts, t * threads + (size_t)pgas_mythread(), sent[t]);
        pgas_traffic_t with = pgas_stats_with((int)t, PGAS_MODE_AM, PGAS_TO);
        CHECK(with.operations >= sent[t]);
    }
    pgas_barrier();
    uint64_t *mine = pgas_array_mine(&counts);
    for (size_t t = 0; t < threads; t++) {
        while (atomic_load(&received[t]) < mine[t])
            pgas_poll();
        CHECK(atomic_load(&received[t]) == mine[t]);
    }
    pgas_barrier();
    pgas_array_free(&counts);
    pgas_all_free(rooms);
    free(sources);
    free(is_busy);
    free(received);
    free(sent);
    pgas_finalize();
    return 0;
}
