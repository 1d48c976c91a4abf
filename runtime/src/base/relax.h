/**
 * What a spinning thread does between two looks.
 */
#ifndef PGASI_BASE_RELAX_H
#define PGASI_BASE_RELAX_H

static inline void pgasi_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
