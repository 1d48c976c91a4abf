/* Copies in flight to another node: time and memory per copy by size, and how much of a large copy
 * overlaps with computation. */
#include <pgas/pgas.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum {
    ROOM = 4 << 20,
    MOST = 30000,
    MOST_BYTES = 256 << 20,
    BATCHES = 7,
    LARGE = 2 << 20
};

static const double COMPUTE_S = 4e-3;

static pgas_ptr_t room;
static char *buffer;

static double private_kib(void)
{
    char line[256];
    double kib = 0;
    FILE *file = fopen("/proc/self/status", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "RssAnon: %lf kB", &kib) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return kib;
}

static size_t count_of(size_t nbytes)
{
    return MOST_BYTES / nbytes < MOST ? MOST_BYTES / nbytes : MOST;
}

/* Microseconds per copy of a batch, started one after the other and completed by one wait. */
static double time_batch(size_t nbytes, bool gets)
{
    size_t count = count_of(nbytes);
    size_t places = ROOM / nbytes;
    double begin = bench_seconds();
    for (size_t i = 0; i < count; i++) {
        pgas_ptr_t far = pgas_ptr_shift(room, (ptrdiff_t)(i % places * nbytes));
        char *near = buffer + i % places * nbytes;
        if (gets)
            pgas_memget_asynci(near, far, nbytes);
        else
            pgas_memput_asynci(far, near, nbytes);
    }
    pgas_waitsynci();
    return 1e6 * (bench_seconds() - begin) / (double)count;
}

static void measure_size(size_t nbytes, bool gets)
{
    char name[64];
    double times[BATCHES];
    double before = private_kib();
    for (size_t b = 0; b < BATCHES; b++)
        times[b] = time_batch(nbytes, gets);
    double more = private_kib() - before;
    snprintf(name, sizeof name, "%s_%zu_us", gets ? "get" : "put", nbytes);
    bench_print(name, bench_summarise(times, BATCHES));
    printf("%s_%zu_kib %.0f\n", gets ? "get" : "put", nbytes, more > 0 ? more : 0);
}

static double start_and_compute(bool gets, double compute_s)
{
    pgas_handle_t handle =
        gets ? pgas_memget_async(buffer, room, LARGE) : pgas_memput_async(room, buffer, LARGE);
    volatile double sum = 0;
    for (double end = bench_seconds() + compute_s; bench_seconds() < end;)
        for (int i = 1; i < 100; i++)
            sum = sum + 1.0 / i;
    double begin = bench_seconds();
    pgas_waitsync(handle);
    return bench_seconds() - begin;
}

/* The percentage of a copy's time that overlaps with the computation. */
static void measure_overlap(bool gets)
{
    double alone[BATCHES];
    double left[BATCHES];
    for (size_t b = 0; b < BATCHES; b++) {
        alone[b] = start_and_compute(gets, 0);
        left[b] = start_and_compute(gets, COMPUTE_S);
    }
    double hidden[BATCHES];
    double whole = bench_summarise(alone, BATCHES).median;
    for (size_t b = 0; b < BATCHES; b++)
        hidden[b] = 100 * (1 - left[b] / whole);
    bench_print(gets ? "get_hidden_percent" : "put_hidden_percent",
                bench_summarise(hidden, BATCHES));
}

/* The target computes too, for as long as `flag` is not set in its memory. */
static void compute_until_told(const volatile char *flag)
{
    volatile double sum = 0;
    while (*flag == 0)
        for (int i = 1; i < 1000; i++)
            sum = sum + 1.0 / i;
}

int main(void)
{
    pgas_ptr_t flag;
    if (pgas_init() != PGAS_OK)
        return 1;
    if (pgas_threads() != 2 || pgas_place_of(1 - pgas_mythread()) != PGAS_REMOTE)
        pgas_fail(2, "two threads on two nodes are needed");
    if (pgas_all_alloc(2, ROOM, &room) != PGAS_OK || pgas_all_alloc(2, 64, &flag) != PGAS_OK)
        pgas_exit(1);
    room = pgas_ptr_on(room, 1);
    flag = pgas_ptr_on(flag, 1);
    buffer = bench_allocate(ROOM, 0);
    for (size_t nbytes = 1; nbytes <= (size_t)1 << 20; nbytes *= nbytes == 64 ? 4 : 2) {
        pgas_barrier();
        if (pgas_mythread() == 0) {
            measure_size(nbytes, false);
            measure_size(nbytes, true);
        }
        pgas_barrier();
    }
    if (pgas_mythread() == 0) {
        measure_overlap(false);
        measure_overlap(true);
        PGAS_WRITE(char, flag, 1);
    } else {
        compute_until_told(pgas_local(flag));
    }
    pgas_barrier();
    pgas_finalize();
    return 0;
}
