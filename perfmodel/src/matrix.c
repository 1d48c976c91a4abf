#include "perfmodel/matrix.h"

#include <meshes/matrix_file.h>
#include <stdlib.h>

#include "fail.h"

/* Enough to read efficiently, few enough to report progress. */
static const size_t slice_entries = (size_t)1 << 23;

static bool read_columns(mesh_matrix_file_t *file, const mesh_progress_t *progress,
                         model_matrix_t *matrix, mesh_error_t *error)
{
    size_t width = matrix->row_nonzeros;
    size_t slice = slice_entries / width > 0 ? slice_entries / width : 1;
    for (size_t first = 0; first < matrix->rows; first += slice) {
        size_t left = matrix->rows - first;
        if (!mesh_matrix_file_read_rows(file, first, left < slice ? left : slice, NULL, NULL,
                                        matrix->J + first * width, error))
            return false;
        if (progress != NULL)
            progress->report(progress->context, "reading the matrix", first, matrix->rows);
    }
    return true;
}

bool model_matrix_load(const char *path, const mesh_progress_t *progress, model_matrix_t *matrix,
                       mesh_error_t *error)
{
    mesh_matrix_file_t *file;
    mesh_matrix_info_t info;
    if (!mesh_matrix_file_open(path, &file, &info, error))
        return false;
    size_t nbytes = info.rows * info.row_nonzeros * sizeof(int32_t);
    model_matrix_t loaded = {
        .rows = info.rows,
        .row_nonzeros = info.row_nonzeros,
        .J = malloc(nbytes),
    };
    bool done = loaded.J != NULL || modeli_fail_memory(error, "the columns of the matrix", nbytes);
    done = done && read_columns(file, progress, &loaded, error);
    mesh_matrix_file_close(file);
    if (done)
        *matrix = loaded;
    else
        free(loaded.J);
    return done;
}

void model_matrix_free(model_matrix_t *matrix)
{
    free(matrix->J);
    *matrix = (model_matrix_t){0};
}
