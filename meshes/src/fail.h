/**
 * The one way a function of this library fills its mesh_error_t.
 */
#ifndef MESHES_SRC_FAIL_H
#define MESHES_SRC_FAIL_H

#include <stdbool.h>
#include <stddef.h>

#include "meshes/error.h"

/** Formats the message. Text that does not fit is cut. A NULL error is allowed. */
void meshi_report(mesh_error_t *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Formats the message and is false, so that `return meshi_fail(...)` reports and leaves. A macro
 *  for the compiler to see the value. */
#define meshi_fail(...) (meshi_report(__VA_ARGS__), false)

/** meshi_fail for memory that ran out: names what it was wanted for and how much, in bytes. */
#define meshi_fail_memory(error, purpose, nbytes) \
    meshi_fail((error), "not enough memory for %s (%zu bytes)", (purpose), (size_t)(nbytes))

#endif
