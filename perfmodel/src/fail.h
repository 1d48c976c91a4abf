/**
 * How every function of this library fills its mesh_error_t.
 */
#ifndef PERFMODEL_SRC_FAIL_H
#define PERFMODEL_SRC_FAIL_H

#include <meshes/error.h>
#include <stdbool.h>
#include <stddef.h>

/** Formats the message. Text that does not fit is cut. */
void modeli_report(mesh_error_t *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Formats the message; the value is false. A macro, so that the compiler sees the value. */
#define modeli_fail(...) (modeli_report(__VA_ARGS__), false)

/** modeli_fail for memory that ran out. */
#define modeli_fail_memory(error, purpose, nbytes) \
    modeli_fail((error), "not enough memory for %s (%zu bytes)", (purpose), (size_t)(nbytes))

#endif
