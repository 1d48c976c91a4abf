/*
 * Large transfers: the source of a put without _bulk is freed at once, at 16 MiB; long requests and
 * long replies of 40 MiB; medium ones of the largest size; 64 MiB in flight from one source of
 * 64 KiB, for which no such memory is taken.
 */
#include "client.h"

#include <string.h>
#include <sys/resource.h>

enum {
    FLOOD = 64 << 10,
    PUT = 16 << 20,
    LONG_SIZE = 40 << 20,
    AREA = 48 << 20,
    LONG = 128,
    LONG_REPLY,
    MEDIUM,
    MEDIUM_REPLY
};

static int replies;

static void on_long(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t seed)
{
    gasnet_node_t source;
    CHECK(gasnet_AMGetMsgSource(token, &source) == GASNET_OK);
    CHECK(nbytes == LONG_SIZE && (char *)buf == own_segment());
    CHECK(is_filled(buf, (size_t)seed, nbytes));
    gasnet_AMReplyLong1(token, LONG_REPLY, buf, nbytes, segment_of(source) + AREA, seed);
}

static void on_long_reply(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t seed)
{
    (void)token;
    CHECK(nbytes == LONG_SIZE && (char *)buf == own_segment() + AREA);
    CHECK(is_filled(buf, (size_t)seed, nbytes));
    replies++;
}

static void on_medium(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t seed)
{
    CHECK(nbytes == gasnet_AMMaxMedium() && is_filled(buf, (size_t)seed, nbytes));
    gasnet_AMReplyMedium1(token, MEDIUM_REPLY, buf, nbytes, seed);
}

static void on_medium_reply(gasnet_token_t token, void *buf, size_t nbytes,
                            gasnet_handlerarg_t seed)
{
    (void)token;
    CHECK(nbytes == gasnet_AMMaxMedium() && is_filled(buf, (size_t)seed, nbytes));
    replies++;
}

static char *filled(size_t seed, size_t nbytes)
{
    char *memory = malloc(nbytes);
    CHECK(memory != NULL);
    fill(memory, seed, nbytes);
    return memory;
}

static void discard(char *memory, size_t nbytes)
{
    memset(memory, 0, nbytes);
    free(memory);
}

static void put(gasnet_node_t to)
{
    char *source = filled(1, PUT);
    gasnet_handle_t handle = gasnet_put_nb(to, segment_of(to), source, PUT);
    discard(source, PUT);
    source = filled(2, PUT);
    gasnet_put_nbi(to, segment_of(to) + PUT, source, PUT);
    discard(source, PUT);
    gasnet_wait_syncnb(handle);
    gasnet_wait_syncnbi_puts();
    meet();
    CHECK(is_filled(own_segment(), 1, PUT));
    CHECK(is_filled(own_segment() + PUT, 2, PUT));
    meet();
}

static long most_memory(void)
{
    struct rusage usage;
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
    return usage.ru_maxrss;
}

static void flood(gasnet_node_t to)
{
    char *source = filled(5, FLOOD);
    gasnet_handle_t handles[500];
    long before = most_memory();
    for (int i = 0; i < 500; i++) {
        handles[i] = gasnet_put_nb(to, segment_of(to), source, FLOOD);
        gasnet_put_nbi(to, segment_of(to), source, FLOOD);
    }
    discard(source, FLOOD);
    gasnet_wait_syncnb_all(handles, 500);
    gasnet_wait_syncnbi_puts();
    long grown = most_memory() - before;
    if (grown > 16 << 10)
        fprintf(stderr, "%ld KiB more\n", grown);
    CHECK(grown <= 16 << 10);
    meet();
    CHECK(is_filled(own_segment(), 5, FLOOD));
    meet();
}

static void send(gasnet_node_t to)
{
    const size_t medium = gasnet_AMMaxMedium();
    char *source = filled(3, LONG_SIZE);
    CHECK(gasnet_AMRequestLong1(to, LONG, source, LONG_SIZE, segment_of(to), 3) == GASNET_OK);
    discard(source, LONG_SIZE);
    source = filled(4, medium);
    CHECK(gasnet_AMRequestMedium1(to, MEDIUM, source, medium, 4) == GASNET_OK);
    discard(source, medium);
    GASNET_BLOCKUNTIL(replies == 2);
    meet();
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{LONG, (void (*)())on_long},
                                     {LONG_REPLY, (void (*)())on_long_reply},
                                     {MEDIUM, (void (*)())on_medium},
                                     {MEDIUM_REPLY, (void (*)())on_medium_reply}};
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_attach(table, 4, 2 * AREA, 0) == GASNET_OK);
    segments = malloc(gasnet_nodes() * sizeof *segments);
    CHECK(gasnet_getSegmentInfo(segments, (int)gasnet_nodes()) == GASNET_OK);
    CHECK(segments[gasnet_mynode()].size == 2 * AREA);
    meet();
    gasnet_node_t next = (gasnet_mynode() + 1) % gasnet_nodes();
    put(next);
    flood(next);
    send(next);
    gasnet_exit(0);
}
