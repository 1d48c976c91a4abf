/**
 * What v4 and v5 share: values of x travel by a plan while the rows that need none are computed.
 *
 * A thread's rows are split in two. Interior rows use own values of x only, and read them where
 * they are. Boundary rows use at least one value of another thread; where nearly all rows of a
 * thread do, the others count as such too (support/boundary.h). One vector holds all values that
 * they use, own ones too, in the order of arrival. It is copied as a whole before use: its lines
 * are in the senders' caches, and reading them out of order would cost a transfer from another core
 * each. Where boundary rows use much of the thread's part of x, that is copied whole
 * (support/boundary.h), and only what others own arrives by the plan. Columns are renumbered once
 * for both. The off-diagonals that pad a row's end in the file are left out.
 *
 * A step has no barrier. A thread overwrites its part of the other time level after pgas_plan_begin
 * has packed what others need of it, nobody reads another's part, and the plan keeps neighbours in
 * step.
 */
#ifndef SPMV_OVERLAP_H
#define SPMV_OVERLAP_H

#include "variant.h"

/** Prepares, with additional options for pgas_plan_create. Collective. Returns the state. */
void *spmv_overlap_prepare(const spmv_problem_t *problem, unsigned plan_options);

/** A step, as spmv_variant_t describes it. */
void spmv_overlap_step(const spmv_problem_t *problem, void *state, common_clock_t *clock);

/** The product that a state uses, and what the calling thread's matrices hold. */
void spmv_overlap_describe(const void *state, spmv_storage_t *storage);

/** Frees the state. Collective. */
void spmv_overlap_release(void *state);

#endif
