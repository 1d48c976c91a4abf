/*
 * GASNET_SEGMENT_EVERYTHING: static memory, heap and stack of every node, oneself included, are
 * reached by every kind of put, get and long message, of 1 byte to several messages' worth; sources
 * of puts without _bulk may change at once; copies of 0 bytes and sources at odd addresses; client
 * threads that end before their operations.
 *
 * Each node has an area for each node in each of its memories, and writes to its own in all.
 */
#include "client.h"

#include <gasnet_coll.h>
#include <gasnet_vis.h>

#ifndef GASNET_SEQ
#include <pthread.h>
#endif
#include <string.h>

#ifndef GASNET_SEGMENT_EVERYTHING
#error "this test is compiled with GASNET_SEGMENT_EVERYTHING"
#endif

enum {
    LONG = 128,
    LONG_REPLY,
    MEMORIES = 3,
    MOST_NODES = 4,
    AREA = 200000
};

typedef struct places {
    char *memory[MEMORIES];
} places_t;

static char statics[MOST_NODES * AREA];
static places_t places[MOST_NODES];
static char mine[AREA];
static char back[AREA];
static int long_replies;

static char *area(gasnet_node_t node, int memory)
{
    return places[node].memory[memory] + (size_t)gasnet_mynode() * AREA;
}

/* ---- Copies ---- */

static void check_content(gasnet_node_t node, char *there, size_t seed, size_t nbytes)
{
    memset(back, 0, nbytes);
    gasnet_get(back, node, there, nbytes);
    CHECK(is_filled(back, seed, nbytes));
}

static void copy(gasnet_node_t node, char *there, size_t nbytes)
{
    fill(mine, nbytes, nbytes);
    gasnet_put(node, there, mine, nbytes);
    check_content(node, there, nbytes, nbytes);

    fill(mine, nbytes + 1, nbytes);
    gasnet_handle_t handle = gasnet_put_nb(node, there, mine, nbytes);
    memset(mine, 0xee, nbytes);
    gasnet_wait_syncnb(handle);
    memset(back, 0, nbytes);
    handle = gasnet_get_nb_bulk(back, node, there, nbytes);
    while (gasnet_try_syncnb(handle) == GASNET_ERR_NOT_READY)
        continue;
    CHECK(is_filled(back, nbytes + 1, nbytes));

    fill(mine, nbytes + 2, nbytes);
    gasnet_put_nbi(node, there, mine, nbytes);
    memset(mine, 0xee, nbytes);
    gasnet_wait_syncnbi_puts();
    gasnet_get_nbi(back, node, there, nbytes);
    gasnet_wait_syncnbi_all();
    CHECK(is_filled(back, nbytes + 2, nbytes));

    gasnet_begin_nbi_accessregion();
    gasnet_memset_nbi(node, there, 0x5a, nbytes);
    gasnet_handle_t handles[2] = {gasnet_end_nbi_accessregion(), GASNET_INVALID_HANDLE};
    gasnet_wait_syncnb_all(handles, 2);
    gasnet_get_bulk(back, node, there, nbytes);
    for (size_t i = 0; i < nbytes; i++)
        CHECK(back[i] == 0x5a);
}

static void copy_values(gasnet_node_t node, char *there)
{
    gasnet_put_val(node, there, 0x1122334455667788, 8);
    CHECK(gasnet_get_val(node, there, 8) == 0x1122334455667788);
    CHECK(gasnet_get_val(node, there + 1, 3) == 0x556677);
    gasnet_wait_syncnb(gasnet_put_nb_val(node, there + 3, 0xab, 1));
    CHECK(gasnet_wait_syncnb_valget(gasnet_get_nb_val(node, there, 8)) == 0x11223344ab667788);
    gasnet_put(node, there, there, 0);
    gasnet_get(back, node, there, 0);
    gasnet_memset(node, there, 1, 0);
    CHECK(gasnet_get_val(node, there, 8) == 0x11223344ab667788);
}

static void copy_sections(gasnet_node_t node, char *there)
{
    const size_t stride[] = {10, 100};
    const size_t dense[] = {4, 20};
    const size_t count[] = {4, 5, 6};
    gasnet_memvec_t remote[] = {{there, 7}, {there + 3, 0}, {there + 1000, 50}, {there + 9, 3}};
    gasnet_memvec_t local[] = {{mine, 40}, {mine + 100, 20}};
    void *entries[] = {there + 4000, there + 3000, there + 5000};
    void *lines[] = {mine};
    fill(mine, 3, 120);
    gasnet_puts_bulk(node, there, stride, mine, dense, count, 2);
    memset(back, 0, 120);
    gasnet_wait_syncnb(gasnet_gets_nb_bulk(back, dense, node, there, stride, count, 2));
    CHECK(is_filled(back, 3, 120));
    CHECK(gasnet_get_val(node, there + 510, 1) == pattern(3, 104));

    gasnet_wait_syncnb(gasnet_putv_nb_bulk(node, 4, remote, 2, local));
    CHECK(gasnet_get_val(node, there + 1033, 1) == pattern(3, 100));
    CHECK(gasnet_get_val(node, there + 11, 1) == pattern(3, 119));
    memset(mine, 0, 120);
    gasnet_getv_bulk(2, local, node, 4, remote);
    CHECK(is_filled(mine, 3, 40));
    CHECK((unsigned char)mine[119] == pattern(3, 119));

    fill(mine, 4, 600);
    gasnet_puti_nbi_bulk(node, 3, entries, 200, 1, lines, 600);
    gasnet_wait_syncnbi_all();
    CHECK(gasnet_get_val(node, there + 3199, 1) == pattern(4, 399));
    memset(mine, 0, 600);
    gasnet_geti_bulk(1, lines, 600, node, 3, entries, 200);
    CHECK(is_filled(mine, 4, 600));
}

/* More pieces than go together, small ones around one that no message carries with others. */
static void copy_many(gasnet_node_t node, char *there)
{
    static gasnet_memvec_t remote[1400];
    const size_t last = sizeof remote / sizeof *remote;
    size_t total = 0;
    char *at = there;
    for (size_t i = 0; i < last; i++) {
        size_t len = i == 900 ? AREA / 2 : i % 23;
        remote[i] = (gasnet_memvec_t){at, len};
        at += len + i % 3;
        total += len;
    }
    CHECK(total <= AREA && at <= there + AREA);
    gasnet_memvec_t local = {mine, total};
    fill(mine, 5, total);
    gasnet_wait_syncnb(gasnet_putv_nb_bulk(node, last, remote, 1, &local));
    gasnet_get_bulk(back, node, there, (size_t)(at - there));
    for (size_t i = 0, done = 0; i < last; done += remote[i++].len)
        CHECK(memcmp(back + ((char *)remote[i].addr - there), mine + done, remote[i].len) == 0);
    memset(mine, 0, total);
    gasnet_getv_nbi_bulk(1, &local, node, last, remote);
    gasnet_wait_syncnbi_gets();
    CHECK(is_filled(mine, 5, total));
}

/* ---- Long messages ---- */

static void on_reply(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t seed)
{
    (void)token;
    CHECK((char *)buf == mine || nbytes == 0);
    CHECK(is_filled(buf, (size_t)seed, nbytes));
    long_replies++;
}

/* The last three arguments are the requester's address, for the reply, and the way there. */
static void on_long(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t seed,
                    gasnet_handlerarg_t low, gasnet_handlerarg_t high)
{
    char *reply = (char *)(uintptr_t)((uint32_t)low | (uint64_t)(uint32_t)high << 32);
    CHECK(is_filled(buf, (size_t)seed, nbytes));
    gasnet_AMReplyLong1(token, LONG_REPLY, buf, nbytes, reply, seed);
}

static void send_long(gasnet_node_t node, char *there, size_t nbytes)
{
    uint64_t reply = (uintptr_t)mine;
    int before = long_replies;
    gasnet_handlerarg_t seed = (gasnet_handlerarg_t)nbytes;
    fill(back, nbytes, nbytes);
    CHECK(gasnet_AMRequestLong3(node, LONG, back, nbytes, there, seed,
                                (gasnet_handlerarg_t)(uint32_t)reply,
                                (gasnet_handlerarg_t)(reply >> 32)) == GASNET_OK);
    memset(back, 0, nbytes);
    GASNET_BLOCKUNTIL(long_replies == before + 1);
    fill(back, nbytes, nbytes);
    CHECK(gasnet_AMRequestLongAsync3(node, LONG, back, nbytes, there, seed,
                                     (gasnet_handlerarg_t)(uint32_t)reply,
                                     (gasnet_handlerarg_t)(reply >> 32)) == GASNET_OK);
    GASNET_BLOCKUNTIL(long_replies == before + 2);
    CHECK(nbytes == 0 || is_filled(mine, nbytes, nbytes));
}

/* ---- Threads that end before their operations ---- */

#ifndef GASNET_SEQ

static void *start_and_end(void *node)
{
    gasnet_node_t to = (gasnet_node_t)(uintptr_t)node;
    char *there = area(to, 0);
    gasnet_put_nb(to, there, mine, 5000);
    gasnet_put_nb_bulk(to, there + 5000, mine + 5000, 5000);
    gasnet_memset_nb(to, there + 10000, 9, 5000);
    gasnet_get_nb(back, to, there + 15000, AREA - 15000);
    return NULL;
}

/* What nobody has synchronised is complete when its thread has ended. */
static void end_before_sync(gasnet_node_t to)
{
    pthread_t thread;
    char there[15000];
    fill(mine, 3, 10000);
    memset(mine + 10000, 9, 5000);
    memset(back, 1, AREA);
    gasnet_memset(to, area(to, 0), 0, AREA);
    CHECK(pthread_create(&thread, NULL, start_and_end, (void *)(uintptr_t)to) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    gasnet_get(there, to, area(to, 0), sizeof there);
    CHECK(memcmp(there, mine, sizeof there) == 0);
    for (size_t i = 0; i < AREA - 15000; i++)
        CHECK(back[i] == 0);
}

#endif

static void check_queries(void)
{
    CHECK(gasnet_getMaxLocalSegmentSize() == (uintptr_t)-1);
    CHECK(gasnet_getMaxGlobalSegmentSize() == (uintptr_t)-1);
    CHECK(strstr(GASNET_CONFIG_STRING, "SEGMENT=EVERYTHING") != NULL);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {1, 8, 100, 4096, 65536, AREA};
    char stack[MOST_NODES * AREA];
    char *heap = malloc(MOST_NODES * AREA);
    gasnet_handlerentry_t table[] = {{LONG, (void (*)())on_long},
                                     {LONG_REPLY, (void (*)())on_reply}};
    places_t own = {{statics, heap, stack}};
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    check_queries();
    CHECK(gasnet_attach(table, 2, 12345, 0) == GASNET_OK);
    CHECK(gasnet_nodes() <= MOST_NODES && heap != NULL);
    CHECK(gasnet_AMMaxLongRequest() >= 512 && gasnet_AMMaxLongRequest() <= AREA);
    gasnet_coll_init(NULL, 0, NULL, 0, 0);
    gasnet_coll_gather_all(GASNET_TEAM_ALL, places, &own, sizeof own,
                           GASNET_COLL_LOCAL | GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC);
    for (gasnet_node_t i = 0; i < gasnet_nodes(); i++)
        for (int memory = 0; memory < MEMORIES; memory++) {
            gasnet_node_t node = (gasnet_mynode() + i) % gasnet_nodes();
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
                copy(node, area(node, memory), sizes[k]);
            copy(node, area(node, memory) + 3, 1000);
            copy_values(node, area(node, memory) + 1);
            copy_sections(node, area(node, memory));
            copy_many(node, area(node, memory));
            send_long(node, area(node, memory), 0);
            send_long(node, area(node, memory) + 8, 1000);
            send_long(node, area(node, memory), gasnet_AMMaxLongRequest());
        }
#ifndef GASNET_SEQ
    end_before_sync(gasnet_mynode() + 1 < gasnet_nodes() ? gasnet_mynode() + 1 : 0);
#endif
    CHECK(gasnet_AMRequestLong0(0, LONG, back, gasnet_AMMaxLongRequest() + 1, statics) ==
          GASNET_ERR_BAD_ARG);
    meet();
    gasnet_exit(0);
}
