/*
 * Reductions and scans. The elements pass by in windows, in the order of their indexes: whoever
 * computes gathers those of all nodes and puts them in order.
 */
#include "coll.h"

#include <stdlib.h>
#include <string.h>

#include <pgas/coll_async.h>

#include "coll_elements.h"
#include "coll_functions.h"
#include "coll_images.h"

/* An array: its elements are at places `first` and following, in blocks dealt to the images in
 * turn, and the parts of the node's images begin at `own`. */
typedef struct array {
    char **own;
    size_t block;
    size_t row; /* a block of every image */
    size_t first;
    size_t count;
    size_t size;
} array_t;

typedef gasneti_coll_operator_t function_t;

/* Elements [begin, end), and room for them: in order behind one element, and as they come, image by
 * image. `reader` computes, or all nodes if it is EVERYBODY. */
typedef struct window {
    const char *call;
    int reader;
    size_t begin;
    size_t end;
    size_t most;
    char *ordered;
    char *runs;
    /* Those of the node's images, if it has several. */
    char *sent;
    size_t *counts;
    size_t *displs;
} window_t;

/* A reduction or scan. */
typedef struct gasneti_coll_computation {
    const char *call;
    function_t function;
    array_t src;
    /* Of a reduction, on the node of image `root`. */
    void *result;
    /* Of a scan: the result of element i goes to element i + shift. */
    array_t dst;
    size_t shift;
    gasnet_image_t root;
    bool is_scan;
    /* Of a reduction element by element, which uses nothing below. */
    bool is_by_element;
    gasneti_coll_elements_t elements;
    /* What passes by: of a reduction what each image has combined. Blocks have no elements before
     * it is known. */
    array_t passing;
    window_t window;
} computation_t;

enum {
    EVERYBODY = -1,
    /* Of one image in a window, unless an element is larger. */
    MOST_BYTES = 32 << 10
};

/* ---- Arrays ---- */

static gasnet_image_t locals(void)
{
    return gasneti_coll_images_of(gasnet_mynode());
}

/* Where its elements are is not known yet. */
static array_t array_of(const char *call, size_t block, size_t offset, size_t count, size_t size)
{
    size_t nbytes;
    if (__builtin_mul_overflow(count, size, &nbytes))
        gasneti_fatal(call, "%zu elements of %zu bytes overflow", count, size);
    if (block == 0 && offset >= gasneti_coll_images())
        gasneti_fatal(call, "image %zu: the job has %u", offset, gasneti_coll_images());
    if (size == 0)
        count = 0;
    size_t in_block = count > 0 ? count : 1;
    size_t first = block > 0 ? offset : offset * count;
    size_t end;
    size_t row;
    bool fits = !__builtin_add_overflow(first, in_block, &end);
    if (block > 0)
        in_block = block < end ? block : end; /* what lies behind the array does not matter */
    if (!fits || __builtin_mul_overflow(in_block, gasneti_coll_images(), &row))
        gasneti_fatal(call, "%zu elements from %zu on overflow", count, first);
    return (array_t){
        .block = in_block,
        .row = row,
        .first = first,
        .count = count,
        .size = size,
    };
}

static gasnet_image_t image_of(const array_t *array, size_t index)
{
    return (gasnet_image_t)((array->first + index) / array->block % gasneti_coll_images());
}

/* Elements of the image's part before the place of `index`. */
static size_t before(const array_t *array, gasnet_image_t image, size_t index)
{
    size_t place = array->first + index;
    size_t rest = place % array->row;
    size_t begin = image * array->block;
    size_t in_row = rest <= begin ? 0 : rest - begin;
    return place / array->row * array->block + (in_row < array->block ? in_row : array->block);
}

/* The index of an image's element that has `count` before it in its part; it exists. */
static size_t index_of(const array_t *array, gasnet_image_t image, size_t count)
{
    size_t place = count / array->block * array->row + image * array->block + count % array->block;
    return place - array->first;
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

static void check_own(const char *call, int flags, int flag, const array_t *array, const char *own)
{
    const gasnet_image_t me = gasneti_coll_own_image();
    size_t begin = before(array, me, 0);
    size_t end = before(array, me, array->count);
    gasneti_coll_check(call, flags, flag, own + begin * array->size, (end - begin) * array->size);
}

/* ---- Windows ---- */

/* The end of the window that begins at `begin`: no image has more of it than `capacity`. */
static size_t end_of(const array_t *array, size_t begin, size_t capacity)
{
    size_t end = begin + capacity;
    if (array->block <= capacity)
        end = ((array->first + begin) / array->row + capacity / array->block) * array->row -
              array->first;
    return end < array->count ? end : array->count;
}

static void window_open(window_t *window, const char *call, const array_t *array, int reader)
{
    const gasnet_node_t nodes = gasnet_nodes();
    size_t capacity = array->size < MOST_BYTES ? MOST_BYTES / array->size : 1;
    *window = (window_t){.call = call, .reader = reader, .most = capacity};
    if (locals() > 1)
        window->sent = gasneti_allocate(call, capacity * locals() * array->size);
    if (reader != EVERYBODY && reader != (int)gasnet_mynode())
        return;
    size_t most = capacity * gasneti_coll_images();
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
    free(window->sent);
    free(window->counts);
}

/* What an image has of the window, and all of a node's, in elements. */
static size_t count_of(const array_t *array, const window_t *window, gasnet_image_t image)
{
    return before(array, image, window->end) - before(array, image, window->begin);
}

static size_t count_of_node(const array_t *array, const window_t *window, gasnet_node_t node)
{
    size_t count = 0;
    for (gasnet_image_t image = gasneti_coll_first_of(node);
         image < gasneti_coll_first_of(node + 1); image++)
        count += count_of(array, window, image);
    return count;
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

/* What this node sends of the window. */
static const void *own_run(const array_t *array, const window_t *window)
{
    const gasnet_image_t first = gasneti_coll_first_of(gasnet_mynode());
    if (window->sent == NULL)
        return array->own[0] + before(array, first, window->begin) * array->size;
    char *to = window->sent;
    for (gasnet_image_t i = 0; i < locals(); i++) {
        size_t nbytes = count_of(array, window, first + i) * array->size;
        if (nbytes > 0)
            memcpy(to, array->own[i] + before(array, first + i, window->begin) * array->size,
                   nbytes);
        to += nbytes;
    }
    return window->sent;
}

static void prepare_runs(const array_t *array, const window_t *window, gasneti_coll_move_t *move)
{
    size_t place = 0;
    for (gasnet_node_t node = 0; window->runs != NULL && node < gasnet_nodes(); node++) {
        window->counts[node] = count_of_node(array, window, node) * array->size;
        window->displs[node] = place;
        place += window->counts[node];
    }
    move->start = window->reader == EVERYBODY ? start_allgatherv : start_gatherv;
    move->dst = window->runs;
    move->src = own_run(array, window);
    move->nbytes = count_of_node(array, window, gasnet_mynode()) * array->size;
    move->root = window->reader;
    move->counts = window->counts;
    move->displs = window->displs;
}

/* Puts what an image has of the window, at `run`, to its places; its blocks are a row apart. */
static void put_run_in_order(const array_t *array, const window_t *window, gasnet_image_t image,
                             const char *run)
{
    size_t size = array->size;
    size_t gap = array->row - array->block;
    size_t i = index_of(array, image, before(array, image, window->begin));
    for (size_t block = array->block - (array->first + i) % array->block;; block = array->block) {
        size_t left = window->end - i;
        size_t count = block < left ? block : left;
        memcpy(window->ordered + (1 + i - window->begin) * size, run, count * size);
        if (left <= block || left - block <= gap)
            return;
        run += count * size;
        i += block + gap;
    }
}

static void put_in_order(const array_t *array, const window_t *window)
{
    const char *run = window->runs;
    for (gasnet_image_t image = 0; image < gasneti_coll_images(); image++) {
        size_t count = count_of(array, window, image);
        if (count > 0)
            put_run_in_order(array, window, image, run);
        run += count * array->size;
    }
}

/* Moves on to the next window, if there is one; sets what gathers it. */
static bool window_next(window_t *window, const array_t *array, gasneti_coll_move_t *move)
{
    window->begin = window->end;
    if (window->begin >= array->count)
        return false;
    window->end = end_of(array, window->begin, window->most);
    prepare_runs(array, window, move);
    return true;
}

/* ---- Functions ---- */

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

/* Combines an image's elements, from `at` on up to `end` of its part, in order by blocks or, if the
 * function commutes, all. */
static void fold_part(const function_t *function, const array_t *array, const char *own, size_t at,
                      size_t end, char *result)
{
    bool is_ordered = function->flags != 0;
    while (at < end) {
        size_t step = is_ordered ? array->block - at % array->block : end;
        step = step < end - at ? step : end - at;
        fold(function, own + at * array->size, step, array->size, result);
        result += array->size;
        at += step;
    }
}

/* Combines the elements of the node's images. The results are an array with one element for each
 * block, or for each image that has any. */
static array_t fold_own(const char *call, const function_t *function, const array_t *array)
{
    const gasnet_image_t first = gasneti_coll_first_of(gasnet_mynode());
    const gasnet_image_t images = gasneti_coll_images();
    size_t blocks = count_blocks(array);
    array_t parts = {.block = 1, .row = images, .first = image_of(array, 0), .size = array->size};
    parts.count = function->flags != 0 || blocks < images ? blocks : images;
    parts.own = gasneti_allocate(call, locals() * sizeof *parts.own);
    for (gasnet_image_t i = 0; i < locals(); i++) {
        size_t room = before(&parts, first + i, parts.count);
        parts.own[i] = gasneti_allocate(call, (room + 1) * array->size);
        fold_part(function, array, array->own[i], before(array, first + i, 0),
                  before(array, first + i, array->count),
                  parts.own[i] + before(&parts, first + i, 0) * array->size);
    }
    return parts;
}

static void free_parts(const array_t *parts)
{
    for (gasnet_image_t i = 0; i < locals(); i++)
        free(parts->own[i]);
    free(parts->own);
}

static void reduce_window(const computation_t *it)
{
    const window_t *window = &it->window;
    size_t size = it->src.size;
    /* What has come of the windows before is in front. */
    bool has_carry = window->begin > 0;
    if (has_carry)
        memcpy(window->ordered, it->result, size);
    fold(&it->function, has_carry ? window->ordered : window->ordered + size,
         window->end - window->begin + has_carry, size, it->result);
}

/* Writes results [begin, end) to the elements of the node's parts. */
static void store(const array_t *dst, const char *results, size_t begin, size_t end)
{
    const gasnet_image_t first = gasneti_coll_first_of(gasnet_mynode());
    size_t step;
    for (size_t i = begin; i < end; i += step) {
        const gasnet_image_t image = image_of(dst, i);
        step = rest_of(dst, i, end);
        if (image >= first && image - first < locals())
            memcpy(dst->own[image - first] + before(dst, image, i) * dst->size,
                   results + (i - begin) * dst->size, step * dst->size);
    }
}

static void scan_window(const computation_t *it)
{
    const window_t *window = &it->window;
    size_t size = it->src.size;
    size_t count = window->end - window->begin;
    char *results = window->runs;
    it->function.call(results, count, window->ordered, window->begin > 0, window->ordered + size,
                      size, it->function.flags, it->function.arg);
    memcpy(window->ordered, results + (count - 1) * size, size);
    size_t end = window->end + it->shift;
    store(&it->dst, results, window->begin + it->shift, end < it->dst.count ? end : it->dst.count);
}

/* ---- In flight ---- */

/* The addresses that the node's images gave. */
static void find_parts(computation_t *it, const gasneti_coll_move_t *move)
{
    const gasneti_coll_side_t one = {move->dst, move->src};
    const gasnet_image_t first = gasneti_coll_first_of(gasnet_mynode());
    it->src.own = gasneti_allocate(it->call, (size_t)2 * locals() * sizeof *it->src.own);
    it->dst.own = it->src.own + locals();
    for (gasnet_image_t i = 0; i < locals(); i++) {
        const gasneti_coll_side_t side = move->sides != NULL ? move->sides[i] : one;
        it->src.own[i] = (char *)(uintptr_t)side.src;
        it->dst.own[i] = side.dst;
        if (first + i == it->root)
            it->result = side.dst;
    }
}

static void begin(computation_t *it, const gasneti_coll_move_t *move)
{
    find_parts(it, move);
    it->passing = it->src;
    if (it->src.count == 0)
        return;
    if (!it->is_scan)
        it->passing = fold_own(it->call, &it->function, &it->src);
    window_open(&it->window, it->call, &it->passing,
                it->is_scan ? EVERYBODY : (int)gasneti_coll_node_of(it->root));
}

static void end(computation_t *it)
{
    window_close(&it->window);
    if (!it->is_scan && it->src.count > 0)
        free_parts(&it->passing);
    free(it->src.own);
    free(it);
}

static void begin_elements(computation_t *it, const gasneti_coll_move_t *move)
{
    find_parts(it, move);
    it->elements = (gasneti_coll_elements_t){
        .call = it->call,
        .function = it->function,
        .own = it->src.own,
        .result = it->result,
        .reader = gasneti_coll_node_of(it->root),
        .size = it->src.size,
        .count = it->src.count,
    };
    if (it->src.count > 0)
        gasneti_coll_elements_open(&it->elements);
}

static bool compute_elements(gasneti_coll_move_t *move)
{
    computation_t *it = move->computation;
    if (it->elements.own == NULL)
        begin_elements(it, move);
    if (gasneti_coll_elements_next(&it->elements, move))
        return true;
    gasneti_coll_elements_close(&it->elements);
    free(it->src.own);
    free(it);
    return false;
}

static bool compute(gasneti_coll_move_t *move)
{
    computation_t *it = move->computation;
    if (it->passing.block == 0) {
        begin(it, move);
    } else if (it->window.runs != NULL) {
        put_in_order(&it->passing, &it->window);
        if (it->is_scan)
            scan_window(it);
        else
            reduce_window(it);
    }
    if (window_next(&it->window, &it->passing, move))
        return true;
    end(it);
    return false;
}

static bool is_same_array(const array_t *one, const array_t *other)
{
    return one->block == other->block && one->first == other->first && one->count == other->count &&
           one->size == other->size;
}

bool gasneti_coll_is_same_computation(const computation_t *one, const computation_t *other)
{
    return one->is_scan == other->is_scan && one->is_by_element == other->is_by_element &&
           is_same_array(&one->src, &other->src) && is_same_array(&one->dst, &other->dst) &&
           one->function.call == other->function.call &&
           one->function.flags == other->function.flags && one->function.arg == other->function.arg;
}

static gasneti_coll_move_t move_of(computation_t computation, gasneti_coll_side_t side,
                                   gasnet_coll_fn_handle_t func, int func_arg)
{
    computation_t *it = gasneti_allocate(computation.call, sizeof *it);
    *it = computation;
    it->function = function_of(it->call, func, func_arg);
    return (gasneti_coll_move_t){.kind = GASNETI_COLL_COMPUTATION,
                                 .dst = side.dst,
                                 .src = side.src,
                                 .root = (int)it->root,
                                 .compute = it->is_by_element ? compute_elements : compute,
                                 .computation = it};
}

static gasneti_coll_move_t prepare_reduce(computation_t it, gasneti_coll_side_t side,
                                          gasnet_coll_fn_handle_t func, int func_arg, int flags)
{
    bool is_root = it.root == gasneti_coll_own_image();
    size_t results = it.is_by_element ? it.src.count : 1;
    if (it.is_by_element)
        gasneti_coll_check(it.call, flags, GASNET_COLL_SRC_IN_SEGMENT, side.src,
                           it.src.count * it.src.size);
    else
        check_own(it.call, flags, GASNET_COLL_SRC_IN_SEGMENT, &it.src, side.src);
    gasneti_coll_check(it.call, flags, GASNET_COLL_DST_IN_SEGMENT, side.dst,
                       is_root ? results * it.src.size : 0);
    return move_of(it, side, func, func_arg);
}

static gasneti_coll_move_t prepare_scan(computation_t it, gasneti_coll_side_t side,
                                        gasnet_coll_fn_handle_t func, int func_arg, int flags)
{
    bool is_inclusive = (flags & GASNET_COLL_INCLUSIVE_SCAN) != 0;
    if (is_inclusive == ((flags & GASNET_COLL_EXCLUSIVE_SCAN) != 0))
        gasneti_fatal(it.call,
                      "the flags are 0x%x: GASNET_COLL_INCLUSIVE_SCAN or "
                      "GASNET_COLL_EXCLUSIVE_SCAN must be given",
                      (unsigned)flags);
    check_own(it.call, flags, GASNET_COLL_SRC_IN_SEGMENT, &it.src, side.src);
    check_own(it.call, flags, GASNET_COLL_DST_IN_SEGMENT, &it.dst, side.dst);
    it.is_scan = true;
    it.shift = is_inclusive ? 0 : 1;
    return move_of(it, side, func, func_arg);
}

GASNETI_COLL_FORMS(reduce, dstimage,
                   (gasnet_team_handle_t team, gasnet_image_t dstimage, void *dst, void *src,
                    size_t src_blksz, size_t src_offset, size_t elem_size, size_t elem_count,
                    gasnet_coll_fn_handle_t func, int func_arg, int flags),
                   prepare_reduce(
                       (computation_t){
                           .call = call,
                           .src = array_of(call, src_blksz, src_offset, elem_count, elem_size),
                           .root = dstimage,
                           .is_by_element = src_blksz == 0 && src_offset == 0,
                       },
                       (gasneti_coll_side_t){dst, src}, func, func_arg, flags))
GASNETI_COLL_FORMS(scan, 0,
                   (gasnet_team_handle_t team, void *dst, size_t dst_blksz, size_t dst_offset,
                    void *src, size_t src_blksz, size_t src_offset, size_t elem_size,
                    size_t elem_count, gasnet_coll_fn_handle_t func, int func_arg, int flags),
                   prepare_scan(
                       (computation_t){
                           .call = call,
                           .src = array_of(call, src_blksz, src_offset, elem_count, elem_size),
                           .dst = array_of(call, dst_blksz, dst_offset, elem_count, elem_size),
                       },
                       (gasneti_coll_side_t){dst, src}, func, func_arg, flags))
