#include "upc/layout.h"

pgasi_upc_layout_t pgasi_upc_layout(pgas_ptr_t ptr, size_t count, size_t size, size_t block,
                                    size_t threads)
{
    size_t phase = block == 0 ? 0 : ptr.phase;
    /* A block that is longer than what is used of it changes nothing, and might overflow. */
    size_t used = phase + count;
    if (block == 0 || block > used)
        block = used > 0 ? used : 1;
    return (pgasi_upc_layout_t){
        .count = count,
        .size = size,
        .block = block,
        .threads = threads,
        .first = ptr.thread * block + phase,
        .base = ptr.offset - phase * size,
    };
}

size_t pgasi_upc_layout_before(const pgasi_upc_layout_t *layout, size_t thread, size_t index)
{
    size_t place = layout->first + index;
    size_t row = layout->block * layout->threads;
    size_t rows = place / row;
    size_t rest = place % row;
    size_t begin = thread * layout->block;
    size_t in_row = rest <= begin ? 0 : rest - begin;
    return rows * layout->block + (in_row < layout->block ? in_row : layout->block);
}

pgasi_upc_range_t pgasi_upc_layout_on(const pgasi_upc_layout_t *layout, size_t thread,
                                      const pgasi_upc_range_t *range)
{
    size_t begin = pgasi_upc_layout_before(layout, thread, range->begin);
    size_t end = pgasi_upc_layout_before(layout, thread, range->begin + range->count);
    return (pgasi_upc_range_t){layout->base + begin * layout->size, end - begin};
}

size_t pgasi_upc_layout_thread(const pgasi_upc_layout_t *layout, size_t index)
{
    return (layout->first + index) / layout->block % layout->threads;
}

size_t pgasi_upc_layout_rest(const pgasi_upc_layout_t *layout, size_t index)
{
    size_t rest = layout->block - (layout->first + index) % layout->block;
    return rest < layout->count - index ? rest : layout->count - index;
}

bool pgasi_upc_layout_is_single(const pgasi_upc_layout_t *layout)
{
    size_t used = layout->first % layout->block + layout->count;
    return used <= layout->block * layout->threads;
}
