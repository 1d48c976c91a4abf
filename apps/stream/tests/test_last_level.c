/* The size of the last-level cache: found in times of reads made of a cache of that size, and
 * measured the same for all threads. */
#include <pgas/pgas.h>
#include <stdbool.h>

#include "../job.h"
#include "../last_level.h"
#include "check.h"

enum {
    SIZES = 40
};

static const double nanosecond = 1e-9;
static const size_t mega = (size_t)1 << 20;

/* Reads of `quick` and `slow` nanoseconds, in memory from `first` bytes on; each time it is twice
 * as large slow ones take `growth` as long. The first size that tells; 0 if none does. */
static size_t found(double cache, double first, double quick, double slow, double growth)
{
    stream_read_time_t times[SIZES];
    double size = first;
    for (size_t k = 0; k < SIZES; k++, size *= 1.189207115) {
        double part = size > cache ? cache / size : 1.0;
        times[k].nbytes = (size_t)size;
        times[k].seconds = nanosecond * (part * quick + (1.0 - part) * slow);
        size_t nbytes = stream_cache_by_times(times, k + 1);
        if (nbytes > 0)
            return nbytes;
        if (k % 4 == 3)
            slow *= growth;
    }
    return 0;
}

static bool is_about(size_t nbytes, double expected)
{
    return (double)nbytes > 0.8 * expected && (double)nbytes < 1.25 * expected;
}

static void test_times(void)
{
    const double first = 1.4 * (double)mega;
    double cache = 2.0 * (double)mega;
    for (int i = 0; i < 8; i++, cache *= 1.7) {
        CHECK(is_about(found(cache, first, 1.4, 6.0, 1.0), cache));
        CHECK(is_about(found(cache, first, 1.4, 12.0, 1.1), cache));
        CHECK(is_about(found(cache, first, 15.0, 90.0, 1.1), cache));
    }
    /* None is slower, or none by enough. */
    CHECK(found(1e12, first, 1.4, 6.0, 1.0) == 0);
    CHECK(found(8.0 * (double)mega, first, 1.4, 2.8, 1.0) == 0);
    /* A disturbed size alone tells nothing. */
    const stream_read_time_t disturbed[] = {{mega, nanosecond},
                                            {2 * mega, 9 * nanosecond},
                                            {4 * mega, nanosecond},
                                            {8 * mega, nanosecond},
                                            {16 * mega, 9 * nanosecond}};
    CHECK(stream_cache_by_times(disturbed, 4) == 0);
    CHECK(stream_cache_by_times(disturbed, 5) == 0);
    CHECK(stream_cache_by_times(disturbed, 1) == 0);
    /* Nor do times of a clock that stands still. */
    const stream_read_time_t zeros[] = {
        {mega, 0.0}, {2 * mega, 0.0}, {8 * mega, nanosecond}, {32 * mega, nanosecond}};
    for (size_t count = 0; count <= 4; count++)
        CHECK(stream_cache_by_times(zeros, count) == 0);
}

/* The same on all threads, and not outside what was asked for. */
static void test_measured(void)
{
    size_t nbytes = stream_measure_last_level(mega / 4, 64 * mega);
    CHECK((double)nbytes == stream_of_thread_0((double)nbytes));
    CHECK(nbytes == 0 || (nbytes >= mega / 4 && nbytes <= 64 * mega));
    /* Too little memory to tell. */
    CHECK(stream_measure_last_level(mega, mega) == 0);
    CHECK(stream_measure_last_level(mega, 2 * mega) == 0);
}

int main(void)
{
    if (pgas_init() != PGAS_OK)
        return 1;
    stream_job_begin();
    test_times();
    test_measured();
    stream_job_end();
    pgas_finalize();
    return 0;
}
