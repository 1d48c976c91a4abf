/**
 * Large private arrays.
 */
#ifndef COMMON_LARGE_H
#define COMMON_LARGE_H

#include <stddef.h>

/** Allocates `count` elements of `elem_size` bytes, aligned to 64 bytes, on 2 MiB pages where the
 *  system grants them. Not initialised. The caller frees it with free(). Ends the job with one line
 *  naming `what` if there is no memory. */
void *common_alloc(const char *what, size_t count, size_t elem_size);

#endif
