/**
 * The debug build's check that a word which this thread has reached by the network, through an
 * atomic domain, is not touched in another way before the thread has passed a barrier, a fence or a
 * free. Remembers the last words. Other builds check nothing.
 */
#ifndef PGASI_COPY_DOMAIN_CHECK_H
#define PGASI_COPY_DOMAIN_CHECK_H

#include <stddef.h>

#include <pgas/types.h>

#ifdef PGAS_DEBUG

/** The network is about to touch the word of `nbytes` bytes at `at`. */
void pgasi_domain_note(pgas_ptr_t at, size_t nbytes);

/** Ends the job, in the name of `call`, if there is a part of such a word in the `nbytes` bytes
 * from `ptr` on. */
void pgasi_check_no_domain(const char *call, pgas_ptr_t ptr, size_t nbytes);

#else

static inline void pgasi_domain_note(pgas_ptr_t at, size_t nbytes)
{
    (void)at;
    (void)nbytes;
}

static inline void pgasi_check_no_domain(const char *call, pgas_ptr_t ptr, size_t nbytes)
{
    (void)call;
    (void)ptr;
    (void)nbytes;
}

#endif

#endif
