/**
 * Strided copies of all forms; what the sections of section.h stand on.
 */
#ifndef PGASI_VIS_STRIDED_H
#define PGASI_VIS_STRIDED_H

#include "vis/address.h"

/** Starts pgas_memcpy_strided between addresses of any kind: adds it to a group. */
void pgasi_strided(pgasi_group_t *group, const char *call, pgasi_address_t dst,
                   const size_t *dststrides, pgasi_address_t src, const size_t *srcstrides,
                   const size_t *count, size_t levels);

#endif
