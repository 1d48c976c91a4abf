/**
 * The examples of "Proposal for Extending the UPC Memory Copy Library Functions", and the array
 * that they use.
 */
#ifndef RUNTIME_TESTS_COPY_UPC_EXAMPLES_H
#define RUNTIME_TESTS_COPY_UPC_EXAMPLES_H

#include "check.h"

#include <pgas/upc_names.h>

#define BLKSZ ((size_t)100)

static inline size_t my_thread(void)
{
    return (size_t)MYTHREAD;
}

static inline size_t thread_count(void)
{
    return (size_t)THREADS;
}

/** shared [BLKSZ] double A[count], filled. Collective. */
pgas_array_t make_array(size_t count);

/** Collective. */
void test_examples(void);

#endif
