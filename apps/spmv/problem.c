#include "problem.h"

#include <meshes/vector_file.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/agree.h"
#include "common/large.h"

/* Ends the job if the threads have opened files with different digests. */
static void agree_on_file(const char *path, uint64_t digest)
{
    mesh_error_t error;
    uint64_t least = pgas_allreduce_uint64(PGAS_TEAM_ALL, digest, PGAS_MIN);
    uint64_t most = pgas_allreduce_uint64(PGAS_TEAM_ALL, digest, PGAS_MAX);
    snprintf(error.text, sizeof error.text,
             "%s: the threads have opened different files: it has been replaced meanwhile, or the "
             "hosts have different ones",
             path);
    common_agree(least == most, error.text);
}

/* All threads open the file, thread 0 first, so that a file that is not a matrix is reported
 * once. */
static mesh_matrix_file_t *open_file(const char *path, mesh_matrix_info_t *info)
{
    mesh_matrix_file_t *file = NULL;
    mesh_error_t error = {""};
    bool ok = true;
    if (pgas_mythread() == 0)
        ok = mesh_matrix_file_open(path, &file, info, &error);
    common_agree(ok, error.text);
    if (pgas_mythread() != 0)
        ok = mesh_matrix_file_open(path, &file, info, &error);
    common_agree(ok, error.text);
    agree_on_file(path, info->digest);
    return file;
}

static void create(size_t count, size_t elem_size, size_t block, pgas_array_t *array)
{
    if (pgas_array_create(count, elem_size, block, array) != PGAS_OK) {
        if (pgas_mythread() == 0)
            pgas_exit(1);
        pgas_barrier(); /* meanwhile thread 0 ends the job */
    }
}

static void create_arrays(spmv_problem_t *problem)
{
    size_t n = problem->n;
    size_t blocksize = problem->blocksize;
    size_t width = problem->r_nz;
    if (blocksize > UINT32_MAX / width)
        pgas_fail(1,
                  "--blocksize: %zu rows are too many for a block, of whose matrix every row has "
                  "%zu entries: at most %zu",
                  blocksize, width, UINT32_MAX / width);
    create(n, sizeof(double), blocksize, &problem->level[0]);
    create(n, sizeof(double), blocksize, &problem->level[1]);
    create(n, sizeof(double), blocksize, &problem->D);
    create(n * width, sizeof(double), blocksize * width, &problem->A);
    create(n * width, sizeof(int32_t), blocksize * width, &problem->J);
}

void spmv_problem_load(const char *path, size_t blocksize, spmv_problem_t *problem)
{
    mesh_matrix_info_t info = {0};
    mesh_matrix_file_t *file = open_file(path, &info);
    size_t threads = (size_t)pgas_threads();
    *problem = (spmv_problem_t){
        .n = info.rows,
        .r_nz = info.row_nonzeros,
        .blocksize = blocksize > 0 ? blocksize : (info.rows + threads - 1) / threads,
    };
    /* Memory is of whole blocks, and larger ones have the same owners. */
    if (problem->blocksize > problem->n)
        problem->blocksize = problem->n;
    create_arrays(problem);
    problem->nblks = (problem->n + problem->blocksize - 1) / problem->blocksize;
    problem->mythread_nblks = pgas_array_owned_blocks(&problem->D, pgas_mythread());
    problem->x = &problem->level[0];
    problem->y = &problem->level[1];

    mesh_error_t error = {""};
    bool ok = mesh_matrix_file_read_cyclic(
        file, problem->blocksize, (size_t)pgas_mythread(), threads, pgas_array_mine(&problem->D),
        pgas_array_mine(&problem->A), pgas_array_mine(&problem->J), &error);
    common_agree(ok, error.text);
    if (pgas_mythread() == 0)
        problem->file = file;
    else
        mesh_matrix_file_close(file);
}

void spmv_problem_load_original(spmv_problem_t *problem)
{
    mesh_error_t error = {""};
    bool ok = true;
    bool is_known = false;
    if (pgas_mythread() == 0) {
        problem->original = common_alloc("original numbers", problem->n, sizeof(int32_t));
        ok = mesh_matrix_file_read_original(problem->file, &is_known, problem->original, &error);
    }
    common_agree(ok, error.text);
    if (!is_known) {
        free(problem->original);
        problem->original = NULL;
    }
}

void spmv_problem_load_start(const char *path, spmv_problem_t *problem)
{
    mesh_error_t error = {""};
    size_t thread = (size_t)pgas_mythread();
    size_t threads = (size_t)pgas_threads();
    uint64_t digest = 0;
    size_t owned = mesh_matrix_file_cyclic_rows(problem->n, problem->blocksize, thread, threads);
    problem->start = common_alloc("start values", owned, sizeof *problem->start);
    bool ok = mesh_vector_read_cyclic(path, problem->n, problem->blocksize, thread, threads,
                                      problem->start, &digest, &error);
    common_agree(ok, error.text);
    agree_on_file(path, digest);
}

/* The mixing function of Steele's SplitMix64 generator. */
static double start_value(size_t i)
{
    uint64_t z = ((uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

void spmv_problem_start(spmv_problem_t *problem)
{
    problem->x = &problem->level[0];
    problem->y = &problem->level[1];
    double *loc_x = pgas_array_mine(problem->x);
    for (size_t mb = 0; mb < problem->mythread_nblks; mb++) {
        size_t offset = spmv_block_offset(problem, mb);
        size_t rows = spmv_block_rows(problem, offset);
        for (size_t k = 0; k < rows; k++)
            loc_x[mb * problem->blocksize + k] = problem->start != NULL
                                                     ? problem->start[mb * problem->blocksize + k]
                                                     : start_value(offset + k);
    }
    pgas_barrier();
}

void spmv_problem_gather(const spmv_problem_t *problem, const pgas_array_t *array, double *values)
{
    for (size_t b = 0; b < problem->nblks; b++) {
        size_t offset = b * problem->blocksize;
        pgas_memget(&values[offset], pgas_array_at(array, offset),
                    spmv_block_rows(problem, offset) * sizeof(double));
    }
}

void spmv_problem_swap(spmv_problem_t *problem)
{
    const pgas_array_t *x = problem->x;
    problem->x = problem->y;
    problem->y = x;
}

void spmv_problem_free(spmv_problem_t *problem)
{
    mesh_matrix_file_close(problem->file);
    free(problem->original);
    free(problem->start);
    pgas_array_free(&problem->J);
    pgas_array_free(&problem->A);
    pgas_array_free(&problem->D);
    pgas_array_free(&problem->level[1]);
    pgas_array_free(&problem->level[0]);
}
