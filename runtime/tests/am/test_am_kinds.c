/**
 * Active messages of each kind, with every number of arguments and sizes around every boundary, to
 * every thread, the own one included: one at a time, each with a reply of each kind. And numbers of
 * 64 bits as two arguments.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "message.h"

enum {
    ROOM = 3 << 20,
    KINDS = 4
};

typedef enum kind {
    SHORT,
    MEDIUM,
    LONG,
    ASYNC
} kind_t;

/* What the one message under way is to be, and the reply to it. Written by the requester, who tells
 * the target by arguments that are checked, or knows it by itself. */
static struct {
    kind_t reply;
    size_t nbytes;
    unsigned nargs;
    uint32_t seed;
    int from;
    volatile int replies;
} expected;

static pgas_am_t replied;
static pgas_am_t requested[2][KINDS];
static pgas_am_t announced;
static pgas_am_t told;
static pgas_am_t counted;
static pgas_ptr_t rooms;
static unsigned char *buffer;
static volatile int tellings;

/* What the announcement has said to this thread. */
static struct {
    uint32_t seed;
    unsigned nargs;
    size_t nbytes;
    kind_t reply;
} coming;

static bool is_aligned(const void *payload)
{
    return (uintptr_t)payload % _Alignof(max_align_t) == 0;
}

static void take_announcement(pgas_am_token_t *token, const int32_t *args, unsigned nargs,
                              void *payload, size_t nbytes)
{
    CHECK(nargs == 4 && payload == NULL && nbytes == 0);
    coming.seed = (uint32_t)args[0];
    coming.nargs = (unsigned)args[1];
    coming.nbytes = (size_t)(uint32_t)args[2];
    coming.reply = (kind_t)args[3];
    pgas_am_reply_short(token, told, NULL, 0);
}

static void take_told(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                      size_t nbytes)
{
    (void)args;
    (void)payload;
    CHECK(nargs == 0 && nbytes == 0 && !pgas_am_is_request(token));
    tellings++;
}

static const uint64_t numbers[] = {0,
                                   1,
                                   UINT64_C(0x80000000),
                                   UINT32_MAX,
                                   UINT64_C(0x100000000),
                                   UINT64_C(0x8000000080000000),
                                   INT64_MAX,
                                   UINT64_C(0x123456789abcdef0),
                                   UINT64_MAX};

enum {
    NUMBERS = sizeof numbers / sizeof numbers[0]
};

static void take_number(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                        size_t nbytes)
{
    CHECK(nargs == 4 && payload == NULL && nbytes == 0 && args[3] == -1);
    CHECK(args[0] >= 0 && args[0] < NUMBERS && pgas_am_64(&args[1]) == numbers[args[0]]);
    pgas_am_reply_short(token, told, NULL, 0);
}

static void send_numbers(int thread)
{
    for (int k = 0; k < NUMBERS; k++) {
        tellings = 0;
        pgas_am_request_short(thread, counted, PGAS_AM_ARGS(k, PGAS_AM_64(numbers[k]), -1));
        while (tellings == 0)
            pgas_poll();
    }
}

static void take_request(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                         size_t nbytes)
{
    static unsigned char answer[ROOM];
    int32_t back[PGAS_AM_MAX_ARGS];
    kind_t kind = SHORT;
    uint32_t seed = coming.seed;
    for (int where = 0; where < 2; where++)
        for (unsigned k = 0; k < KINDS; k++)
            if (pgas_am_handler(token).number == requested[where][k].number)
                kind = (kind_t)k;
    CHECK(pgas_am_is_request(token));
    CHECK(nargs == coming.nargs);
    CHECK(nbytes == (kind == SHORT ? 0 : coming.nbytes));
    message_check(seed, args, 0, nargs, payload, nbytes);
    if (kind == SHORT)
        CHECK(payload == NULL);
    if (kind == MEDIUM)
        CHECK(is_aligned(payload));
    int source = pgas_am_source(token);
    pgas_ptr_t mine = rooms;
    mine.thread = (uint32_t)pgas_mythread();
    if (kind >= LONG)
        CHECK((char *)payload == (char *)pgas_local(mine) + (size_t)source * ROOM * 2);
    if (kind == MEDIUM) /* the handler's own to change */
        memset(payload, 0xff, nbytes);
    pgas_ptr_t back_to = rooms;
    back_to.thread = (uint32_t)source;
    back_to.offset += ((size_t)pgas_mythread() * 2 + 1) * ROOM;
    size_t size = coming.reply == SHORT ? 0 : coming.nbytes;
    if (coming.reply == MEDIUM && size > PGAS_AM_MAX_MEDIUM)
        size = PGAS_AM_MAX_MEDIUM;
    message_fill(seed + 1, back, nargs, answer, size);
    if (coming.reply == SHORT)
        pgas_am_reply_short(token, replied, back, nargs);
    else if (coming.reply == MEDIUM)
        pgas_am_reply_medium(token, replied, back, nargs, answer, size);
    else
        pgas_am_reply_long(token, replied, back, nargs, answer, size, back_to);
    memset(answer, 0, size); /* the source is free */
}

static void take_reply(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                       size_t nbytes)
{
    size_t size = expected.reply == SHORT ? 0 : expected.nbytes;
    if (expected.reply == MEDIUM && size > PGAS_AM_MAX_MEDIUM)
        size = PGAS_AM_MAX_MEDIUM;
    CHECK(!pgas_am_is_request(token));
    CHECK(pgas_am_handler(token).number == replied.number);
    CHECK(pgas_am_source(token) == expected.from);
    CHECK(nargs == expected.nargs && nbytes == size);
    message_check(expected.seed + 1, args, 0, nargs, payload, nbytes);
    expected.replies++;
}

static void poll_until(const volatile int *counter, int value)
{
    while (*counter < value)
        pgas_poll();
    CHECK(*counter == value);
}

static void exchange(int thread, int where, kind_t kind, kind_t reply, unsigned nargs,
                     size_t nbytes)
{
    int32_t args[PGAS_AM_MAX_ARGS];
    static uint32_t next;
    uint32_t seed = ++next * 1000003U + (uint32_t)pgas_mythread();
    pgas_ptr_t dst = rooms;
    expected.seed = seed;
    expected.nargs = nargs;
    expected.nbytes = nbytes;
    expected.reply = reply;
    expected.from = thread;
    int before = tellings;
    pgas_am_request_short(
        thread, announced,
        PGAS_AM_ARGS((int32_t)seed, (int32_t)nargs, (int32_t)nbytes, (int32_t)reply));
    poll_until(&tellings, before + 1);
    message_fill(seed, args, nargs, buffer, kind == SHORT ? 0 : nbytes);
    dst.thread = (uint32_t)thread;
    dst.offset += (size_t)pgas_mythread() * 2 * ROOM;
    before = expected.replies;
    pgas_am_t am = requested[where][kind];
    if (kind == SHORT)
        pgas_am_request_short(thread, am, args, nargs);
    else if (kind == MEDIUM)
        pgas_am_request_medium(thread, am, args, nargs, buffer, nbytes);
    else if (kind == LONG)
        pgas_am_request_long(thread, am, args, nargs, buffer, nbytes, dst);
    else
        pgas_am_request_long_async(thread, am, args, nargs, buffer, nbytes, dst);
    if (kind != ASYNC) /* the source is free */
        memset(buffer, 0, nbytes);
    memset(args, 0, sizeof args);
    poll_until(&expected.replies, before + 1);
}

static void exchange_all(int thread)
{
    static const size_t mediums[] = {0,   1,   15,   16,   17,   31,   32,    33,    47,   48,  49,
                                     63,  64,  65,   79,   80,   81,   95,    96,    97,   127, 128,
                                     511, 512, 4095, 4096, 4097, 8192, 16384, 65535, 65536};
    static const size_t longs[] = {0, 1, 4096, 65536, 65537, 98304, 98305, 1 << 20, ROOM};
    for (unsigned nargs = 0; nargs <= PGAS_AM_MAX_ARGS; nargs++) {
        exchange(thread, (int)(nargs % 2), SHORT, SHORT, nargs, 0);
        for (size_t i = 0; i < sizeof mediums / sizeof mediums[0]; i++)
            exchange(thread, (int)(i % 2), MEDIUM, i % 3 == 0 ? SHORT : MEDIUM, nargs, mediums[i]);
    }
    for (int where = 0; where < 2; where++)
        for (size_t i = 0; i < sizeof longs / sizeof longs[0]; i++)
            for (unsigned nargs = 0; nargs <= PGAS_AM_MAX_ARGS; nargs += 8)
                for (kind_t kind = LONG; kind <= ASYNC; kind++)
                    exchange(thread, where, kind, i % 2 == 0 ? LONG : MEDIUM, nargs, longs[i]);
}

int main(void)
{
    static const char *const names[2][KINDS] = {{"short", "medium", "long", "async"},
                                                {"short*", "medium*", "long*", "async*"}};
    replied = pgas_am_register("replied", take_reply, PGAS_AM_POLL);
    for (int where = 0; where < 2; where++)
        for (int kind = 0; kind < KINDS; kind++)
            requested[where][kind] = pgas_am_register(names[where][kind], take_request,
                                                      where == 0 ? PGAS_AM_POLL : PGAS_AM_ANYWHERE);
    CHECK(pgas_init() == PGAS_OK);
    announced = pgas_am_register("announced", take_announcement, PGAS_AM_POLL);
    told = pgas_am_register("told", take_told, PGAS_AM_POLL);
    CHECK(told.number == announced.number + 1);
    counted = pgas_am_register("counted", take_number, PGAS_AM_POLL);
    size_t threads = (size_t)pgas_threads();
    CHECK(pgas_all_alloc(threads, threads * 2 * ROOM, &rooms) == PGAS_OK);
    buffer = malloc(ROOM);
    CHECK(buffer != NULL);
    pgas_barrier(); /* handlers need the rooms */
    for (int sender = 0; sender < pgas_threads(); sender++) {
        for (int thread = 0; thread < pgas_threads() && sender == pgas_mythread(); thread++) {
            exchange_all(thread);
            send_numbers(thread);
        }
        pgas_barrier(); /* which runs the handlers of those that wait */
    }
    free(buffer);
    pgas_all_free(rooms);
    pgas_finalize();
    return 0;
}
