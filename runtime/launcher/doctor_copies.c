#include "doctor.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum {
    PAGE = 4096,
    NBYTES = 65536,
    /* Bytes that the destination is ahead of the source in a page, where it is best; and beyond
     * those where it crawls: from 1 on Zen 4, from 1 to 31 on Zen 3. */
    APART = PAGE / 2,
    AHEAD_END = 32,
    AHEAD_STEP = 5,
    COPIES = 8,
    BATCHES = 16
};

/* Of some copies, the least of several batches: other programs can only add to a time. */
static double copying(char *to, const char *from)
{
    double least = 0;
    for (int batch = 0; batch < BATCHES; batch++) {
        uint64_t begin = pgasi_nanoseconds();
        for (int i = 0; i < COPIES; i++) {
            memcpy(to, from, NBYTES);
            __asm__ volatile("" : : "r"(to) : "memory"); /* somebody reads them */
        }
        double took = (double)(pgasi_nanoseconds() - begin);
        least = least == 0 || took < least ? took : least;
    }
    return least;
}

double doctor_crawling_copies(void)
{
    char *from = aligned_alloc(PAGE, NBYTES);
    char *to = aligned_alloc(PAGE, NBYTES + PAGE);
    double ratio = 0;
    if (from != NULL && to != NULL) {
        memset(from, 1, NBYTES);
        memset(to, 1, NBYTES + PAGE);
        double usual = copying(to + APART, from);
        for (int ahead = 1; ahead < AHEAD_END && usual > 0; ahead += AHEAD_STEP) {
            double times = copying(to + ahead, from) / usual;
            ratio = times > ratio ? times : ratio;
        }
    }
    free(to);
    free(from);
    return ratio;
}
