/**
 * The whole field, rows at a time, as one thread sees it.
 */
#ifndef HEAT_FIELD_H
#define HEAT_FIELD_H

#include "problem.h"

/** Rows of a band: as many as a few MiB hold, at least one. */
size_t heat_band_rows(const heat_shape_t *shape);

/** Copies rows [first, first + count) of the mesh, boundary included, N values each, to `rows`,
 *  whoever owns them. Not collective; no thread may be computing. */
void heat_field_get(const heat_problem_t *problem, size_t first, size_t count, double *rows);

/** Copies such rows to their owners, without the boundary. Not collective; as above. */
void heat_field_put(const heat_problem_t *problem, size_t first, size_t count, const double *rows);

#endif
