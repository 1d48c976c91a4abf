/**
 * Blocking bulk copies.
 *
 * A copy moves `nbytes` contiguous bytes of one thread's segment, at any alignment. It is complete
 * when the call returns: the caller may use source and destination again, and written memory is
 * visible as pgas.h says. Source and destination must not overlap. A copy of 0 bytes does nothing,
 * whatever the pointers. Copies count as contiguous traffic.
 *
 * In every build, a null pointer, a thread that does not exist or a range beyond the owner's
 * segment ends the job. Private memory that is not mapped crashes the caller. The debug build also
 * ends the job if the bytes are not all in one allocation of the heap, and if source and
 * destination overlap; this holds for the copies of other headers too.
 */
#ifndef PGAS_COPY_H
#define PGAS_COPY_H

#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** Copies from shared memory to private memory. */
PGAS_API void pgas_memget(void *dst, pgas_ptr_t src, size_t nbytes);

/** Copies from private memory to shared memory. */
PGAS_API void pgas_memput(pgas_ptr_t dst, const void *src, size_t nbytes);

/** Copies from shared memory to shared memory; counts as a get from `src` and a put to `dst`. */
PGAS_API void pgas_memcpy(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes);

/** Sets every byte to `value` (converted to unsigned char). */
PGAS_API void pgas_memset(pgas_ptr_t dst, int value, size_t nbytes);

PGAS_END_DECLS

#endif
