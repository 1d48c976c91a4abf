/**
 * Bulk copies: random sizes, alignments, owners and kinds of private memory against a model.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "job_random.h"

/*
 * Every thread's segment has a room for each thread, which only that thread writes. So each thread
 * knows what must be in its rooms, and all can copy at once.
 */
enum {
    ROOM = (1 << 20) + 4096,
    STEPS = 300,
    MOST_THREADS = 16
};

static pgas_ptr_t segments;
static char *model[MOST_THREADS];
static char static_buffer[ROOM];
static char *heap_buffer;

static pgas_ptr_t in_room(size_t owner, size_t offset)
{
    pgas_ptr_t ptr = segments;
    ptr.thread = (uint32_t)owner;
    ptr.offset += (uint64_t)pgas_mythread() * ROOM + offset;
    return ptr;
}

static void fill(char *bytes, size_t nbytes, uint64_t *random)
{
    uint64_t pattern = random_next(random) | 1;
    for (size_t i = 0; i < nbytes; i++)
        bytes[i] = (char)(pattern * (i + 1) >> 56);
}

/* Private memory on the heap, the stack (small pieces) or in static storage. */
static char *private_memory(size_t nbytes, char *stack, size_t stack_size, uint64_t *random)
{
    size_t slack = ROOM - nbytes < 64 ? 1 : 64;
    size_t kind = random_below(random, 3);
    if (kind == 0 && nbytes + 64 <= stack_size)
        return stack + random_below(random, 64);
    return (kind == 1 ? heap_buffer : static_buffer) + random_below(random, slack);
}

static void put(size_t owner, size_t offset, size_t nbytes, uint64_t *random)
{
    char stack[8192];
    char *from = private_memory(nbytes, stack, sizeof stack, random);
    fill(from, nbytes, random);
    pgas_memput(in_room(owner, offset), from, nbytes);
    memcpy(model[owner] + offset, from, nbytes);
}

static void get(size_t owner, size_t offset, size_t nbytes, uint64_t *random)
{
    char stack[8192];
    char *to = private_memory(nbytes, stack, sizeof stack, random);
    pgas_memget(to, in_room(owner, offset), nbytes);
    CHECK(memcmp(to, model[owner] + offset, nbytes) == 0);
}

static void set(size_t owner, size_t offset, size_t nbytes, uint64_t *random)
{
    int value = (int)random_below(random, 1000) - 500;
    pgas_memset(in_room(owner, offset), value, nbytes);
    memset(model[owner] + offset, value, nbytes);
}

static void copy(size_t owner, size_t offset, size_t nbytes, uint64_t *random)
{
    size_t other = random_below(random, (size_t)pgas_threads());
    size_t from = random_below(random, ROOM - nbytes + 1);
    if (other == owner && from < offset + nbytes && offset < from + nbytes)
        return; /* they overlap */
    pgas_memcpy(in_room(owner, offset), in_room(other, from), nbytes);
    memcpy(model[owner] + offset, model[other] + from, nbytes);
}

static void check_random(uint64_t random)
{
    static void (*const operations[])(size_t, size_t, size_t, uint64_t *) = {put, get, set, copy};
    for (int step = 0; step < STEPS; step++) {
        size_t nbytes = random_size(&random, 1 << 20);
        size_t offset = random_below(&random, ROOM - nbytes + 1);
        size_t owner = random_below(&random, (size_t)pgas_threads());
        operations[random_below(&random, 4)](owner, offset, nbytes, &random);
    }
    for (int owner = 0; owner < pgas_threads(); owner++)
        get((size_t)owner, 0, ROOM - 64, &random);
}

static uint64_t hash(const char *bytes)
{
    uint64_t sum = 1469598103934665603U;
    for (size_t i = 0; i < ROOM; i++)
        sum = (sum ^ (unsigned char)bytes[i]) * 1099511628211U;
    return sum;
}

/* The owner's own loads see what has been put. */
static void check_owner_sees(void)
{
    size_t threads = (size_t)pgas_threads();
    size_t me = (size_t)pgas_mythread();
    pgas_array_t hashes;
    CHECK(pgas_array_create(threads * threads, sizeof(uint64_t), 1, &hashes) == PGAS_OK);
    for (size_t owner = 0; owner < threads; owner++)
        PGAS_PUT(uint64_t, &hashes, owner * threads + me, hash(model[owner]));
    pgas_barrier();
    pgas_ptr_t mine = segments;
    mine.thread = (uint32_t)me;
    const char *rooms = pgas_local(mine);
    for (size_t writer = 0; writer < threads; writer++)
        CHECK(hash(rooms + writer * ROOM) == PGAS_GET(uint64_t, &hashes, me * threads + writer));
    pgas_array_free(&hashes);
}

/* Nothing is copied, so the pointers do not matter. */
static void check_nothing(void)
{
    pgas_ptr_t nowhere = {4711, 1, 0};
    pgas_memget(NULL, nowhere, 0);
    pgas_memput(nowhere, NULL, 0);
    pgas_memcpy(nowhere, nowhere, 0);
    pgas_memset(nowhere, 1, 0);
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    uint64_t seed = random_seed_of_job();
    size_t threads = (size_t)pgas_threads();
    CHECK(threads <= MOST_THREADS);
    heap_buffer = malloc(ROOM);
    CHECK(heap_buffer != NULL);
    for (size_t owner = 0; owner < threads; owner++) {
        model[owner] = calloc(1, ROOM);
        CHECK(model[owner] != NULL);
    }
    CHECK(pgas_all_alloc(threads, threads * ROOM, &segments) == PGAS_OK);
    for (size_t owner = 0; owner < threads; owner++)
        pgas_memset(in_room(owner, 0), 0, ROOM);
    check_random(random_seed_of_thread(seed));
    check_owner_sees();
    check_nothing();
    pgas_all_free(segments);
    for (size_t owner = 0; owner < threads; owner++)
        free(model[owner]);
    free(heap_buffer);
    pgas_finalize();
    return 0;
}
