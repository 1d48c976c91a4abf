#include "meshes/diffusion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cell_form.h"
#include "fail.h"

enum {
    WIDTH = MESH_DIFFUSION_ROW_NONZEROS,
    CHUNK = 65536,
    WEIGHINGS_MAX = 60
};

/* Weighing ends when it lowers the bound by no more than this part. */
static const double weighing_gain_min = 1e-4;

/* No weight is less than this part of the largest. */
static const double weight_min = 1e-100;

/* The margin of the time step for rounding. */
static const double rounding_margin = 1e-6;

typedef struct assembly {
    const mesh_geometry_t *mesh;
    double *centroids;
    bool *exact; /* whether a cell's form is */
    double *weights[2]; /* of rows; room for two sets */
    mesh_matrix_t *matrix;
} assembly_t;

static void tell(const mesh_progress_t *progress, const char *stage, size_t done, size_t total)
{
    if (progress != NULL && progress->report != NULL && done % CHUNK == 0)
        progress->report(progress->context, stage, done, total);
}

/* Puts a column into a sorted row of `length`, unless it is there or the row's own. */
static size_t insert_column(int32_t *row, size_t length, int32_t column, int32_t own)
{
    size_t place = length;
    if (column < 0 || column == own)
        return length;
    for (size_t k = 0; k < length; k++)
        if (row[k] == column)
            return length;
    for (; place > 0 && row[place - 1] > column; place--)
        row[place] = row[place - 1];
    row[place] = column;
    return length + 1;
}

static void find_columns(const mesh_geometry_t *mesh, mesh_matrix_t *matrix)
{
    for (size_t i = 0; i < mesh->cells; i++) {
        int32_t *row = matrix->J + WIDTH * i;
        size_t length = 0;
        for (size_t k = 0; k < 4; k++) {
            int32_t near = mesh->neighbours[4 * i + k];
            length = insert_column(row, length, near, (int32_t)i);
            for (size_t l = 0; near >= 0 && l < 4; l++)
                length =
                    insert_column(row, length, mesh->neighbours[4 * (size_t)near + l], (int32_t)i);
        }
    }
}

static void add_entry(mesh_matrix_t *matrix, size_t row, size_t column, double value)
{
    size_t place = WIDTH * row;
    if (row == column) {
        matrix->D[row] += value;
        return;
    }
    while ((size_t)matrix->J[place] != column)
        place++;
    matrix->A[place] += value;
}

/* Turns a form of differences into one of values: the cell's own row and column are the negative
 * sums of the others. */
static void add_form(mesh_matrix_t *matrix, size_t cell, const meshi_cell_form_t *form,
                     double entries[4][4])
{
    size_t n = form->neighbours;
    double sum = 0.0;
    for (size_t a = 0; a < n; a++) {
        double column_sum = 0.0;
        double row_sum = 0.0;
        for (size_t b = 0; b < n; b++) {
            add_entry(matrix, form->cells[a], form->cells[b], entries[a][b]);
            row_sum += entries[a][b];
            column_sum += entries[b][a];
        }
        add_entry(matrix, form->cells[a], cell, -row_sum);
        add_entry(matrix, cell, form->cells[a], -column_sum);
        sum += row_sum;
    }
    add_entry(matrix, cell, cell, sum);
}

/* Assembles the forms, or their bounds. */
static void assemble(const assembly_t *assembly, bool bounds, const mesh_progress_t *progress)
{
    mesh_matrix_t *matrix = assembly->matrix;
    const mesh_geometry_t *mesh = assembly->mesh;
    const char *stage = bounds ? "time step" : "diffusion matrix";
    memset(matrix->D, 0, matrix->rows * sizeof *matrix->D);
    memset(matrix->A, 0, WIDTH * matrix->rows * sizeof *matrix->A);
    for (size_t i = 0; i < mesh->cells; i++) {
        meshi_cell_form_t form;
        tell(progress, stage, i, mesh->cells);
        meshi_cell_form(mesh, assembly->centroids, i, &form);
        assembly->exact[i] = form.exact;
        add_form(matrix, i, &form, bounds ? form.bound : form.entries);
    }
}

/* For any positive weights, the largest weighted sum of a row bounds the eigenvalues; `next` are
 * the weights that the sums suggest. */
static double weigh(const assembly_t *assembly, const double *weights, double *next)
{
    const mesh_matrix_t *matrix = assembly->matrix;
    const double *volumes = assembly->mesh->volumes;
    double bound = 0.0;
    double largest = 0.0;
    for (size_t i = 0; i < matrix->rows; i++) {
        const double *row = matrix->A + WIDTH * i;
        const int32_t *columns = matrix->J + WIDTH * i;
        double sum = fabs(matrix->D[i]) * weights[i];
        for (size_t k = 0; k < WIDTH; k++)
            sum += fabs(row[k]) * weights[columns[k]];
        next[i] = sum / volumes[i];
        bound = fmax(bound, next[i] / weights[i]);
        largest = fmax(largest, next[i]);
    }
    for (size_t i = 0; i < matrix->rows; i++)
        next[i] = fmax(next[i] / largest, weight_min);
    return bound;
}

/* A bound of the eigenvalues of V^-1 N for the assembled N. */
static double bound_eigenvalues(assembly_t *assembly)
{
    double *weights = assembly->weights[0];
    double *next = assembly->weights[1];
    for (size_t i = 0; i < assembly->matrix->rows; i++)
        weights[i] = 1.0;
    double bound = weigh(assembly, weights, next);
    double gain = 1.0;
    for (size_t w = 0; w < WEIGHINGS_MAX && bound > 0.0 && gain > weighing_gain_min; w++) {
        double *used = weights;
        weights = next;
        next = used;
        double found = weigh(assembly, weights, next);
        gain = 1.0 - found / bound;
        bound = fmin(bound, found);
    }
    return bound;
}

static bool is_inner(const mesh_geometry_t *mesh, size_t cell)
{
    const int32_t *near = mesh->neighbours + 4 * cell;
    for (size_t k = 0; k < 4; k++)
        for (size_t l = 0; l < 4; l++)
            if (near[k] < 0 || mesh->neighbours[4 * (size_t)near[k] + l] < 0)
                return false;
    return true;
}

/* The forms of a cell and of its neighbours make up a row of the matrix. */
static void count_unsteady(const assembly_t *assembly, mesh_diffusion_report_t *report)
{
    const mesh_geometry_t *mesh = assembly->mesh;
    double inner_volume = 0.0;
    double unsteady_volume = 0.0;
    report->inner_cells = 0;
    report->unsteady_cells = 0;
    for (size_t i = 0; i < mesh->cells; i++) {
        if (!is_inner(mesh, i))
            continue;
        bool exact = assembly->exact[i];
        for (size_t k = 0; k < 4; k++)
            exact = exact && assembly->exact[mesh->neighbours[4 * i + k]];
        report->inner_cells++;
        report->unsteady_cells += !exact;
        inner_volume += mesh->volumes[i];
        unsteady_volume += exact ? 0.0 : mesh->volumes[i];
    }
    report->unsteady_volume = inner_volume > 0.0 ? unsteady_volume / inner_volume : 0.0;
}

/* Replaces the form by I - time_step V^-1 form. */
static void make_step(const assembly_t *assembly, double time_step)
{
    mesh_matrix_t *matrix = assembly->matrix;
    for (size_t i = 0; i < matrix->rows; i++) {
        double *row = matrix->A + WIDTH * i;
        double sum = 0.0;
        for (size_t k = 0; k < WIDTH; k++) {
            row[k] *= -time_step / assembly->mesh->volumes[i];
            sum += row[k];
        }
        matrix->D[i] = 1.0 - sum;
    }
    matrix->time_step = time_step;
}

static double get_norm_bound(const mesh_geometry_t *mesh)
{
    double least = mesh->volumes[0];
    for (size_t i = 0; i < mesh->cells; i++)
        least = fmin(least, mesh->volumes[i]);
    return sqrt(mesh_geometry_volume(mesh) / least);
}

static void make(assembly_t *assembly, const mesh_progress_t *progress,
                 mesh_diffusion_report_t *report)
{
    const mesh_geometry_t *mesh = assembly->mesh;
    for (size_t i = 0; i < mesh->cells; i++)
        mesh_geometry_centroid(mesh, i, assembly->centroids + 3 * i);
    find_columns(mesh, assembly->matrix);
    assemble(assembly, true, progress);
    double bound = bound_eigenvalues(assembly);
    report->time_step = bound > 0.0 ? (1.0 - rounding_margin) / bound : 1.0;
    assemble(assembly, false, progress);
    make_step(assembly, report->time_step);
    report->norm_bound = get_norm_bound(mesh);
    count_unsteady(assembly, report);
}

/* Even if cells have a volume, squares and quotients of their lengths may not be finite. */
static bool check_finite(const mesh_matrix_t *matrix, const mesh_diffusion_report_t *report,
                         mesh_error_t *error)
{
    for (size_t i = 0; i < matrix->rows; i++) {
        double sum = fabs(matrix->D[i]);
        for (size_t k = 0; k < WIDTH; k++)
            sum += fabs(matrix->A[WIDTH * i + k]);
        if (!isfinite(sum))
            return meshi_fail(error,
                              "diffusion matrix: cell %zu (0-based), or one near it, is too large, "
                              "too small or too thin: its row is not finite",
                              i);
    }
    if (!(report->time_step > 0.0) || !isfinite(report->time_step) || !isfinite(report->norm_bound))
        return meshi_fail(error,
                          "diffusion matrix: cell sizes are beyond 64-bit reals: time step %g, "
                          "bound of the norm %g",
                          report->time_step, report->norm_bound);
    return true;
}

bool mesh_diffusion_make(const mesh_geometry_t *mesh, const mesh_progress_t *progress,
                         mesh_matrix_t *matrix, mesh_diffusion_report_t *report,
                         mesh_error_t *error)
{
    bool done = false;
    mesh_matrix_t made;
    mesh_diffusion_report_t known;
    if (!mesh_matrix_alloc(mesh->cells, WIDTH, &made, error))
        return false;
    assembly_t assembly = {.mesh = mesh, .matrix = &made};
    assembly.centroids = malloc(3 * mesh->cells * sizeof(double));
    assembly.exact = malloc(mesh->cells * sizeof(bool));
    for (size_t w = 0; w < 2; w++)
        assembly.weights[w] = malloc(mesh->cells * sizeof(double));
    if (assembly.centroids == NULL || assembly.exact == NULL || assembly.weights[0] == NULL ||
        assembly.weights[1] == NULL) {
        (void)meshi_fail_memory(error, "the diffusion matrix", 41 * mesh->cells);
        mesh_matrix_free(&made);
        goto free_arrays;
    }
    make(&assembly, progress, &known);
    if (!check_finite(&made, &known, error)) {
        mesh_matrix_free(&made);
        goto free_arrays;
    }
    *matrix = made;
    if (report != NULL)
        *report = known;
    done = true;
free_arrays:
    free(assembly.weights[1]);
    free(assembly.weights[0]);
    free(assembly.exact);
    free(assembly.centroids);
    return done;
}
