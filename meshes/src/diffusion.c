#include "meshes/diffusion.h"

#include <math.h>
#include <stdlib.h>

#include "cell_form.h"
#include "fail.h"

enum {
    WIDTH = MESH_DIFFUSION_ROW_NONZEROS,
    CHUNK = 65536
};

typedef struct assembly {
    const mesh_geometry_t *mesh;
    double *centroids;
    double *radius; /* of row i: sum of the absolute values of the energy's entries, at least */
    mesh_matrix_t *matrix;
    double limited_volume;
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
    if (row == column)
        return;
    while ((size_t)matrix->J[place] != column)
        place++;
    matrix->A[place] += value;
}

/* The form in the values themselves: of the differences' rows and columns, the cell's own are the
 * negative sums. */
static void add_form(assembly_t *assembly, size_t cell, const meshi_cell_form_t *form)
{
    size_t n = form->neighbours;
    double own_energy[5] = {0.0};
    double radius = 0.0;
    for (size_t a = 0; a < n; a++) {
        double column_sum = 0.0;
        double row_sum = 0.0;
        for (size_t b = 0; b < n; b++) {
            double entry = form->energy[a][b] + form->correction[a][b];
            add_entry(assembly->matrix, form->cells[a], form->cells[b], entry);
            row_sum += entry;
            column_sum += form->energy[b][a] + form->correction[b][a];
            own_energy[a] += form->majorant * form->energy[a][b];
            assembly->radius[form->cells[a]] += form->majorant * fabs(form->energy[a][b]);
        }
        add_entry(assembly->matrix, form->cells[a], cell, -row_sum);
        add_entry(assembly->matrix, cell, form->cells[a], -column_sum);
    }
    double corner = 0.0;
    for (size_t a = 0; a < n; a++) {
        assembly->radius[form->cells[a]] += fabs(own_energy[a]);
        radius += fabs(own_energy[a]);
        corner += own_energy[a];
    }
    assembly->radius[cell] += radius + fabs(corner);
}

static void assemble(assembly_t *assembly, const mesh_progress_t *progress)
{
    const mesh_geometry_t *mesh = assembly->mesh;
    for (size_t i = 0; i < mesh->cells; i++)
        mesh_geometry_centroid(mesh, i, assembly->centroids + 3 * i);
    find_columns(mesh, assembly->matrix);
    for (size_t i = 0; i < mesh->cells; i++) {
        meshi_cell_form_t form;
        tell(progress, "diffusion matrix", i, mesh->cells);
        meshi_cell_form(mesh, assembly->centroids, i, &form);
        add_form(assembly, i, &form);
        if (form.limited)
            assembly->limited_volume += mesh->volumes[i];
    }
}

/* From the form to I - time_step V^-1 form. */
static void make_step(assembly_t *assembly, mesh_diffusion_report_t *report)
{
    const double *volumes = assembly->mesh->volumes;
    mesh_matrix_t *matrix = assembly->matrix;
    double rate = 0.0;
    double least = volumes[0];
    double total = mesh_geometry_volume(assembly->mesh);
    for (size_t i = 0; i < matrix->rows; i++) {
        rate = fmax(rate, assembly->radius[i] / volumes[i]);
        least = fmin(least, volumes[i]);
    }
    report->time_step = rate > 0.0 ? 1.0 / rate : 1.0;
    report->norm_bound = sqrt(total / least);
    report->limited_volume = assembly->limited_volume / total;
    matrix->time_step = report->time_step;
    for (size_t i = 0; i < matrix->rows; i++) {
        double *row = matrix->A + WIDTH * i;
        double sum = 0.0;
        for (size_t k = 0; k < WIDTH; k++) {
            row[k] *= -report->time_step / volumes[i];
            sum += row[k];
        }
        matrix->D[i] = 1.0 - sum;
    }
}

/* Cells may have a volume, and yet squares and quotients of lengths that doubles have not. */
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
    assembly.radius = calloc(mesh->cells, sizeof(double));
    if (assembly.centroids == NULL || assembly.radius == NULL) {
        (void)meshi_fail_memory(error, "the diffusion matrix", 32 * mesh->cells);
        mesh_matrix_free(&made);
        goto free_arrays;
    }
    assemble(&assembly, progress);
    make_step(&assembly, &known);
    if (!check_finite(&made, &known, error)) {
        mesh_matrix_free(&made);
        goto free_arrays;
    }
    *matrix = made;
    if (report != NULL)
        *report = known;
    done = true;
free_arrays:
    free(assembly.radius);
    free(assembly.centroids);
    return done;
}
