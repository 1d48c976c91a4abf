/*
 * Large exchanges in flight with two images per node, all of them in the segment. What the library
 * copies of one has room in the heap, what it copies of all has not: it must not start them all.
 * For a heap of 256 MiB, of which gasnet_attach leaves 16.
 */
#include "client.h"

#include <gasnet_coll.h>

#include <pthread.h>
#include <string.h>

enum {
    LOCALS = 2,
    MOST_IMAGES = 4,
    IN_FLIGHT = 4,
    NBYTES = 1000000
};

static gasnet_image_t images[MOST_IMAGES / LOCALS] = {LOCALS, LOCALS};

static size_t blocks(void)
{
    return LOCALS * (size_t)gasnet_nodes();
}

static void check(const char *dst, gasnet_image_t me)
{
    for (size_t i = 0; i < IN_FLIGHT * blocks(); i++) {
        const char value = (char)(i % blocks() * MOST_IMAGES + me);
        CHECK(dst[i * NBYTES] == value && dst[(i + 1) * NBYTES - 1] == value);
    }
}

static void *run_image(void *argument)
{
    const gasnet_image_t place = *(const gasnet_image_t *)argument;
    const gasnet_image_t me = LOCALS * gasnet_mynode() + place;
    const int flags = GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC |
                      GASNET_COLL_SRC_IN_SEGMENT | GASNET_COLL_DST_IN_SEGMENT;
    const size_t one = blocks() * NBYTES;
    char *src = own_segment() + place * (IN_FLIGHT + 1) * one;
    char *dst = src + one;
    gasnet_coll_handle_t handles[IN_FLIGHT];
    gasnet_coll_init(images, me, NULL, 0, 0);
    for (size_t i = 0; i < blocks(); i++)
        memset(src + i * NBYTES, (int)(me * MOST_IMAGES + i), NBYTES);
    for (size_t i = 0; i < IN_FLIGHT; i++)
        handles[i] = gasnet_coll_exchange_nb(GASNET_TEAM_ALL, dst + i * one, src, NBYTES, flags);
    gasnet_coll_wait_sync_all(handles, IN_FLIGHT);
    check(dst, me);
    return NULL;
}

int main(int argc, char **argv)
{
    static gasnet_image_t places[LOCALS] = {0, 1};
    pthread_t thread;
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_nodes() * LOCALS <= MOST_IMAGES);
    /* All there is, so that no more than that is left to the library. */
    CHECK(gasnet_attach(NULL, 0, gasnet_getMaxLocalSegmentSize(), 0) == GASNET_OK);
    segments = malloc(gasnet_nodes() * sizeof *segments);
    CHECK(gasnet_getSegmentInfo(segments, (int)gasnet_nodes()) == GASNET_OK);
    CHECK(segments[gasnet_mynode()].size >= LOCALS * (IN_FLIGHT + 1) * blocks() * NBYTES);
    CHECK(pthread_create(&thread, NULL, run_image, &places[1]) == 0);
    run_image(&places[0]);
    CHECK(pthread_join(thread, NULL) == 0);
    meet();
    gasnet_exit(0);
}
