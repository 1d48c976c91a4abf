/* Fuzz target: a .node and a .ele text, separated by a line "====". They mean what an independent
 * reading makes of them, and what is accepted is a mesh whose diffusion matrix is finite, or not
 * made. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "independent.h"
#include "meshes/meshes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char separator[] = "====\n";
    const char *text = (const char *)data;
    const char *cut = memmem(text, size, separator, sizeof separator - 1);
    mesh_geometry_t mesh;
    mesh_matrix_t matrix;
    mesh_error_t error;
    if (cut == NULL)
        return 0;
    const char *second = cut + sizeof separator - 1;
    size_t first_nbytes = (size_t)(cut - text);
    size_t second_nbytes = size - (size_t)(second - text);
    if (!independent_check_tetgen(text, first_nbytes, second, second_nbytes))
        return 0;
    if (!mesh_tetgen_parse("a.node", text, first_nbytes, "a.ele", second, second_nbytes, &mesh,
                           &error))
        abort();
    if (mesh_diffusion_make(&mesh, NULL, &matrix, NULL, &error)) {
        for (size_t e = 0; e < matrix.rows * matrix.row_nonzeros; e++)
            if (!isfinite(matrix.A[e]) || !isfinite(matrix.D[e / matrix.row_nonzeros]))
                abort();
        mesh_matrix_free(&matrix);
    }
    mesh_geometry_free(&mesh);
    return 0;
}
