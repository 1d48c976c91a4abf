/**
 * Ways to go wrong; see fail.c.
 */
#ifndef RUNTIME_TESTS_JOB_FAIL_H
#define RUNTIME_TESTS_JOB_FAIL_H

#include <pgas/pgas.h>

typedef struct fail_mode {
    const char *name; /* NULL after the last one */
    void (*act)(void);
    bool by_all; /* or by the chosen thread alone */
} fail_mode_t;

extern const fail_mode_t fail_debug_modes[];

extern int chosen;

/** Shared by all modes. */
extern char bytes[100];
extern pgas_array_t small; /* ten integers */
extern pgas_array_t words; /* two of 8 bytes on every thread */

static inline bool is_chosen(void)
{
    return pgas_mythread() == chosen;
}

/** Allocates 1000 bytes in the own segment. */
static inline pgas_ptr_t allocate(void)
{
    pgas_ptr_t ptr = pgas_ptr_null();
    pgas_alloc(1000, &ptr);
    return ptr;
}

#endif
