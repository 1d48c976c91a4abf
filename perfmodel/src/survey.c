#include "survey.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "perfmodel/formulas.h"
#include "support/boundary.h"
#include "support/slices.h"

enum {
    LINE_VALUES = 8
};

/* The thread being surveyed, and its current block. */
typedef struct view {
    size_t thread;
    uint32_t stamp;
    model_counts_t *counts;
    /* The block's first row, its rows, and where it begins in the thread's part. */
    uint32_t first;
    uint32_t rows;
    uint32_t place;
} view_t;

__extension__ typedef unsigned __int128 wide_t;

static modeli_divisor_t divisor_of(size_t divisor)
{
    return (modeli_divisor_t){UINT64_MAX / divisor + 1, (uint32_t)divisor};
}

static inline uint32_t divide(uint32_t number, modeli_divisor_t by)
{
    return by.divisor == 1 ? number : (uint32_t)(((wide_t)by.reciprocal * number) >> 64);
}

/* Bytes that a row moves besides x. */
static size_t row_bytes_of(size_t row_nonzeros)
{
    return (size_t)model_bytes_per_row(row_nonzeros) - sizeof(double);
}

/* Does nothing if no cache size is given. */
static bool init_cache(modeli_survey_t *survey, model_caches_t caches)
{
    size_t row_bytes = row_bytes_of(survey->matrix->row_nonzeros);
    size_t rows = survey->matrix->rows;
    reuse_caches_t sizes = {(size_t)caches.first_level, (size_t)caches.second_level,
                            (size_t)caches.share, true};
    survey->has_cache = caches.second_level > 0.0;
    return !survey->has_cache || (reuse_init(&survey->cache, rows, row_bytes, sizes) &&
                                  reuse_init(&survey->stored_cache, rows, row_bytes, sizes));
}

bool modeli_survey_init(const model_matrix_t *matrix, const model_layout_t *layout,
                        const uint32_t *node_of, model_caches_t caches, modeli_survey_t *survey,
                        mesh_error_t *error)
{
    size_t blocks = model_layout_blocks(layout);
    *survey = (modeli_survey_t){
        .matrix = matrix,
        .layout = layout,
        .by_block = divisor_of(layout->blocksize),
        .by_threads = divisor_of(layout->threads),
        .node_of = node_of,
        .value_seen = calloc(matrix->rows, sizeof(uint32_t)),
        .block_seen = calloc(blocks, sizeof(uint32_t)),
        .line_seen = calloc(matrix->rows / LINE_VALUES + 1, 2 * sizeof(uint32_t)),
        .values_from = calloc(layout->threads, sizeof(uint32_t)),
        .sources = malloc(layout->threads * sizeof(uint32_t)),
        .own_columns = malloc(matrix->row_nonzeros * sizeof(uint32_t)),
    };
    if (survey->value_seen != NULL && survey->block_seen != NULL && survey->line_seen != NULL &&
        survey->values_from != NULL && survey->sources != NULL && survey->own_columns != NULL &&
        init_cache(survey, caches) &&
        modeli_storage_init(matrix->row_nonzeros, &survey->interior) &&
        modeli_storage_init(matrix->row_nonzeros, &survey->boundary) &&
        modeli_storage_init(matrix->row_nonzeros, &survey->all))
        return true;
    return modeli_fail_memory(error, "counting", (matrix->rows + blocks) * sizeof(uint32_t));
}

void modeli_survey_free(modeli_survey_t *survey)
{
    modeli_storage_free(&survey->all);
    modeli_storage_free(&survey->boundary);
    modeli_storage_free(&survey->interior);
    reuse_free(&survey->stored_cache);
    reuse_free(&survey->cache);
    free(survey->own_columns);
    free(survey->sources);
    free(survey->values_from);
    free(survey->line_seen);
    free(survey->block_seen);
    free(survey->value_seen);
}

static inline uint32_t owner_of(const modeli_survey_t *survey, uint32_t block)
{
    return block - divide(block, survey->by_threads) * survey->by_threads.divisor;
}

/* Where another thread's memory lies. */
static inline model_place_t place_of_other(const modeli_survey_t *survey, const view_t *view,
                                           uint32_t owner)
{
    return survey->node_of[owner] == survey->node_of[view->thread] ? MODEL_LOCAL : MODEL_REMOTE;
}

static void see_foreign(modeli_survey_t *survey, const view_t *view, uint32_t column,
                        uint32_t block, uint32_t owner)
{
    model_counts_t *counts = view->counts;
    model_place_t place = place_of_other(survey, view, owner);
    counts->individual[place]++;
    if (survey->value_seen[column] == view->stamp)
        return;
    survey->value_seen[column] = view->stamp;
    counts->values_in[place]++;
    uint32_t *line_seen = &survey->line_seen[column / LINE_VALUES * 2 + (place == MODEL_LOCAL)];
    counts->lines_in[place] += *line_seen != view->stamp;
    *line_seen = view->stamp;
    if (survey->values_from[owner]++ == 0) {
        counts->messages_in[place]++;
        survey->sources[survey->source_count++] = owner;
    }
    if (survey->block_seen[block] == view->stamp)
        return;
    survey->block_seen[block] = view->stamp;
    counts->needed_blocks[place]++;
    counts->needed_bytes[place] += model_layout_block_rows(survey->layout, block) * sizeof(double);
}

static void end_slice(modeli_survey_t *survey, const view_t *view)
{
    if (survey->slice_rows > 0 && survey->highest - survey->lowest > UINT16_MAX)
        view->counts->wide_rows += survey->slice_rows;
    survey->slice_rows = 0;
    survey->lowest = UINT32_MAX;
    survey->highest = 0;
}

/* Converts an own column to its place in the thread's part. Most columns lie in the row's own
 * block, where a subtraction does it. */
static uint32_t place_of(const modeli_survey_t *survey, const view_t *view, uint32_t column)
{
    if (column - view->first < view->rows)
        return view->place + (column - view->first);
    uint32_t blocksize = survey->by_block.divisor;
    uint32_t block = divide(column, survey->by_block);
    return divide(block, survey->by_threads) * blocksize + (column - block * blocksize);
}

/* Number of off-diagonals up to the last that is not padding. */
static size_t length_of(const modeli_survey_t *survey, size_t row, const int32_t *J)
{
    size_t length = survey->matrix->row_nonzeros;
    while (length > 0 && (size_t)J[length - 1] == row)
        length--;
    return length;
}

static void see_interior_row(modeli_survey_t *survey, const view_t *view, size_t length)
{
    modeli_storage_add(&survey->interior, length);
    for (size_t k = 0; k < length || k == 0; k++) {
        uint32_t place = place_of(survey, view, survey->own_columns[k]);
        survey->lowest = place < survey->lowest ? place : survey->lowest;
        survey->highest = place > survey->highest ? place : survey->highest;
    }
    if (++survey->slice_rows == SLICES_ROWS)
        end_slice(survey, view);
}

static void see_boundary_row(modeli_survey_t *survey, const view_t *view, size_t own_count,
                             size_t length)
{
    modeli_storage_add(&survey->boundary, length);
    view->counts->boundary_rows++;
    for (size_t k = 0; k < own_count; k++) {
        uint32_t column = survey->own_columns[k];
        view->counts->boundary_own_values += survey->value_seen[column] != view->stamp;
        survey->value_seen[column] = view->stamp;
    }
}

static model_place_t place_of_value(const modeli_survey_t *survey, const view_t *view,
                                    uint32_t column)
{
    uint32_t owner = owner_of(survey, divide(column, survey->by_block));
    return owner == view->thread ? MODEL_OWN : place_of_other(survey, view, owner);
}

static void book_line(model_counts_t *counts, reuse_place_t from, model_line_kind_t kind)
{
    uint64_t *const lines[] = {
        [REUSE_SEQUENCE] = counts->sequence_lines,
        [REUSE_CLOSE] = counts->close_lines,
        [REUSE_NEAR] = counts->near_lines,
        [REUSE_FAR] = counts->far_lines,
    };
    lines[from][kind]++;
}

static reuse_place_t farther(reuse_place_t one, reuse_place_t other)
{
    return one > other ? one : other;
}

/* A row whose farthest line comes from there. */
static void book_row(model_counts_t *counts, reuse_place_t farthest, model_line_kind_t kind)
{
    counts->close_rows[kind] += farthest == REUSE_CLOSE;
    counts->near_rows[kind] += farthest == REUSE_NEAR;
    counts->far_rows[kind] += farthest == REUSE_FAR;
}

/* Records what the product of a row, padding included, uses of x: the row's own value and those of
 * its off-diagonals. */
static void see_lines(modeli_survey_t *survey, const view_t *view, uint32_t row, const int32_t *J)
{
    reuse_place_t of_all = REUSE_HELD;
    reuse_place_t of_node = REUSE_HELD;
    reuse_next_row(&survey->cache);
    if (reuse_use(&survey->cache, row, row) == REUSE_SEQUENCE) {
        book_line(view->counts, REUSE_SEQUENCE, MODEL_ALL_LINES);
        book_line(view->counts, REUSE_SEQUENCE, MODEL_NODE_LINES);
    }
    for (size_t k = 0; k < survey->matrix->row_nonzeros; k++) {
        reuse_place_t from = reuse_use(&survey->cache, row, (uint32_t)J[k]);
        if (from == REUSE_HELD)
            continue;
        model_place_t place = place_of_value(survey, view, (uint32_t)J[k]);
        view->counts->x_lines[place] += from > REUSE_SEQUENCE;
        book_line(view->counts, from, MODEL_ALL_LINES);
        of_all = farther(of_all, from);
        if (place == MODEL_REMOTE)
            continue;
        book_line(view->counts, from, MODEL_NODE_LINES);
        of_node = farther(of_node, from);
    }
    book_row(view->counts, of_all, MODEL_ALL_LINES);
    book_row(view->counts, of_node, MODEL_NODE_LINES);
}

/* The same without padding. */
static void see_stored_lines(modeli_survey_t *survey, const view_t *view, uint32_t row,
                             const int32_t *J, model_line_kind_t kind)
{
    size_t length = length_of(survey, row, J);
    reuse_place_t farthest = REUSE_HELD;
    reuse_next_row_of(&survey->stored_cache, row_bytes_of(length));
    if (reuse_use(&survey->stored_cache, row, row) == REUSE_SEQUENCE)
        book_line(view->counts, REUSE_SEQUENCE, kind);
    for (size_t k = 0; k < length; k++) {
        reuse_place_t from = reuse_use(&survey->stored_cache, row, (uint32_t)J[k]);
        if (from != REUSE_HELD)
            book_line(view->counts, from, kind);
        farthest = farther(farthest, from);
    }
    book_row(view->counts, farthest, kind);
}

/* Whether the row uses own values only. */
static bool see_row(modeli_survey_t *survey, const view_t *view, size_t row, const int32_t *J)
{
    size_t own_count = 0;
    for (size_t k = 0; k < survey->matrix->row_nonzeros; k++) {
        uint32_t column = (uint32_t)J[k];
        if (column - view->first < view->rows) {
            survey->own_columns[own_count++] = column;
            continue;
        }
        uint32_t block = divide(column, survey->by_block);
        uint32_t owner = owner_of(survey, block);
        if (owner == view->thread)
            survey->own_columns[own_count++] = column;
        else
            see_foreign(survey, view, column, block, owner);
    }
    view->counts->individual[MODEL_OWN] += own_count;
    bool is_interior = own_count == survey->matrix->row_nonzeros;
    size_t length = length_of(survey, row, J);
    modeli_storage_add(&survey->all, length);
    if (is_interior)
        see_interior_row(survey, view, length);
    else
        see_boundary_row(survey, view, own_count, length);
    return is_interior;
}

static void see_rows(modeli_survey_t *survey, view_t *view)
{
    const model_layout_t *layout = survey->layout;
    size_t width = survey->matrix->row_nonzeros;
    size_t blocks = model_layout_blocks(layout);
    end_slice(survey, view);
    for (size_t block = view->thread; block < blocks; block += layout->threads) {
        size_t first = block * layout->blocksize;
        view->first = (uint32_t)first;
        view->rows = (uint32_t)model_layout_block_rows(layout, block);
        view->place = (uint32_t)(block / layout->threads * layout->blocksize);
        for (size_t row = first; row < first + view->rows; row++) {
            const int32_t *J = &survey->matrix->J[row * width];
            bool is_interior = see_row(survey, view, row, J);
            if (!survey->has_cache)
                continue;
            see_lines(survey, view, (uint32_t)row, J);
            see_stored_lines(survey, view, (uint32_t)row, J,
                             is_interior ? MODEL_INTERIOR_LINES : MODEL_BOUNDARY_LINES);
        }
        view->counts->blocks++;
    }
    end_slice(survey, view);
}

static void take_lines(uint64_t lines[MODEL_LINE_KINDS])
{
    lines[MODEL_BOUNDARY_LINES] += lines[MODEL_INTERIOR_LINES];
    lines[MODEL_INTERIOR_LINES] = 0;
}

/* All rows are boundary rows. */
static void take_all(modeli_survey_t *survey, model_counts_t *counts)
{
    counts->boundary_rows = counts->boundary_own_values = counts->rows;
    counts->boundary_entries = modeli_storage_entries(&survey->all);
    counts->interior_entries = counts->wide_rows = 0;
    take_lines(counts->sequence_lines);
    take_lines(counts->close_lines);
    take_lines(counts->near_lines);
    take_lines(counts->far_lines);
    take_lines(counts->close_rows);
    take_lines(counts->near_rows);
    take_lines(counts->far_rows);
}

static int by_thread(const void *a, const void *b)
{
    uint32_t first = ((const modeli_link_t *)a)->thread;
    uint32_t second = ((const modeli_link_t *)b)->thread;
    return (first > second) - (first < second);
}

bool modeli_survey_thread(modeli_survey_t *survey, size_t thread, model_counts_t *counts,
                          modeli_links_t *links, mesh_error_t *error)
{
    view_t view = {.thread = thread, .stamp = (uint32_t)thread + 1, .counts = counts};
    *counts = (model_counts_t){.rows = model_layout_thread_rows(survey->layout, thread)};
    survey->source_count = 0;
    modeli_storage_clear(&survey->interior);
    modeli_storage_clear(&survey->boundary);
    modeli_storage_clear(&survey->all);
    if (survey->has_cache) {
        reuse_forget(&survey->cache);
        reuse_forget(&survey->stored_cache);
    }
    see_rows(survey, &view);
    counts->interior_entries = modeli_storage_entries(&survey->interior);
    counts->boundary_entries = modeli_storage_entries(&survey->boundary);
    if (boundary_takes_all(counts->rows - counts->boundary_rows, counts->rows))
        take_all(survey, counts);
    counts->needed_blocks[MODEL_OWN] = counts->blocks;
    counts->needed_bytes[MODEL_OWN] = counts->rows * sizeof(double);

    size_t count = survey->source_count;
    modeli_link_t *list = malloc((count > 0 ? count : 1) * sizeof *list);
    if (list == NULL)
        return modeli_fail_memory(error, "the links of a thread", count * sizeof *list);
    for (size_t s = 0; s < count; s++) {
        uint32_t source = survey->sources[s];
        list[s] = (modeli_link_t){source, survey->values_from[source]};
        survey->values_from[source] = 0;
    }
    qsort(list, count, sizeof *list, by_thread);
    *links = (modeli_links_t){list, count};
    return true;
}
