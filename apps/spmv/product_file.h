/**
 * Writes the result of a variant, for comparison by other programs.
 */
#ifndef SPMV_PRODUCT_FILE_H
#define SPMV_PRODUCT_FILE_H

#include "run.h"

/**
 * Writes the start values, the values kept in a result, and problem->original, if it is there
 * (meshes/vector_file.h). `matrix` is named as the source. Collective; sets the problem to its
 * start. Ends the job with one line if it cannot write them, as when values have overflowed.
 */
void spmv_product_write(const char *path, const char *matrix, spmv_problem_t *problem,
                        const spmv_settings_t *settings, const spmv_result_t *result);

#endif
