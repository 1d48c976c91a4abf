/**
 * Floods of active messages: neither side's memory grows, nothing is lost, and nobody waits for
 * ever.
 *
 *   flood   all threads but 0 send to thread 0, which polls rarely: messages of several sizes
 *   cross   all threads request of all, without a poll of their own, and every request has a reply:
 *           rings and buffers are full in both directions
 *   hold    one thread's ring of replies, or the buffers for replies, are full because it does not
 *           poll: the others hold one reply back and run no further request until it has left
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "memory.h"
#include "message.h"
#include "pause.h"

#include "shm/mailbox.h"

enum {
    FLOOD = 1000000,
    REMOTE_SHARE = 3, /* a third of all between nodes */
    SANITIZED_SHARE = 10, /* a tenth */
    /* So long that all could be sent, were there no bound. */
    FIRST_PAUSE_US = 100000,
    LIMIT_KIB = 16 << 10,
    /* What thread 0 does between two polls, and now and then. */
    PAUSE_POLLS = 40000,
    ASKED = 400 /* requests of one thread in hold */
};

static pgas_am_t counted;
static pgas_am_t asked;
static pgas_am_t answered;
static volatile size_t count;
static volatile size_t answers;
static size_t reply_size;
static pgas_ptr_t flags;
static bool between_nodes;

/* Private memory and touched pages of segments. */
static size_t resident_kib(void)
{
    size_t sum = memory_kib("RssAnon") + memory_kib("RssShmem");
    CHECK(sum > 0);
    return sum;
}

static void take_counted(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                         size_t nbytes)
{
    (void)token;
    CHECK(nargs == 2);
    message_check((uint32_t)args[0], args, 1, nargs, NULL, 0);
    if (nbytes > 0)
        CHECK(*(unsigned char *)payload == (unsigned char)args[0] &&
              ((unsigned char *)payload)[nbytes - 1] == (unsigned char)args[0]);
    count++;
}

static void take_asked(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                       size_t nbytes)
{
    static unsigned char bytes[PGAS_AM_MAX_MEDIUM];
    int32_t back[PGAS_AM_MAX_ARGS];
    uint32_t seed = (uint32_t)args[0];
    (void)payload;
    (void)nbytes;
    count++;
    size_t size = reply_size == 1 ? (size_t)(seed % 3) * 30000 : reply_size;
    message_fill(seed, back, PGAS_AM_MAX_ARGS, NULL, 0);
    back[0] = (int32_t)seed;
    memset(bytes, (int)seed & 0xff, size);
    CHECK(nargs == 1);
    if (size == 0)
        pgas_am_reply_short(token, answered, back, PGAS_AM_MAX_ARGS);
    else
        pgas_am_reply_medium(token, answered, back, PGAS_AM_MAX_ARGS, bytes, size);
}

static void take_answered(pgas_am_token_t *token, const int32_t *args, unsigned nargs,
                          void *payload, size_t nbytes)
{
    CHECK(!pgas_am_is_request(token) && nargs == PGAS_AM_MAX_ARGS);
    message_check((uint32_t)args[0], args, 1, nargs, NULL, 0);
    for (size_t i = 0; i < nbytes; i += 997)
        CHECK(((unsigned char *)payload)[i] == (unsigned char)args[0]);
    answers++;
}

/* Flood. */

/* Over UCX's shared memory it is up to 17 MiB where the processors are crowded, of three times as
 * many messages, too. */
static size_t limit_kib(void)
{
    const char *transports = getenv("UCX_TLS");
    return transports != NULL && strstr(transports, "posix") != NULL ? 2 * LIMIT_KIB : LIMIT_KIB;
}

/* Sanitizers keep freed memory. */
static void check_memory(const char *what, size_t before, size_t nbytes)
{
    if (getenv("FATHOM_TEST_SANITIZED") != NULL)
        return;
    size_t now = resident_kib();
    printf("thread %d: %zu bytes: %zu KiB more %s\n", pgas_mythread(), nbytes,
           now > before ? now - before : 0, what);
    CHECK(now < before + limit_kib());
}

static void receive_rarely(size_t expected, size_t before, size_t nbytes)
{
    for (size_t polls = 1; count < expected; polls++) {
        if (polls % PAUSE_POLLS == 1) {
            sleep_microseconds(polls == 1 ? FIRST_PAUSE_US : 5000);
            check_memory("at the target", before, nbytes);
        }
        pgas_poll();
    }
    CHECK(count == expected);
}

static void flood(size_t each, size_t nbytes, unsigned char *source)
{
    size_t before = resident_kib();
    count = 0;
    pgas_barrier();
    if (pgas_mythread() == 0) {
        receive_rarely(each * ((size_t)pgas_threads() - 1), before, nbytes);
    } else {
        for (size_t i = 0; i < each; i++) {
            uint32_t seed = (uint32_t)i * 5 + (uint32_t)pgas_mythread();
            int32_t args[2] = {(int32_t)seed, message_argument(seed, 1)};
            if (nbytes == 0) {
                pgas_am_request_short(0, counted, args, 2);
            } else {
                source[0] = source[nbytes - 1] = (unsigned char)seed;
                pgas_am_request_medium(0, counted, args, 2, source, nbytes);
            }
            if (i == each / 2)
                check_memory("at a source", before, nbytes);
        }
    }
    pgas_barrier();
}

/* Cross. */

static void cross(size_t each, size_t size)
{
    size_t threads = (size_t)pgas_threads();
    reply_size = size;
    count = 0;
    answers = 0;
    size_t before = resident_kib();
    pgas_barrier();
    for (size_t i = 0; i < each; i++)
        for (size_t t = 0; t < threads; t++)
            pgas_am_request_short((int)t, asked, PGAS_AM_ARGS((int32_t)(i * threads + t)));
    while (answers < each * threads || count < each * threads)
        pgas_poll();
    CHECK(answers == each * threads && count == each * threads);
    check_memory("all asking all", before, size);
    pgas_barrier();
}

/* Hold. */

static atomic_int *flag_of(int thread)
{
    pgas_ptr_t place = flags;
    place.thread = (uint32_t)thread;
    return pgas_local(place);
}

/* What a thread's flag says, in this order. */
enum {
    IN_BARRIER,
    STANDS_STILL,
    MAY_ANSWER,
    HAS_ANSWERED
};

static void await_flags(int before)
{
    for (int t = 1; t < pgas_threads(); t++)
        while (atomic_load(flag_of(t)) == before)
            sleep_microseconds(1000);
}

/* Each other thread gets ASKED requests as far as its ring takes them, when none is in the barrier
 * any more, where it would answer; then this thread stops. */
static void ask_and_stop(void)
{
    int threads = pgas_threads();
    size_t room = PGASI_RING_SLOTS - PGASI_RING_UNTOLD - 1;
    size_t each = room < ASKED ? room : ASKED;
    answers = 0;
    await_flags(IN_BARRIER);
    for (int t = 1; t < threads; t++)
        for (size_t i = 0; i < each; i++)
            pgas_am_request_short(t, asked, PGAS_AM_ARGS((int32_t)i));
    CHECK(answers == 0);
    for (int t = 1; t < threads; t++)
        atomic_store(flag_of(t), MAY_ANSWER);
    await_flags(MAY_ANSWER);
    while (answers < each * ((size_t)threads - 1))
        pgas_poll();
    CHECK(answers == each * ((size_t)threads - 1));
}

/* A reply that is held back keeps the thread from requests, but not from anything else. */
static void answer_until_full(size_t limit)
{
    enum {
        POLLS = 3000
    };
    atomic_int *flag = flag_of(pgas_mythread());
    atomic_store(flag, STANDS_STILL);
    while (atomic_load(flag) == STANDS_STILL)
        sleep_microseconds(1000);
    for (int i = 0; i < POLLS; i++)
        pgas_poll();
    printf("thread %d has run %zu requests, %zu are the most\n", pgas_mythread(), count, limit);
    CHECK(count <= limit);
    atomic_store(flag, HAS_ANSWERED);
}

static void hold(size_t size)
{
    bool is_large = size > PGASI_BUFFER_SMALL;
    size_t limit = PGASI_RING_SLOTS / 2 + 1; /* replies of two slots */
    if (size > 0)
        limit = is_large ? PGASI_REPLY_LARGE + 1 : PGASI_REPLY_SMALL + 1;
    reply_size = size;
    count = 0;
    atomic_store(flag_of(pgas_mythread()), IN_BARRIER);
    pgas_barrier();
    if (pgas_mythread() == 0)
        ask_and_stop();
    else
        answer_until_full(limit);
    pgas_barrier();
}

int main(int argc, char **argv)
{
    size_t share = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    static unsigned char source[PGAS_AM_MAX_MEDIUM];
    counted = pgas_am_register("counted", take_counted, PGAS_AM_POLL);
    asked = pgas_am_register("asked", take_asked, PGAS_AM_POLL);
    answered = pgas_am_register("answered", take_answered, PGAS_AM_POLL);
    CHECK(pgas_init() == PGAS_OK);
    for (int t = 0; t < pgas_threads(); t++)
        between_nodes |= pgas_node_of(t) != pgas_node_of(0);
    if (getenv("FATHOM_TEST_SANITIZED") != NULL)
        share *= SANITIZED_SHARE;
    else if (between_nodes)
        share *= REMOTE_SHARE;
    CHECK(pgas_all_alloc((size_t)pgas_threads(), 64, &flags) == PGAS_OK);
    size_t each = FLOOD / share / (size_t)pgas_threads();
    flood(each, 0, source);
    flood(each / 10, 4096, source);
    flood(each / 100, 65536, source);
    cross(each / 20, 0);
    cross(each / 100, 1);
    if (!between_nodes && pgas_threads() > 1) {
        hold(0);
        hold(1000);
        hold(65536);
    }
    pgas_all_free(flags);
    pgas_finalize();
    return 0;
}
