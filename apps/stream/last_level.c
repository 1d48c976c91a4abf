#include "last_level.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/large.h"
#include "common/timing.h"
#include "job.h"

enum {
    LINE = 64,
    READS = 1 << 17,
    TIMES = 9,
    /* That do not wait for each other. */
    CHAINS = 4,
    /* Sizes, each greater than the one before by the fourth root of two. */
    STEPS_PER_OCTAVE = 4,
    SIZES = 64 * STEPS_PER_OCTAVE,
    MOST_SEARCHED = 1 << 30,
    /* Reads count as slow if those from so many times the memory have been timed. */
    BEYOND = 4
};

/* Reads from memory take at least so many times as long as those from a cache. */
static const double slower = 2.5;

/* Of reads at random in memory that a cache holds a part of, this part is quick. The cache's size
 * is looked for where most are: there it depends least on what reads from memory take, which grows
 * with the pages that the core has to look up. Disturbances make reads slow, not quick. */
size_t stream_cache_by_times(const stream_read_time_t *times, size_t count)
{
    if (count == 0)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (!(times[i].seconds > 0.0))
            return 0;
    double quick = times[0].seconds;
    double slow = times[count - 1].seconds;
    double middle = sqrt(quick * slow);
    size_t k = count - 1;
    while (k > 0 && times[k].nbytes > times[count - 1].nbytes / BEYOND)
        k--;
    if (slow < slower * quick || times[k].seconds < middle)
        return 0;
    while (k > 0 && times[k - 1].seconds >= middle)
        k--;
    if (k == 0)
        return 0;
    double part = log(middle / times[k - 1].seconds) / log(times[k].seconds / times[k - 1].seconds);
    double growth = (double)times[k].nbytes / (double)times[k - 1].nbytes;
    return (size_t)((double)times[k - 1].nbytes * pow(growth, part) * (slow - middle) /
                    (slow - quick));
}

/* Of the processor, which other threads and programs may use in between. */
static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Reads each line in order, and then lines at random (by linear congruences, Knuth's MMIX). Returns
 * the seconds of a read at random. */
static double time_of_reads(const volatile uint64_t *memory, size_t nbytes)
{
    const uint64_t lines = nbytes / LINE;
    const size_t values = LINE / sizeof *memory;
    uint64_t states[CHAINS] = {(uint64_t)pgas_mythread(), 1ULL << 30, 1ULL << 60, 1ULL << 45};
    for (size_t i = 0; i < lines; i++)
        (void)memory[i * values];
    double start = processor_seconds();
    for (int i = 0; i < READS / CHAINS; i++)
        for (int c = 0; c < CHAINS; c++) {
            states[c] = states[c] * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            (void)memory[((states[c] >> 32) * lines >> 32) * values];
        }
    return (processor_seconds() - start) / READS;
}

/* Of the slowest thread. */
static double usual_time(const uint64_t *memory, size_t nbytes)
{
    double times[TIMES];
    for (int i = 0; i < TIMES; i++) {
        pgas_barrier();
        times[i] = time_of_reads(memory, nbytes);
    }
    return stream_largest(common_spread(times, TIMES).median);
}

size_t stream_measure_last_level(size_t second_level, size_t most)
{
    stream_read_time_t times[SIZES];
    if (most > MOST_SEARCHED)
        most = MOST_SEARCHED;
    char *memory = common_alloc("the size of the last-level cache", most / LINE + 1, LINE);
    size_t touched = 0;
    size_t found = 0;
    double size = (double)second_level * M_SQRT2;
    for (size_t k = 0; k < SIZES && found == 0 && size <= (double)most; k++) {
        times[k].nbytes = (size_t)size / LINE * LINE;
        memset(memory + touched, 0, times[k].nbytes - touched);
        touched = times[k].nbytes;
        times[k].seconds = usual_time((uint64_t *)(void *)memory, touched);
        found = stream_cache_by_times(times, k + 1);
        size *= pow(2.0, 1.0 / STEPS_PER_OCTAVE);
    }
    free(memory);
    return found > 0 && found < second_level ? second_level : found;
}
