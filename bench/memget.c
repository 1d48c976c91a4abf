/* Same-node pgas_memget against memcpy between private buffers: gigabytes per second. */
#include <pgas/pgas.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum {
    LARGEST = 16 << 20,
    PAGE = 4096,
    /* How far ahead of the beginning of a page large memory of malloc begins. */
    AHEAD = 16,
    /* Bytes moved in one measurement, at least. */
    WORK = 32 << 20
};

typedef enum way {
    MEMGET,
    MEMCPY,
    MEMCPY_HUGE,
    MEMCPY_SHARED,
    MEMGET_AHEAD,
    MEMCPY_AHEAD,
    WAYS
} way_t;

static const char *const way_names[WAYS] = {"pgas_memget",          "memcpy",
                                            "memcpy_huge_source",   "memcpy_shared_source",
                                            "pgas_memget to ahead", "memcpy_shared to ahead"};

typedef struct buffers {
    pgas_ptr_t shared;
    const char *plain;
    const char *huge;
    char *destination;
    /* Within the destination, AHEAD bytes ahead of the shared source in a page. */
    char *ahead;
} buffers_t;

static void copy(way_t way, const buffers_t *buffers, size_t nbytes)
{
    switch (way) {
    case MEMGET:
        pgas_memget(buffers->destination, buffers->shared, nbytes);
        break;
    case MEMCPY:
        memcpy(buffers->destination, buffers->plain, nbytes);
        break;
    case MEMCPY_HUGE:
        memcpy(buffers->destination, buffers->huge, nbytes);
        break;
    case MEMGET_AHEAD:
        pgas_memget(buffers->ahead, buffers->shared, nbytes);
        break;
    case MEMCPY_AHEAD:
        memcpy(buffers->ahead, pgas_local(buffers->shared), nbytes);
        break;
    default:
        memcpy(buffers->destination, pgas_local(buffers->shared), nbytes);
        break;
    }
    /* Keeps the compiler from removing the copy. */
    __asm__ volatile("" : : "r"(buffers->destination) : "memory");
}

/* Gigabytes per second of processor time. */
static double speed(way_t way, const buffers_t *buffers, size_t nbytes)
{
    size_t passes = WORK / nbytes;
    copy(way, buffers, nbytes);
    double begin = bench_cpu_seconds();
    for (size_t i = 0; i < passes; i++)
        copy(way, buffers, nbytes);
    return (double)(passes * nbytes) / (bench_cpu_seconds() - begin) * 1e-9;
}

/* Each repetition measures every way once, beginning with a different one. */
static void compare(const buffers_t *buffers, size_t nbytes, size_t repetitions)
{
    double *speeds[WAYS];
    bench_summary_t summaries[WAYS];
    for (int way = 0; way < WAYS; way++)
        speeds[way] = bench_allocate(repetitions * sizeof(double), 0);
    for (size_t i = 0; i < repetitions; i++)
        for (size_t k = 0; k < WAYS; k++) {
            way_t way = (way_t)((i + k) % WAYS);
            speeds[way][i] = speed(way, buffers, nbytes);
        }
    for (int way = 0; way < WAYS; way++) {
        summaries[way] = bench_summarise(speeds[way], repetitions);
        free(speeds[way]);
    }
    for (int way = 0; way < WAYS; way++) {
        way_t memget = way < MEMGET_AHEAD ? MEMGET : MEMGET_AHEAD;
        printf("%9zu  %-22s %7.2f %8.2f %8.2f  %17.3f\n", nbytes, way_names[way],
               summaries[way].median, summaries[way].min, summaries[way].max,
               summaries[memget].median / summaries[way].median);
    }
}

static void print_setting(const char *name)
{
    char path[96];
    char text[96] = "unknown\n";
    snprintf(path, sizeof path, "/sys/kernel/mm/transparent_hugepage/%s", name);
    FILE *file = fopen(path, "re");
    if (file != NULL) {
        if (fgets(text, sizeof text, file) == NULL)
            text[0] = '\0';
        fclose(file);
    }
    printf("# transparent_hugepage/%s: %s", name, text);
}

static void measure(pgas_ptr_t shared, size_t repetitions)
{
    static const size_t sizes[] = {8 << 10, 64 << 10, 1 << 20, LARGEST};
    buffers_t buffers = {
        .shared = shared,
        .plain = bench_allocate(LARGEST, 0),
        .huge = bench_allocate(LARGEST, 1),
        .destination = bench_allocate(LARGEST + PAGE, 0),
    };
    uintptr_t source = (uintptr_t)pgas_local(shared);
    buffers.ahead = buffers.destination + (source + AHEAD - (uintptr_t)buffers.destination) % PAGE;
    print_setting("enabled");
    print_setting("shmem_enabled");
    printf("#   bytes  way                     median      min      max  memget / this one\n");
    printf("#                                    GB/s     GB/s     GB/s\n");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        compare(&buffers, sizes[i], repetitions);
    free((void *)buffers.plain);
    free((void *)buffers.huge);
    free(buffers.destination);
}

int main(int argc, char **argv)
{
    size_t repetitions = bench_argument(argc, argv, 1, 21);
    if (pgas_init() != PGAS_OK)
        return 1;
    pgas_ptr_t shared;
    if (pgas_all_alloc((size_t)pgas_threads(), LARGEST, &shared) != PGAS_OK)
        pgas_exit(1);
    pgas_memset(pgas_ptr_on(shared, pgas_mythread()), 1, LARGEST);
    pgas_barrier();
    if (pgas_mythread() == 0) {
        pgas_ptr_t last = pgas_ptr_on(shared, pgas_threads() - 1);
        if (pgas_local(last) == NULL)
            pgas_exit(1);
        measure(last, repetitions);
    }
    pgas_all_free(shared);
    pgas_finalize();
    return 0;
}
