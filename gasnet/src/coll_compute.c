/*
 * Reductions and scans. The elements pass by in windows, in the order of their indexes: whoever
 * computes gathers those of all nodes and puts them in order.
 */
#include "coll.h"

#include <stdlib.h>
#include <string.h>

#include <pgas/coll_async.h>

/* An array: its elements are at places `first` and following, in blocks dealt to the nodes in turn,
 * and the node's part begins at `own`. */
typedef struct array {
    char *own;
    size_t block;
    size_t first;
    size_t count;
    size_t size;
} array_t;

typedef struct function {
    gasnet_coll_reduce_fn *call;
    int flags;
    int arg;
} function_t;

/* Elements [begin, end), and room for them: in order behind one element, and as they come, node by
 * node. `reader` computes, or all nodes if it is EVERYBODY. */
typedef struct window {
    const char *call;
    int reader;
    size_t begin;
    size_t end;
    size_t most;
    char *ordered;
    char *runs;
    size_t *counts;
    size_t *displs;
} window_t;

enum {
    EVERYBODY = -1,
    /* Of one node in a window, unless an element is larger. */
    MOST_BYTES = 32 << 10,
    /* The windows of a call wait for each other; its flags have barriers around all of them. */
    WINDOW_FLAGS = GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC
};

/* ---- Arrays ---- */

static array_t array_of(const char *call, void *own, size_t block, size_t offset, size_t count,
                        size_t size)
{
    size_t nbytes;
    if (__builtin_mul_overflow(count, size, &nbytes))
        gasneti_fatal(call, "%zu elements of %zu bytes overflow", count, size);
    if (block == 0 && offset >= gasnet_nodes())
        gasneti_fatal(call, "image %zu: the job has %u", offset, gasnet_nodes());
    if (block == 0)
        return (array_t){own, count > 0 ? count : 1, offset * count, count, size};
    return (array_t){own, block, offset, count, size};
}

static gasnet_node_t node_of(const array_t *array, size_t index)
{
    return (gasnet_node_t)((array->first + index) / array->block % gasnet_nodes());
}

/* Elements of the node's part before the place of `index`. */
static size_t before(const array_t *array, gasnet_node_t node, size_t index)
{
    size_t place = array->first + index;
    size_t row = array->block * gasnet_nodes();
    size_t rest = place % row;
    size_t begin = node * array->block;
    size_t in_row = rest <= begin ? 0 : rest - begin;
    return place / row * array->block + (in_row < array->block ? in_row : array->block);
}

/* Elements from `index` on that are in the same block, up to `end`. */
static size_t rest_of(const array_t *array, size_t index, size_t end)
{
    size_t rest = array->block - (array->first + index) % array->block;
    return rest < end - index ? rest : end - index;
}

static size_t count_blocks(const array_t *array)
{
    size_t skipped = array->first % array->block;
    return (skipped + array->count + array->block - 1) / array->block;
}

static void check_own(const char *call, int flags, int flag, const array_t *array)
{
    size_t begin = before(array, gasnet_mynode(), 0);
    size_t end = before(array, gasnet_mynode(), array->count);
    gasneti_coll_check(call, flags, flag, array->own + begin * array->size,
                       (end - begin) * array->size);
}

/* ---- Windows ---- */

/* The end of the window that begins at `begin`: no node has more of it than `capacity`. */
static size_t end_of(const array_t *array, size_t begin, size_t capacity)
{
    size_t end = begin + capacity;
    if (array->block <= capacity) {
        size_t row = array->block * gasnet_nodes();
        end = ((array->first + begin) / row + capacity / array->block) * row - array->first;
    }
    return end < array->count ? end : array->count;
}

static void window_open(window_t *window, const char *call, const array_t *array, int reader)
{
    const gasnet_node_t nodes = gasnet_nodes();
    size_t capacity = array->size < MOST_BYTES ? MOST_BYTES / array->size : 1;
    *window = (window_t){.call = call, .reader = reader, .most = capacity};
    if (reader != EVERYBODY && reader != (int)gasnet_mynode())
        return;
    size_t most = capacity * nodes;
    most = most < array->count ? most : array->count;
    window->ordered = gasneti_allocate(call, (most + 1) * array->size);
    window->runs = gasneti_allocate(call, most * array->size);
    window->counts = gasneti_allocate(call, (size_t)2 * nodes * sizeof *window->counts);
    window->displs = window->counts + nodes;
}

static void window_close(window_t *window)
{
    free(window->ordered);
    free(window->runs);
    free(window->counts);
}

/* What a node has of the window, in elements. */
static size_t count_of(const array_t *array, const window_t *window, gasnet_node_t node)
{
    return before(array, node, window->end) - before(array, node, window->begin);
}

static pgas_handle_t start_gatherv(const gasneti_coll_move_t *move)
{
    return pgas_gatherv_async(PGAS_TEAM_ALL, move->src, move->nbytes, move->dst, move->counts,
                              move->displs, move->root);
}

static pgas_handle_t start_allgatherv(const gasneti_coll_move_t *move)
{
    return pgas_allgatherv_async(PGAS_TEAM_ALL, move->src, move->nbytes, move->dst, move->counts,
                                 move->displs);
}

static void gather_runs(const array_t *array, const window_t *window)
{
    const gasnet_node_t me = gasnet_mynode();
    const gasneti_coll_move_t move = {
        .start = window->reader == EVERYBODY ? start_allgatherv : start_gatherv,
        .dst = window->runs,
        .src = array->own + before(array, me, window->begin) * array->size,
        .nbytes = count_of(array, window, me) * array->size,
        .root = window->reader,
        .counts = window->counts,
        .displs = window->displs,
    };
    size_t place = 0;
    for (gasnet_node_t node = 0; window->runs != NULL && node < gasnet_nodes(); node++) {
        window->counts[node] = count_of(array, window, node) * array->size;
        window->displs[node] = place;
        place += window->counts[node];
    }
    gasneti_coll_complete(window->call, &move, WINDOW_FLAGS);
}

static void put_in_order(const array_t *array, const window_t *window)
{
    size_t size = array->size;
    char *run = window->runs;
    for (gasnet_node_t node = 0; node < gasnet_nodes(); node++) {
        size_t start = before(array, node, window->begin);
        size_t step;
        for (size_t i = window->begin; i < window->end; i += step) {
            step = rest_of(array, i, window->end);
            if (node_of(array, i) == node)
                memcpy(window->ordered + (1 + i - window->begin) * size,
                       run + (before(array, node, i) - start) * size, step * size);
        }
        run += count_of(array, window, node) * size;
    }
}

/* Moves on to the next window, whose elements are in order then, where they are wanted. */
static bool window_next(window_t *window, const array_t *array)
{
    window->begin = window->end;
    if (window->begin >= array->count)
        return false;
    window->end = end_of(array, window->begin, window->most);
    gather_runs(array, window);
    if (window->runs != NULL)
        put_in_order(array, window);
    return true;
}

/* All nodes meet, if `flag` is given. */
static pgas_handle_t start_barrier(const gasneti_coll_move_t *move)
{
    (void)move;
    return pgas_team_barrier_async(PGAS_TEAM_ALL);
}

static void meet(const char *call, int flags, int flag)
{
    const gasneti_coll_move_t move = {.start = start_barrier};
    if ((flags & flag) != 0)
        gasneti_coll_complete(call, &move, WINDOW_FLAGS);
}

/* ---- Reductions ---- */

static function_t function_of(const char *call, gasnet_coll_fn_handle_t func, int arg)
{
    const gasnet_coll_fn_entry_t *entry = gasneti_coll_function(call, func);
    return (function_t){(gasnet_coll_reduce_fn *)entry->fnptr,
                        (int)entry->flags & GASNET_COLL_NONCOMM, arg};
}

/* Combines `count` (> 0) neighbours. */
static void fold(const function_t *function, const char *elements, size_t count, size_t size,
                 void *result)
{
    const char *last = elements + (count - 1) * size;
    if (count == 1)
        memcpy(result, last, size);
    else
        function->call(result, 1, elements, count - 1, last, size, function->flags, function->arg);
}

/* Combines the node's elements, in order by blocks or, if the function commutes, all. The results
 * are an array with one element for each block, or for each node that has any. */
static array_t fold_own(const char *call, const function_t *function, const array_t *array)
{
    gasnet_node_t me = gasnet_mynode();
    size_t blocks = count_blocks(array);
    bool is_ordered = function->flags != 0;
    array_t parts = {.block = 1, .first = node_of(array, 0), .size = array->size};
    parts.count = is_ordered || blocks < gasnet_nodes() ? blocks : gasnet_nodes();
    size_t room = before(&parts, me, parts.count);
    parts.own = gasneti_allocate(call, (room + 1) * array->size);
    char *result = parts.own + before(&parts, me, 0) * array->size;
    size_t end = before(array, me, array->count);
    for (size_t at = before(array, me, 0); at < end;) {
        size_t step = is_ordered ? array->block - at % array->block : end;
        step = step < end - at ? step : end - at;
        fold(function, array->own + at * array->size, step, array->size, result);
        result += array->size;
        at += step;
    }
    return parts;
}

static void reduce_parts(const char *call, const function_t *function, const array_t *parts,
                         int root, void *dst)
{
    window_t window;
    size_t size = parts->size;
    window_open(&window, call, parts, root);
    while (window_next(&window, parts)) {
        if (window.ordered == NULL)
            continue;
        /* What has come of the windows before is in front. */
        bool has_carry = window.begin > 0;
        if (has_carry)
            memcpy(window.ordered, dst, size);
        fold(function, has_carry ? window.ordered : window.ordered + size,
             window.end - window.begin + has_carry, size, dst);
    }
    window_close(&window);
}

void gasnet_coll_reduce(gasnet_team_handle_t team, gasnet_image_t dstimage, void *dst, void *src,
                        size_t src_blksz, size_t src_offset, size_t elem_size, size_t elem_count,
                        gasnet_coll_fn_handle_t func, int func_arg, int flags)
{
    bool is_root = dstimage == gasnet_mynode();
    gasneti_coll_begin(__func__, team, dstimage, flags);
    gasneti_coll_check_blocking(__func__, flags);
    function_t function = function_of(__func__, func, func_arg);
    array_t array = array_of(__func__, src, src_blksz, src_offset, elem_count, elem_size);
    check_own(__func__, flags, GASNET_COLL_SRC_IN_SEGMENT, &array);
    gasneti_coll_check(__func__, flags, GASNET_COLL_DST_IN_SEGMENT, dst, is_root ? elem_size : 0);
    if (elem_count == 0 || elem_size == 0)
        return;
    meet(__func__, flags, GASNET_COLL_IN_ALLSYNC);
    array_t parts = fold_own(__func__, &function, &array);
    reduce_parts(__func__, &function, &parts, (int)dstimage, dst);
    free(parts.own);
    meet(__func__, flags, GASNET_COLL_OUT_ALLSYNC);
}

/* ---- Scans ---- */

/* Writes results [begin, end) to the elements of the node's part. */
static void store(const array_t *dst, const char *results, size_t begin, size_t end)
{
    gasnet_node_t me = gasnet_mynode();
    size_t step;
    for (size_t i = begin; i < end; i += step) {
        step = rest_of(dst, i, end);
        if (node_of(dst, i) == me)
            memcpy(dst->own + before(dst, me, i) * dst->size, results + (i - begin) * dst->size,
                   step * dst->size);
    }
}

/* The result of element i goes to element i + shift. */
static void scan(const char *call, const function_t *function, const array_t *src,
                 const array_t *dst, size_t shift)
{
    window_t window;
    size_t size = src->size;
    window_open(&window, call, src, EVERYBODY);
    while (window_next(&window, src)) {
        size_t count = window.end - window.begin;
        char *results = window.runs;
        function->call(results, count, window.ordered, window.begin > 0, window.ordered + size,
                       size, function->flags, function->arg);
        memcpy(window.ordered, results + (count - 1) * size, size);
        size_t end = window.end + shift < dst->count ? window.end + shift : dst->count;
        store(dst, results, window.begin + shift, end);
    }
    window_close(&window);
}

void gasnet_coll_scan(gasnet_team_handle_t team, void *dst, size_t dst_blksz, size_t dst_offset,
                      void *src, size_t src_blksz, size_t src_offset, size_t elem_size,
                      size_t elem_count, gasnet_coll_fn_handle_t func, int func_arg, int flags)
{
    gasneti_coll_begin(__func__, team, 0, flags);
    gasneti_coll_check_blocking(__func__, flags);
    bool is_inclusive = (flags & GASNET_COLL_INCLUSIVE_SCAN) != 0;
    if (is_inclusive == ((flags & GASNET_COLL_EXCLUSIVE_SCAN) != 0))
        gasneti_fatal(__func__,
                      "the flags are 0x%x: GASNET_COLL_INCLUSIVE_SCAN or "
                      "GASNET_COLL_EXCLUSIVE_SCAN must be given",
                      (unsigned)flags);
    function_t function = function_of(__func__, func, func_arg);
    array_t from = array_of(__func__, src, src_blksz, src_offset, elem_count, elem_size);
    array_t to = array_of(__func__, dst, dst_blksz, dst_offset, elem_count, elem_size);
    check_own(__func__, flags, GASNET_COLL_SRC_IN_SEGMENT, &from);
    check_own(__func__, flags, GASNET_COLL_DST_IN_SEGMENT, &to);
    if (elem_count == 0 || elem_size == 0)
        return;
    meet(__func__, flags, GASNET_COLL_IN_ALLSYNC);
    scan(__func__, &function, &from, &to, is_inclusive ? 0 : 1);
    meet(__func__, flags, GASNET_COLL_OUT_ALLSYNC);
}
