/* The product of a Fathom matrix file and a vector by PETSc: MatMult of an AIJ and of a SELL
 * matrix, with the two vectors swapped after each product, as in fathom-spmv. */
#include <math.h>
#include <petscmat.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "meshes/matrix_file.h"

/* The rows of one rank, as the file has them. */
typedef struct rows {
    size_t total;
    size_t row_nonzeros;
    size_t first;
    size_t count;
    double *D;
    double *A;
    int32_t *J;
} rows_t;

static void fail(const char *what)
{
    fprintf(stderr, "bench-spmv-petsc: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (memory == NULL)
        fail("no memory");
    return memory;
}

/* The piece of `rank` of `ranks`: contiguous, as even as possible. */
static void read_rows(const char *path, size_t rank, size_t ranks, rows_t *rows)
{
    mesh_error_t error;
    mesh_matrix_file_t *file;
    mesh_matrix_info_t info;
    if (!mesh_matrix_file_open(path, &file, &info, &error))
        fail(error.text);
    size_t piece = (info.rows + ranks - 1) / ranks;
    size_t first = rank * piece < info.rows ? rank * piece : info.rows;
    size_t count = first + piece < info.rows ? piece : info.rows - first;
    *rows = (rows_t){
        .total = info.rows,
        .row_nonzeros = info.row_nonzeros,
        .first = first,
        .count = count,
        .D = allocate(count, sizeof(double)),
        .A = allocate(count * info.row_nonzeros, sizeof(double)),
        .J = allocate(count * info.row_nonzeros, sizeof(int32_t)),
    };
    if (!mesh_matrix_file_read_rows(file, first, count, rows->D, rows->A, rows->J, &error))
        fail(error.text);
    mesh_matrix_file_close(file);
}

static void free_rows(rows_t *rows)
{
    free(rows->D);
    free(rows->A);
    free(rows->J);
}

/* Padding of a short row, not an element of the matrix. */
static int is_padding(const rows_t *rows, size_t row, size_t k)
{
    size_t at = row * rows->row_nonzeros + k;
    return rows->A[at] == 0.0 && (size_t)rows->J[at] == rows->first + row;
}

/* Elements of a row in the columns of its own rank, and in those of other ranks. */
static void count_row(const rows_t *rows, size_t row, PetscInt *own, PetscInt *others)
{
    *own = 1;
    *others = 0;
    for (size_t k = 0; k < rows->row_nonzeros; k++) {
        size_t column = (size_t)rows->J[row * rows->row_nonzeros + k];
        if (is_padding(rows, row, k))
            continue;
        if (column >= rows->first && column < rows->first + rows->count)
            ++*own;
        else
            ++*others;
    }
}

static PetscErrorCode insert_row(Mat matrix, const rows_t *rows, size_t row)
{
    PetscInt index = (PetscInt)(rows->first + row);
    PetscCall(MatSetValue(matrix, index, index, rows->D[row], ADD_VALUES));
    for (size_t k = 0; k < rows->row_nonzeros; k++)
        if (!is_padding(rows, row, k))
            PetscCall(MatSetValue(matrix, index, rows->J[row * rows->row_nonzeros + k],
                                  rows->A[row * rows->row_nonzeros + k], ADD_VALUES));
    return 0;
}

static PetscErrorCode make_matrix(const rows_t *rows, Mat *matrix)
{
    PetscInt *own = allocate(rows->count, sizeof *own);
    PetscInt *others = allocate(rows->count, sizeof *others);
    for (size_t row = 0; row < rows->count; row++)
        count_row(rows, row, &own[row], &others[row]);
    PetscCall(MatCreate(PETSC_COMM_WORLD, matrix));
    PetscCall(MatSetSizes(*matrix, (PetscInt)rows->count, (PetscInt)rows->count,
                          (PetscInt)rows->total, (PetscInt)rows->total));
    PetscCall(MatSetType(*matrix, MATAIJ));
    PetscCall(MatSetFromOptions(*matrix));
    PetscCall(MatSeqAIJSetPreallocation(*matrix, 0, own));
    PetscCall(MatMPIAIJSetPreallocation(*matrix, 0, own, 0, others));
    for (size_t row = 0; row < rows->count; row++)
        PetscCall(insert_row(*matrix, rows, row));
    PetscCall(MatAssemblyBegin(*matrix, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*matrix, MAT_FINAL_ASSEMBLY));
    free(own);
    free(others);
    return 0;
}

/* A start vector without symmetries. */
static double start_value(size_t index)
{
    return 1.0 + 0.5 * sin((double)index);
}

static PetscErrorCode set_start(Vec x, const rows_t *rows)
{
    PetscScalar *values;
    PetscCall(VecGetArray(x, &values));
    for (size_t i = 0; i < rows->count; i++)
        values[i] = start_value(rows->first + i);
    PetscCall(VecRestoreArray(x, &values));
    return 0;
}

/* y = M * x with the file's own layout. */
static double row_product(const rows_t *rows, size_t row)
{
    double sum = rows->D[row] * start_value(rows->first + row);
    for (size_t k = 0; k < rows->row_nonzeros; k++) {
        size_t at = row * rows->row_nonzeros + k;
        sum += rows->A[at] * start_value((size_t)rows->J[at]);
    }
    return sum;
}

/* One product against the file's rows: the greatest difference, relative to the greatest value. */
static PetscErrorCode check(Mat matrix, Vec x, Vec y, const rows_t *rows, double *difference)
{
    const PetscScalar *values;
    double local[2] = {0, 0};
    double global[2];
    PetscCall(set_start(x, rows));
    PetscCall(MatMult(matrix, x, y));
    PetscCall(VecGetArrayRead(y, &values));
    for (size_t row = 0; row < rows->count; row++) {
        double expected = row_product(rows, row);
        local[0] = fmax(local[0], fabs(values[row] - expected));
        local[1] = fmax(local[1], fabs(expected));
    }
    PetscCall(VecRestoreArrayRead(y, &values));
    MPI_Allreduce(local, global, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
    *difference = global[0] / global[1];
    return 0;
}

/* Seconds per 1000 products. */
static PetscErrorCode time_products(Mat matrix, Vec x, Vec y, size_t iterations, double *seconds)
{
    MPI_Barrier(PETSC_COMM_WORLD);
    double begin = bench_seconds();
    for (size_t i = 0; i < iterations; i++) {
        PetscCall(MatMult(matrix, x, y));
        Vec swapped = x;
        x = y;
        y = swapped;
    }
    MPI_Barrier(PETSC_COMM_WORLD);
    *seconds = (bench_seconds() - begin) * 1000.0 / (double)iterations;
    return 0;
}

/* Checks one product, and prints times and speed of many as petsc_... or petsc_sell_... */
static PetscErrorCode measure(Mat matrix, const char *prefix, const rows_t *rows, size_t iterations,
                              size_t repetitions, int rank)
{
    Vec x;
    Vec y;
    char name[64];
    double difference = 0;
    PetscCall(MatCreateVecs(matrix, &x, &y));
    PetscCall(check(matrix, x, y, rows, &difference));
    if (difference > 1e-12)
        fail("the product differs from the file's rows by more than 1e-12");
    double *times = allocate(repetitions, sizeof *times);
    PetscCall(set_start(x, rows));
    PetscCall(time_products(matrix, x, y, 1 + iterations / 10, &times[0]));
    for (size_t i = 0; i < repetitions; i++) {
        PetscCall(set_start(x, rows));
        PetscCall(time_products(matrix, x, y, iterations, &times[i]));
    }
    bench_summary_t summary = bench_summarise(times, repetitions);
    /* Formula (6): what a row needs at least. */
    double gigabytes = 1e-6 * (double)rows->total * ((double)rows->row_nonzeros * 12.0 + 24.0);
    bench_summary_t speed = {gigabytes / summary.median, gigabytes / summary.max,
                             gigabytes / summary.min};
    if (rank == 0) {
        snprintf(name, sizeof name, "%s_seconds_per_1000_iterations", prefix);
        bench_print(name, summary);
        snprintf(name, sizeof name, "%s_gb_per_s", prefix);
        bench_print(name, speed);
        printf("petsc_difference %.3g\n", difference);
    }
    free(times);
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    return 0;
}

/* AIJ, PETSc's usual form, and SELL, its sliced one. */
static PetscErrorCode measure_both(const char *path, size_t iterations, size_t repetitions)
{
    int rank;
    int ranks;
    rows_t rows;
    Mat matrix;
    Mat sliced;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    read_rows(path, (size_t)rank, (size_t)ranks, &rows);
    PetscCall(make_matrix(&rows, &matrix));
    PetscCall(MatConvert(matrix, MATSELL, MAT_INITIAL_MATRIX, &sliced));
    PetscCall(measure(matrix, "petsc", &rows, iterations, repetitions, rank));
    PetscCall(measure(sliced, "petsc_sell", &rows, iterations, repetitions, rank));
    PetscCall(MatDestroy(&sliced));
    PetscCall(MatDestroy(&matrix));
    free_rows(&rows);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s MATRIX [ITERATIONS [REPETITIONS]]\n", argv[0]);
        return 2;
    }
    const char *path = argv[1];
    size_t iterations = bench_argument(argc, argv, 2, 100);
    size_t repetitions = bench_argument(argc, argv, 3, 3);
    PetscCall(PetscInitialize(NULL, NULL, NULL, NULL));
    PetscCall(measure_both(path, iterations, repetitions));
    PetscCall(PetscFinalize());
    return 0;
}
