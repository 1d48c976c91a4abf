/**
 * What v4 and v5 share: values of x travel by a plan while the rows that need none are computed.
 *
 * A thread's rows are split in two. Interior rows use own values of x only, and read them where
 * they are. Boundary rows use at least one foreign value; all that they use, own values too, comes
 * to one vector, in the order in which it arrives. It is copied as a whole before it is used: its
 * lines are in the caches of those who sent them, and reading them out of order would cost a trip
 * to another core each. Columns are
 * renumbered once for both. Off-diagonals behind a row's last, which pad it in the file, are left
 * out.
 *
 * A step has no barrier. A thread overwrites its part of the other time level after pgas_plan_begin
 * has packed what others need of it, nobody reads another's part, and the plan keeps neighbours in
 * step.
 */
#ifndef SPMV_OVERLAP_H
#define SPMV_OVERLAP_H

#include "variant.h"

/** The preparation, with further options of pgas_plan_create. Collective. Returns the state. */
void *spmv_overlap_prepare(const spmv_problem_t *problem, unsigned plan_options);

/** A step, as spmv_variant_t describes it. */
void spmv_overlap_step(const spmv_problem_t *problem, void *state, common_clock_t *clock);

/** The product that a state uses, and what the calling thread's matrices hold. */
void spmv_overlap_describe(const void *state, spmv_storage_t *storage);

/** Frees the state. Collective. */
void spmv_overlap_release(void *state);

#endif
