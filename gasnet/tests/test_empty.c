/*
 * Messages of 0 bytes: medium and long requests, async ones too, and their replies, whose sources
 * and destinations are no memory of anybody's, or memory that nobody may read. Each handler runs
 * once, gets 0 bytes, its arguments and, for a long message, the destination as it was named.
 * Between nodes that have no segment, and among messages that carry bytes.
 */
#include "client.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum {
    MEDIUM = 200,
    LONG,
    ANSWERED,
    ROUNDS = 150,
    BYTES = 100
};

static int requests;
static int answers;
static char *unreadable;

/* Addresses that no copy of a byte would survive; the same on every node but for the last one. */
static void *nowhere(int which)
{
    static const uintptr_t addresses[] = {0, 8, UINTPTR_MAX, UINTPTR_MAX / 2};
    int count = (int)(sizeof addresses / sizeof *addresses);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of nothing
    return which % (count + 1) == count ? unreadable : (void *)addresses[which % (count + 1)];
}

static void *address_in(gasnet_handlerarg_t low, gasnet_handlerarg_t high)
{
    // NOLINTNEXTLINE(performance-no-int-to-ptr): it was one
    return (void *)(uintptr_t)((uint32_t)low | (uint64_t)(uint32_t)high << 32);
}

#define LOW(address) ((gasnet_handlerarg_t)(uint32_t)(uintptr_t)(address))
#define HIGH(address) ((gasnet_handlerarg_t)((uint64_t)(uintptr_t)(address) >> 32))

static void answer(gasnet_token_t token, gasnet_handlerarg_t round)
{
    requests++;
    if (round % 3 == 1)
        CHECK(gasnet_AMReplyLong3(token, ANSWERED, nowhere(round), 0, nowhere(2), round,
                                  LOW(nowhere(2)), HIGH(nowhere(2))) == GASNET_OK);
    else
        CHECK(gasnet_AMReplyMedium3(token, ANSWERED, nowhere(round), 0, round, 0, 0) == GASNET_OK);
}

static void on_medium(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t round,
                      gasnet_handlerarg_t size)
{
    CHECK(nbytes == (size_t)size && is_filled(buf, (size_t)round, nbytes));
    answer(token, round);
}

static void on_long(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t round,
                    gasnet_handlerarg_t low, gasnet_handlerarg_t high)
{
    CHECK(nbytes == 0 && buf == address_in(low, high));
    answer(token, round);
}

static void on_answer(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t round,
                      gasnet_handlerarg_t low, gasnet_handlerarg_t high)
{
    (void)token;
    CHECK(nbytes == 0);
    CHECK(round % 3 != 1 || buf == address_in(low, high));
    answers++;
}

static void send_round(gasnet_node_t to, gasnet_handlerarg_t round)
{
    static char bytes[BYTES];
    void *src = nowhere(round / 2);
    void *dst = nowhere(round);
    CHECK(gasnet_AMRequestMedium2(to, MEDIUM, src, 0, round, 0) == GASNET_OK);
    CHECK(gasnet_AMRequestLong3(to, LONG, src, 0, dst, round, LOW(dst), HIGH(dst)) == GASNET_OK);
    fill(bytes, (size_t)round, BYTES);
    CHECK(gasnet_AMRequestMedium2(to, MEDIUM, bytes, BYTES, round, BYTES) == GASNET_OK);
    CHECK(gasnet_AMRequestLongAsync3(to, LONG, src, 0, dst, round, LOW(dst), HIGH(dst)) ==
          GASNET_OK);
    CHECK(gasnet_AMRequestLong(to, LONG, src, 0, dst, 3, round, LOW(dst), HIGH(dst)) == GASNET_OK);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{MEDIUM, (void (*)())on_medium},
                                     {LONG, (void (*)())on_long},
                                     {ANSWERED, (void (*)())on_answer}};
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_attach(table, 3, 0, 0) == GASNET_OK);
    unreadable = mmap(NULL, GASNET_PAGESIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(unreadable != MAP_FAILED);
    meet();
    int all = ROUNDS * 5 * (int)gasnet_nodes();
    for (int round = 0; round < ROUNDS; round++)
        for (gasnet_node_t i = 0; i < gasnet_nodes(); i++)
            send_round((gasnet_mynode() + i) % gasnet_nodes(), round);
    GASNET_BLOCKUNTIL(answers == all && requests == all);
    meet();
    gasnet_AMPoll();
    CHECK(answers == all && requests == all);
    meet();
    gasnet_exit(0);
}
