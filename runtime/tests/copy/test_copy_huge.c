/**
 * Copies of more than 4 GiB in one call, between nodes too. Skipped where less than 12 GiB of
 * memory are free.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"

enum {
    SKIPPED = 77,
    NEEDED_GIB = 12
};

static const size_t nbytes = ((size_t)4 << 30) + 12345;
static const size_t step = 1048573; /* a prime: every alignment */

static long available_gib(void)
{
    char line[256];
    long kib = 0;
    FILE *f = fopen("/proc/meminfo", "re");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (sscanf(line, "MemAvailable: %ld", &kib) == 1)
            break;
    if (f != NULL)
        fclose(f);
    return kib >> 20;
}

static char byte_at(size_t i)
{
    return (char)(i * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

static void check_bytes(const char *bytes)
{
    for (size_t i = 0; i < nbytes; i += step)
        CHECK(bytes[i] == byte_at(i));
    CHECK(bytes[nbytes - 1] == 'z');
}

static void check_put_counted(uint64_t expected)
{
    pgas_stats_t stats;
    pgas_stats_get(&stats);
    uint64_t put = 0;
    for (int place = 0; place < PGAS_PLACES; place++)
        put += stats.traffic[place][PGAS_CONTIGUOUS][PGAS_TO].bytes;
    CHECK(put == expected);
}

int main(void)
{
    if (available_gib() < NEEDED_GIB) {
        printf("less than %d GiB of memory are free\n", NEEDED_GIB);
        return SKIPPED;
    }
    CHECK(pgas_init() == PGAS_OK);
    pgas_ptr_t far;
    CHECK(pgas_all_alloc((size_t)pgas_threads(), nbytes, &far) == PGAS_OK);
    far.thread = (uint32_t)pgas_threads() - 1;
    bool is_writer = pgas_mythread() == 0;
    bool is_owner = pgas_mythread() == pgas_threads() - 1;
    char *near = NULL;
    if (is_writer) {
        near = mmap(NULL, nbytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        CHECK(near != MAP_FAILED);
        for (size_t i = 0; i < nbytes; i += step)
            near[i] = byte_at(i);
        near[nbytes - 1] = 'z';
        pgas_memput(far, near, nbytes);
    }
    pgas_barrier();
    if (is_owner)
        check_bytes(pgas_local(far));
    if (is_writer) {
        memset(near, 0, nbytes);
        pgas_memget(near, far, nbytes);
        check_bytes(near);
        munmap(near, nbytes);
    }
    pgas_barrier();
    if (is_writer) {
        pgas_memset(far, 'z', nbytes);
        check_put_counted(2 * nbytes);
    }
    pgas_barrier();
    if (is_owner) {
        const char *bytes = pgas_local(far);
        for (size_t i = 0; i < nbytes; i += step)
            CHECK(bytes[i] == 'z');
        CHECK(bytes[nbytes - 1] == 'z');
    }
    far.thread = 0;
    pgas_all_free(far);
    pgas_finalize();
    return 0;
}
