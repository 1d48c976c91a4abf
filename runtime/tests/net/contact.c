/**
 * All threads at once read from every other thread for the first time, which makes all connections
 * that a job can have. See files.sh.
 */
#include <stdlib.h>

#include "check.h"

int main(void)
{
    if (pgas_init() != PGAS_OK)
        return 1;
    int threads = pgas_threads();
    pgas_ptr_t words;
    CHECK(pgas_all_alloc((size_t)threads, sizeof(uint64_t), &words) == PGAS_OK);
    uint64_t *seen = calloc((size_t)threads, sizeof *seen);
    CHECK(seen != NULL);
    pgas_ptr_t own = words;
    own.thread = (uint32_t)pgas_mythread();
    PGAS_WRITE(uint64_t, own, own.thread + UINT64_C(1));
    pgas_barrier();
    for (int i = 0; i < threads; i++) {
        pgas_ptr_t word = words;
        word.thread = (uint32_t)((pgas_mythread() + i) % threads);
        pgas_memget_asynci(&seen[word.thread], word, sizeof *seen);
    }
    pgas_waitsynci();
    for (int i = 0; i < threads; i++)
        CHECK(seen[i] == (uint64_t)i + 1);
    pgas_barrier();
    free(seen);
    pgas_all_free(words);
    pgas_finalize();
    return 0;
}
