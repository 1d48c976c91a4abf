/* Fuzz target: a Matrix Market text. What is accepted must be a matrix that can be ordered. */
#include <stdlib.h>

#include "meshes/meshes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mesh_file_content_t content = {0};
    mesh_error_t error;
    int32_t *order;
    if (!mesh_matrix_market_parse("a.mtx", (const char *)data, size, 64, &content.matrix, &error))
        return 0;
    if (mesh_order_find(&content, MESH_ORDER_RCM, 1, 0, &order, &error)) {
        if (!mesh_order_apply(&content, order, &error))
            abort();
        free(order);
    }
    mesh_file_content_free(&content);
    return 0;
}
