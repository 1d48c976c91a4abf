/**
 * Writing what a variant has computed, for other programs to compare.
 */
#ifndef SPMV_PRODUCT_FILE_H
#define SPMV_PRODUCT_FILE_H

#include "run.h"

/**
 * Writes the start values, the values that a result has kept, and how the rows were numbered before
 * any renumbering, if the matrix file tells (meshes/vector_file.h). Collective; sets the problem to
 * its start. Ends the job with one line if that cannot be, as when values have overflowed.
 */
void spmv_product_write(const char *path, const char *matrix, spmv_problem_t *problem,
                        const spmv_settings_t *settings, const spmv_result_t *result);

#endif
