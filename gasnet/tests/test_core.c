/*
 * Active messages: short, medium and long requests and replies, long-async ones, each with 0 to 16
 * arguments, to every node, oneself included, by the numbered and the counted forms; the largest
 * payloads and payloads of 0 bytes; what the calls refuse.
 */
#include "client.h"

enum {
    SHORT = 128,
    MEDIUM = SHORT + 17,
    LONG = MEDIUM + 17,
    SHORT_REPLY = LONG + 17,
    BULK_REPLY,
    PROBE,
    PROBE_REPLY,
    AREA = 1 << 17
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

static void check_source(gasnet_token_t token)
{
    gasnet_node_t source = 12345678;
    CHECK(gasnet_AMGetMsgSource(token, &source) == GASNET_OK);
    CHECK(source < gasnet_nodes());
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
        CHECK(gasnet_AMReplyShort0(token, SHORT_REPLY) == GASNET_OK);
    else if (m % 3 == 1)
        CHECK(gasnet_AMReplyMedium(token, BULK_REPLY, payload, sizeof payload, m) == GASNET_OK);
    else
        CHECK(gasnet_AMReplyLong(token, BULK_REPLY, payload, sizeof payload, reply_area(token),
                                 m) == GASNET_OK);
}

static void short_0(gasnet_token_t token)
{
    const gasnet_handlerarg_t args[] = {0};
    check_arguments(0, args);
    answer(token, 0);
}

static void bulk_0(gasnet_token_t token, void *buf, size_t nbytes)
{
    const gasnet_handlerarg_t args[] = {0};
    check_arguments(0, args);
    CHECK((uintptr_t)buf % 8 == 0 || nbytes == 0);
    CHECK(is_filled(buf, 0, nbytes));
    answer(token, 0);
}

static void short_1(gasnet_token_t token, gasnet_handlerarg_t a1)
{
    const gasnet_handlerarg_t args[] = {a1};
    check_arguments(1, args);
    answer(token, 1);
}

static void bulk_1(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t a1)
{
    const gasnet_handlerarg_t args[] = {a1};
    check_arguments(1, args);
    CHECK((uintptr_t)buf % 8 == 0 || nbytes == 0);
    CHECK(is_filled(buf, 1, nbytes));
    answer(token, 1);
}

static void short_2(gasnet_token_t token, gasnet_handlerarg_t a1, gasnet_handlerarg_t a2)
{
    const gasnet_handlerarg_t args[] = {a1, a2};
    check_arguments(2, args);
    answer(token, 2);
}

static void bulk_2(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t a1,
                   gasnet_handlerarg_t a2)
{
    const gasnet_handlerarg_t args[] = {a1, a2};
    check_arguments(2, args);
    CHECK((uintptr_t)buf % 8 == 0 || nbytes == 0);
    CHECK(is_filled(buf, 2, nbytes));
    answer(token, 2);
}

static void short_3(gasnet_token_t token, gasnet_handlerarg_t a1, gasnet_handlerarg_t a2,
                    gasnet_handlerarg_t a3)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3};
    check_arguments(3, args);
    answer(token, 3);
}

static void bulk_3(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t a1,
                   gasnet_handlerarg_t a2, gasnet_handlerarg_t a3)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3};
    check_arguments(3, args);
    CHECK((uintptr_t)buf % 8 == 0 || nbytes == 0);
    CHECK(is_filled(buf, 3, nbytes));
    answer(token, 3);
}

static void short_4(gasnet_token_t token, gasnet_handlerarg_t a1, gasnet_handlerarg_t a2,
                    gasnet_handlerarg_t a3, gasnet_handlerarg_t a4)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3, a4};
    check_arguments(4, args);
    answer(token, 4);
}

static void bulk_4(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t a1,
                   gasnet_handlerarg_t a2, gasnet_handlerarg_t a3, gasnet_handlerarg_t a4)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3, a4};
    check_arguments(4, args);
    CHECK((uintptr_t)buf % 8 == 0 || nbytes == 0);
    CHECK(is_filled(buf, 4, nbytes));
    answer(token, 4);
}

static void short_5(gasnet_token_t token, gasnet_handlerarg_t a1, gasnet_handlerarg_t a2,
                    gasnet_handlerarg_t a3, gasnet_handlerarg_t a4, gasnet_handlerarg_t a5)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3, a4, a5};
    check_arguments(5, args);
    answer(token, 5);
}

static void bulk_5(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t a1,
                   gasnet_handlerarg_t a2, gasnet_handlerarg_t a3, gasnet_handlerarg_t a4,
                   gasnet_handlerarg_t a5)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3, a4, a5};
    check_arguments(5, args);
    CHECK((uintptr_t)buf % 8 == 0 || nbytes == 0);
    CHECK(is_filled(buf, 5, nbytes));
    answer(token, 5);
}

static void short_6(gasnet_token_t token, gasnet_handlerarg_t a1, gasnet_handlerarg_t a2,
                    gasnet_handlerarg_t a3, gasnet_handlerarg_t a4, gasnet_handlerarg_t a5,
                    gasnet_handlerarg_t a6)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3, a4, a5, a6};
    check_arguments(6, args);
    answer(token, 6);
}

static void bulk_6(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t a1,
                   gasnet_handlerarg_t a2, gasnet_handlerarg_t a3, gasnet_handlerarg_t a4,
                   gasnet_handlerarg_t a5, gasnet_handlerarg_t a6)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3, a4, a5, a6};
    check_arguments(6, args);
    CHECK((uintptr_t)buf % 8 == 0 || nbytes == 0);
    CHECK(is_filled(buf, 6, nbytes));
    answer(token, 6);
}

static void short_7(gasnet_token_t token, gasnet_handlerarg_t a1, gasnet_handlerarg_t a2,
                    gasnet_handlerarg_t a3, gasnet_handlerarg_t a4, gasnet_handlerarg_t a5,
                    gasnet_handlerarg_t a6, gasnet_handlerarg_t a7)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3, a4, a5, a6, a7};
    check_arguments(7, args);
    answer(token, 7);
}

static void bulk_7(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t a1,
                   gasnet_handlerarg_t a2, gasnet_handlerarg_t a3, gasnet_handlerarg_t a4,
                   gasnet_handlerarg_t a5, gasnet_handlerarg_t a6, gasnet_handlerarg_t a7)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3, a4, a5, a6, a7};
    check_arguments(7, args);
    CHECK((uintptr_t)buf % 8 == 0 || nbytes == 0);
    CHECK(is_filled(buf, 7, nbytes));
    answer(token, 7);
}

static void short_8(gasnet_token_t token, gasnet_handlerarg_t a1, gasnet_handlerarg_t a2,
                    gasnet_handlerarg_t a3, gasnet_handlerarg_t a4, gasnet_handlerarg_t a5,
                    gasnet_handlerarg_t a6, gasnet_handlerarg_t a7, gasnet_handlerarg_t a8)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3, a4, a5, a6, a7, a8};
    check_arguments(8, args);
    answer(token, 8);
}

static void bulk_8(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t a1,
                   gasnet_handlerarg_t a2, gasnet_handlerarg_t a3, gasnet_handlerarg_t a4,
                   gasnet_handlerarg_t a5, gasnet_handlerarg_t a6, gasnet_handlerarg_t a7,
                   gasnet_handlerarg_t a8)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3, a4, a5, a6, a7, a8};
    check_arguments(8, args);
    CHECK((uintptr_t)buf % 8 == 0 || nbytes == 0);
    CHECK(is_filled(buf, 8, nbytes));
    answer(token, 8);
}

static void short_9(gasnet_token_t token, gasnet_handlerarg_t a1, gasnet_handlerarg_t a2,
                    gasnet_handlerarg_t a3, gasnet_handlerarg_t a4, gasnet_handlerarg_t a5,
                    gasnet_handlerarg_t a6, gasnet_handlerarg_t a7, gasnet_handlerarg_t a8,
                    gasnet_handlerarg_t a9)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3, a4, a5, a6, a7, a8, a9};
    check_arguments(9, args);
    answer(token, 9);
}

static void bulk_9(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t a1,
                   gasnet_handlerarg_t a2, gasnet_handlerarg_t a3, gasnet_handlerarg_t a4,
                   gasnet_handlerarg_t a5, gasnet_handlerarg_t a6, gasnet_handlerarg_t a7,
                   gasnet_handlerarg_t a8, gasnet_handlerarg_t a9)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3, a4, a5, a6, a7, a8, a9};
    check_arguments(9, args);
    CHECK((uintptr_t)buf % 8 == 0 || nbytes == 0);
    CHECK(is_filled(buf, 9, nbytes));
    answer(token, 9);
}

static void short_10(gasnet_token_t token, gasnet_handlerarg_t a1, gasnet_handlerarg_t a2,
                     gasnet_handlerarg_t a3, gasnet_handlerarg_t a4, gasnet_handlerarg_t a5,
                     gasnet_handlerarg_t a6, gasnet_handlerarg_t a7, gasnet_handlerarg_t a8,
                     gasnet_handlerarg_t a9, gasnet_handlerarg_t a10)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3, a4, a5, a6, a7, a8, a9, a10};
    check_arguments(10, args);
    answer(token, 10);
}

static void bulk_10(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t a1,
                    gasnet_handlerarg_t a2, gasnet_handlerarg_t a3, gasnet_handlerarg_t a4,
                    gasnet_handlerarg_t a5, gasnet_handlerarg_t a6, gasnet_handlerarg_t a7,
                    gasnet_handlerarg_t a8, gasnet_handlerarg_t a9, gasnet_handlerarg_t a10)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3, a4, a5, a6, a7, a8, a9, a10};
    check_arguments(10, args);
    CHECK((uintptr_t)buf % 8 == 0 || nbytes == 0);
    CHECK(is_filled(buf, 10, nbytes));
    answer(token, 10);
}

static void short_11(gasnet_token_t token, gasnet_handlerarg_t a1, gasnet_handlerarg_t a2,
                     gasnet_handlerarg_t a3, gasnet_handlerarg_t a4, gasnet_handlerarg_t a5,
                     gasnet_handlerarg_t a6, gasnet_handlerarg_t a7, gasnet_handlerarg_t a8,
                     gasnet_handlerarg_t a9, gasnet_handlerarg_t a10, gasnet_handlerarg_t a11)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11};
    check_arguments(11, args);
    answer(token, 11);
}

static void bulk_11(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t a1,
                    gasnet_handlerarg_t a2, gasnet_handlerarg_t a3, gasnet_handlerarg_t a4,
                    gasnet_handlerarg_t a5, gasnet_handlerarg_t a6, gasnet_handlerarg_t a7,
                    gasnet_handlerarg_t a8, gasnet_handlerarg_t a9, gasnet_handlerarg_t a10,
                    gasnet_handlerarg_t a11)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11};
    check_arguments(11, args);
    CHECK((uintptr_t)buf % 8 == 0 || nbytes == 0);
    CHECK(is_filled(buf, 11, nbytes));
    answer(token, 11);
}

static void short_12(gasnet_token_t token, gasnet_handlerarg_t a1, gasnet_handlerarg_t a2,
                     gasnet_handlerarg_t a3, gasnet_handlerarg_t a4, gasnet_handlerarg_t a5,
                     gasnet_handlerarg_t a6, gasnet_handlerarg_t a7, gasnet_handlerarg_t a8,
                     gasnet_handlerarg_t a9, gasnet_handlerarg_t a10, gasnet_handlerarg_t a11,
                     gasnet_handlerarg_t a12)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12};
    check_arguments(12, args);
    answer(token, 12);
}

static void bulk_12(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t a1,
                    gasnet_handlerarg_t a2, gasnet_handlerarg_t a3, gasnet_handlerarg_t a4,
                    gasnet_handlerarg_t a5, gasnet_handlerarg_t a6, gasnet_handlerarg_t a7,
                    gasnet_handlerarg_t a8, gasnet_handlerarg_t a9, gasnet_handlerarg_t a10,
                    gasnet_handlerarg_t a11, gasnet_handlerarg_t a12)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12};
    check_arguments(12, args);
    CHECK((uintptr_t)buf % 8 == 0 || nbytes == 0);
    CHECK(is_filled(buf, 12, nbytes));
    answer(token, 12);
}

static void short_13(gasnet_token_t token, gasnet_handlerarg_t a1, gasnet_handlerarg_t a2,
                     gasnet_handlerarg_t a3, gasnet_handlerarg_t a4, gasnet_handlerarg_t a5,
                     gasnet_handlerarg_t a6, gasnet_handlerarg_t a7, gasnet_handlerarg_t a8,
                     gasnet_handlerarg_t a9, gasnet_handlerarg_t a10, gasnet_handlerarg_t a11,
                     gasnet_handlerarg_t a12, gasnet_handlerarg_t a13)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13};
    check_arguments(13, args);
    answer(token, 13);
}

static void bulk_13(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t a1,
                    gasnet_handlerarg_t a2, gasnet_handlerarg_t a3, gasnet_handlerarg_t a4,
                    gasnet_handlerarg_t a5, gasnet_handlerarg_t a6, gasnet_handlerarg_t a7,
                    gasnet_handlerarg_t a8, gasnet_handlerarg_t a9, gasnet_handlerarg_t a10,
                    gasnet_handlerarg_t a11, gasnet_handlerarg_t a12, gasnet_handlerarg_t a13)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13};
    check_arguments(13, args);
    CHECK((uintptr_t)buf % 8 == 0 || nbytes == 0);
    CHECK(is_filled(buf, 13, nbytes));
    answer(token, 13);
}

static void short_14(gasnet_token_t token, gasnet_handlerarg_t a1, gasnet_handlerarg_t a2,
                     gasnet_handlerarg_t a3, gasnet_handlerarg_t a4, gasnet_handlerarg_t a5,
                     gasnet_handlerarg_t a6, gasnet_handlerarg_t a7, gasnet_handlerarg_t a8,
                     gasnet_handlerarg_t a9, gasnet_handlerarg_t a10, gasnet_handlerarg_t a11,
                     gasnet_handlerarg_t a12, gasnet_handlerarg_t a13, gasnet_handlerarg_t a14)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3,  a4,  a5,  a6,  a7,
                                        a8, a9, a10, a11, a12, a13, a14};
    check_arguments(14, args);
    answer(token, 14);
}

static void bulk_14(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t a1,
                    gasnet_handlerarg_t a2, gasnet_handlerarg_t a3, gasnet_handlerarg_t a4,
                    gasnet_handlerarg_t a5, gasnet_handlerarg_t a6, gasnet_handlerarg_t a7,
                    gasnet_handlerarg_t a8, gasnet_handlerarg_t a9, gasnet_handlerarg_t a10,
                    gasnet_handlerarg_t a11, gasnet_handlerarg_t a12, gasnet_handlerarg_t a13,
                    gasnet_handlerarg_t a14)
{
    const gasnet_handlerarg_t args[] = {a1, a2, a3,  a4,  a5,  a6,  a7,
                                        a8, a9, a10, a11, a12, a13, a14};
    check_arguments(14, args);
    CHECK((uintptr_t)buf % 8 == 0 || nbytes == 0);
    CHECK(is_filled(buf, 14, nbytes));
    answer(token, 14);
}

static void short_15(gasnet_token_t token, gasnet_handlerarg_t a1, gasnet_handlerarg_t a2,
                     gasnet_handlerarg_t a3, gasnet_handlerarg_t a4, gasnet_handlerarg_t a5,
                     gasnet_handlerarg_t a6, gasnet_handlerarg_t a7, gasnet_handlerarg_t a8,
                     gasnet_handlerarg_t a9, gasnet_handlerarg_t a10, gasnet_handlerarg_t a11,
                     gasnet_handlerarg_t a12, gasnet_handlerarg_t a13, gasnet_handlerarg_t a14,
                     gasnet_handlerarg_t a15)
{
    const gasnet_handlerarg_t args[] = {a1, a2,  a3,  a4,  a5,  a6,  a7, a8,
                                        a9, a10, a11, a12, a13, a14, a15};
    check_arguments(15, args);
    answer(token, 15);
}

static void bulk_15(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t a1,
                    gasnet_handlerarg_t a2, gasnet_handlerarg_t a3, gasnet_handlerarg_t a4,
                    gasnet_handlerarg_t a5, gasnet_handlerarg_t a6, gasnet_handlerarg_t a7,
                    gasnet_handlerarg_t a8, gasnet_handlerarg_t a9, gasnet_handlerarg_t a10,
                    gasnet_handlerarg_t a11, gasnet_handlerarg_t a12, gasnet_handlerarg_t a13,
                    gasnet_handlerarg_t a14, gasnet_handlerarg_t a15)
{
    const gasnet_handlerarg_t args[] = {a1, a2,  a3,  a4,  a5,  a6,  a7, a8,
                                        a9, a10, a11, a12, a13, a14, a15};
    check_arguments(15, args);
    CHECK((uintptr_t)buf % 8 == 0 || nbytes == 0);
    CHECK(is_filled(buf, 15, nbytes));
    answer(token, 15);
}

static void short_16(gasnet_token_t token, gasnet_handlerarg_t a1, gasnet_handlerarg_t a2,
                     gasnet_handlerarg_t a3, gasnet_handlerarg_t a4, gasnet_handlerarg_t a5,
                     gasnet_handlerarg_t a6, gasnet_handlerarg_t a7, gasnet_handlerarg_t a8,
                     gasnet_handlerarg_t a9, gasnet_handlerarg_t a10, gasnet_handlerarg_t a11,
                     gasnet_handlerarg_t a12, gasnet_handlerarg_t a13, gasnet_handlerarg_t a14,
                     gasnet_handlerarg_t a15, gasnet_handlerarg_t a16)
{
    const gasnet_handlerarg_t args[] = {a1, a2,  a3,  a4,  a5,  a6,  a7,  a8,
                                        a9, a10, a11, a12, a13, a14, a15, a16};
    check_arguments(16, args);
    answer(token, 16);
}

static void bulk_16(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t a1,
                    gasnet_handlerarg_t a2, gasnet_handlerarg_t a3, gasnet_handlerarg_t a4,
                    gasnet_handlerarg_t a5, gasnet_handlerarg_t a6, gasnet_handlerarg_t a7,
                    gasnet_handlerarg_t a8, gasnet_handlerarg_t a9, gasnet_handlerarg_t a10,
                    gasnet_handlerarg_t a11, gasnet_handlerarg_t a12, gasnet_handlerarg_t a13,
                    gasnet_handlerarg_t a14, gasnet_handlerarg_t a15, gasnet_handlerarg_t a16)
{
    const gasnet_handlerarg_t args[] = {a1, a2,  a3,  a4,  a5,  a6,  a7,  a8,
                                        a9, a10, a11, a12, a13, a14, a15, a16};
    check_arguments(16, args);
    CHECK((uintptr_t)buf % 8 == 0 || nbytes == 0);
    CHECK(is_filled(buf, 16, nbytes));
    answer(token, 16);
}

/* The segment of a node has a place for the longs of each other one. */
static char *area_of(gasnet_node_t node)
{
    return segment_of(node) + 2048 * gasnet_mynode();
}

#define SEND(M, ...) \
    do { \
        CHECK(gasnet_AMRequestShort##M(to, SHORT + M __VA_ARGS__) == GASNET_OK); \
        CHECK(gasnet_AMRequestShort(to, SHORT + M __VA_ARGS__) == GASNET_OK); \
        fill(payload, M, 1000); \
        CHECK(gasnet_AMRequestMedium##M(to, MEDIUM + M, payload, 1000 __VA_ARGS__) == GASNET_OK); \
        CHECK(gasnet_AMRequestMedium(to, MEDIUM + M, payload, 8 __VA_ARGS__) == GASNET_OK); \
        CHECK(gasnet_AMRequestLong##M(to, LONG + M, payload, 1000, area_of(to) __VA_ARGS__) == \
              GASNET_OK); \
        memset(payload, 0, 1000); \
        wait_for(5); \
        fill(payload, M, 1000); \
        CHECK(gasnet_AMRequestLongAsync##M(to, LONG + M, payload, 900, area_of(to) __VA_ARGS__) == \
              GASNET_OK); \
        wait_for(1); \
        CHECK(gasnet_AMRequestLong(to, LONG + M, payload, 0, NULL __VA_ARGS__) == GASNET_OK); \
        CHECK(gasnet_AMRequestMedium##M(to, MEDIUM + M, NULL, 0 __VA_ARGS__) == GASNET_OK); \
        wait_for(2); \
    } while (0)

static int awaited;

static void wait_for(int count)
{
    awaited += count;
    GASNET_BLOCKUNTIL(__atomic_load_n(&replies, __ATOMIC_ACQUIRE) == awaited);
}

static void send_all(gasnet_node_t to)
{
    static char payload[1000];
    const gasnet_handlerarg_t v = -(gasnet_handlerarg_t)gasnet_mynode() - 7;
    SEND(0, );
    SEND(1, , argument(v, 0));
    SEND(2, , argument(v, 0), argument(v, 1));
    SEND(3, , argument(v, 0), argument(v, 1), argument(v, 2));
    SEND(4, , argument(v, 0), argument(v, 1), argument(v, 2), argument(v, 3));
    SEND(5, , argument(v, 0), argument(v, 1), argument(v, 2), argument(v, 3), argument(v, 4));
    SEND(6, , argument(v, 0), argument(v, 1), argument(v, 2), argument(v, 3), argument(v, 4),
         argument(v, 5));
    SEND(7, , argument(v, 0), argument(v, 1), argument(v, 2), argument(v, 3), argument(v, 4),
         argument(v, 5), argument(v, 6));
    SEND(8, , argument(v, 0), argument(v, 1), argument(v, 2), argument(v, 3), argument(v, 4),
         argument(v, 5), argument(v, 6), argument(v, 7));
    SEND(9, , argument(v, 0), argument(v, 1), argument(v, 2), argument(v, 3), argument(v, 4),
         argument(v, 5), argument(v, 6), argument(v, 7), argument(v, 8));
    SEND(10, , argument(v, 0), argument(v, 1), argument(v, 2), argument(v, 3), argument(v, 4),
         argument(v, 5), argument(v, 6), argument(v, 7), argument(v, 8), argument(v, 9));
    SEND(11, , argument(v, 0), argument(v, 1), argument(v, 2), argument(v, 3), argument(v, 4),
         argument(v, 5), argument(v, 6), argument(v, 7), argument(v, 8), argument(v, 9),
         argument(v, 10));
    SEND(12, , argument(v, 0), argument(v, 1), argument(v, 2), argument(v, 3), argument(v, 4),
         argument(v, 5), argument(v, 6), argument(v, 7), argument(v, 8), argument(v, 9),
         argument(v, 10), argument(v, 11));
    SEND(13, , argument(v, 0), argument(v, 1), argument(v, 2), argument(v, 3), argument(v, 4),
         argument(v, 5), argument(v, 6), argument(v, 7), argument(v, 8), argument(v, 9),
         argument(v, 10), argument(v, 11), argument(v, 12));
    SEND(14, , argument(v, 0), argument(v, 1), argument(v, 2), argument(v, 3), argument(v, 4),
         argument(v, 5), argument(v, 6), argument(v, 7), argument(v, 8), argument(v, 9),
         argument(v, 10), argument(v, 11), argument(v, 12), argument(v, 13));
    SEND(15, , argument(v, 0), argument(v, 1), argument(v, 2), argument(v, 3), argument(v, 4),
         argument(v, 5), argument(v, 6), argument(v, 7), argument(v, 8), argument(v, 9),
         argument(v, 10), argument(v, 11), argument(v, 12), argument(v, 13), argument(v, 14));
    SEND(16, , argument(v, 0), argument(v, 1), argument(v, 2), argument(v, 3), argument(v, 4),
         argument(v, 5), argument(v, 6), argument(v, 7), argument(v, 8), argument(v, 9),
         argument(v, 10), argument(v, 11), argument(v, 12), argument(v, 13), argument(v, 14),
         argument(v, 15));
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
    CHECK(gasnet_AMGetMsgSource(NULL, NULL) == GASNET_ERR_BAD_ARG);
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
                                (gasnet_handler_t)once(SHORT + 2), once(5),
                                once(5 - 1000003)) == GASNET_OK);
    CHECK(evaluations == 4);
    wait_for(1);
}

#define ENTRY(index, function) \
    { \
        (index), (void (*)())(function) \
    }

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {
        ENTRY(SHORT + 0, short_0),       ENTRY(MEDIUM + 0, bulk_0),     ENTRY(LONG + 0, bulk_0),
        ENTRY(SHORT + 1, short_1),       ENTRY(MEDIUM + 1, bulk_1),     ENTRY(LONG + 1, bulk_1),
        ENTRY(SHORT + 2, short_2),       ENTRY(MEDIUM + 2, bulk_2),     ENTRY(LONG + 2, bulk_2),
        ENTRY(SHORT + 3, short_3),       ENTRY(MEDIUM + 3, bulk_3),     ENTRY(LONG + 3, bulk_3),
        ENTRY(SHORT + 4, short_4),       ENTRY(MEDIUM + 4, bulk_4),     ENTRY(LONG + 4, bulk_4),
        ENTRY(SHORT + 5, short_5),       ENTRY(MEDIUM + 5, bulk_5),     ENTRY(LONG + 5, bulk_5),
        ENTRY(SHORT + 6, short_6),       ENTRY(MEDIUM + 6, bulk_6),     ENTRY(LONG + 6, bulk_6),
        ENTRY(SHORT + 7, short_7),       ENTRY(MEDIUM + 7, bulk_7),     ENTRY(LONG + 7, bulk_7),
        ENTRY(SHORT + 8, short_8),       ENTRY(MEDIUM + 8, bulk_8),     ENTRY(LONG + 8, bulk_8),
        ENTRY(SHORT + 9, short_9),       ENTRY(MEDIUM + 9, bulk_9),     ENTRY(LONG + 9, bulk_9),
        ENTRY(SHORT + 10, short_10),     ENTRY(MEDIUM + 10, bulk_10),   ENTRY(LONG + 10, bulk_10),
        ENTRY(SHORT + 11, short_11),     ENTRY(MEDIUM + 11, bulk_11),   ENTRY(LONG + 11, bulk_11),
        ENTRY(SHORT + 12, short_12),     ENTRY(MEDIUM + 12, bulk_12),   ENTRY(LONG + 12, bulk_12),
        ENTRY(SHORT + 13, short_13),     ENTRY(MEDIUM + 13, bulk_13),   ENTRY(LONG + 13, bulk_13),
        ENTRY(SHORT + 14, short_14),     ENTRY(MEDIUM + 14, bulk_14),   ENTRY(LONG + 14, bulk_14),
        ENTRY(SHORT + 15, short_15),     ENTRY(MEDIUM + 15, bulk_15),   ENTRY(LONG + 15, bulk_15),
        ENTRY(SHORT + 16, short_16),     ENTRY(MEDIUM + 16, bulk_16),   ENTRY(LONG + 16, bulk_16),
        ENTRY(SHORT_REPLY, reply_short), ENTRY(BULK_REPLY, reply_bulk), ENTRY(PROBE, probe),
        ENTRY(PROBE_REPLY, probe_reply),
    };
    CHECK(gasnet_AMRequestShort0(0, SHORT) == GASNET_ERR_NOT_INIT);
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
    GASNET_BLOCKUNTIL(__atomic_load_n(&received, __ATOMIC_ACQUIRE) ==
                      (int)gasnet_nodes() * 17 * 8 + 1);
    CHECK(bytes_of_replies > 0);
    meet();
    gasnet_exit(0);
}
