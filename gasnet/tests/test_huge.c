/*
 * More bytes than 32 bits count: node 0 puts 3 GiB to the last node, gets them back and sets them,
 * by blocking calls, by handles and by implicit ones. The source has one word in each MiB and at
 * the places where a count of 31 or 32 bits would end. Skipped (77) where the machine lacks the
 * memory.
 */
#include "client.h"

#include <string.h>
#include <sys/mman.h>

enum {
    STRIDE = 1 << 20,
    NEEDED_MIB = 8 * 1024
};

static const size_t huge = (size_t)3 << 30;

static long available_mib(void)
{
    FILE *file = fopen("/proc/meminfo", "r");
    char line[256];
    long kib = 0;
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "MemAvailable:", 13) == 0)
            kib = strtol(line + 13, NULL, 10);
    fclose(file);
    return kib / 1024;
}

static char *map(void)
{
    void *memory = mmap(NULL, huge, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(memory != MAP_FAILED);
    madvise(memory, huge, MADV_HUGEPAGE); /* fewer faults, if the system wants */
    return memory;
}

static uint64_t mark(size_t at, uint64_t seed)
{
    return (at + 1) * UINT64_C(0x9e3779b97f4a7c15) + seed;
}

/* The places of the words: each MiB, and both sides of 2, 3 and 4 halves of 2^32. */
static size_t place(size_t i)
{
    const size_t strided = huge / STRIDE;
    static const size_t ends[] = {((size_t)1 << 31) - 8, ((size_t)1 << 31) + 8,
                                  ((size_t)3 << 30) - 8, ((size_t)3 << 30) - 16};
    return i < strided ? i * STRIDE : i < strided + 4 ? ends[i - strided] : SIZE_MAX;
}

static void write_marks(char *memory, uint64_t seed)
{
    for (size_t i = 0; place(i) != SIZE_MAX; i++) {
        uint64_t value = mark(place(i), seed);
        memcpy(memory + place(i), &value, 8);
    }
}

/* Marks, or none where `seed` is 0; and zeros behind them. */
static void check_marks(const char *memory, uint64_t seed)
{
    for (size_t i = 0; place(i) != SIZE_MAX; i++) {
        uint64_t value;
        memcpy(&value, memory + place(i), 8);
        CHECK(value == mark(place(i), seed));
    }
    for (size_t at = STRIDE / 2; at < huge; at += STRIDE)
        CHECK(memory[at] == 0);
}

static void check_all(const char *memory, char value)
{
    for (size_t at = 0; at < huge; at += 4093)
        CHECK(memory[at] == value);
    CHECK(memory[huge - 1] == value);
}

static void put(gasnet_node_t to, int form, uint64_t seed)
{
    char *source = map();
    write_marks(source, seed);
    if (form == 0)
        gasnet_put_bulk(to, segment_of(to), source, huge);
    else
        gasnet_wait_syncnb(gasnet_put_nb_bulk(to, segment_of(to), source, huge));
    munmap(source, huge);
}

/* Marks that are there already would hide a get that brings nothing. */
static void get(gasnet_node_t from, int form, uint64_t seed)
{
    static char *target;
    if (target == NULL)
        target = map();
    write_marks(target, ~seed);
    if (form == 0) {
        gasnet_get_nbi_bulk(target, from, segment_of(from), huge);
        gasnet_wait_syncnbi_gets();
    } else {
        gasnet_get_bulk(target, from, segment_of(from), huge);
    }
    check_marks(target, seed);
}

static void check_forms(gasnet_node_t last)
{
    for (int form = 0; form < 2; form++) {
        const uint64_t seed = (uint64_t)form + 5;
        if (gasnet_mynode() == 0)
            put(last, form, seed);
        meet();
        if (gasnet_mynode() == last)
            check_marks(own_segment(), seed);
        if (gasnet_mynode() == 0)
            get(last, form, seed);
        meet();
    }
}

static void check_memset(gasnet_node_t last)
{
    if (gasnet_mynode() == 0)
        gasnet_wait_syncnb(gasnet_memset_nb(last, segment_of(last), 7, huge));
    meet();
    if (gasnet_mynode() == last)
        check_all(own_segment(), 7);
    meet();
}

int main(int argc, char **argv)
{
    const long available = available_mib();
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    const gasnet_node_t last = gasnet_nodes() - 1;
    const uintptr_t most = gasnet_getMaxLocalSegmentSize();
    CHECK(gasnet_attach(NULL, 0, gasnet_mynode() == last && most >= huge ? huge : 0, 0) ==
          GASNET_OK);
    segments = (gasnet_seginfo_t *)malloc(gasnet_nodes() * sizeof *segments);
    CHECK(gasnet_getSegmentInfo(segments, (int)gasnet_nodes()) == GASNET_OK);
    /* One decides for all. */
    static uint64_t has_room;
    has_room = available >= NEEDED_MIB && segments[last].size == huge;
    if (!has_room)
        printf("%ld MiB are available, and a segment of %zu MiB: %d and %zu are needed\n",
               available, (size_t)segments[last].size >> 20, (int)NEEDED_MIB, huge >> 20);
    gasnet_barrier_notify((int)has_room, 0);
    if (gasnet_barrier_wait((int)has_room, 0) != GASNET_OK || !has_room)
        gasnet_exit(77);
    check_forms(last);
    check_memset(last);
    meet();
    gasnet_exit(0);
}
