/* Whole texts, good ones and ones with a few characters changed, mean what an independent reading
 * makes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "independent.h"
#include "sample.h"

enum {
    ROUNDS = 20000,
    ROOM = 4096,
    ROWS_MAX = 100000
};

typedef struct text {
    char bytes[ROOM];
    size_t length;
} text_t;

static uint64_t seed;

static size_t below(size_t count)
{
    return (size_t)(sample_random(&seed) * (double)count);
}

static void grow(text_t *text, int length)
{
    assert_true(length >= 0 && text->length + (size_t)length < ROOM);
    text->length += (size_t)length;
}

/* Adds to the text what printf would print. */
#define put(text, ...) \
    grow((text), snprintf((text)->bytes + (text)->length, ROOM - (text)->length, __VA_ARGS__))

static void put_real(text_t *text)
{
    static const char *const formats[] = {"%.17g", "%.3f", "%+.0f.", "%.20e", "%g", "%.70f"};
    static const double sizes[] = {1.0, 1e3, 1e-9, 1e300};
    char word[512];
    double value = (sample_random(&seed) - 0.5) * sizes[below(4)];
    /* NOLINTNEXTLINE(clang-diagnostic-format-nonliteral): one of the formats above. */
    snprintf(word, sizeof word, formats[below(6)], value);
    put(text, "%.90s", word);
}

static void put_break(text_t *text)
{
    static const char *const breaks[] = {"\n", "\n", "\n", "\r\n", "  \n", "\n\n"};
    put(text, "%s", breaks[below(6)]);
}

/* Changes, doubles, removes or inserts some characters. */
static void damage(text_t *text)
{
    static const char replacement[] = "0123456789.-+eE \t\n,%#xaifn\0\r";
    for (size_t changes = below(3); changes > 0 && text->length > 0; changes--) {
        size_t at = below(text->length);
        char c = replacement[below(sizeof replacement)];
        switch (below(4)) {
        case 0:
            text->bytes[at] = c;
            break;
        case 1:
            memmove(text->bytes + at, text->bytes + at + 1, text->length - at - 1);
            text->length--;
            break;
        case 2:
            text->length = below(8) == 0 ? at : text->length;
            break;
        default:
            if (text->length == ROOM)
                break;
            memmove(text->bytes + at + 1, text->bytes + at, text->length - at);
            text->bytes[at] = c;
            text->length++;
        }
    }
}

/* A reader that steps beyond the end is seen by a sanitizer. */
static char *alone(const text_t *text)
{
    char *copy = malloc(text->length > 0 ? text->length : 1);
    assert_non_null(copy);
    memcpy(copy, text->bytes, text->length);
    return copy;
}

static void make_market(text_t *text)
{
    static const char *const fields[] = {"real", "Integer", "pattern"};
    static const char *const symmetries[] = {"general", "symmetric", "Skew-Symmetric"};
    size_t field = below(3);
    size_t symmetry = below(3);
    bool upper = below(4) == 0;
    size_t rows = 1 + below(below(4) == 0 ? 2000 : 6);
    size_t entries = below(12);
    text->length = 0;
    put(text, "%%%%MatrixMarket matrix coordinate %s %s", fields[field], symmetries[symmetry]);
    put_break(text);
    if (below(3) == 0)
        put(text, "%% a comment 1 2 3\n");
    put(text, "%zu %zu %zu", rows, rows, entries);
    put_break(text);
    for (size_t e = 0; e < entries; e++) {
        size_t i = 1 + below(rows);
        size_t j = 1 + below(rows);
        if (symmetry > 0 && upper != (j > i) && below(50) > 0) {
            size_t other = i;
            i = j;
            j = other;
        }
        put(text, "%zu %s%zu", i, below(9) == 0 ? "\t" : "", j);
        if (field == 0) {
            put(text, " ");
            put_real(text);
        } else if (field == 1) {
            put(text, " %zd", (ssize_t)below(2000) - 1000);
        }
        put_break(text);
    }
}

static void test_market(void **state)
{
    size_t accepted = 0;
    (void)state;
    for (size_t round = 0; round < ROUNDS; round++) {
        text_t text;
        make_market(&text);
        damage(&text);
        char *copy = alone(&text);
        accepted += independent_check_market(copy, text.length, 4, ROWS_MAX);
        free(copy);
    }
    printf("%zu of %d matrices accepted\n", accepted, ROUNDS);
    assert_true(accepted > ROUNDS / 10 && accepted < ROUNDS);
}

static void make_nodes(text_t *text, size_t base, size_t points)
{
    size_t attributes = below(3);
    size_t markers = below(2);
    text->length = 0;
    put(text, "%zu 3 %zu %zu # points\n", points, attributes, markers);
    for (size_t p = 0; p < points; p++) {
        put(text, "%zu", base + p);
        for (size_t d = 0; d < 3; d++) {
            put(text, below(9) == 0 ? ", " : "  ");
            put_real(text);
        }
        for (size_t e = 0; e < attributes + markers; e++)
            put(text, " 7");
        put_break(text);
    }
}

static void make_cells(text_t *text, size_t base, size_t points)
{
    size_t cells = 1 + below(2);
    text->length = 0;
    put(text, "%zu  4  0", cells);
    put_break(text);
    for (size_t c = 0; c < cells; c++) {
        put(text, "%zu ", base + c);
        size_t first = below(points);
        for (size_t k = 0; k < 4; k++)
            put(text, " %zu", base + (first + k) % points);
        put_break(text);
    }
}

static void test_tetgen(void **state)
{
    size_t accepted = 0;
    (void)state;
    for (size_t round = 0; round < ROUNDS; round++) {
        text_t node;
        text_t ele;
        size_t base = below(2);
        size_t points = 4 + below(3);
        make_nodes(&node, base, points);
        make_cells(&ele, base, points);
        damage(below(2) == 0 ? &node : &ele);
        char *node_copy = alone(&node);
        char *ele_copy = alone(&ele);
        accepted += independent_check_tetgen(node_copy, node.length, ele_copy, ele.length);
        free(ele_copy);
        free(node_copy);
    }
    printf("%zu of %d meshes accepted\n", accepted, ROUNDS);
    assert_true(accepted > ROUNDS / 50 && accepted < ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_market),
        cmocka_unit_test(test_tetgen),
    };
    seed = sample_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
