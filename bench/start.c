/* The start-up time of a job and the memory that a thread takes: once it has joined, and once every
 * thread has read from every other, so that all connections are made. */
#include <pgas/pgas.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

typedef struct footprint {
    /* Resident; with each page divided among the processes that map it; of this process alone. */
    double rss_mib;
    double pss_mib;
    double private_mib;
} footprint_t;

typedef struct sample {
    double init_ms;
    /* All connections at once. */
    double contact_ms;
    footprint_t joined;
    footprint_t connected;
} sample_t;

static footprint_t read_footprint(void)
{
    footprint_t footprint = {0, 0, 0};
    FILE *f = fopen("/proc/self/smaps_rollup", "re");
    if (f == NULL)
        pgas_fail(1, "/proc/self/smaps_rollup cannot be read");
    char line[256];
    while (fgets(line, sizeof line, f) != NULL) {
        char name[32];
        long kib;
        if (sscanf(line, "%31[^:]: %ld", name, &kib) != 2)
            continue;
        double mib = (double)kib / 1024;
        if (strcmp(name, "Rss") == 0)
            footprint.rss_mib = mib;
        else if (strcmp(name, "Pss") == 0)
            footprint.pss_mib = mib;
        else if (strcmp(name, "Private_Clean") == 0 || strcmp(name, "Private_Dirty") == 0)
            footprint.private_mib += mib;
    }
    fclose(f);
    return footprint;
}

static void print_footprints(const char *state, const pgas_array_t *samples, size_t offset)
{
    static const char *const kinds[] = {"rss", "pss", "private"};
    double *values = calloc(samples->count + 1, sizeof *values);
    if (values == NULL)
        pgas_exit(1);
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
        for (size_t i = 0; i < samples->count; i++) {
            size_t place = offset + kind * sizeof(double);
            values[i] =
                PGAS_READ(double, pgas_ptr_shift(pgas_array_at(samples, i), (ptrdiff_t)place));
        }
        char name[64];
        snprintf(name, sizeof name, "%s_%s_mib", state, kinds[kind]);
        bench_print(name, bench_summarise(values, samples->count));
    }
    free(values);
}

static void print_slowest(const char *name, const pgas_array_t *samples, size_t offset)
{
    double slowest = 0;
    for (size_t i = 0; i < samples->count; i++) {
        double ms = PGAS_READ(double, pgas_ptr_shift(pgas_array_at(samples, i), (ptrdiff_t)offset));
        if (ms > slowest)
            slowest = ms;
    }
    bench_summary_t summary = {slowest, slowest, slowest};
    bench_print(name, summary);
}

/* Each thread begins with a different one. */
static double read_from_all(const pgas_array_t *samples)
{
    double *seen = calloc(samples->count + 1, sizeof *seen);
    if (seen == NULL)
        pgas_exit(1);
    pgas_barrier();
    double begin = bench_seconds();
    for (size_t i = 0; i < samples->count; i++) {
        size_t other = ((size_t)pgas_mythread() + i) % samples->count;
        pgas_memget_asynci(&seen[other], pgas_array_at(samples, other), sizeof *seen);
    }
    pgas_waitsynci();
    pgas_barrier();
    double ms = (bench_seconds() - begin) * 1e3;
    free(seen);
    return ms;
}

int main(void)
{
    sample_t sample;
    double begin = bench_seconds();
    if (pgas_init() != PGAS_OK)
        return 1;
    sample.init_ms = (bench_seconds() - begin) * 1e3;
    sample.joined = read_footprint();

    pgas_array_t samples;
    if (pgas_array_create((size_t)pgas_threads(), sizeof sample, 1, &samples) != PGAS_OK)
        pgas_exit(1);
    sample.contact_ms = read_from_all(&samples);
    sample.connected = read_footprint();
    *(sample_t *)pgas_array_mine(&samples) = sample;
    pgas_barrier();
    if (pgas_mythread() == 0) {
        print_slowest("init_ms", &samples, offsetof(sample_t, init_ms));
        print_slowest("contact_ms", &samples, offsetof(sample_t, contact_ms));
        print_footprints("joined", &samples, offsetof(sample_t, joined));
        print_footprints("connected", &samples, offsetof(sample_t, connected));
    }
    pgas_array_free(&samples);
    pgas_finalize();
    return 0;
}
