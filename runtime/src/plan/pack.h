/**
 * Moving values between a contiguous message and their places: packing, unpacking, reducing.
 */
#ifndef PGASI_PLAN_PACK_H
#define PGASI_PLAN_PACK_H

#include <stddef.h>
#include <stdint.h>

#include <pgas/plan.h>

/** Packs: to[j] = from[indices[j]]. `indices` NULL: they are 0, 1, 2 ... */
void pgasi_plan_pack(void *to, const void *from, const uint32_t *indices, size_t count,
                     size_t elem_size);

/** Unpacks: to[indices[j]] = from[j], or combines both if `combine` is not NULL. `indices` as
 *  above. */
void pgasi_plan_unpack(void *to, const void *from, const uint32_t *indices, size_t count,
                       size_t elem_size, pgas_combine_t *combine);

/** The bytes of an element of one of the library's own functions; 0 for others. */
size_t pgasi_plan_combine_size(pgas_combine_t *combine);

/** Reduces values that pgasi_plan_unpack overwrites: to[indices[sources[j]]] becomes
 *  from[sources[j]], combined with those of the following sources that have the same index. */
void pgasi_plan_reduce(void *to, const void *from, const uint32_t *indices, const uint32_t *sources,
                       size_t count, size_t elem_size, pgas_combine_t *combine);

#endif
