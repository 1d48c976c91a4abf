/**
 * The order of writes: small programs of two and three threads, run over and over, some of whose
 * outcomes are forbidden however the processor and the network reorder.
 *
 *   message passing  data, then a flag: a thread that sees the flag sees the data third thread
 *   who hears of the flag from another than the writer sees the data too store buffering  two
 *   threads write, fence, and read what the other writes: one of them sees it lock, barrier    what
 *   was done before is seen after
 */
#include <stdatomic.h>
#include <string.h>

#include "check.h"
#include "job_random.h"
#include "pause.h"

enum {
    ROUNDS = 300,
    FENCE_ROUNDS = 30000,
    /* Of processor time: on a busy machine fewer rounds are run. */
    FENCE_SECONDS = 3,
    DATA_SIZE = 200000,
    MOST_THREADS = 16
};

/* In each thread's segment. */
typedef struct room {
    _Alignas(64) _Atomic uint64_t flag;
    _Alignas(64) _Atomic uint64_t seen;
    _Alignas(64) _Atomic uint64_t word;
    _Alignas(64) _Atomic uint64_t turn;
    _Alignas(64) _Atomic uint64_t result;
    _Alignas(64) unsigned char data[DATA_SIZE];
} room_t;

static int me;
static int threads;
static pgas_ptr_t rooms;

static pgas_ptr_t field(int thread, size_t offset)
{
    pgas_ptr_t ptr = rooms;
    ptr.thread = (uint32_t)thread;
    ptr.offset += offset;
    return ptr;
}

#define FIELD(thread, member) field(thread, offsetof(room_t, member))

static room_t *mine(void)
{
    room_t *room = pgas_local(field(me, 0));
    CHECK(room != NULL);
    return room;
}

/* Waits until the own word, which others write, has reached `value`. */
static void await_word(_Atomic uint64_t *word, uint64_t value)
{
    while (atomic_load_explicit(word, memory_order_acquire) < value)
        pgas_fence();
}

static void check_data(const unsigned char *data, size_t nbytes, uint64_t value)
{
    for (size_t i = 0; i < nbytes; i++)
        CHECK(data[i] == (unsigned char)(value + i));
}

/* The ways to write data so that later writes are ordered after it. */
typedef enum way {
    BLOCKING,
    BY_HANDLE,
    BY_TRYING,
    IMPLICIT,
    BY_VALUE,
    LOADS_AND_STORES,
    WAYS
} way_t;

static void write_data(way_t way, int target, const unsigned char *data, size_t nbytes)
{
    pgas_ptr_t to = FIELD(target, data);
    unsigned char *near = pgas_local(to);
    pgas_handle_t handle;
    switch (way) {
    case BLOCKING:
    case WAYS:
        pgas_memput(to, data, nbytes);
        break;
    case BY_HANDLE:
        pgas_waitsync(pgas_memput_async(to, data, nbytes));
        break;
    case BY_TRYING:
        handle = pgas_memput_async(to, data, nbytes);
        while (!pgas_trysync(handle))
            continue;
        break;
    case IMPLICIT:
        pgas_memput_asynci(to, data, nbytes / 2);
        to.offset += nbytes / 2;
        pgas_memput_asynci(to, data + nbytes / 2, nbytes - nbytes / 2);
        pgas_waitsynci();
        break;
    case BY_VALUE:
        for (size_t i = 0; i < nbytes; i++, to.offset++)
            pgas_put_val_asynci(to, data[i], 1);
        pgas_waitsynci();
        break;
    case LOADS_AND_STORES:
        if (near == NULL) {
            pgas_memput(to, data, nbytes);
            break;
        }
        memcpy(near, data, nbytes);
        pgas_fence();
        break;
    }
}

/* Thread 0 writes to the last thread, which reads its own memory and then notifies the previous
 * thread, which gets the data itself. */
static void pass_messages(uint64_t seed)
{
    static unsigned char data[DATA_SIZE];
    int reader = threads - 1;
    int third = threads > 2 ? threads - 2 : 0;
    uint64_t state = seed; /* the same sequence on all threads */
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        way_t way = (way_t)random_below(&state, WAYS);
        size_t nbytes = 1 + random_below(&state, way == BY_VALUE ? 500 : DATA_SIZE);
        if (random_below(&state, 2) == 0)
            nbytes = 1 + nbytes % 300;
        if (me == 0) {
            for (size_t i = 0; i < nbytes; i++)
                data[i] = (unsigned char)(round + i);
            write_data(way, reader, data, nbytes);
            PGAS_WRITE(uint64_t, FIELD(reader, flag), round);
        }
        if (me == reader) {
            await_word(&mine()->flag, round);
            check_data(mine()->data, nbytes, round);
            PGAS_WRITE(uint64_t, FIELD(third, seen), round);
        }
        if (me == third) {
            await_word(&mine()->seen, round);
            pgas_memget(data, FIELD(reader, data), nbytes);
            check_data(data, nbytes, round);
        }
        pgas_barrier();
    }
}

/* Waits until both have reached `turn`: by loads and stores where possible, so that they leave
 * together. */
static void meet(int other, uint64_t turn)
{
    _Atomic uint64_t *far = pgas_local(FIELD(other, turn));
    if (far != NULL)
        atomic_store(far, turn);
    else
        PGAS_WRITE(uint64_t, FIELD(other, turn), turn);
    for (unsigned looks = 1; atomic_load(&mine()->turn) < turn; looks++)
        if (far == NULL || looks % 1000 == 0)
            pgas_fence();
}

/* One round of store buffering; returns what this thread has read. */
static uint64_t buffer_store(int other, uint64_t round)
{
    _Atomic uint64_t *theirs = pgas_local(FIELD(other, word));
    if (theirs == NULL) {
        PGAS_WRITE(uint64_t, FIELD(other, word), round);
        pgas_fence();
        return atomic_load_explicit(&mine()->word, memory_order_relaxed);
    }
    atomic_store_explicit(theirs, round, memory_order_relaxed);
    pgas_fence();
    return atomic_load_explicit(&mine()->word, memory_order_relaxed);
}

/* Threads by pairs. Here each writes into the other's memory, and reads its own. */
static void buffer_stores(void)
{
    int other = me ^ 1;
    if (other >= threads)
        return;
    bool is_near = pgas_local(FIELD(other, word)) != NULL;
    uint64_t rounds = is_near ? FENCE_ROUNDS : ROUNDS;
    double end = own_cpu_seconds() + FENCE_SECONDS;
    for (uint64_t round = 1; round <= rounds; round++) {
        /* The lower thread of the pair decides when to stop. */
        if (me < other && own_cpu_seconds() > end)
            rounds = round;
        if (me < other)
            PGAS_WRITE(uint64_t, FIELD(other, result), rounds);
        meet(other, 3 * round);
        if (me > other)
            rounds = atomic_load(&mine()->result);
        meet(other, 3 * round + 1);
        uint64_t seen = buffer_store(other, round);
        PGAS_WRITE(uint64_t, FIELD(other, seen), seen);
        meet(other, 3 * round + 2);
        CHECK(seen == round || atomic_load(&mine()->seen) == round);
    }
}

/* Data protected by a lock: each thread adds to what the previous one left. */
static void pass_a_lock(void)
{
    static unsigned char data[1000];
    pgas_lock_t lock;
    CHECK(pgas_all_lock_alloc(&lock) == PGAS_OK);
    int home = threads / 2;
    for (int i = 0; i < ROUNDS / 3; i++) {
        pgas_lock(lock);
        pgas_memget(data, FIELD(home, data), sizeof data);
        for (size_t k = 1; k < sizeof data; k++)
            CHECK(data[k] == data[0]);
        memset(data, data[0] + 1, sizeof data);
        pgas_memput(FIELD(home, data), data, sizeof data);
        pgas_unlock(lock);
    }
    pgas_barrier();
    if (me == home)
        CHECK(mine()->data[0] == (unsigned char)(threads * (ROUNDS / 3)));
    pgas_barrier();
    if (me == 0)
        pgas_lock_free(lock);
}

static void pass_barriers(void)
{
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        int next = (me + (int)(round % (uint64_t)threads)) % threads;
        _Atomic uint64_t *near = pgas_local(FIELD(next, word));
        if (near != NULL)
            atomic_store_explicit(near, round, memory_order_relaxed);
        else
            PGAS_WRITE(uint64_t, FIELD(next, word), round);
        pgas_barrier();
        CHECK(atomic_load_explicit(&mine()->word, memory_order_relaxed) == round);
        pgas_barrier();
    }
}

static void clear(void)
{
    pgas_barrier();
    memset(mine(), 0, sizeof(room_t));
    pgas_barrier();
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    me = pgas_mythread();
    threads = pgas_threads();
    CHECK(threads <= MOST_THREADS);
    uint64_t seed = random_seed_of_job();
    CHECK(pgas_all_alloc((size_t)threads, sizeof(room_t), &rooms) == PGAS_OK);
    clear();
    pass_messages(seed);
    clear();
    buffer_stores();
    clear();
    pass_a_lock();
    clear();
    pass_barriers();
    pgas_all_free(rooms);
    pgas_finalize();
    return 0;
}
