/* Fuzz target: a .node and a .ele text, separated by a line "====". What is accepted must be a
 * mesh that the diffusion matrix can be made of. */
#include <stdlib.h>
#include <string.h>

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
    if (!mesh_tetgen_parse("a.node", text, (size_t)(cut - text), "a.ele", second,
                           size - (size_t)(second - text), &mesh, &error))
        return 0;
    if (mesh_diffusion_make(&mesh, NULL, &matrix, NULL, &error))
        mesh_matrix_free(&matrix);
    mesh_geometry_free(&mesh);
    return 0;
}
