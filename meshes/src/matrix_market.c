#include "meshes/matrix_market.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "memory.h"
#include "read_file.h"
#include "scan.h"

typedef enum field {
    FIELD_REAL,
    FIELD_INTEGER,
    FIELD_PATTERN
} field_t;

typedef enum symmetry {
    GENERAL,
    SYMMETRIC,
    SKEW_SYMMETRIC
} symmetry_t;

typedef struct header {
    size_t rows;
    size_t entries;
    field_t field;
    symmetry_t symmetry;
} header_t;

/* An entry of a row, the diagonal included, before the rows are padded. */
typedef struct entry {
    int32_t column;
    double value;
} entry_t;

/* The matrix with rows of their own length: row i is entries[start[i]] up to start[i + 1]. */
typedef struct rows {
    size_t count;
    size_t *start;
    entry_t *entries;
} rows_t;

/* "1 1\n" is the shortest line of an entry. */
static const size_t entry_bytes_min = 4;

/* Memory for an empty row: two places of lists, its number, a diagonal, one off-diagonal. */
static const size_t row_bytes_min =
    2 * sizeof(size_t) + sizeof(int32_t) + sizeof(double) + sizeof(double) + sizeof(int32_t);

/* The largest whole number such that all up to it are doubles. */
static const int64_t integer_max = INT64_C(1) << 53;

/* Reads a word of the first line and finds it among `names`, a list that ends with NULL. */
static bool scan_keyword(meshi_scan_t *scan, const char *const *names, size_t *choice)
{
    meshi_word_t word;
    if (!meshi_scan_word(scan, &word))
        return false;
    for (size_t n = 0; names[n] != NULL; n++)
        if (meshi_word_is(word, names[n])) {
            *choice = n;
            return true;
        }
    return false;
}

static bool scan_banner(meshi_scan_t *scan, header_t *header, mesh_error_t *error)
{
    static const char *const signs[] = {"%%MatrixMarket", NULL};
    static const char *const objects[] = {"matrix", NULL};
    static const char *const formats[] = {"coordinate", NULL};
    static const char *const fields[] = {
        [FIELD_REAL] = "real", [FIELD_INTEGER] = "integer", [FIELD_PATTERN] = "pattern", NULL};
    static const char *const symmetries[] = {[GENERAL] = "general",
                                             [SYMMETRIC] = "symmetric",
                                             [SKEW_SYMMETRIC] = "skew-symmetric",
                                             NULL};
    size_t choice;
    if (!scan_keyword(scan, signs, &choice) || !scan_keyword(scan, objects, &choice))
        return meshi_fail(error, "%s:1: the line does not begin with '%%%%MatrixMarket matrix'",
                          scan->name);
    if (!scan_keyword(scan, formats, &choice))
        return meshi_fail(error, "%s:1: only the 'coordinate' format is read", scan->name);
    if (!scan_keyword(scan, fields, &choice))
        return meshi_fail(error, "%s:1: only real, integer and pattern matrices are read",
                          scan->name);
    header->field = (field_t)choice;
    if (!scan_keyword(scan, symmetries, &choice))
        return meshi_fail(error,
                          "%s:1: only general, symmetric and skew-symmetric matrices are read",
                          scan->name);
    header->symmetry = (symmetry_t)choice;
    if (header->symmetry == SKEW_SYMMETRIC && header->field == FIELD_PATTERN)
        return meshi_fail(error, "%s:1: a pattern matrix has no signs to be skew-symmetric with",
                          scan->name);
    return meshi_scan_end_line(scan, "the first line", error);
}

static bool scan_sizes(meshi_scan_t *scan, header_t *header, mesh_error_t *error)
{
    int64_t rows;
    int64_t columns;
    int64_t entries;
    scan->comment = '%';
    if (!meshi_scan_start_line(scan))
        return meshi_fail(error, "%s:%zu: the file ends before the line of sizes", scan->name,
                          scan->line);
    if (!meshi_scan_whole(scan, "number of rows", 1, INT32_MAX, &rows, error) ||
        !meshi_scan_whole(scan, "number of columns", 1, INT32_MAX, &columns, error) ||
        !meshi_scan_whole(scan, "number of entries", 0, INT64_MAX / 64, &entries, error))
        return false;
    if (rows != columns)
        return meshi_fail(error, "%s:%zu: the matrix has %lld rows and %lld columns: not square",
                          scan->name, scan->line, (long long)rows, (long long)columns);
    size_t left = meshi_scan_left(scan);
    if ((size_t)entries > left / entry_bytes_min + 1)
        return meshi_fail(error, "%s:%zu: announces %lld entries, but only %zu bytes follow",
                          scan->name, scan->line, (long long)entries, left);
    if (!meshi_memory_exists((size_t)rows * row_bytes_min))
        return meshi_fail(error,
                          "%s:%zu: announces %lld rows, which take %zu bytes of memory at least, "
                          "more than this machine has",
                          scan->name, scan->line, (long long)rows, (size_t)rows * row_bytes_min);
    header->rows = (size_t)rows;
    header->entries = (size_t)entries;
    return meshi_scan_end_line(scan, "the line of sizes", error);
}

/* Reads the row and the column at the start of an entry's line; 0-based. */
static bool scan_place(meshi_scan_t *scan, const header_t *header, size_t done, size_t *row,
                       size_t *column, mesh_error_t *error)
{
    int64_t i;
    int64_t j;
    int64_t rows = (int64_t)header->rows;
    if (!meshi_scan_start_line(scan))
        return meshi_fail(error, "%s:%zu: the file ends after %zu of %zu entries", scan->name,
                          scan->line, done, header->entries);
    if (!meshi_scan_whole(scan, "row", 1, rows, &i, error) ||
        !meshi_scan_whole(scan, "column", 1, rows, &j, error))
        return false;
    *row = (size_t)i - 1;
    *column = (size_t)j - 1;
    return true;
}

/* Reads the value after them, and the end of the line. */
static bool scan_value(meshi_scan_t *scan, const header_t *header, double *value,
                       mesh_error_t *error)
{
    int64_t whole = 1;
    bool read = true;
    if (header->field == FIELD_REAL)
        read = meshi_scan_real(scan, "value", value, error);
    else if (header->field == FIELD_INTEGER)
        read = meshi_scan_whole(scan, "value", -integer_max, integer_max, &whole, error);
    if (!read)
        return false;
    if (header->field != FIELD_REAL)
        *value = (double)whole;
    return meshi_scan_end_line(scan, "an entry", error);
}

/* Of a matrix that lists one half: the lines of the first entry below and of the first above the
 * diagonal; 0: none. */
typedef struct halves {
    size_t below;
    size_t above;
} halves_t;

/* If both halves were listed, their sum would be twice the matrix. */
static bool note_half(const meshi_scan_t *scan, size_t row, size_t column, halves_t *halves,
                      mesh_error_t *error)
{
    if (column < row && halves->below == 0)
        halves->below = scan->line;
    if (column > row && halves->above == 0)
        halves->above = scan->line;
    if (halves->below > 0 && halves->above > 0)
        return meshi_fail(error,
                          "%s:%zu: row %zu, column %zu: line %zu is of the other half, and a "
                          "symmetric or skew-symmetric matrix lists only one",
                          scan->name, scan->line, row + 1, column + 1,
                          halves->below < halves->above ? halves->below : halves->above);
    return true;
}

/* First pass: checks the place of every entry and counts those of every row; start[i + 1] becomes
 * the count of row i. */
static bool count_rows(meshi_scan_t scan, const header_t *header, size_t *start,
                       mesh_error_t *error)
{
    halves_t halves = {0, 0};
    for (size_t e = 0; e < header->entries; e++) {
        size_t row;
        size_t column;
        if (!scan_place(&scan, header, e, &row, &column, error))
            return false;
        start[row + 1]++;
        if (header->symmetry != GENERAL) {
            if (!note_half(&scan, row, column, &halves, error))
                return false;
            start[column + 1] += column != row;
        }
        meshi_scan_skip_line(&scan);
    }
    if (meshi_scan_start_line(&scan))
        return meshi_fail(error, "%s:%zu: more than the announced %zu entries", scan.name,
                          scan.line, header->entries);
    return true;
}

/* Second pass, over text whose indices are valid. `next` is the position of a row's next entry. */
static bool fill_rows(meshi_scan_t scan, const header_t *header, size_t *next, entry_t *entries,
                      mesh_error_t *error)
{
    for (size_t e = 0; e < header->entries; e++) {
        size_t row;
        size_t column;
        double value;
        if (!scan_place(&scan, header, e, &row, &column, error))
            return false;
        size_t line = scan.line;
        if (!scan_value(&scan, header, &value, error))
            return false;
        entries[next[row]++] = (entry_t){(int32_t)column, value};
        if (header->symmetry == GENERAL)
            continue;
        if (column != row)
            entries[next[column]++] =
                (entry_t){(int32_t)row, header->symmetry == SYMMETRIC ? value : -value};
        else if (header->symmetry == SKEW_SYMMETRIC && value != 0.0)
            return meshi_fail(error, "%s:%zu: value %g on the diagonal of a skew-symmetric matrix",
                              scan.name, line, value);
    }
    return true;
}

static bool scan_rows(const meshi_scan_t *scan, const header_t *header, rows_t *rows,
                      mesh_error_t *error)
{
    size_t n = header->rows;
    size_t *next = NULL;
    size_t *start = calloc(n + 1, sizeof *start);
    if (start == NULL)
        return meshi_fail_memory(error, scan->name, n * sizeof *start);
    if (!count_rows(*scan, header, start, error))
        goto free_start;
    for (size_t i = 0; i < n; i++)
        start[i + 1] += start[i];
    entry_t *entries = malloc((start[n] + 1) * sizeof *entries);
    next = malloc((n + 1) * sizeof *next);
    if (entries == NULL || next == NULL) {
        (void)meshi_fail_memory(error, scan->name, start[n] * sizeof *entries);
        goto free_entries;
    }
    memcpy(next, start, n * sizeof *next);
    if (!fill_rows(*scan, header, next, entries, error))
        goto free_entries;
    free(next);
    *rows = (rows_t){n, start, entries};
    return true;
free_entries:
    free(next);
    free(entries);
free_start:
    free(start);
    return false;
}

static int compare_columns(const void *left, const void *right)
{
    const entry_t *a = left;
    const entry_t *b = right;
    return a->column < b->column ? -1 : a->column > b->column;
}

/* Sorts a row by column and adds up entries of the same column; returns the new length. */
static size_t merge_row(entry_t *row, size_t length)
{
    size_t kept = 0;
    qsort(row, length, sizeof *row, compare_columns);
    for (size_t e = 0; e < length; e++) {
        if (kept > 0 && row[kept - 1].column == row[e].column)
            row[kept - 1].value += row[e].value;
        else
            row[kept++] = row[e];
    }
    return kept;
}

/* The index of the first entry that is not finite, or the length. Sums may overflow. */
static size_t find_overflow(const entry_t *row, size_t length)
{
    size_t e = 0;
    while (e < length && isfinite(row[e].value))
        e++;
    return e;
}

static bool has_diagonal(const entry_t *row, size_t length, size_t i)
{
    entry_t key = {.column = (int32_t)i};
    return length > 0 && bsearch(&key, row, length, sizeof key, compare_columns) != NULL;
}

static void store_row(const entry_t *row, size_t length, size_t i, mesh_matrix_t *matrix)
{
    size_t place = i * matrix->row_nonzeros;
    for (size_t e = 0; e < length; e++) {
        if ((size_t)row[e].column == i) {
            matrix->D[i] = row[e].value;
            continue;
        }
        matrix->A[place] = row[e].value;
        matrix->J[place++] = row[e].column;
    }
}

static bool pad_rows(const char *name, const rows_t *rows, size_t max_row_nonzeros,
                     mesh_matrix_t *matrix, mesh_error_t *error)
{
    size_t n = rows->count;
    size_t longest = 1;
    size_t *length = malloc((n + 1) * sizeof *length);
    if (length == NULL)
        return meshi_fail_memory(error, name, n * sizeof *length);
    bool done = false;
    for (size_t i = 0; i < n; i++) {
        entry_t *row = rows->entries + rows->start[i];
        length[i] = merge_row(row, rows->start[i + 1] - rows->start[i]);
        size_t nonzeros = length[i] - has_diagonal(row, length[i], i);
        size_t overflow = find_overflow(row, length[i]);
        if (overflow < length[i]) {
            (void)meshi_fail(error, "%s: row %zu, column %d: the sum of its entries is %g", name,
                             i + 1, row[overflow].column + 1, row[overflow].value);
            goto free_length;
        }
        if (nonzeros > max_row_nonzeros) {
            (void)meshi_fail(
                error,
                "%s: row %zu has %zu off-diagonals, more than %zu (--max-row-nonzeros); "
                "every row is padded to the longest",
                name, i + 1, nonzeros, max_row_nonzeros);
            goto free_length;
        }
        if (nonzeros > longest)
            longest = nonzeros;
    }
    if (!mesh_matrix_alloc(n, longest, matrix, error))
        goto free_length;
    for (size_t i = 0; i < n; i++)
        store_row(rows->entries + rows->start[i], length[i], i, matrix);
    done = true;
free_length:
    free(length);
    return done;
}

bool mesh_matrix_market_parse(const char *name, const char *text, size_t nbytes,
                              size_t max_row_nonzeros, mesh_matrix_t *matrix, mesh_error_t *error)
{
    meshi_scan_t scan = {name, text, text + nbytes, 1, MESHI_SCAN_NONE, MESHI_SCAN_NONE};
    header_t header;
    rows_t rows;
    if (!scan_banner(&scan, &header, error) || !scan_sizes(&scan, &header, error) ||
        !scan_rows(&scan, &header, &rows, error))
        return false;
    bool done = pad_rows(name, &rows, max_row_nonzeros, matrix, error);
    free(rows.entries);
    free(rows.start);
    return done;
}

bool mesh_matrix_market_read(const char *path, size_t max_row_nonzeros, mesh_matrix_t *matrix,
                             mesh_error_t *error)
{
    char *text;
    size_t nbytes;
    if (!meshi_read_file(path, &text, &nbytes, error))
        return false;
    bool done = mesh_matrix_market_parse(path, text, nbytes, max_row_nonzeros, matrix, error);
    free(text);
    return done;
}
