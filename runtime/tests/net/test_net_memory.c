/**
 * Copies in flight take a bounded amount of memory at both ends, whatever their number and size:
 * floods of puts and gets to a thread that makes no progress for a while.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "memory.h"
#include "pause.h"

enum {
    BUFFER = 2 << 20,
    FLOOD = 1 << 30, /* bytes of a flood, or FEW copies of it */
    FEW = 40000,
    LIMIT_KIB = 24 << 10
};

static pgas_ptr_t target;
static char *buffer;

/* Private memory only: segments are shared. */
static size_t private_kib(void)
{
    size_t kib = memory_kib("RssAnon");
    CHECK(kib > 0);
    return kib;
}

static void flood(size_t nbytes, bool gets)
{
    size_t count = FLOOD / nbytes < FEW ? FLOOD / nbytes : FEW;
    size_t places = BUFFER / nbytes;
    for (size_t i = 0; i < count; i++) {
        pgas_ptr_t place = target;
        place.offset += i % places * nbytes;
        char *near = buffer + i % places * nbytes;
        if (gets)
            pgas_memget_asynci(near, place, nbytes);
        else
            pgas_memput_asynci(place, near, nbytes);
    }
}

int main(void)
{
    static const size_t sizes[] = {8, 257, 4096, 16384, 16385, 65536, 98304, 98305, 1 << 20};
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), BUFFER, &target) == PGAS_OK);
    target.thread = 0;
    buffer = calloc(1, BUFFER);
    CHECK(buffer != NULL);
    memset(buffer, pgas_mythread(), BUFFER);
    pgas_barrier();
    size_t before = private_kib();
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (int gets = 0; gets < 2; gets++) {
            if (pgas_mythread() == 0)
                sleep_microseconds(100000);
            else
                flood(sizes[s], gets != 0);
            size_t in_flight = private_kib();
            pgas_waitsynci();
            pgas_barrier();
            size_t after = private_kib();
            printf("thread %d: %s of %zu bytes: %zu KiB more in flight, %zu after\n",
                   pgas_mythread(), gets ? "gets" : "puts", sizes[s],
                   in_flight > before ? in_flight - before : 0,
                   after > before ? after - before : 0);
            CHECK(in_flight < before + LIMIT_KIB);
            CHECK(after < before + LIMIT_KIB);
        }
    }
    free(buffer);
    pgas_all_free(target);
    pgas_finalize();
    return 0;
}
