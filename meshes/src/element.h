/**
 * The number types of a mesh file's datasets.
 */
#ifndef MESHES_SRC_ELEMENT_H
#define MESHES_SRC_ELEMENT_H

#include <stddef.h>
#include <stdint.h>

/** What the elements of a dataset are in the file; either byte order is read. */
typedef enum meshi_number {
    /** IEEE double; in memory `double`. */
    MESHI_REAL64,
    /** Signed 32 bit; in memory `int32_t`. */
    MESHI_INT32,
    /** Unsigned 32 bit; in memory `uint32_t`. */
    MESHI_UINT32
} meshi_number_t;

/** The bytes of an element, in the file and in memory. */
static inline size_t meshi_number_size(meshi_number_t number)
{
    return number == MESHI_REAL64 ? sizeof(double) : sizeof(int32_t);
}

#endif
