/** A shared object that contains Fathom, and is in the job for one call; see plugin_host.c. */
#include <pgas/pgas.h>

int use_job(void);

/* The thread's number plus 1, by way of the next thread's memory; 0 if that fails. */
int use_job(void)
{
    pgas_ptr_t words;
    if (pgas_init() != PGAS_OK ||
        pgas_all_alloc((size_t)pgas_threads(), sizeof(uint64_t), &words) != PGAS_OK)
        return 0;
    words.thread = (uint32_t)(pgas_mythread() + 1) % (uint32_t)pgas_threads();
    PGAS_WRITE(uint64_t, words, words.thread + 1);
    pgas_barrier();
    words.thread = (uint32_t)pgas_mythread();
    int found = (int)PGAS_READ(uint64_t, words);
    pgas_finalize();
    return found;
}
