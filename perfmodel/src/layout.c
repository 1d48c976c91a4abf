#include "perfmodel/layout.h"

#include <stdint.h>

#include "fail.h"

size_t model_layout_blocksize(size_t rows, size_t threads, size_t blocksize)
{
    size_t wanted = blocksize > 0 ? blocksize : (rows + threads - 1) / threads;
    return wanted < rows ? wanted : rows;
}

bool model_layout_make(size_t rows, size_t row_nonzeros, size_t threads, size_t nodes,
                       size_t threads_per_node, size_t blocksize, model_layout_t *layout,
                       mesh_error_t *error)
{
    if (rows == 0 || rows > INT32_MAX)
        return modeli_fail(error, "a matrix of %zu rows: from 1 to %d are possible", rows,
                           INT32_MAX);
    if (threads == 0 || threads > MODEL_THREADS_MAX)
        return modeli_fail(error, "--threads: '%zu' is not a whole number from 1 to %zu", threads,
                           MODEL_THREADS_MAX);
    if (nodes > 0 && threads_per_node > 0)
        return modeli_fail(error, "--nodes and --threads-per-node: only one of them can be given");
    if (nodes > threads)
        return modeli_fail(error,
                           "--nodes: '%zu' is not a whole number from 1 to %zu, the number of "
                           "threads",
                           nodes, threads);
    if (blocksize > INT32_MAX)
        return modeli_fail(error, "--blocksize: '%zu' is not a whole number from 1 to %d",
                           blocksize, INT32_MAX);
    bool by_size = threads_per_node > 0;
    size_t node_count = nodes > 0 ? nodes : 1;
    size_t per_node = threads_per_node < threads ? threads_per_node : threads;
    *layout = (model_layout_t){
        .rows = rows,
        .row_nonzeros = row_nonzeros,
        .blocksize = model_layout_blocksize(rows, threads, blocksize),
        .threads = threads,
        .nodes = by_size ? (threads + per_node - 1) / per_node : node_count,
        .threads_per_node = by_size ? per_node : (threads + node_count - 1) / node_count,
        .by_size = by_size,
    };
    return true;
}

size_t model_layout_node(const model_layout_t *layout, size_t thread)
{
    if (layout->by_size)
        return thread / layout->threads_per_node;
    return thread * layout->nodes / layout->threads;
}

size_t model_layout_leader(const model_layout_t *layout, size_t node)
{
    size_t leader = layout->by_size ? node * layout->threads_per_node
                                    : (node * layout->threads + layout->nodes - 1) / layout->nodes;
    return leader < layout->threads ? leader : layout->threads;
}

size_t model_layout_blocks(const model_layout_t *layout)
{
    return (layout->rows + layout->blocksize - 1) / layout->blocksize;
}

size_t model_layout_block_rows(const model_layout_t *layout, size_t block)
{
    size_t left = layout->rows - block * layout->blocksize;
    return left < layout->blocksize ? left : layout->blocksize;
}

size_t model_layout_thread_rows(const model_layout_t *layout, size_t thread)
{
    size_t full = layout->rows / layout->blocksize;
    size_t blocks = full / layout->threads + (thread < full % layout->threads);
    size_t tail = thread == full % layout->threads ? layout->rows % layout->blocksize : 0;
    return blocks * layout->blocksize + tail;
}
