/**
 * Allocations of several MiB start at a huge page and leave their neighbours alone. When they are
 * freed so many bytes keep their pages as may, and what is allocated then needs no new ones; the
 * pages of all others go back to the system, and are zero when they are used again.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"
#include "heap/kept_pages.h"
#include "node/segment.h"

enum {
    NBYTES = 4 << 20,
    BLOCKS = 24, /* more than may be kept */
    ROUNDS = 40,
    SLOTS = 4,
    TURNS = 40,
    FEW_KEPT = 8 << 20,
    SMALL = 1 << 20,
    SMALL_COUNT = 7 /* they take most of the chunks that are kept then */
};

/* Own allocations, or collective ones. */
typedef pgas_ptr_t allocate_t(void);
typedef void release_t(pgas_ptr_t block);

static pgas_ptr_t allocate_own_bytes(size_t nbytes)
{
    pgas_ptr_t block;
    CHECK(pgas_alloc(nbytes, &block) == PGAS_OK);
    return block;
}

static pgas_ptr_t allocate_all_bytes(size_t nbytes)
{
    pgas_ptr_t block;
    CHECK(pgas_all_alloc((size_t)pgas_threads(), nbytes, &block) == PGAS_OK);
    return block;
}

static pgas_ptr_t allocate_own(void)
{
    return allocate_own_bytes(NBYTES);
}

static pgas_ptr_t allocate_all(void)
{
    return allocate_all_bytes(NBYTES);
}

static char *here(pgas_ptr_t block)
{
    return pgas_local(pgas_ptr_on(block, pgas_mythread()));
}

static long faults(void)
{
    struct rusage usage;
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
    return usage.ru_minflt;
}

static size_t resident(char *bytes, size_t nbytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *pages = malloc(nbytes / page);
    size_t count = 0;
    CHECK(pages != NULL && mincore(bytes, nbytes, pages) == 0);
    for (size_t i = 0; i < nbytes / page; i++)
        count += pages[i] & 1;
    free(pages);
    return count * page;
}

/* The first round gets the pages, and the others have them. */
static void check_kept(allocate_t *allocate, release_t *release)
{
    long before = 0;
    CHECK(pgasi_node_memory.kept_most >= 2 * (uint64_t)NBYTES);
    for (int round = 0; round < ROUNDS; round++) {
        pgas_ptr_t block = allocate();
        memset(here(block), round, NBYTES);
        if (round == 1)
            before = faults();
        release(block);
    }
    CHECK(faults() - before < NBYTES / sysconf(_SC_PAGESIZE));
}

/* Nothing is kept then, wherever it lay. */
static void return_all(pgas_ptr_t (*allocate_bytes)(size_t nbytes), release_t *release)
{
    pgasi_node_memory.kept_most = 0;
    pgas_barrier();
    for (int refusal = 0; refusal <= PGASI_KEPT_PATIENCE; refusal++)
        release(allocate_bytes((size_t)96 << 20));
    pgas_barrier();
}

/* How often there was no room in a list. */
static uint64_t refusals(void)
{
    return pgasi_header_of((uint32_t)pgas_mythread())->local_kept.refused +
           pgasi_node_memory.control->collective_kept.refused;
}

/* What is kept comes into use again for good, and other blocks have the room. */
static void check_used(pgas_ptr_t (*allocate_bytes)(size_t nbytes), allocate_t *allocate,
                       release_t *release)
{
    const uint64_t kept_most = pgasi_node_memory.kept_most;
    pgas_ptr_t block = {0};
    return_all(allocate_bytes, release);
    pgasi_node_memory.kept_most = FEW_KEPT;
    pgas_barrier();
    for (int round = 0; round < 4; round++) {
        block = allocate_bytes(FEW_KEPT);
        memset(here(block), round, FEW_KEPT);
        if (round < 3)
            release(block);
    }
    pgas_barrier();
    uint64_t before = refusals();
    pgas_barrier();
    check_kept(allocate, release);
    CHECK(refusals() == before);
    pgas_barrier();
    release(block);
    pgas_barrier();
    pgasi_node_memory.kept_most = kept_most;
}

/* What is kept lies behind what is allocated next, and gives way. */
static void check_last_first(pgas_ptr_t (*allocate_bytes)(size_t nbytes), allocate_t *allocate,
                             release_t *release, uint64_t begin, uint64_t end)
{
    const uint64_t kept_most = pgasi_node_memory.kept_most;
    char *heap = pgasi_job.peers[pgas_mythread()].base + begin;
    pgas_ptr_t blocks[3];
    return_all(allocate_bytes, release);
    size_t before = resident(heap, end - begin);
    pgasi_node_memory.kept_most = FEW_KEPT;
    pgas_barrier();
    for (int b = 0; b < 3; b++) {
        blocks[b] = allocate_bytes(FEW_KEPT);
        memset(here(blocks[b]), b, FEW_KEPT);
    }
    for (int b = 2; b >= 0; b--)
        release(blocks[b]);
    check_kept(allocate, release);
    CHECK(resident(heap, end - begin) <= before + FEW_KEPT + 65536);
    pgas_barrier();
    pgasi_node_memory.kept_most = kept_most;
}

/* Loops over large blocks, which after a few turns need no more new pages than `most` bytes. */
static void check_settles(pgas_ptr_t (*allocate_bytes)(size_t nbytes), release_t *release,
                          size_t nbytes, size_t most)
{
    enum {
        SETTLED = 10,
        MEASURED = 10
    };
    long before = 0;
    for (int round = 0; round < SETTLED + MEASURED; round++) {
        if (round == SETTLED)
            before = faults();
        pgas_ptr_t block = allocate_bytes(nbytes);
        memset(here(block), round, nbytes);
        release(block);
    }
    CHECK(faults() - before <= MEASURED * (long)(most / (size_t)sysconf(_SC_PAGESIZE)) +
                                   (2 << 20) / sysconf(_SC_PAGESIZE));
}

/* Small blocks lie where large ones were kept, or there is a hole that is too small: what is kept
 * there gives way, and what lies there stays. */
static void check_stuck(pgas_ptr_t (*allocate_bytes)(size_t nbytes), release_t *release,
                        uint64_t begin, uint64_t end)
{
    const uint64_t kept_most = pgasi_node_memory.kept_most;
    char *heap = pgasi_job.peers[pgas_mythread()].base + begin;
    pgas_ptr_t small[SMALL_COUNT];
    return_all(allocate_bytes, release);
    size_t before = resident(heap, end - begin);
    pgasi_node_memory.kept_most = FEW_KEPT;
    pgas_barrier();
    pgas_ptr_t large = allocate_bytes(FEW_KEPT);
    memset(here(large), 1, FEW_KEPT);
    release(large);
    for (int b = 0; b < SMALL_COUNT; b++) {
        small[b] = allocate_bytes(SMALL);
        memset(here(small[b]), b + 1, SMALL);
    }
    check_settles(allocate_bytes, release, FEW_KEPT, 0);
    for (int b = 0; b < SMALL_COUNT; b++)
        for (size_t i = 0; i < SMALL; i++)
            CHECK(here(small[b])[i] == b + 1);
    CHECK(resident(heap, end - begin) <= before + (size_t)SMALL_COUNT * SMALL + FEW_KEPT + 262144);
    for (int b = 0; b < SMALL_COUNT; b++)
        release(small[b]);
    return_all(allocate_bytes, release);
    pgasi_node_memory.kept_most = FEW_KEPT;
    pgas_barrier();
    large = allocate_bytes(FEW_KEPT);
    memset(here(large), 1, FEW_KEPT);
    pgas_ptr_t behind = allocate_bytes(NBYTES);
    release(large);
    check_settles(allocate_bytes, release, FEW_KEPT + (2 << 20), 2 << 20);
    release(behind);
    pgas_barrier();
    pgasi_node_memory.kept_most = kept_most;
}

static void check_returned(allocate_t *allocate, release_t *release)
{
    pgas_ptr_t blocks[BLOCKS];
    size_t kept = 0;
    for (int b = 0; b < BLOCKS; b++) {
        blocks[b] = allocate();
        CHECK(blocks[b].offset % (2 << 20) == 0);
        memset(here(blocks[b]), b, NBYTES);
    }
    for (int b = 0; b < BLOCKS; b++)
        CHECK(here(blocks[b])[0] == b && here(blocks[b])[NBYTES - 1] == b);
    pgas_barrier();
    for (int b = 0; b < BLOCKS; b++)
        release(blocks[b]);
    for (int b = 0; b < BLOCKS; b++)
        kept += resident(here(blocks[b]), NBYTES);
    CHECK(kept <= pgasi_node_memory.kept_most);
    pgas_barrier();
}

/* Blocks of any size, between some that stay: what has pages is in use, or may keep them. */
static void check_bound(pgas_ptr_t (*allocate_bytes)(size_t nbytes), release_t *release,
                        uint64_t begin, uint64_t end)
{
    const uint64_t kept_most = pgasi_node_memory.kept_most;
    const size_t slack = (size_t)(3 * (SLOTS + TURNS) + 64) * (size_t)sysconf(_SC_PAGESIZE);
    char *heap = pgasi_job.peers[pgas_mythread()].base + begin;
    size_t before = resident(heap, end - begin);
    pgas_ptr_t blocks[SLOTS] = {{0}};
    pgas_ptr_t small[TURNS];
    size_t sizes[SLOTS] = {0};
    size_t live = 0;
    srand(7);
    pgasi_node_memory.kept_most = FEW_KEPT;
    pgas_barrier();
    for (int turn = 0; turn < TURNS; turn++) {
        int slot = rand() % SLOTS;
        if (sizes[slot] > 0)
            release(blocks[slot]);
        live -= sizes[slot];
        sizes[slot] = (size_t)(2 << 20) + (size_t)rand() % (6 << 20);
        blocks[slot] = allocate_bytes(sizes[slot]);
        small[turn] = allocate_bytes(100);
        memset(here(blocks[slot]), turn, sizes[slot]);
        memset(here(small[turn]), turn, 100);
        live += sizes[slot];
        if (turn % 8 == 7)
            CHECK(resident(heap, end - begin) <= before + live + FEW_KEPT + slack);
    }
    for (int slot = 0; slot < SLOTS; slot++)
        if (sizes[slot] > 0)
            release(blocks[slot]);
    CHECK(resident(heap, end - begin) <= before + FEW_KEPT + slack);
    for (int turn = 0; turn < TURNS; turn++)
        release(small[turn]);
    pgas_barrier();
    pgasi_node_memory.kept_most = kept_most;
}

/* A block that covers a part of what is kept leaves the rest of it kept, and counted. */
static void check_part(pgas_ptr_t (*allocate_bytes)(size_t nbytes), release_t *release,
                       uint64_t begin, uint64_t end)
{
    const uint64_t kept_most = pgasi_node_memory.kept_most;
    const size_t sizes[] = {FEW_KEPT, FEW_KEPT - (2 << 20) + 65536, FEW_KEPT};
    char *heap = pgasi_job.peers[pgas_mythread()].base + begin;
    size_t before = resident(heap, end - begin);
    pgas_ptr_t blocks[3];
    pgasi_node_memory.kept_most = FEW_KEPT;
    pgas_barrier();
    for (int b = 0; b < 3; b++) {
        blocks[b] = allocate_bytes(sizes[b]);
        memset(here(blocks[b]), b, sizes[b]);
        if (b == 0)
            release(blocks[b]);
    }
    CHECK(blocks[0].offset == blocks[1].offset);
    release(blocks[2]);
    CHECK(resident(heap, end - begin) <= before + sizes[1] + FEW_KEPT + 65536);
    release(blocks[1]);
    CHECK(resident(heap, end - begin) <= before + FEW_KEPT + 65536);
    pgas_barrier();
    pgasi_node_memory.kept_most = kept_most;
}

/* Fresh memory, and pages that have gone back. */
static void check_zeros(void)
{
    uint64_t kept_most = pgasi_node_memory.kept_most;
    pgasi_node_memory.kept_most = 0;
    for (int round = 0; round < 3; round++) {
        pgas_ptr_t large = allocate_all();
        for (size_t i = 0; i < NBYTES; i += 512)
            CHECK(here(large)[i] == 0);
        memset(here(large), 2, NBYTES);
        pgas_all_free(large);
        pgas_barrier();
        CHECK(pgas_heap_used() == 0);
        pgas_barrier();
    }
    pgasi_node_memory.kept_most = kept_most;
}

static void check_neighbours(void)
{
    pgas_ptr_t before;
    pgas_ptr_t behind;
    CHECK(pgas_all_alloc((size_t)pgas_threads(), 100, &before) == PGAS_OK);
    pgas_ptr_t large = allocate_all();
    CHECK(pgas_all_alloc((size_t)pgas_threads(), 100, &behind) == PGAS_OK);
    memset(here(before), 1, 100);
    memset(here(behind), 3, 100);
    memset(here(large), 2, NBYTES);
    pgas_all_free(large);
    for (size_t i = 0; i < 100; i++)
        CHECK(here(before)[i] == 1 && here(behind)[i] == 3);
    pgas_all_free(before);
    pgas_all_free(behind);
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    check_zeros();
    check_part(allocate_own_bytes, pgas_free, pgasi_node_memory.local_begin,
               pgasi_node_memory.stride);
    check_part(allocate_all_bytes, pgas_all_free, PGASI_HEAP_BEGIN, pgasi_node_memory.local_begin);
    check_bound(allocate_own_bytes, pgas_free, pgasi_node_memory.local_begin,
                pgasi_node_memory.stride);
    check_bound(allocate_all_bytes, pgas_all_free, PGASI_HEAP_BEGIN, pgasi_node_memory.local_begin);
    check_neighbours();
    check_used(allocate_own_bytes, allocate_own, pgas_free);
    check_used(allocate_all_bytes, allocate_all, pgas_all_free);
    check_last_first(allocate_own_bytes, allocate_own, pgas_free, pgasi_node_memory.local_begin,
                     pgasi_node_memory.stride);
    check_stuck(allocate_own_bytes, pgas_free, pgasi_node_memory.local_begin,
                pgasi_node_memory.stride);
    if (pgas_node_of(pgas_threads() - 1) == 0) {
        check_last_first(allocate_all_bytes, allocate_all, pgas_all_free, PGASI_HEAP_BEGIN,
                         pgasi_node_memory.local_begin);
        check_stuck(allocate_all_bytes, pgas_all_free, PGASI_HEAP_BEGIN,
                    pgasi_node_memory.local_begin);
    }
    check_kept(allocate_own, pgas_free);
    check_kept(allocate_all, pgas_all_free);
    check_returned(allocate_own, pgas_free);
    check_returned(allocate_all, pgas_all_free);
    check_neighbours();
    pgas_barrier();
    CHECK(pgas_heap_used() == 0);
    pgas_finalize();
    return 0;
}
