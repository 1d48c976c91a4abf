/*
 * Client threads that come and go, one after the other and several at once: each puts, and sends a
 * request whose reply comes when it may have ended, or has long ended. All replies are run by those
 * that are left, what a thread has put is there when it has been joined, and memory and descriptors
 * stay.
 *
 * usage: test_lives [COUNT]
 */
#include "client.h"

#include <dirent.h>
#include <pthread.h>
#include <string.h>

enum {
    LIVES = 1000,
    LIVES_SANITIZED = 200,
    AT_ONCE = 4,
    PIECE = 512,
    MAY_GROW_KIB = 4096,
    REQUEST = 128,
    BULK,
    REPLY
};

static long requests;
static long replies;
static long sent;
static char bulk[PIECE];
/* If it is not NULL, threads end when as many as it counts have called GASNet. */
static pthread_barrier_t *together;

static void take_request(gasnet_token_t token, gasnet_handlerarg_t life)
{
    __atomic_fetch_add(&requests, 1, __ATOMIC_RELAXED);
    CHECK(gasnet_AMReplyShort1(token, REPLY, life) == GASNET_OK);
}

static void take_bulk(gasnet_token_t token, void *payload, size_t nbytes, gasnet_handlerarg_t life)
{
    CHECK(is_filled(payload, 3, nbytes));
    take_request(token, life);
}

static void take_reply(gasnet_token_t token, gasnet_handlerarg_t life)
{
    (void)token;
    CHECK(life >= 0);
    __atomic_fetch_add(&replies, 1, __ATOMIC_RELAXED);
}

static gasnet_node_t next(void)
{
    return (gasnet_mynode() + 1) % gasnet_nodes();
}

/* The place of a thread in the segment of the next node, which nobody else writes. */
static char *place(size_t thread)
{
    return segment_of(next()) + thread * 2 * PIECE;
}

/* Ends with a request, an implicit put and a long message of its own in flight. */
static void *live(void *argument)
{
    const long life = (long)(uintptr_t)argument;
    const size_t thread = (size_t)life % AT_ONCE;
    gasnet_put_nbi_val(next(), place(thread), (gasnet_register_value_t)life, 8);
    if (life % 3 == 0)
        CHECK(gasnet_AMRequestLongAsync1(next(), BULK, bulk, PIECE, place(thread) + PIECE,
                                         (gasnet_handlerarg_t)life) == GASNET_OK);
    else if (life % 3 == 1)
        CHECK(gasnet_AMRequestMedium1(next(), BULK, bulk, PIECE, (gasnet_handlerarg_t)life) ==
              GASNET_OK);
    else
        CHECK(gasnet_AMRequestShort1(next(), REQUEST, (gasnet_handlerarg_t)life) == GASNET_OK);
    __atomic_fetch_add(&sent, 1, __ATOMIC_RELAXED);
    if (together != NULL)
        pthread_barrier_wait(together);
    return NULL;
}

static void live_and_check(long first, long at_once)
{
    pthread_t threads[AT_ONCE];
    for (long i = 0; i < at_once; i++)
        CHECK(pthread_create(&threads[i], NULL, live, (void *)(uintptr_t)(first + i)) == 0);
    for (long i = 0; i < at_once; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    for (long i = 0; i < at_once; i++)
        CHECK(gasnet_get_val(next(), place((size_t)(first + i) % AT_ONCE), 8) ==
              (gasnet_register_value_t)(first + i));
}

static long private_kib(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long kib = 0;
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "RssAnon:", 8) == 0)
            kib = strtol(line + 8, NULL, 10);
    fclose(file);
    CHECK(kib > 0);
    return kib;
}

static int descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    int count = 0;
    CHECK(directory != NULL);
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count;
}

static void wait_for_all(void)
{
    GASNET_BLOCKUNTIL(__atomic_load_n(&replies, __ATOMIC_RELAXED) ==
                      __atomic_load_n(&sent, __ATOMIC_RELAXED));
    meet();
    CHECK(__atomic_load_n(&requests, __ATOMIC_RELAXED) == sent);
    meet();
}

/* `count` lives; the others of the job do the same. */
static void go_through(long count, long at_once)
{
    for (long life = 0; life < count; life += at_once)
        live_and_check(life, at_once);
    wait_for_all();
}

/* What the first ones take, as many at once as ever, is kept for the others. */
static void check(long count, long at_once, int is_sanitized)
{
    pthread_barrier_t all;
    pthread_barrier_init(&all, NULL, (unsigned)at_once);
    together = &all;
    go_through((count / 10 / at_once + 1) * at_once, at_once);
    together = NULL;
    pthread_barrier_destroy(&all);
    long kib = private_kib();
    int fds = descriptors();
    go_through(count, at_once);
    CHECK(descriptors() == fds);
    if (!is_sanitized && private_kib() > kib + MAY_GROW_KIB) {
        fprintf(stderr, "%ld threads, %ld at once: memory has grown from %ld to %ld KiB\n", count,
                at_once, kib, private_kib());
        CHECK(0);
    }
    meet();
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{REQUEST, (void (*)())take_request},
                                     {BULK, (void (*)())take_bulk},
                                     {REPLY, (void (*)())take_reply}};
    const int is_sanitized = getenv("FATHOM_TEST_SANITIZED") != NULL;
    start_with(&argc, &argv, AT_ONCE * 2 * PIECE, table, 3);
    const long count = argc > 1       ? strtol(argv[1], NULL, 10)
                       : is_sanitized ? LIVES_SANITIZED
                                      : LIVES;
    fill(bulk, 3, PIECE);
    meet();
    check(count, 1, is_sanitized);
#ifdef GASNET_PAR
    check(count / 10, AT_ONCE, is_sanitized);
#endif
    CHECK(sent == requests && sent == replies);
    meet();
    gasnet_exit(0);
}
