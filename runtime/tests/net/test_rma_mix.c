/**
 * Random mixes of remote memory access and messages, to threads that sleep, compute or wait: every
 * byte is as a model of the initiator says, and memory that is freed and allocated again while
 * others have keys to it is coherent with what its owner reads and writes.
 *
 * Usage: runtime_rma_mix [granules]: keys by granules, as a network card has them
 *
 * Hostile orders: puts by both ways to one thread, small ones that wait to travel among messages
 * included; a get of what a put has just been complete for; puts across the border of two granules
 * of which one has no key yet; handles kept beyond later flushes; implicit and explicit ones mixed;
 * frees of several megabytes, whose pages go back to the system unless their granule is registered.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "job_random.h"
#include "net/net.h"
#include "net/ucx/rma_memory.h"
#include "node/segment.h"
#include "pause.h"

enum {
    ROUNDS = 6,
    STEPS = 150,
    /* Of each thread on each other: several granules of 2 MiB. */
    SHARE = 5 << 20,
    BLOCK = 64 << 10,
    HANDLES = 16
};

static uint64_t state;
static int me;
static int threads;

/* Each thread writes to one on another node, of two nodes to the thread at its own place. */
static int distance(void)
{
    return (threads + 1) / 2;
}

static int target;

/* What this thread has written to its share of the target's memory. */
static unsigned char *model;
static pgas_ptr_t share;
static pgas_ptr_t counter;
static uint64_t added;

/* Puts in flight keep their source and what they have written: no two of them overlap. */
static pgas_handle_t handles[HANDLES];
static unsigned char *sources;
static size_t starts[HANDLES];
static size_t lengths[HANDLES];

static void fill(unsigned char *bytes, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++)
        bytes[i] = (unsigned char)(i % 61 == 0 ? random_next(&state) : bytes[i] + 1U);
}

static bool overlaps(size_t from, size_t nbytes)
{
    for (int i = 0; i < HANDLES; i++)
        if (lengths[i] > 0 && from < starts[i] + lengths[i] && starts[i] < from + nbytes)
            return true;
    return false;
}

static void wait_all(void)
{
    if (random_below(&state, 2) == 0) {
        pgas_waitsync_all(handles, HANDLES);
    } else {
        for (int i = HANDLES - 1; i >= 0; i--) {
            if (random_below(&state, 2) == 0 || !pgas_trysync(handles[i]))
                pgas_waitsync(handles[i]);
            handles[i] = PGAS_HANDLE_COMPLETE;
        }
    }
    pgas_waitsynci();
    memset(lengths, 0, sizeof lengths);
}

static size_t place_for(size_t nbytes)
{
    size_t near_border = ((size_t)1 << 21) * (1 + random_below(&state, 2));
    size_t from = random_below(&state, 2) == 0 ? random_below(&state, SHARE - nbytes + 1)
                                               : near_border - nbytes / 2;
    if (overlaps(from, nbytes))
        wait_all();
    return from;
}

static void put_now(size_t nbytes)
{
    size_t from = place_for(nbytes);
    fill(model + from, nbytes);
    pgas_memput(pgas_ptr_shift(share, (ptrdiff_t)from), model + from, nbytes);
}

static void put_later(size_t nbytes)
{
    int i = (int)random_below(&state, HANDLES);
    if (lengths[i] > 0)
        wait_all();
    size_t from = place_for(nbytes);
    unsigned char *source = sources + (size_t)i * BLOCK;
    fill(source, nbytes);
    memcpy(model + from, source, nbytes);
    starts[i] = from;
    lengths[i] = nbytes;
    pgas_ptr_t to = pgas_ptr_shift(share, (ptrdiff_t)from);
    if (random_below(&state, 2) == 0)
        pgas_memput_asynci(to, source, nbytes);
    else
        handles[i] = pgas_memput_async(to, source, nbytes);
    if (nbytes <= PGASI_NET_COPIED_MAX)
        memset(source, 0, nbytes);
}

static void get_and_compare(size_t nbytes)
{
    static unsigned char bytes[BLOCK];
    size_t from = place_for(nbytes);
    pgas_ptr_t there = pgas_ptr_shift(share, (ptrdiff_t)from);
    if (random_below(&state, 2) == 0)
        pgas_memget(bytes, there, nbytes);
    else
        pgas_waitsync(pgas_memget_async(bytes, there, nbytes));
    CHECK(memcmp(bytes, model + from, nbytes) == 0);
}

/* A message, whatever the way of puts. */
static void set(size_t nbytes)
{
    size_t from = place_for(nbytes);
    int value = (int)random_below(&state, 256);
    memset(model + from, value, nbytes);
    pgas_memset(pgas_ptr_shift(share, (ptrdiff_t)from), value, nbytes);
}

static void add(void)
{
    uint64_t value = random_next(&state);
    added += value;
    PGAS_ATOMIC_UPDATE_ASYNCI(uint64_t, PGAS_ADD, counter, value, PGAS_RELAXED);
}

static void put_strided(void)
{
    enum {
        COUNT = 40,
        NBYTES = 24,
        STRIDE = 1000
    };
    size_t from = place_for((COUNT - 1) * STRIDE + NBYTES);
    static unsigned char bytes[COUNT * NBYTES];
    fill(bytes, sizeof bytes);
    for (size_t i = 0; i < COUNT; i++)
        memcpy(model + from + i * STRIDE, bytes + i * NBYTES, NBYTES);
    pgas_memput_fstrided(pgas_ptr_shift(share, (ptrdiff_t)from), NBYTES, STRIDE, COUNT, bytes,
                         sizeof bytes, (ptrdiff_t)sizeof bytes, 1);
}

static void pause_somehow(void)
{
    size_t how = random_below(&state, 3);
    if (how == 0)
        sleep_microseconds(random_below(&state, 2000));
    else if (how == 1)
        pgas_poll();
    volatile double sum = 0;
    for (size_t i = 0; how == 2 && i < 20000; i++)
        sum = sum + (double)i;
}

static void step(void)
{
    size_t nbytes = 1 + random_size(&state, BLOCK - 1);
    switch (random_below(&state, 9)) {
    case 0:
    case 1:
        put_now(nbytes);
        break;
    case 2:
    case 3:
        put_later(nbytes);
        break;
    case 4:
    case 5:
        get_and_compare(nbytes);
        break;
    case 6:
        set(nbytes);
        break;
    case 7:
        add();
        put_strided();
        break;
    default:
        pause_somehow();
    }
}

static uint64_t checksum(const unsigned char *bytes)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < SHARE; i++)
        sum = sum * 31 + bytes[i];
    return sum;
}

/* What a thread gives to the others. */
typedef struct board {
    pgas_ptr_t share;
    uint64_t counter;
    /* By the one that writes here: what should be there. */
    uint64_t checksum;
    uint64_t added;
} board_t;

static void mix(pgas_ptr_t board)
{
    pgas_memget(&share, pgas_ptr_shift(board, offsetof(board_t, share)), sizeof share);
    counter = pgas_ptr_shift(board, offsetof(board_t, counter));
    memset(model, 0, SHARE);
    added = 0;
    for (int i = 0; i < STEPS; i++)
        step();
    wait_all();
    const uint64_t expected[2] = {checksum(model), added};
    pgas_memput(pgas_ptr_shift(board, offsetof(board_t, checksum)), expected, sizeof expected);
}

static void run_round(bool collective)
{
    pgas_ptr_t boards;
    pgas_ptr_t shares;
    pgas_ptr_t own;
    CHECK(pgas_all_alloc((size_t)threads, sizeof(board_t), &boards) == PGAS_OK);
    if (collective) {
        CHECK(pgas_all_alloc((size_t)threads, SHARE, &shares) == PGAS_OK);
        own = pgas_ptr_on(shares, me);
    } else {
        CHECK(pgas_alloc(SHARE, &own) == PGAS_OK);
    }
    memset(pgas_local(own), 0, SHARE);
    board_t *mine = pgas_local(pgas_ptr_on(boards, me));
    *mine = (board_t){.share = own};
    pgas_barrier();
    mix(pgas_ptr_on(boards, target));
    pgas_barrier();
    CHECK(mine->checksum == checksum(pgas_local(own)));
    CHECK(mine->added == mine->counter);
    if (collective)
        pgas_all_free(shares);
    else
        pgas_free(own);
    pgas_all_free(boards);
}

/* Whether a page of this thread's memory has what has been written there before it was freed. */
static bool keeps_pages(bool others_have_keys)
{
    enum {
        PAGES = 4 << 20
    };
    pgas_ptr_t own;
    pgas_ptr_t pointers;
    CHECK(pgas_all_alloc((size_t)threads, sizeof own, &pointers) == PGAS_OK);
    CHECK(pgas_alloc(PAGES, &own) == PGAS_OK);
    memset(pgas_local(own), 1, PAGES);
    *(pgas_ptr_t *)pgas_local(pgas_ptr_on(pointers, me)) = own;
    pgas_barrier();
    pgas_ptr_t there;
    pgas_memget(&there, pgas_ptr_on(pointers, target), sizeof there);
    for (size_t at = 0; at < PAGES && others_have_keys; at += (size_t)1 << 21)
        CHECK(PGAS_READ(unsigned char, pgas_ptr_shift(there, (ptrdiff_t)at)) == 1);
    pgas_barrier();
    const volatile unsigned char *first = pgas_local(own);
    pgas_free(own);
    bool keeps = first[PAGES / 2] == 1;
    pgas_barrier();
    pgas_all_free(pointers);
    return keeps;
}

/* Pages go back to the system when memory is freed, but those of granules that have a key. */
static void test_pages_of_freed_memory(bool by_granule)
{
    bool is_reached = pgas_place_of((me + threads - distance()) % threads) == PGAS_REMOTE;
    pgasi_node_memory.kept_most = 0; /* heap/kept_pages.h */
    CHECK(!keeps_pages(false));
    CHECK(keeps_pages(true) == (by_granule && is_reached));
}

int main(int argc, char **argv)
{
    (void)argv;
    pgasi_ucx_keys_by_granule = argc > 1;
    CHECK(pgas_init() == PGAS_OK);
    me = pgas_mythread();
    threads = pgas_threads();
    target = (me + distance()) % threads;
    state = random_seed_of_thread(random_seed_of_job());
    model = malloc(SHARE);
    sources = calloc(HANDLES, BLOCK);
    CHECK(model != NULL && sources != NULL);
    test_pages_of_freed_memory(argc > 1);
    for (int i = 0; i < ROUNDS; i++)
        run_round(i % 2 == 0);
    bool is_remote = pgas_place_of(target) == PGAS_REMOTE;
    CHECK((pgasi_net_rma_operations() > 0) == is_remote);
    pgas_stats_reset();
    CHECK(pgasi_net_rma_operations() == 0);
    pgas_finalize();
    free(model);
    free(sources);
    return 0;
}
