/* PARSYNC: threads of a client that come one after the other, each of which puts, gets and sends;
 * one of them attaches the job, and some attach themselves to Fathom. */
#include "client.h"

#include <pthread.h>
#include <string.h>

#include <pgas/attach.h>

enum {
    TIMES = 200,
    THREADS = 8,
    LARGE = 65536,
    REQUEST_HANDLER = 200,
    REPLY_HANDLER
};

static int replies;

static void take_request(gasnet_token_t token, void *bytes, size_t nbytes,
                         gasnet_handlerarg_t number)
{
    CHECK(gasnet_AMReplyMedium1(token, REPLY_HANDLER, bytes, nbytes, number) == GASNET_OK);
}

static void take_reply(gasnet_token_t token, void *bytes, size_t nbytes, gasnet_handlerarg_t number)
{
    (void)token;
    CHECK(nbytes == (size_t)number && (nbytes == 0 || ((char *)bytes)[nbytes - 1] == 3));
    replies++;
}

static void *communicate(void *argument)
{
    static char bytes[LARGE];
    gasnet_node_t to = gasnet_mynode() + 1 < gasnet_nodes() ? gasnet_mynode() + 1 : 0;
    char *place = segment_of(to) + 8 * (uintptr_t)argument;
    memset(bytes, 3, sizeof bytes);
    for (int i = 0; i < TIMES; i++) {
        uint64_t value = (uint64_t)i * 7;
        uint64_t got = 0;
        gasnet_wait_syncnb(gasnet_put_nb(to, place, &value, sizeof value));
        gasnet_get(&got, to, place, sizeof got);
        CHECK(got == value);
        int before = replies;
        int size = i % 2 == 0 ? 8 * i : LARGE;
        CHECK(gasnet_AMRequestMedium1(to, REQUEST_HANDLER, bytes, (size_t)size, size) == GASNET_OK);
        GASNET_BLOCKUNTIL(replies > before);
    }
    return NULL;
}

/* Who attaches itself detaches itself, and may go on as others do. */
static void *communicate_attached(void *argument)
{
    CHECK(pgas_attach_thread() == PGAS_OK);
    communicate(argument);
    pgas_detach_thread();
    return (uintptr_t)argument % 2 == 0 ? communicate(argument) : NULL;
}

static void *attach(void *unused)
{
    gasnet_handlerentry_t table[] = {{REQUEST_HANDLER, (void (*)())take_request},
                                     {REPLY_HANDLER, (void (*)())take_reply}};
    CHECK(gasnet_attach(table, 2, GASNET_PAGESIZE, 0) == GASNET_OK);
    return unused;
}

static void run(void *(*function)(void *), uintptr_t argument)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, function, (void *)argument) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

int main(int argc, char **argv)
{
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    run(attach, 0);
    segments = malloc(gasnet_nodes() * sizeof *segments);
    CHECK(gasnet_getSegmentInfo(segments, (int)gasnet_nodes()) == GASNET_OK);
    meet();
    for (uintptr_t i = 0; i < THREADS; i++)
        run(i < THREADS / 2 ? communicate : communicate_attached, i);
    communicate((void *)(uintptr_t)THREADS);
    meet();
    gasnet_exit(0);
}
