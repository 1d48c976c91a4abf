/* Which parameters the terms of each variant use. */
#include "spmv_terms.h"

/* All rates of a kernel, how much of a matrix a cache keeps, and what is measured by itself: some
 * lines, and rows from the second-level cache. */
static model_parameter_set_t rates(model_kernel_t kernel)
{
    const model_parameter_set_t more =
        MODEL_BIT(MODEL_SEQUENCES) | MODEL_BIT(MODEL_HELD_LINES) | MODEL_BIT(MODEL_CLOSE_ROWS);
    return MODEL_BIT(MODEL_FIRST_RATE(kernel)) | MODEL_BIT(MODEL_KEPT_ROWS) |
           (kernel < MODEL_POINTERS_KERNEL ? more : 0);
}

model_parameter_set_t modeli_spmv_parameters(model_variant_t variant, const model_layout_t *layout)
{
    const model_parameter_set_t memory =
        MODEL_BIT(MODEL_PRIVATE_READ_BANDWIDTH) | MODEL_BIT(MODEL_PRIVATE_SCALE_BANDWIDTH);
    const model_parameter_set_t copy = MODEL_BIT(MODEL_PRIVATE_COPY_BANDWIDTH);
    const model_parameter_set_t barrier = MODEL_BIT(MODEL_BARRIER_LATENCY);
    const model_parameter_set_t message = MODEL_BIT(MODEL_MESSAGE_LATENCY);
    const model_parameter_set_t pointer = MODEL_BIT(MODEL_POINTER_ACCESS);
    const model_parameter_set_t local =
        MODEL_BIT(MODEL_LOCAL_ACCESS) | MODEL_BIT(MODEL_LOCAL_ACCESS_CACHED);
    const model_parameter_set_t gather = MODEL_BIT(MODEL_GATHER_ACCESS);
    const model_parameter_set_t product =
        MODEL_BIT(MODEL_PRODUCT_ACCESS) | MODEL_BIT(MODEL_PRODUCT_BANDWIDTH) | gather;
    const model_parameter_set_t by_rows = product | rates(MODEL_ROWS_KERNEL);
    const model_parameter_set_t sliced = gather | rates(MODEL_SLICED_KERNEL);
    const model_parameter_set_t shared = MODEL_BIT(MODEL_REMOTE_BANDWIDTH_SHARED);
    const model_parameter_set_t moves = MODEL_BIT(MODEL_MOVE(0));
    const model_parameter_set_t flood = MODEL_BIT(MODEL_MESSAGE_FLOOD);
    const model_parameter_set_t turn = MODEL_BIT(MODEL_NODE_TURN);
    const model_parameter_set_t asked[MODEL_VARIANTS] = {
        [MODEL_NAIVE] = memory | barrier | pointer | product | local |
                        MODEL_BIT(MODEL_AFFINITY_TEST) | rates(MODEL_NAIVE_KERNEL) |
                        rates(MODEL_POINTERS_KERNEL),
        [MODEL_V1] = memory | barrier | pointer | product | local | rates(MODEL_POINTERS_KERNEL) |
                     rates(MODEL_SHIFTS_KERNEL) | rates(MODEL_POINTERS_TURNS_KERNEL) |
                     rates(MODEL_SHIFTS_TURNS_KERNEL) | rates(MODEL_POINTERS_MIXED_KERNEL) |
                     rates(MODEL_SHIFTS_MIXED_KERNEL),
        [MODEL_V2] =
            memory | copy | moves | barrier | by_rows | shared | MODEL_BIT(MODEL_BLOCK_LATENCY),
        [MODEL_V3] = memory | copy | moves | barrier | by_rows | message | shared |
                     MODEL_BIT(MODEL_BLOCK_LATENCY),
        [MODEL_V4] = memory | moves | sliced | message | shared | flood | turn,
        [MODEL_V5] = memory | moves | sliced | message | shared | flood | turn,
    };
    model_parameter_set_t idle = layout->nodes > 1 ? 0 : message | shared | flood;
    /* Then nobody sends more than a message. */
    if (layout->threads == 2 || (variant == MODEL_V5 && layout->nodes == 2))
        idle |= flood;
    if (layout->nodes == layout->threads)
        idle |= local | turn;
    return asked[variant] & ~idle;
}
