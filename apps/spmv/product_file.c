#include "product_file.h"

#include <meshes/matrix_file.h>
#include <meshes/vector_file.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/agree.h"
#include "common/large.h"

/* `*original` becomes NULL where the file does not have it. */
static bool read_original(const char *matrix, size_t n, int32_t **original, mesh_error_t *error)
{
    mesh_matrix_file_t *file;
    mesh_matrix_info_t info;
    bool is_known = false;
    *original = NULL;
    if (!mesh_matrix_file_open(matrix, &file, &info, error))
        return false;
    int32_t *numbers = common_alloc("original numbers", n, sizeof *numbers);
    bool read = mesh_matrix_file_read_original(file, &is_known, numbers, error);
    mesh_matrix_file_close(file);
    if (is_known)
        *original = numbers;
    else
        free(numbers);
    return read;
}

static bool write_file(const char *path, const char *matrix, const spmv_problem_t *problem,
                       const spmv_settings_t *settings, const spmv_result_t *result,
                       mesh_error_t *error)
{
    char source[256];
    int32_t *original;
    if (!read_original(matrix, problem->n, &original, error))
        return false;
    double *x = common_alloc("start values", problem->n, sizeof *x);
    spmv_problem_gather(problem, problem->x, x);
    snprintf(source, sizeof source, "fathom-spmv %s --variant %s --iterations %zu", matrix,
             result->variant, settings->iterations);
    const mesh_product_t product = {
        .rows = problem->n,
        .products = settings->iterations,
        .x = x,
        .y = result->values,
        .original = original,
        .source = source,
    };
    bool written = mesh_product_write(path, &product, error);
    free(x);
    free(original);
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
