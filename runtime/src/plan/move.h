/**
 * Moving elements between a packed message and their places.
 */
#ifndef PGASI_PLAN_MOVE_H
#define PGASI_PLAN_MOVE_H

#include <stddef.h>
#include <stdint.h>

#include <pgas/plan.h>

/** Packs: to[j] = from[places[j]]. `places` NULL: they are 0, 1, 2 ... */
void pgasi_plan_pick(void *to, const void *from, const uint32_t *places, size_t count,
                     size_t elem_size);

/** Unpacks: to[places[j]] = from[j], or joins them by `combine`. `places` as above. */
void pgasi_plan_drop(void *to, const void *from, const uint32_t *places, size_t count,
                     size_t elem_size, pgas_combine_t *combine);

/** Joins what `drop` would have overwritten: into[places[sources[j]]] with from[sources[j]]. */
void pgasi_plan_join(void *into, const void *from, const uint32_t *places, const uint32_t *sources,
                     size_t count, size_t elem_size, pgas_combine_t *combine);

#endif
