/**
 * A program whose constructors, as those of C++'s static objects, are in the job before main.
 */
#include "check.h"

static pgas_ptr_t words;

static __attribute__((constructor)) void begin(void)
{
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), sizeof(uint64_t), &words) == PGAS_OK);
}

static __attribute__((destructor)) void end(void)
{
    pgas_barrier();
    words.thread = (uint32_t)pgas_mythread();
    CHECK(PGAS_READ(uint64_t, words) == words.thread);
    pgas_finalize();
}

int main(void)
{
    words.thread = (uint32_t)(pgas_mythread() + 1) % (uint32_t)pgas_threads();
    PGAS_WRITE(uint64_t, words, words.thread);
    return 0;
}
