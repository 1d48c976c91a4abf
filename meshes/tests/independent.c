#include "independent.h"

#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "meshes/meshes.h"

enum {
    WORDS_MAX = 64
};

typedef struct word {
    const char *text;
    size_t length;
} word_t;

/* The words of a line; of more than WORDS_MAX the number only. */
typedef struct line {
    word_t words[WORDS_MAX];
    size_t count;
} line_t;

typedef struct lines {
    const char *at;
    const char *end;
    char comment;
    const char *blanks;
} lines_t;

#define differ(...) \
    (fprintf(stderr, "the two readings differ: " __VA_ARGS__), fprintf(stderr, "\n"), abort())

static char *copy_of(const char *word, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy == NULL)
        abort();
    memcpy(copy, word, length);
    copy[length] = '\0';
    return copy;
}

typedef struct pattern {
    const char *text;
    bool is_compiled;
    regex_t compiled;
} pattern_t;

static bool matches(pattern_t *pattern, const char *text, size_t length)
{
    if (!pattern->is_compiled &&
        regcomp(&pattern->compiled, pattern->text, REG_EXTENDED | REG_NOSUB) != 0)
        abort();
    pattern->is_compiled = true;
    return strlen(text) == length && regexec(&pattern->compiled, text, 0, NULL, 0) == 0;
}

bool independent_real(const char *word, size_t length, double *value)
{
    static pattern_t real = {.text = "^[-+]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][-+]?[0-9]+)?$"};
    char *text = copy_of(word, length);
    bool is_real = matches(&real, text, length);
    double number = is_real ? strtod(text, NULL) : 0.0;
    is_real = is_real && isfinite(number);
    if (is_real)
        *value = number;
    free(text);
    return is_real;
}

bool independent_whole(const char *word, size_t length, int64_t *value)
{
    static pattern_t whole = {.text = "^[-+]?[0-9]+$"};
    char *text = copy_of(word, length);
    bool is_whole = matches(&whole, text, length);
    errno = 0;
    long long number = is_whole ? strtoll(text, NULL, 10) : 0;
    is_whole = is_whole && errno == 0;
    if (is_whole)
        *value = number;
    free(text);
    return is_whole;
}

static bool whole_of(const line_t *line, size_t w, int64_t min, int64_t max, int64_t *value)
{
    return w < line->count && w < WORDS_MAX &&
           independent_whole(line->words[w].text, line->words[w].length, value) && *value >= min &&
           *value <= max;
}

static bool real_of(const line_t *line, size_t w, double *value)
{
    return w < line->count && w < WORDS_MAX &&
           independent_real(line->words[w].text, line->words[w].length, value);
}

static bool word_is(const line_t *line, size_t w, const char *text)
{
    return w < line->count && line->words[w].length == strlen(text) &&
           strncasecmp(line->words[w].text, text, strlen(text)) == 0;
}

static bool is_among(char c, const char *list)
{
    return c != '\0' && strchr(list, c) != NULL;
}

/* Cuts the next line into words; false behind the last one. */
static bool cut_line(lines_t *lines, line_t *line)
{
    const char *start = lines->at;
    if (start == lines->end)
        return false;
    const char *newline = memchr(start, '\n', (size_t)(lines->end - start));
    const char *end = newline != NULL ? newline : lines->end;
    lines->at = newline != NULL ? newline + 1 : lines->end;
    if (lines->comment != '\0' && memchr(start, lines->comment, (size_t)(end - start)) != NULL)
        end = memchr(start, lines->comment, (size_t)(end - start));
    line->count = 0;
    for (const char *at = start; at < end;) {
        const char *word = at;
        while (at < end && !is_among(*at, lines->blanks))
            at++;
        if (at == word) {
            at++;
            continue;
        }
        if (line->count < WORDS_MAX)
            line->words[line->count] = (word_t){word, (size_t)(at - word)};
        line->count++;
    }
    return true;
}

/* The next line that has words. */
static bool next_line(lines_t *lines, line_t *line)
{
    do {
        if (!cut_line(lines, line))
            return false;
    } while (line->count == 0);
    return true;
}

typedef struct triplet {
    size_t row;
    size_t column;
    double value;
} triplet_t;

typedef struct market {
    size_t rows;
    bool is_integer;
    bool is_pattern;
    bool is_symmetric;
    bool is_skew;
    bool has_below;
    bool has_above;
    triplet_t *triplets;
    size_t count;
} market_t;

static void add_triplet(market_t *market, size_t row, size_t column, double value)
{
    if ((market->count & (market->count - 1)) == 0) {
        size_t room = market->count > 0 ? 2 * market->count : 1;
        market->triplets = realloc(market->triplets, room * sizeof *market->triplets);
        if (market->triplets == NULL)
            abort();
    }
    market->triplets[market->count++] = (triplet_t){row, column, value};
}

static bool read_banner(lines_t *lines, market_t *market)
{
    line_t line;
    if (!cut_line(lines, &line) || line.count != 5 || !word_is(&line, 0, "%%MatrixMarket") ||
        !word_is(&line, 1, "matrix") || !word_is(&line, 2, "coordinate"))
        return false;
    market->is_integer = word_is(&line, 3, "integer");
    market->is_pattern = word_is(&line, 3, "pattern");
    market->is_symmetric = word_is(&line, 4, "symmetric");
    market->is_skew = word_is(&line, 4, "skew-symmetric");
    if (market->is_skew && market->is_pattern)
        return false;
    return (market->is_integer || market->is_pattern || word_is(&line, 3, "real")) &&
           (market->is_symmetric || market->is_skew || word_is(&line, 4, "general"));
}

static bool read_entry(lines_t *lines, market_t *market)
{
    line_t line;
    int64_t i;
    int64_t j;
    int64_t whole = 1;
    double value;
    const int64_t exact = (int64_t)1 << 53;
    int64_t rows = (int64_t)market->rows;
    if (!next_line(lines, &line) || line.count != (market->is_pattern ? 2 : 3) ||
        !whole_of(&line, 0, 1, rows, &i) || !whole_of(&line, 1, 1, rows, &j))
        return false;
    if (market->is_integer && !whole_of(&line, 2, -exact, exact, &whole))
        return false;
    value = (double)whole;
    if (!market->is_integer && !market->is_pattern && !real_of(&line, 2, &value))
        return false;
    add_triplet(market, (size_t)i - 1, (size_t)j - 1, value);
    market->has_below = market->has_below || i > j;
    market->has_above = market->has_above || i < j;
    if (market->is_skew && i == j && value != 0.0)
        return false;
    if (market->is_symmetric && i != j)
        add_triplet(market, (size_t)j - 1, (size_t)i - 1, value);
    if (market->is_skew && i != j)
        add_triplet(market, (size_t)j - 1, (size_t)i - 1, -value);
    return true;
}

static bool read_market(const char *text, size_t nbytes, size_t rows_max, market_t *market,
                        bool *is_too_large)
{
    lines_t lines = {text, text + nbytes, '\0', " \t\r"};
    line_t line;
    int64_t rows;
    int64_t columns;
    int64_t entries;
    *market = (market_t){0};
    *is_too_large = false;
    if (!read_banner(&lines, market))
        return false;
    lines.comment = '%';
    if (!next_line(&lines, &line) || !whole_of(&line, 0, 1, INT32_MAX, &rows))
        return false;
    *is_too_large = (size_t)rows > rows_max;
    if (*is_too_large || line.count != 3 || !whole_of(&line, 1, rows, rows, &columns) ||
        !whole_of(&line, 2, 0, INT64_MAX, &entries))
        return false;
    market->rows = (size_t)rows;
    for (int64_t e = 0; e < entries; e++)
        if (!read_entry(&lines, market))
            return false;
    bool is_twofold = market->has_below && market->has_above;
    return !next_line(&lines, &line) && !(is_twofold && (market->is_symmetric || market->is_skew));
}

static int compare_triplets(const void *left, const void *right)
{
    const triplet_t *a = left;
    const triplet_t *b = right;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

/* What a row of the matrix has to be, taken from the sorted triplets at `t`; returns where the next
 * row's begin. `off_diagonals` receives how many different columns the row has. */
static size_t compare_row(const market_t *market, size_t t, size_t row, const mesh_matrix_t *matrix,
                          size_t *off_diagonals)
{
    size_t place = row * (matrix != NULL ? matrix->row_nonzeros : 0);
    double diagonal = 0.0;
    *off_diagonals = 0;
    while (t < market->count && market->triplets[t].row == row) {
        size_t column = market->triplets[t].column;
        double sum = 0.0;
        double size = 0.0;
        size_t first = t;
        for (; t < market->count && market->triplets[t].row == row &&
               market->triplets[t].column == column;
             t++) {
            sum += market->triplets[t].value;
            size += fabs(market->triplets[t].value);
        }
        if (column == row)
            diagonal = sum;
        double found = matrix == NULL ? sum : column == row ? matrix->D[row] : matrix->A[place];
        double tolerance = t - first > 1 ? 1e-12 * size : 0.0;
        if (fabs(found - sum) > tolerance)
            differ("row %zu, column %zu: %a, not %a", row, column, found, sum);
        if (column == row)
            continue;
        if (matrix != NULL && (size_t)matrix->J[place++] != column)
            differ("row %zu: column %d, not %zu", row, matrix->J[place - 1], column);
        ++*off_diagonals;
    }
    for (size_t k = *off_diagonals; matrix != NULL && k < matrix->row_nonzeros; k++, place++)
        if (matrix->A[place] != 0.0 || (size_t)matrix->J[place] != row)
            differ("row %zu: place %zu is no padding", row, k);
    if (matrix != NULL && diagonal == 0.0 && matrix->D[row] != 0.0 && market->count == 0)
        differ("row %zu: diagonal %a", row, matrix->D[row]);
    return t;
}

/* The most off-diagonals of a row; every row is compared if there is a matrix. */
static size_t compare_rows(const market_t *market, const mesh_matrix_t *matrix)
{
    size_t longest = 0;
    size_t t = 0;
    for (size_t row = 0; row < market->rows; row++) {
        size_t length;
        t = compare_row(market, t, row, matrix, &length);
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* Sums of values so large depend on their order. */
static bool may_overflow(const market_t *market)
{
    double sum = 0.0;
    for (size_t t = 0; t < market->count; t++)
        sum += fabs(market->triplets[t].value);
    return !isfinite(sum);
}

bool independent_check_market(const char *text, size_t nbytes, size_t max_row_nonzeros,
                              size_t rows_max)
{
    market_t market;
    mesh_matrix_t matrix = {0};
    mesh_error_t error = {""};
    bool is_too_large;
    bool is_good = read_market(text, nbytes, rows_max, &market, &is_too_large);
    bool is_read = false;
    if (!is_too_large) {
        is_read =
            mesh_matrix_market_parse("a.mtx", text, nbytes, max_row_nonzeros, &matrix, &error);
        bool is_certain = !is_good || !may_overflow(&market);
        if (is_good && market.count > 0)
            qsort(market.triplets, market.count, sizeof *market.triplets, compare_triplets);
        if (is_good && is_certain)
            is_good = compare_rows(&market, NULL) <= max_row_nonzeros;
        if (is_certain && is_read != is_good)
            differ("%s, and '%s'", is_good ? "good" : "bad", is_read ? "good" : error.text);
        if (is_certain && is_read && matrix.rows != market.rows)
            differ("%zu rows, not %zu", matrix.rows, market.rows);
        if (is_certain && is_read)
            (void)compare_rows(&market, &matrix);
    }
    mesh_matrix_free(&matrix);
    free(market.triplets);
    return is_read;
}

typedef struct tetgen {
    size_t points;
    size_t cells;
    double *xyz;
    int64_t *corners;
} tetgen_t;

/* The number of words that a line of a .node or .ele has behind those that are read. */
static bool read_header(const line_t *line, size_t first, size_t most, int64_t *extras)
{
    *extras = 0;
    if (line->count > first + most)
        return false;
    for (size_t w = first; w < line->count; w++) {
        int64_t count;
        if (!whole_of(line, w, 0, 1000000, &count))
            return false;
        *extras += count;
    }
    return true;
}

static bool read_nodes(lines_t *lines, tetgen_t *mesh, int64_t *base)
{
    line_t line;
    int64_t count;
    int64_t dimension;
    int64_t extras;
    int64_t number;
    if (!next_line(lines, &line) || !whole_of(&line, 0, 1, INT32_MAX, &count) ||
        !whole_of(&line, 1, 3, 3, &dimension) || !read_header(&line, 2, 2, &extras))
        return false;
    for (int64_t p = 0; p < count; p++) {
        if (!next_line(lines, &line) || !whole_of(&line, 0, 0, INT64_MAX, &number) ||
            line.count != 4 + (size_t)extras)
            return false;
        *base = p == 0 ? number : *base;
        if (*base > 1 || number != *base + p)
            return false;
        mesh->xyz = realloc(mesh->xyz, 3 * (size_t)(p + 1) * sizeof *mesh->xyz);
        for (size_t d = 0; d < 3; d++)
            if (!real_of(&line, 1 + d, &mesh->xyz[3 * (size_t)p + d]))
                return false;
    }
    mesh->points = (size_t)count;
    return !next_line(lines, &line);
}

static bool read_cells(lines_t *lines, tetgen_t *mesh, int64_t base)
{
    line_t line;
    int64_t count;
    int64_t corners;
    int64_t extras;
    int64_t number;
    if (!next_line(lines, &line) || !whole_of(&line, 0, 1, INT32_MAX, &count) ||
        !whole_of(&line, 1, 4, 10, &corners) || (corners != 4 && corners != 10) ||
        !read_header(&line, 2, 1, &extras))
        return false;
    for (int64_t c = 0; c < count; c++) {
        if (!next_line(lines, &line) || !whole_of(&line, 0, base + c, base + c, &number) ||
            line.count != 1 + (size_t)corners + (size_t)extras)
            return false;
        mesh->corners = realloc(mesh->corners, 4 * (size_t)(c + 1) * sizeof *mesh->corners);
        for (size_t k = 0; k < 4; k++) {
            if (!whole_of(&line, 1 + k, base, base + (int64_t)mesh->points - 1, &number))
                return false;
            mesh->corners[4 * (size_t)c + k] = number - base;
        }
    }
    mesh->cells = (size_t)count;
    return !next_line(lines, &line);
}

/* Cells of negative orientation have two corners swapped. */
static void compare_mesh(const tetgen_t *read, const mesh_geometry_t *mesh)
{
    if (mesh->points != read->points || mesh->cells != read->cells)
        differ("%zu points, %zu cells, not %zu, %zu", mesh->points, mesh->cells, read->points,
               read->cells);
    if (memcmp(mesh->xyz, read->xyz, 3 * mesh->points * sizeof *mesh->xyz) != 0)
        differ("a coordinate");
    for (size_t c = 0; c < mesh->cells; c++) {
        const int32_t *found = mesh->corners + 4 * c;
        const int64_t *given = read->corners + 4 * c;
        bool kept = found[2] == given[2] && found[3] == given[3];
        bool turned = found[2] == given[3] && found[3] == given[2];
        if (found[0] != given[0] || found[1] != given[1] || (!kept && !turned))
            differ("the corners of cell %zu", c);
    }
}

/* What is wrong in a text is said with the line. */
static bool is_about_mesh(const char *message)
{
    static const char no_line[] = "a.ele: ";
    return strncmp(message, no_line, strlen(no_line)) == 0 && strstr(message, "no header") == NULL;
}

bool independent_check_tetgen(const char *node, size_t node_nbytes, const char *ele,
                              size_t ele_nbytes)
{
    lines_t node_lines = {node, node + node_nbytes, '#', " \t\r,"};
    lines_t ele_lines = {ele, ele + ele_nbytes, '#', " \t\r,"};
    tetgen_t read = {0};
    mesh_geometry_t mesh = {0};
    mesh_error_t error = {""};
    int64_t base = 0;
    bool is_good = read_nodes(&node_lines, &read, &base) && read_cells(&ele_lines, &read, base);
    bool is_read =
        mesh_tetgen_parse("a.node", node, node_nbytes, "a.ele", ele, ele_nbytes, &mesh, &error);
    bool is_bad_mesh = !is_read && is_about_mesh(error.text);
    if (is_good != (is_read || is_bad_mesh))
        differ("%s, and '%s'", is_good ? "good" : "bad", is_read ? "good" : error.text);
    if (is_read)
        compare_mesh(&read, &mesh);
    mesh_geometry_free(&mesh);
    free(read.corners);
    free(read.xyz);
    return is_read;
}
