/*
 * What the rules allow, each once. In handlers: the own number, handler-safe locks, the source of
 * the message, no-interrupt sections, which are ignored there and under a lock. Handlers do not
 * interrupt each other. A node without a segment sends and gets short and medium messages. The
 * buffer of a medium message is aligned for every type. The source of a long-async request is free
 * when its reply handler starts. Locks exclude the threads of a SEQ program too.
 */
#include "client.h"

#include <pthread.h>
#include <stddef.h>

enum {
    REQUEST = 128,
    REPLY,
    MEDIUM,
    MEDIUM_REPLY,
    LONG,
    LONG_REPLY,
    ROUNDS = 300,
    LONGEST = 60000
};

static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
static long requests;
static long replies;
static long awaited;
static int is_in_handler;
static char source[LONGEST];

/* No handler of a thread interrupts another one. */
static void begin(void)
{
    CHECK(!is_in_handler);
    is_in_handler = 1;
}

static void end(void)
{
    is_in_handler = 0;
}

static void do_what_is_legal(gasnet_token_t token)
{
    gasnet_node_t from = gasnet_nodes();
    CHECK(gasnet_mynode() < gasnet_nodes());
    CHECK(gasnet_AMGetMsgSource(token, &from) == GASNET_OK && from < gasnet_nodes());
    gasnet_hsl_lock(&lock);
    gasnet_hold_interrupts();
    gasnet_resume_interrupts();
    gasnet_hsl_unlock(&lock);
    CHECK(gasnet_hsl_trylock(&lock) == GASNET_OK);
    gasnet_hsl_unlock(&lock);
    gasnet_hold_interrupts();
    gasnet_hold_interrupts();
    gasnet_resume_interrupts();
}

static void take_request(gasnet_token_t token, gasnet_handlerarg_t value)
{
    begin();
    do_what_is_legal(token);
    requests++;
    if (value % 4 != 3)
        CHECK(gasnet_AMReplyShort1(token, REPLY, value) == GASNET_OK);
    end();
}

static void take_reply(gasnet_token_t token, gasnet_handlerarg_t value)
{
    begin();
    do_what_is_legal(token);
    CHECK(value % 4 != 3);
    replies++;
    end();
}

static void check_medium(const void *payload, size_t nbytes)
{
    CHECK((uintptr_t)payload % _Alignof(max_align_t) == 0 || nbytes == 0);
    CHECK(is_filled(payload, nbytes, nbytes));
}

static void take_medium(gasnet_token_t token, void *payload, size_t nbytes)
{
    begin();
    check_medium(payload, nbytes);
    CHECK(gasnet_AMReplyMedium0(token, MEDIUM_REPLY, payload, nbytes) == GASNET_OK);
    end();
}

static void take_medium_reply(gasnet_token_t token, void *payload, size_t nbytes)
{
    (void)token;
    begin();
    check_medium(payload, nbytes);
    replies++;
    end();
}

static void take_long(gasnet_token_t token, void *payload, size_t nbytes)
{
    begin();
    CHECK(is_filled(payload, nbytes, nbytes));
    CHECK(gasnet_AMReplyShort0(token, LONG_REPLY) == GASNET_OK);
    end();
}

static void take_long_reply(gasnet_token_t token)
{
    (void)token;
    begin();
    memset(source, 0x5a, sizeof source);
    replies++;
    end();
}

static void wait_for(long count)
{
    awaited += count;
    GASNET_BLOCKUNTIL(replies == awaited);
}

/* All to all at once, so that requests and replies cross; the own node's handlers run in the call.
 */
static void check_handlers(void)
{
    for (int round = 0; round < ROUNDS; round++)
        for (gasnet_node_t to = 0; to < gasnet_nodes(); to++)
            CHECK(gasnet_AMRequestShort1(to, REQUEST, round) == GASNET_OK);
    wait_for((long)gasnet_nodes() * ROUNDS * 3 / 4);
    GASNET_BLOCKUNTIL(requests == (long)gasnet_nodes() * ROUNDS);
    meet();
}

static void check_payloads(void)
{
    for (size_t nbytes = 0; nbytes < LONGEST; nbytes += nbytes / 3 + 1)
        for (gasnet_node_t to = 0; to < gasnet_nodes(); to++) {
            fill(source, nbytes, nbytes);
            CHECK(gasnet_AMRequestMedium0(to, MEDIUM, source, nbytes) == GASNET_OK);
            memset(source, 0, nbytes);
            wait_for(1);
        }
    meet();
}

/* The last node has no segment. */
static char *area_of(gasnet_node_t to)
{
    return segment_of(to) + (size_t)LONGEST * gasnet_mynode();
}

static void check_long_async(void)
{
    for (gasnet_node_t to = 0; to < gasnet_nodes(); to++)
        for (size_t nbytes = 1; nbytes < LONGEST && segments[to].size > 0; nbytes += nbytes * 2) {
            fill(source, nbytes, nbytes);
            CHECK(gasnet_AMRequestLongAsync0(to, LONG, source, nbytes, area_of(to)) == GASNET_OK);
            wait_for(1);
            CHECK(source[0] == 0x5a);
        }
    meet();
    /* What came is what was sent, whatever the handlers of the replies wrote. */
    size_t last = 1;
    while (last * 3 < LONGEST)
        last *= 3;
    for (gasnet_node_t from = 0; from < gasnet_nodes() && segments[gasnet_mynode()].size > 0;
         from++)
        CHECK(is_filled(own_segment() + (size_t)LONGEST * from, last, last));
    meet();
}

static void *try_lock(void *unused)
{
    (void)unused;
    CHECK(gasnet_hsl_trylock(&lock) == GASNET_ERR_NOT_READY);
    return NULL;
}

static long counted;

static void *count(void *unused)
{
    (void)unused;
    for (int i = 0; i < 10000; i++) {
        gasnet_hsl_lock(&lock);
        counted++;
        gasnet_hsl_unlock(&lock);
    }
    return NULL;
}

/* Threads that only lock do not communicate, so that SEQ has them too. */
static void check_locks(void)
{
    pthread_t threads[2];
    gasnet_hsl_lock(&lock);
    CHECK(pthread_create(&threads[0], NULL, try_lock, NULL) == 0);
    CHECK(pthread_join(threads[0], NULL) == 0);
    gasnet_hsl_unlock(&lock);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&threads[i], NULL, count, NULL) == 0);
    count(NULL);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(counted == 30000);
}

/* In a section and under a lock of the main code. */
static void check_sections(void)
{
    gasnet_hold_interrupts();
    CHECK(gasnet_mynode() < gasnet_nodes());
    gasnet_hsl_lock(&lock);
    gasnet_hold_interrupts();
    gasnet_resume_interrupts();
    gasnet_hsl_unlock(&lock);
    gasnet_resume_interrupts();
    gasnet_hsl_lock(&lock);
    gasnet_hold_interrupts();
    gasnet_resume_interrupts();
    gasnet_hsl_unlock(&lock);
    CHECK(gasnet_AMPoll() == GASNET_OK);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {
        {REQUEST, (void (*)())take_request}, {REPLY, (void (*)())take_reply},
        {MEDIUM, (void (*)())take_medium},   {MEDIUM_REPLY, (void (*)())take_medium_reply},
        {LONG, (void (*)())take_long},       {LONG_REPLY, (void (*)())take_long_reply}};
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    const gasnet_node_t nodes = gasnet_nodes();
    const uintptr_t area = ((uintptr_t)LONGEST * nodes / GASNET_PAGESIZE + 1) * GASNET_PAGESIZE;
    const int has_segment = nodes == 1 || gasnet_mynode() + 1 < nodes;
    CHECK(gasnet_attach(table, 6, has_segment ? area : 0, 0) == GASNET_OK);
    segments = malloc(nodes * sizeof *segments);
    CHECK(gasnet_getSegmentInfo(segments, (int)nodes) == GASNET_OK);
    CHECK(segments[gasnet_mynode()].size == (has_segment ? area : 0));
    meet();
    check_sections();
    check_locks();
    check_handlers();
    check_payloads();
    check_long_async();
    gasnet_exit(0);
}
