/**
 * Makes the processor stop behind every instruction of the calling thread: a SIGTRAP each, which
 * the test handles. On x86-64.
 */
#ifndef RUNTIME_TESTS_STEPS_H
#define RUNTIME_TESTS_STEPS_H

#include <stdbool.h>
#include <stdint.h>

static inline void step_from_here(bool yes)
{
    const uint64_t trap = 256;
    uint64_t flags = __builtin_ia32_readeflags_u64();
    __builtin_ia32_writeeflags_u64(yes ? flags | trap : flags & ~trap);
}

#endif
