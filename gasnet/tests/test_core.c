/*
 * Active messages: short, medium and long requests and replies, long-async ones, each with 0 to 16
 * arguments, to every node, oneself included, by the numbered and the counted forms; the largest
 * payloads and payloads of 0 bytes; what the calls refuse.
 */
#include "client.h"

#include <sys/resource.h>

enum {
    SHORT = 128,
    MEDIUM = SHORT + 17,
    LONG = MEDIUM + 17,
    SHORT_REPLY = LONG + 17,
    BULK_REPLY,
    PROBE,
    PROBE_REPLY,
    TICK,
    LOOKS = 600,
    AREA = 1 << 17,
    ALIGNMENT = 16 /* of max_align_t */
};

static int received;
static int replies;
static size_t bytes_of_replies;

/* Arguments of a message with M: each is what its place says, the first tells the way to reply. */
static void check_arguments(int m, const gasnet_handlerarg_t *args)
{
    for (int i = 1; i < m; i++)
        CHECK(args[i] == args[0] - i * 1000003);
}

static gasnet_handlerarg_t argument(gasnet_handlerarg_t first, int i)
{
    return first - i * 1000003;
}

/* What replies refuse before they look at anything else. */
static void check_refused_replies(gasnet_token_t token, gasnet_node_t source)
{
    gasnet_node_t unused;
    char *there = segment_of(source);
    CHECK(gasnet_AMReplyMedium0(token, 255, NULL, 8) == GASNET_ERR_BAD_ARG);
    CHECK(gasnet_AMReplyLong0(token, 255, NULL, 8, there) == GASNET_ERR_BAD_ARG);
    CHECK(gasnet_AMReplyLong0(token, 255, &unused, 1, there - 1) == GASNET_ERR_BAD_ARG);
    CHECK(gasnet_AMReplyShort0(token, 127) == GASNET_ERR_BAD_ARG);
    CHECK(gasnet_AMReplyShort0(NULL, 255) == GASNET_ERR_BAD_ARG);
    CHECK(gasnet_AMReplyMedium0(NULL, 255, &unused, 1) == GASNET_ERR_BAD_ARG);
    CHECK(gasnet_AMReplyLong0(NULL, 255, &unused, 1, there) == GASNET_ERR_BAD_ARG);
    CHECK(gasnet_AMGetMsgSource(token, NULL) == GASNET_ERR_BAD_ARG);
}

static void check_source(gasnet_token_t token)
{
    gasnet_node_t source = 12345678;
    CHECK(gasnet_AMGetMsgSource(token, &source) == GASNET_OK);
    CHECK(source < gasnet_nodes());
    check_refused_replies(token, source);
}

/* Where the requester's replies may write: the second half of its segment. */
static char *reply_area(gasnet_token_t token)
{
    gasnet_node_t source;
    CHECK(gasnet_AMGetMsgSource(token, &source) == GASNET_OK);
    return segment_of(source) + AREA + 64 * gasnet_mynode();
}

static void reply_short(gasnet_token_t token)
{
    check_source(token);
    __atomic_fetch_add(&replies, 1, __ATOMIC_RELAXED);
}

static void reply_bulk(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t seed)
{
    check_source(token);
    CHECK(is_filled(buf, (size_t)seed, nbytes));
    __atomic_fetch_add(&bytes_of_replies, nbytes, __ATOMIC_RELAXED);
    __atomic_fetch_add(&replies, 1, __ATOMIC_RELAXED);
}

static void answer(gasnet_token_t token, int m)
{
    char payload[48];
    fill(payload, (size_t)m, sizeof payload);
    __atomic_fetch_add(&received, 1, __ATOMIC_RELAXED);
    check_source(token);
    if (m % 3 == 0)
        CHECK(gasnet_AMReplyShort(token, SHORT_REPLY, 0) == GASNET_OK);
    else if (m % 3 == 1)
        CHECK(gasnet_AMReplyMedium(token, BULK_REPLY, payload, sizeof payload, 1, m) == GASNET_OK);
    else
        CHECK(gasnet_AMReplyLong(token, BULK_REPLY, payload, sizeof payload, reply_area(token),
                                 m / m, m) == GASNET_OK);
}

/* Parameters of M arguments, and their values. */
#define P0
#define V0 0
#define P1 P0, gasnet_handlerarg_t a1
#define V1 a1
#define P2 P1, gasnet_handlerarg_t a2
#define V2 V1, a2
#define P3 P2, gasnet_handlerarg_t a3
#define V3 V2, a3
#define P4 P3, gasnet_handlerarg_t a4
#define V4 V3, a4
#define P5 P4, gasnet_handlerarg_t a5
#define V5 V4, a5
#define P6 P5, gasnet_handlerarg_t a6
#define V6 V5, a6
#define P7 P6, gasnet_handlerarg_t a7
#define V7 V6, a7
#define P8 P7, gasnet_handlerarg_t a8
#define V8 V7, a8
#define P9 P8, gasnet_handlerarg_t a9
#define V9 V8, a9
#define P10 P9, gasnet_handlerarg_t a10
#define V10 V9, a10
#define P11 P10, gasnet_handlerarg_t a11
#define V11 V10, a11
#define P12 P11, gasnet_handlerarg_t a12
#define V12 V11, a12
#define P13 P12, gasnet_handlerarg_t a13
#define V13 V12, a13
#define P14 P13, gasnet_handlerarg_t a14
#define V14 V13, a14
#define P15 P14, gasnet_handlerarg_t a15
#define V15 V14, a15
#define P16 P15, gasnet_handlerarg_t a16
#define V16 V15, a16

#define HANDLERS(M) \
    static void short_##M(gasnet_token_t token P##M) \
    { \
        const gasnet_handlerarg_t args[] = {V##M}; \
        check_arguments(M, args); \
        answer(token, M); \
    } \
    static void bulk_##M(gasnet_token_t token, void *buf, size_t nbytes P##M) \
    { \
        const gasnet_handlerarg_t args[] = {V##M}; \
        check_arguments(M, args); \
        CHECK((uintptr_t)buf % ALIGNMENT == 0 || nbytes == 0); \
        CHECK(is_filled(buf, M, nbytes)); \
        answer(token, M); \
    }

HANDLERS(0)
HANDLERS(1)
HANDLERS(2)
HANDLERS(3)
HANDLERS(4)
HANDLERS(5)
HANDLERS(6)
HANDLERS(7)
HANDLERS(8)
HANDLERS(9)
HANDLERS(10)
HANDLERS(11)
HANDLERS(12)
HANDLERS(13)
HANDLERS(14)
HANDLERS(15)
HANDLERS(16)

/* The segment of a node has a place for the longs of each other one. */
static char *area_of(gasnet_node_t node)
{
    return segment_of(node) + 2048 * gasnet_mynode();
}

#define SEND(M, ...) \
    do { \
        CHECK(gasnet_AMRequestShort##M(to, SHORT + M __VA_ARGS__) == GASNET_OK); \
        CHECK(gasnet_AMRequestShort(to, SHORT + M, M __VA_ARGS__) == GASNET_OK); \
        fill(payload, M, 1000); \
        CHECK(gasnet_AMRequestMedium##M(to, MEDIUM + M, payload, 1000 __VA_ARGS__) == GASNET_OK); \
        CHECK(gasnet_AMRequestMedium(to, MEDIUM + M, payload, 8, M __VA_ARGS__) == GASNET_OK); \
        CHECK(gasnet_AMRequestLong##M(to, LONG + M, payload, 1000, area_of(to) __VA_ARGS__) == \
              GASNET_OK); \
        memset(payload, 0, 1000); \
        wait_for(5); \
        fill(payload, M, 1000); \
        CHECK(gasnet_AMRequestLongAsync##M(to, LONG + M, payload, 900, area_of(to) __VA_ARGS__) == \
              GASNET_OK); \
        wait_for(1); \
        CHECK(gasnet_AMRequestLong(to, LONG + M, payload, 0, NULL, M __VA_ARGS__) == GASNET_OK); \
        CHECK(gasnet_AMRequestMedium##M(to, MEDIUM + M, NULL, 0 __VA_ARGS__) == GASNET_OK); \
        wait_for(2); \
    } while (0)

static int awaited;

static void wait_for(int count)
{
    awaited += count;
    GASNET_BLOCKUNTIL(__atomic_load_n(&replies, __ATOMIC_ACQUIRE) == awaited);
}

/* The values of M arguments. */
#define A1 , argument(v, 0)
#define A2 A1, argument(v, 1)
#define A3 A2, argument(v, 2)
#define A4 A3, argument(v, 3)
#define A5 A4, argument(v, 4)
#define A6 A5, argument(v, 5)
#define A7 A6, argument(v, 6)
#define A8 A7, argument(v, 7)
#define A9 A8, argument(v, 8)
#define A10 A9, argument(v, 9)
#define A11 A10, argument(v, 10)
#define A12 A11, argument(v, 11)
#define A13 A12, argument(v, 12)
#define A14 A13, argument(v, 13)
#define A15 A14, argument(v, 14)
#define A16 A15, argument(v, 15)

static void send_all(gasnet_node_t to)
{
    static char payload[1000];
    const gasnet_handlerarg_t v = -(gasnet_handlerarg_t)gasnet_mynode() - 7;
    SEND(0, );
    SEND(1, A1);
    SEND(2, A2);
    SEND(3, A3);
    SEND(4, A4);
    SEND(5, A5);
    SEND(6, A6);
    SEND(7, A7);
    SEND(8, A8);
    SEND(9, A9);
    SEND(10, A10);
    SEND(11, A11);
    SEND(12, A12);
    SEND(13, A13);
    SEND(14, A14);
    SEND(15, A15);
    SEND(16, A16);
}

/* ---- The largest payloads ---- */

static void probe(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t seed)
{
    CHECK(is_filled(buf, (size_t)seed, nbytes));
    CHECK(gasnet_AMReplyMedium1(token, PROBE_REPLY, buf,
                                nbytes < gasnet_AMMaxMedium() ? nbytes : gasnet_AMMaxMedium(),
                                seed) == GASNET_OK);
}

static void probe_reply(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t seed)
{
    (void)token;
    CHECK(is_filled(buf, (size_t)seed, nbytes));
    __atomic_fetch_add(&replies, 1, __ATOMIC_RELAXED);
}

static void check_largest(gasnet_node_t to)
{
    const size_t medium = gasnet_AMMaxMedium();
    const size_t large = segments[to].size / 2;
    char *payload = malloc(large);
    fill(payload, 11, large);
    CHECK(gasnet_AMRequestMedium1(to, PROBE, payload, medium, 11) == GASNET_OK);
    wait_for(1);
    if (gasnet_mynode() == (to + 1) % gasnet_nodes()) { /* one at a time for each target */
        CHECK(gasnet_AMRequestLong1(to, PROBE, payload, large, segment_of(to), 11) == GASNET_OK);
        memset(payload, 0, 64);
        wait_for(1);
    }
    meet();
    free(payload);
}

/* ---- What the calls refuse ---- */

static void check_refusals(void)
{
    char payload[8] = {0};
    const gasnet_node_t me = gasnet_mynode();
    char *end = own_segment() + segments[me].size;
    CHECK(gasnet_AMMaxArgs() >= 16 && gasnet_AMMaxMedium() >= 512);
    CHECK(gasnet_AMMaxLongRequest() >= 512 && gasnet_AMMaxLongReply() >= 512);
    CHECK(gasnet_AMRequestShort0(gasnet_nodes(), SHORT) == GASNET_ERR_BAD_ARG);
    CHECK(gasnet_AMRequestShort0(me, 127) == GASNET_ERR_BAD_ARG);
    CHECK(gasnet_AMRequestMedium0(me, MEDIUM, payload, gasnet_AMMaxMedium() + 1) ==
          GASNET_ERR_BAD_ARG);
    CHECK(gasnet_AMRequestLong0(me, LONG, payload, 8, end - 4) == GASNET_ERR_BAD_ARG);
    CHECK(gasnet_AMRequestLong0(me, LONG, payload, 8, payload) == GASNET_ERR_BAD_ARG);
    for (gasnet_node_t node = 0; node < gasnet_nodes(); node++) {
        char *there = segment_of(node);
        CHECK(gasnet_AMRequestMedium0(node, MEDIUM, NULL, 8) == GASNET_ERR_BAD_ARG);
        CHECK(gasnet_AMRequestLong0(node, LONG, NULL, 8, there) == GASNET_ERR_BAD_ARG);
        CHECK(gasnet_AMRequestLongAsync0(node, LONG, NULL, 8, there) == GASNET_ERR_BAD_ARG);
    }
    gasnet_node_t source;
    CHECK(gasnet_AMRequestShort(0, SHORT, -1) == GASNET_ERR_BAD_ARG);
    CHECK(gasnet_AMRequestShort(0, SHORT, 17, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
                                17) == GASNET_ERR_BAD_ARG);
    CHECK(gasnet_AMGetMsgSource(NULL, &source) == GASNET_ERR_BAD_ARG);
    CHECK(gasnet_AMGetMsgSource(payload, &source) == GASNET_ERR_BAD_ARG); /* no handler runs */
    CHECK(gasnet_AMReplyShort0(NULL, SHORT_REPLY) == GASNET_ERR_BAD_ARG);
    CHECK(gasnet_AMReplyLong0(NULL, BULK_REPLY, payload, 8, own_segment()) == GASNET_ERR_BAD_ARG);
}

static int evaluations;

static int once(int value)
{
    evaluations++;
    return value;
}

static void check_evaluations(void)
{
    CHECK(gasnet_AMRequestShort((gasnet_node_t)once((int)gasnet_mynode()),
                                (gasnet_handler_t)once(SHORT + 2), once(2), once(5),
                                once(5 - 1000003)) == GASNET_OK);
    CHECK(evaluations == 5);
    wait_for(1);
}

#define ENTRY(index, function) \
    { \
        (index), (void (*)())(function) \
    }

#define ENTRIES(M) \
    ENTRY(SHORT + (M), short_##M), ENTRY(MEDIUM + (M), bulk_##M), ENTRY(LONG + (M), bulk_##M)

static int ticks;

static void tick(gasnet_token_t token)
{
    (void)token;
    ticks++;
}

static long count_sleeps(void)
{
    struct rusage usage;
    CHECK(getrusage(RUSAGE_THREAD, &usage) == 0);
    return usage.ru_nvcsw;
}

/* A wait that a message comes to between any two looks does not sleep, however many looks it takes.
 */
static void check_flow(void)
{
    CHECK(gasnet_set_waitmode(GASNET_WAIT_BLOCK) == GASNET_OK);
    long sleeps = count_sleeps();
    GASNET_BLOCKUNTIL(gasnet_AMRequestShort0(gasnet_mynode(), TICK) != GASNET_OK || ticks >= LOOKS);
    CHECK(count_sleeps() - sleeps < LOOKS / 4);
    CHECK(gasnet_set_waitmode(GASNET_WAIT_SPINBLOCK) == GASNET_OK);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {
        ENTRIES(0),
        ENTRIES(1),
        ENTRIES(2),
        ENTRIES(3),
        ENTRIES(4),
        ENTRIES(5),
        ENTRIES(6),
        ENTRIES(7),
        ENTRIES(8),
        ENTRIES(9),
        ENTRIES(10),
        ENTRIES(11),
        ENTRIES(12),
        ENTRIES(13),
        ENTRIES(14),
        ENTRIES(15),
        ENTRIES(16),
        ENTRY(SHORT_REPLY, reply_short),
        ENTRY(BULK_REPLY, reply_bulk),
        ENTRY(PROBE, probe),
        ENTRY(PROBE_REPLY, probe_reply),
        ENTRY(TICK, tick),
    };
    CHECK(gasnet_AMRequestShort0(0, SHORT) == GASNET_ERR_NOT_INIT);
    CHECK(gasnet_AMReplyLong0(NULL, BULK_REPLY, NULL, 0, NULL) == GASNET_ERR_NOT_INIT);
    CHECK(gasnet_getenv(NULL) == NULL);
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_AMRequestShort0(0, SHORT) == GASNET_ERR_NOT_INIT);
    CHECK(gasnet_AMPoll() == GASNET_ERR_NOT_INIT);
    CHECK(gasnet_attach(table, sizeof table / sizeof *table, 2 * AREA, 0) == GASNET_OK);
    segments = malloc(gasnet_nodes() * sizeof *segments);
    CHECK(gasnet_getSegmentInfo(segments, (int)gasnet_nodes()) == GASNET_OK);
    meet();
    for (gasnet_node_t i = 0; i < gasnet_nodes(); i++)
        send_all((gasnet_mynode() + i) % gasnet_nodes());
    meet();
    for (gasnet_node_t i = 0; i < gasnet_nodes(); i++)
        check_largest((gasnet_mynode() + i) % gasnet_nodes());
    check_refusals();
    check_evaluations();
    check_flow();
    GASNET_BLOCKUNTIL(__atomic_load_n(&received, __ATOMIC_ACQUIRE) ==
                      (int)gasnet_nodes() * 17 * 8 + 1);
    CHECK(bytes_of_replies > 0);
    meet();
    gasnet_exit(0);
}
