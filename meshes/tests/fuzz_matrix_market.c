/* Fuzz target: a Matrix Market text. It means what an independent reading makes of it, and what is
 * accepted is a matrix that can be ordered. */
#include <stdlib.h>

#include "independent.h"
#include "meshes/meshes.h"

enum {
    ROWS_MAX = 10000, /* larger ones take memory rather than thought */
    ROW_NONZEROS_MAX = 64
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mesh_file_content_t content = {0};
    mesh_error_t error;
    int32_t *order;
    const char *text = (const char *)data;
    if (!independent_check_market(text, size, ROW_NONZEROS_MAX, ROWS_MAX))
        return 0;
    if (!mesh_matrix_market_parse("a.mtx", text, size, ROW_NONZEROS_MAX, &content.matrix, &error))
        abort();
    if (mesh_order_find(&content, MESH_ORDER_RCM, 1, 0, &order, &error)) {
        if (!mesh_order_apply(&content, order, &error))
            abort();
        free(order);
    }
    mesh_file_content_free(&content);
    return 0;
}
