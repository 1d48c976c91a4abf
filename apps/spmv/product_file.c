#include "product_file.h"

#include <meshes/vector_file.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/agree.h"
#include "common/large.h"

static bool write_file(const char *path, const char *matrix, const spmv_problem_t *problem,
                       const spmv_settings_t *settings, const spmv_result_t *result,
                       mesh_error_t *error)
{
    char source[256];
    double *x = common_alloc("start values", problem->n, sizeof *x);
    spmv_problem_gather(problem, problem->x, x);
    snprintf(source, sizeof source, "fathom-spmv %s --variant %s --iterations %zu", matrix,
             result->variant, settings->iterations);
    const mesh_product_t product = {
        .rows = problem->n,
        .products = settings->iterations,
        .x = x,
        .y = result->values,
        .original = problem->original,
        .source = source,
    };
    bool written = mesh_product_write(path, &product, error);
    free(x);
    return written;
}

void spmv_product_write(const char *path, const char *matrix, spmv_problem_t *problem,
                        const spmv_settings_t *settings, const spmv_result_t *result)
{
    mesh_error_t error = {""};
    bool ok = true;
    spmv_problem_start(problem);
    if (pgas_mythread() == 0)
        ok = write_file(path, matrix, problem, settings, result, &error);
    common_agree(ok, error.text);
}
