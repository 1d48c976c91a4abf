/*
 * Large transfers: the source of a put without _bulk is freed at once, at 16 MiB; long requests and
 * long replies of 40 MiB; medium ones of the largest size; 64 MiB in flight from one source, in
 * puts of 16 KiB, 64 KiB and 16 MiB, for which no such memory is taken; and again and again 32 puts
 * of 8 and 16 KiB, whose copies do not cost new pages each time, also behind very many small ones.
 */
#include "client.h"

#include <string.h>
#include <sys/resource.h>

enum {
    FLOOD = 64 << 20,
    PUT = 16 << 20,
    GROWN_KIB = 14 << 10,
    LONG_SIZE = 40 << 20,
    AREA = 48 << 20,
    ROUNDS = 200,
    EACH_ROUND = 32,
    MANY = 2500,
    MANY_PUT = 2000,
    FAULTS_MOST = ROUNDS * EACH_ROUND / 8,
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

/* All pages that the puts write, in the owner and in those that write themselves. */
static void touch(gasnet_node_t to)
{
    memset(own_segment(), 0, (size_t)2 * PUT);
    meet();
    gasnet_memset(to, segment_of(to), 0, (size_t)2 * PUT);
    meet();
}

static struct rusage usage(void)
{
    struct rusage used;
    CHECK(getrusage(RUSAGE_SELF, &used) == 0);
    return used;
}

/* Sanitizers keep what is freed, and give other pages each time. */
static void check_most(long used, long most, const char *of_what, size_t nbytes)
{
    if (getenv("FATHOM_TEST_SANITIZED") != NULL || used <= most)
        return;
    fprintf(stderr, "%ld %s for puts of %zu bytes\n", used, of_what, nbytes);
    CHECK(used <= most);
}

static void flood(gasnet_node_t to, size_t nbytes)
{
    const size_t count = FLOOD / nbytes / 2;
    char *source = filled(5, nbytes);
    gasnet_handle_t *handles = malloc(count * sizeof(gasnet_handle_t));
    CHECK(handles != NULL);
    long before = usage().ru_maxrss;
    for (size_t i = 0; i < count; i++) {
        handles[i] = gasnet_put_nb(to, segment_of(to) + i * nbytes % PUT, source, nbytes);
        gasnet_put_nbi(to, segment_of(to) + PUT + i * nbytes % PUT, source, nbytes);
    }
    discard(source, nbytes);
    gasnet_wait_syncnb_all(handles, count);
    gasnet_wait_syncnbi_puts();
    check_most(usage().ru_maxrss - before, GROWN_KIB, "KiB more", nbytes);
    free(handles);
    meet();
    for (size_t at = 0; at < (size_t)2 * PUT; at += nbytes)
        CHECK(is_filled(own_segment() + at, 5, nbytes));
    meet();
}

static void put_round(gasnet_node_t to, const char *source, size_t nbytes)
{
    gasnet_handle_t handles[EACH_ROUND];
    for (size_t i = 0; i < EACH_ROUND; i++)
        handles[i] = gasnet_put_nb(to, segment_of(to) + i * nbytes, (void *)source, nbytes);
    gasnet_wait_syncnb_all(handles, EACH_ROUND);
}

static void put_many(gasnet_node_t to)
{
    char *source = filled(7, MANY_PUT);
    for (int i = 0; i < MANY; i++)
        gasnet_put_nbi(to, segment_of(to), source, MANY_PUT);
    gasnet_wait_syncnbi_puts();
    free(source);
    meet();
}

static void put_rounds(gasnet_node_t to, size_t nbytes)
{
    char *source = filled(6, nbytes);
    for (int i = 0; i < ROUNDS; i++) /* until as many of these are kept as are in flight */
        put_round(to, source, nbytes);
    long before = usage().ru_minflt;
    for (int i = 0; i < ROUNDS; i++)
        put_round(to, source, nbytes);
    check_most(usage().ru_minflt - before, FAULTS_MOST, "page faults", nbytes);
    free(source);
    meet();
    for (size_t i = 0; i < EACH_ROUND; i++)
        CHECK(is_filled(own_segment() + i * nbytes, 6, nbytes));
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
    /* First: to free a large block changes what malloc keeps. */
    put_rounds(next, 8 << 10);
    put_many(next);
    put_rounds(next, 16 << 10);
    touch(next);
    flood(next, 16 << 10);
    flood(next, 64 << 10);
    flood(next, PUT);
    put(next);
    send(next);
    gasnet_exit(0);
}
