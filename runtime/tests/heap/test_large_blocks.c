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
#include "node/segment.h"

enum {
    NBYTES = 4 << 20,
    BLOCKS = 24, /* more than may be kept */
    ROUNDS = 40
};

/* Own allocations, or collective ones. */
typedef pgas_ptr_t allocate_t(void);
typedef void release_t(pgas_ptr_t block);

static pgas_ptr_t allocate_own(void)
{
    pgas_ptr_t block;
    CHECK(pgas_alloc(NBYTES, &block) == PGAS_OK);
    return block;
}

static pgas_ptr_t allocate_all(void)
{
    pgas_ptr_t block;
    CHECK(pgas_all_alloc((size_t)pgas_threads(), NBYTES, &block) == PGAS_OK);
    return block;
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

static size_t resident(char *bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    static unsigned char pages[NBYTES / 4096];
    size_t count = 0;
    CHECK(mincore(bytes, NBYTES, pages) == 0);
    for (size_t i = 0; i < NBYTES / page; i++)
        count += pages[i] & 1;
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
        kept += resident(here(blocks[b]));
    CHECK(kept <= pgasi_node_memory.kept_most);
    pgas_barrier();
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
    check_neighbours();
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
