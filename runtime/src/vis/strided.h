/**
 * Strided copies of all forms; the sections of section.h use them.
 */
#ifndef PGASI_VIS_STRIDED_H
#define PGASI_VIS_STRIDED_H

#include "base/fatal.h"
#include "vis/address.h"

/** Ends the job if the counts are NULL. */
static inline void pgasi_require_counts(const char *call, const void *count)
{
    if (count == NULL)
        pgasi_fatal(call, "the counts are missing: the pointer is NULL");
}

/** Ends the job if the strides of a side of at least one dimension are NULL. */
static inline void pgasi_require_strides(const char *call, const void *dststrides,
                                         const void *srcstrides, size_t dims)
{
    if (dims > 0 && (dststrides == NULL || srcstrides == NULL))
        pgasi_fatal(call, "the strides are missing: the pointer is NULL");
}

/** Starts pgas_memcpy_strided between addresses of any kind: adds it to a group. */
void pgasi_strided(pgasi_group_t *group, const char *call, pgasi_address_t dst,
                   const size_t *dststrides, pgasi_address_t src, const size_t *srcstrides,
                   const size_t *count, size_t levels);

#endif
