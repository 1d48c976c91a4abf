#include "line_list.h"

#include <pgas/pgas.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/large.h"
#include "support/reuse.h"

static size_t cache_bytes(void)
{
    static const size_t usual_cache = (size_t)1 << 20;
    long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return cache > 0 ? (size_t)cache : usual_cache;
}

static size_t value_count(const spmv_rows_t *rows)
{
    uint32_t most = 0;
    for (size_t e = 0; e < rows->count * rows->r_nz; e++)
        most = rows->columns[e] > most ? rows->columns[e] : most;
    for (size_t k = 0; rows->reads_own && k < rows->count; k++)
        most = rows->places[k] > most ? rows->places[k] : most;
    return (size_t)most + 1;
}

/* Appends the lines that a row fetches to `count` others; returns the new count. */
static size_t list_row(const spmv_rows_t *rows, uint32_t row, reuse_t *cache, uint32_t *lines,
                       size_t count)
{
    /* Where diagonals do not read x, no line comes with the row. */
    static const uint32_t nowhere = UINT32_MAX;
    uint32_t place = rows->reads_own ? rows->places[row] : nowhere;
    const uint32_t *columns = &rows->columns[row * rows->r_nz];
    reuse_next_row(cache);
    if (rows->reads_own)
        reuse_use(cache, place, place);
    for (uint32_t j = 0; j < rows->lengths[row]; j++)
        if (reuse_use(cache, place, columns[j]) > REUSE_SEQUENCE && count < UINT32_MAX)
            lines[count++] = columns[j] / REUSE_LINE_VALUES;
    return count;
}

void spmv_line_list_make(const spmv_rows_t *rows, const uint32_t *order, size_t nbytes,
                         spmv_local_matrix_t *matrix)
{
    /* What a row moves through the second-level cache besides x: matrix and y. */
    size_t row_bytes = nbytes / (matrix->row_count + 1) + sizeof(double);
    reuse_t cache;
    size_t values = value_count(rows);
    size_t count = 0;
    if (!reuse_init(&cache, values, row_bytes, (reuse_caches_t){.second_level = cache_bytes()}))
        pgas_fail(1, "local matrix: no memory for the uses of %zu values", values);
    reuse_empty(&cache);
    uint32_t *lines = common_alloc("lines of x", matrix->nonzeros, sizeof(uint32_t));
    for (size_t s = 0; s < matrix->slice_count; s++) {
        matrix->slices[s].line_at = (uint32_t)count;
        for (size_t k = s * SPMV_LANES; k < (s + 1) * SPMV_LANES && k < rows->count; k++)
            count = list_row(rows, order[k], &cache, lines, count);
    }
    for (size_t s = 0; s <= SPMV_SLICES_AHEAD; s++)
        matrix->slices[matrix->slice_count + s].line_at = (uint32_t)count;
    reuse_free(&cache);
    uint32_t *fitting = realloc(lines, (count + 1) * sizeof *lines);
    matrix->lines = fitting != NULL ? fitting : lines;
    matrix->line_count = count;
}
