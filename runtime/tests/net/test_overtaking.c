/**
 * Small puts overtake a large one: it is complete when its own bytes have arrived, not when as many
 * others have. Each thread writes to the next one. A source is overwritten as soon as its put is
 * reported complete, so that data that is sent later arrives wrong.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum {
    LARGE = 4 << 20,
    SMALL = 1000,
    ROUNDS = 30,
    PIPELINE = 4,
    BLOCKS = 40
};

static pgas_ptr_t next_room;

static pgas_ptr_t at(size_t offset)
{
    pgas_ptr_t ptr = next_room;
    ptr.offset += offset;
    return ptr;
}

static void check_filled(size_t offset, int value)
{
    static char seen[LARGE];
    pgas_memget(seen, at(offset), LARGE);
    for (size_t i = 0; i < LARGE; i++)
        CHECK(seen[i] == (char)value);
}

/* One large put, tested once; then a small one; then only tests of the first. */
static void overtake_one(char *large, const char *small, int round)
{
    memset(large, round + 1, LARGE);
    pgas_handle_t handle = pgas_memput_async(at(0), large, LARGE);
    bool done = pgas_trysync(handle);
    pgas_handle_t other = pgas_memput_async(at(LARGE), small, SMALL);
    while (!done)
        done = pgas_trysync(handle);
    memset(large, -1, LARGE);
    pgas_waitsync(other);
    check_filled(0, round + 1);
}

/* Large blocks from a few buffers in turn, each used again as soon as it is free, and small puts
 * that are never tested. */
static void pipeline(char *buffers, const char *small)
{
    pgas_handle_t handles[PIPELINE] = {{0}};
    for (int block = 0; block < BLOCKS; block++) {
        int free = 0;
        while (!pgas_handle_is_complete(handles[free])) {
            pgas_trysync_some(handles, PIPELINE);
            pgas_memput_asynci(at(BLOCKS * (size_t)LARGE), small, SMALL);
            free = (free + 1) % PIPELINE;
        }
        char *buffer = buffers + (size_t)free * LARGE;
        memset(buffer, block + 1, LARGE);
        handles[free] = pgas_memput_async(at((size_t)block * LARGE), buffer, LARGE);
    }
    pgas_waitsync_all(handles, PIPELINE);
    pgas_waitsynci();
    for (int block = 0; block < BLOCKS; block++)
        check_filled((size_t)block * LARGE, block + 1);
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    size_t nbytes = BLOCKS * (size_t)LARGE + SMALL;
    CHECK(pgas_all_alloc((size_t)pgas_threads(), nbytes, &next_room) == PGAS_OK);
    next_room.thread = (uint32_t)((pgas_mythread() + 1) % pgas_threads());
    char *buffers = malloc((size_t)PIPELINE * LARGE);
    char *small = calloc(1, SMALL);
    CHECK(buffers != NULL && small != NULL);
    for (int round = 0; round < ROUNDS; round++)
        overtake_one(buffers, small, round);
    pipeline(buffers, small);
    free(buffers);
    free(small);
    pgas_barrier();
    next_room.thread = 0;
    pgas_all_free(next_room);
    pgas_finalize();
    return 0;
}
