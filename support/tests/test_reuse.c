/* Where lines come from, beside the rule spelled out by a search through all that has come into the
 * caches so far. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
/* cmocka.h needs some of the above. */
#include <cmocka.h>

#include "support/reuse.h"

enum {
    VALUES = 803,
    ROWS = 800,
    WIDTH = 4,
    ROW_BYTES = 72,
    EVENTS = VALUES + ROWS * (WIDTH + 2) * 2
};

static uint64_t seed;

static uint32_t below(uint32_t limit)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % limit;
}

/* What has come into a cache: bytes, and the line that was used then (or none). */
static struct {
    uint32_t line;
    uint32_t nbytes;
} events[REUSE_LEVELS][EVENTS];
static size_t event_count[REUSE_LEVELS];

static void note(int level, uint32_t line, uint32_t nbytes)
{
    events[level][event_count[level]].line = line;
    events[level][event_count[level]++].nbytes = nbytes;
}

static bool holds(int level, uint32_t line, size_t cache_bytes)
{
    size_t nbytes = 0;
    for (size_t e = event_count[level]; e-- > 0; nbytes += events[level][e].nbytes)
        if (events[level][e].line == line)
            return nbytes <= cache_bytes;
    return false;
}

/* x is written, value by value; the copying of a line's later values ages it. */
static void begin(void)
{
    for (int level = 0; level < REUSE_LEVELS; level++)
        event_count[level] = 0;
}

static bool was_used(int level, uint32_t line)
{
    for (size_t e = 0; e < event_count[level]; e++)
        if (events[level][e].line == line)
            return true;
    return false;
}

static size_t passed(int level)
{
    size_t nbytes = 0;
    for (size_t e = 0; e < event_count[level]; e++)
        nbytes += events[level][e].nbytes;
    return nbytes;
}

/* Whether the line's predecessor has been used lately. */
static bool follows(const reuse_caches_t *caches, uint32_t line)
{
    size_t nbytes = 0;
    if (!caches->prefetches || line == 0)
        return false;
    for (size_t e = event_count[0]; e-- > 0; nbytes += events[0][e].nbytes)
        if (events[0][e].line == line - 1)
            return nbytes <= 8 * ROW_BYTES + 1024;
    return false;
}

static reuse_place_t expected(const reuse_caches_t *caches, uint32_t row, uint32_t column)
{
    const size_t sizes[REUSE_LEVELS] = {caches->first_level > 0 ? caches->first_level
                                                                : caches->second_level,
                                        caches->second_level, caches->share};
    uint32_t line = column / 8;
    bool is_there = line == row / 8 || line == row / 8 + 1 || follows(caches, line);
    reuse_place_t place = is_there ? REUSE_HELD : REUSE_FAR;
    for (int level = 0; level < REUSE_LEVELS; level++) {
        size_t behind = (VALUES - column) * sizeof(double);
        bool holds_it = was_used(level, line) ? holds(level, line, sizes[level])
                                              : passed(level) + behind <= sizes[level];
        holds_it &= level < REUSE_CORE_LEVELS || sizes[level] > 0;
        if (holds_it && !is_there)
            place = (reuse_place_t)level;
        is_there |= holds_it;
        note(level, line, is_there ? 0 : 64);
    }
    return place;
}

static const uint32_t no_line = UINT32_MAX;

/* Rows in order, some of them left out, as a thread with several blocks has them. Counts the places
 * that were met. */
static void compare_rows(reuse_t *reuse, const reuse_caches_t *caches, size_t met[REUSE_FAR + 1])
{
    begin();
    for (uint32_t row = 0; row < ROWS; row++) {
        if (below(5) == 0)
            continue;
        reuse_next_row(reuse);
        for (int level = 0; level < REUSE_CORE_LEVELS; level++)
            note(level, no_line, ROW_BYTES);
        assert_int_equal(reuse_use(reuse, row, row), expected(caches, row, row));
        for (size_t k = 0; k < WIDTH; k++) {
            uint32_t column = below(3) == 0 ? below(VALUES) : (row + below(40)) % VALUES;
            reuse_place_t place = expected(caches, row, column);
            assert_int_equal(reuse_use(reuse, row, column), place);
            met[place]++;
        }
    }
}

static void counts_as_the_rule_says(void **state)
{
    (void)state;
    static const reuse_caches_t caches[] = {{0, 0, 0, false},
                                            {0, 400, 0, false},
                                            {0, 400, 0, true},
                                            {0, 1000, 3000, false},
                                            {300, 1000, 3000, false},
                                            {300, 1000, 3000, true},
                                            {3000, 9000, 0, true},
                                            {3000, 9000, 30000, true},
                                            {9000, 30000, 90000, false},
                                            {1000, 1 << 20, 1 << 21, true}};
    seed = (uint64_t)time(NULL);
    print_message("seed %llu\n", (unsigned long long)seed);
    size_t met[REUSE_FAR + 1] = {0};
    for (size_t c = 0; c < sizeof caches / sizeof caches[0]; c++) {
        reuse_t reuse;
        assert_true(reuse_init(&reuse, VALUES, ROW_BYTES, caches[c]));
        for (int round = 0; round < 2; round++) {
            reuse_forget(&reuse);
            compare_rows(&reuse, &caches[c], met);
        }
        reuse_free(&reuse);
    }
    for (int place = REUSE_HELD; place <= REUSE_FAR; place++)
        assert_true(met[place] > 0);
}

/* Values that the last level holds stay there however many rows pass, unless as many others are
 * used. */
static void rows_leave_the_last_level_alone(void **state)
{
    (void)state;
    enum {
        LINES = 16,
        SHARE = LINES * REUSE_LINE_BYTES
    };
    reuse_t reuse;
    assert_true(reuse_init(&reuse, VALUES, ROW_BYTES, (reuse_caches_t){0, 64, SHARE, false}));
    reuse_empty(&reuse);
    assert_int_equal(reuse_use(&reuse, 0, 400), REUSE_FAR);
    for (uint32_t row = 0; row < 100 * LINES; row++)
        reuse_next_row(&reuse);
    assert_int_equal(reuse_use(&reuse, 0, 400), REUSE_NEAR);
    for (uint32_t line = 0; line <= LINES; line++)
        assert_int_equal(reuse_use(&reuse, 0, 500 + line * REUSE_LINE_VALUES), REUSE_FAR);
    assert_int_equal(reuse_use(&reuse, 0, 400), REUSE_FAR);
    reuse_free(&reuse);
}

/* Once emptied no level holds a line, however large, until it is used. */
static void empty_caches_hold_nothing(void **state)
{
    (void)state;
    reuse_t reuse;
    assert_true(
        reuse_init(&reuse, VALUES, ROW_BYTES, (reuse_caches_t){0, 1 << 20, 1 << 21, false}));
    assert_int_equal(reuse_use(&reuse, 0, 400), REUSE_HELD);
    reuse_empty(&reuse);
    for (uint32_t column = 400; column < VALUES; column += REUSE_LINE_VALUES) {
        assert_int_equal(reuse_use(&reuse, 0, column), REUSE_FAR);
        assert_int_equal(reuse_use(&reuse, 0, column), REUSE_HELD);
    }
    reuse_forget(&reuse);
    assert_int_equal(reuse_use(&reuse, 0, 400), REUSE_HELD);
    reuse_free(&reuse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_as_the_rule_says),
        cmocka_unit_test(rows_leave_the_last_level_alone),
        cmocka_unit_test(empty_caches_hold_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
