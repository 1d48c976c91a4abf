/**
 * Copies and value accesses between all pairs of threads, wherever they are: sizes from 0 over odd
 * ends to some MiB, all kinds of private memory, every alignment, against a plain model.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "job_random.h"

/*
 * Every thread's segment has a room for each thread, which only that thread writes. So each thread
 * knows what must be in its rooms, and all can copy at once. Whole rooms are compared at the end,
 * so that a byte written beyond an end is found; private memory has an edge on both sides for the
 * same purpose.
 */
enum {
    LARGEST = 3 << 20,
    HUGE = 24 << 20,
    ROOM = LARGEST + 4096,
    EDGE = 64,
    STACK = 32 << 10,
    STEPS = 200,
    VALUES = 300,
    MOST_THREADS = 16
};

static const unsigned char EDGE_BYTE = 0x5a;

/* The sizes at which a transfer changes its protocol, with their neighbours. */
static const size_t sizes[] = {
    0,         1,
    2,         3,
    4,         5,
    7,         8,
    9,         15,
    16,        17,
    31,        64,
    65,        127,
    255,       256,
    257,       1000,
    4095,      4096,
    4097,      8191,
    8192,      8193,
    8320,      16384,
    32767,     65535,
    65536,     65541,
    70001,     131071,
    131072,    131077,
    (1 << 20), (1 << 20) + 7,
    LARGEST,
};

static pgas_ptr_t rooms;
static char *model[MOST_THREADS];
static char static_buffer[LARGEST + 3 * EDGE];
static char *heap_buffer;

typedef struct wide {
    unsigned char bytes[40];
} wide_t;

/* The calling thread's room in a segment. */
static pgas_ptr_t in_room(size_t owner, size_t offset)
{
    pgas_ptr_t ptr = rooms;
    ptr.thread = (uint32_t)owner;
    ptr.offset += (uint64_t)pgas_mythread() * ROOM + offset;
    return ptr;
}

static void fill(void *bytes, size_t nbytes, uint64_t *random)
{
    uint64_t pattern = random_next(random) | 1;
    for (size_t i = 0; i < nbytes; i++)
        ((char *)bytes)[i] = (char)(pattern * (i + 1) >> 56);
}

/* `nbytes` of private memory with edges, at a random alignment: on the heap, in static memory or,
 * small pieces, on the stack. */
static char *private_memory(size_t nbytes, char *stack, uint64_t *random)
{
    size_t kind = random_below(random, 3);
    char *buffer = kind == 0 && nbytes + (size_t)3 * EDGE <= STACK ? stack
                   : kind == 1                                     ? static_buffer
                                                                   : heap_buffer;
    char *bytes = buffer + EDGE + random_below(random, EDGE);
    memset(bytes - EDGE, EDGE_BYTE, nbytes + (size_t)2 * EDGE);
    return bytes;
}

static bool edges_are_whole(const char *bytes, size_t nbytes)
{
    for (size_t i = 0; i < EDGE; i++)
        if (bytes[(ptrdiff_t)i - EDGE] != EDGE_BYTE || bytes[nbytes + i] != EDGE_BYTE)
            return false;
    return true;
}

static void put(size_t owner, size_t offset, size_t nbytes, uint64_t *random)
{
    char stack[STACK];
    char *from = private_memory(nbytes, stack, random);
    fill(from, nbytes, random);
    memcpy(model[owner] + offset, from, nbytes);
    pgas_memput(in_room(owner, offset), from, nbytes);
    CHECK(memcmp(model[owner] + offset, from, nbytes) == 0);
    /* The source belongs to the caller again: later changes of it must not be sent. */
    memset(from, 0, nbytes);
}

static void get(size_t owner, size_t offset, size_t nbytes, uint64_t *random)
{
    char stack[STACK];
    char *to = private_memory(nbytes, stack, random);
    pgas_memget(to, in_room(owner, offset), nbytes);
    CHECK(memcmp(to, model[owner] + offset, nbytes) == 0);
    CHECK(edges_are_whole(to, nbytes));
}

static void set(size_t owner, size_t offset, size_t nbytes, uint64_t *random)
{
    int value = (int)random_below(random, 1000) - 500;
    pgas_memset(in_room(owner, offset), value, nbytes);
    memset(model[owner] + offset, value, nbytes);
}

/* Also between two threads other than the caller. */
static void copy(size_t owner, size_t offset, size_t nbytes, uint64_t *random)
{
    size_t other = random_below(random, (size_t)pgas_threads());
    size_t from = random_below(random, ROOM - nbytes + 1);
    if (other == owner && from < offset + nbytes && offset < from + nbytes)
        return; /* they overlap */
    pgas_memcpy(in_room(owner, offset), in_room(other, from), nbytes);
    memcpy(model[owner] + offset, model[other] + from, nbytes);
}

static void (*const operations[])(size_t, size_t, size_t, uint64_t *) = {put, get, set, copy};

/* Every size with every thread, each put read back at once. */
static void check_sizes(uint64_t *random)
{
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (size_t k = 0; k < (size_t)pgas_threads(); k++) {
            size_t owner = ((size_t)pgas_mythread() + k) % (size_t)pgas_threads();
            size_t offset = random_below(random, ROOM - sizes[i] + 1);
            put(owner, offset, sizes[i], random);
            get(owner, offset, sizes[i], random);
            copy(owner, random_below(random, ROOM - sizes[i] + 1), sizes[i], random);
        }
    }
}

static void check_mixture(uint64_t *random)
{
    for (int step = 0; step < STEPS; step++) {
        size_t nbytes = random_size(random, LARGEST);
        size_t offset = random_below(random, ROOM - nbytes + 1);
        size_t owner = random_below(random, (size_t)pgas_threads());
        operations[random_below(random, 4)](owner, offset, nbytes, random);
    }
}

/* Writes or reads a value of each type, among them one without a size class. */
#define CHECK_VALUE(type) \
    do { \
        size_t offset = random_below(random, ROOM / sizeof(type)) * sizeof(type); \
        type value; \
        if (random_below(random, 2) == 0) { \
            fill(&value, sizeof value, random); \
            PGAS_WRITE(type, in_room(owner, offset), value); \
            memcpy(model[owner] + offset, &value, sizeof value); \
        } \
        value = PGAS_READ(type, in_room(owner, offset)); \
        CHECK(memcmp(&value, model[owner] + offset, sizeof value) == 0); \
    } while (0)

static void check_values(uint64_t *random)
{
    for (int step = 0; step < VALUES; step++) {
        size_t owner = random_below(random, (size_t)pgas_threads());
        CHECK_VALUE(uint8_t);
        CHECK_VALUE(uint16_t);
        CHECK_VALUE(uint32_t);
        CHECK_VALUE(uint64_t);
        CHECK_VALUE(wide_t);
    }
}

/* More than sockets hold: changes of the source after the put must not be sent. */
static void check_source_is_free(uint64_t *random)
{
    pgas_ptr_t huge;
    CHECK(pgas_all_alloc((size_t)pgas_threads(), HUGE, &huge) == PGAS_OK);
    huge.thread = (uint32_t)((pgas_mythread() + 1) % pgas_threads());
    char *from = malloc(HUGE);
    char *expected = malloc(HUGE);
    CHECK(from != NULL && expected != NULL);
    fill(from, HUGE, random);
    memcpy(expected, from, HUGE);
    pgas_memput(huge, from, HUGE);
    memset(from, 0, HUGE);
    pgas_memget(from, huge, HUGE);
    CHECK(memcmp(from, expected, HUGE) == 0);
    free(from);
    free(expected);
    huge.thread = 0;
    pgas_all_free(huge);
}

/* Checks the rooms after the copies, as the writer reads them. */
static void check_rooms(uint64_t *random)
{
    size_t threads = (size_t)pgas_threads();
    for (size_t owner = 0; owner < threads; owner++) {
        pgas_memget(heap_buffer, in_room(owner, 0), LARGEST);
        CHECK(memcmp(heap_buffer, model[owner], LARGEST) == 0);
        get(owner, LARGEST, ROOM - LARGEST, random);
    }
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

static uint64_t hash(const char *bytes)
{
    uint64_t sum = UINT64_C(1469598103934665603);
    for (size_t i = 0; i < ROOM; i++)
        sum = (sum ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
    return sum;
}

/* Checks them as their owner reads them. */
static void check_own_loads(void)
{
    size_t threads = (size_t)pgas_threads();
    size_t me = (size_t)pgas_mythread();
    pgas_array_t hashes;
    CHECK(pgas_array_create(threads * threads, sizeof(uint64_t), threads, &hashes) == PGAS_OK);
    for (size_t owner = 0; owner < threads; owner++)
        PGAS_PUT(uint64_t, &hashes, owner * threads + me, hash(model[owner]));
    pgas_barrier();
    pgas_ptr_t mine = rooms;
    mine.thread = (uint32_t)me;
    const char *bytes = pgas_local(mine);
    for (size_t writer = 0; writer < threads; writer++)
        CHECK(hash(bytes + writer * ROOM) == PGAS_GET(uint64_t, &hashes, me * threads + writer));
    pgas_array_free(&hashes);
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    uint64_t random = random_seed_of_thread(random_seed_of_job());
    size_t threads = (size_t)pgas_threads();
    CHECK(threads <= MOST_THREADS);
    heap_buffer = malloc(LARGEST + 3 * EDGE);
    CHECK(heap_buffer != NULL);
    CHECK(pgas_all_alloc(threads, threads * ROOM, &rooms) == PGAS_OK);
    for (size_t owner = 0; owner < threads; owner++) {
        model[owner] = calloc(1, ROOM);
        CHECK(model[owner] != NULL);
        pgas_memset(in_room(owner, 0), 0, ROOM);
    }
    check_sizes(&random);
    check_mixture(&random);
    check_values(&random);
    check_source_is_free(&random);
    check_rooms(&random);
    check_own_loads();
    check_nothing();
    pgas_all_free(rooms);
    for (size_t owner = 0; owner < threads; owner++)
        free(model[owner]);
    free(heap_buffer);
    pgas_finalize();
    return 0;
}
