/* Where lines come from, beside the rule spelled out with caches that are lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
/* cmocka.h needs some of the above. */
#include <cmocka.h>

#include "support/reuse.h"

enum {
    VALUES = 803,
    LINES = VALUES / 8 + 1,
    ROWS = 800,
    WIDTH = 4,
    ROW_BYTES = 72,
    MOST_LINES = 1 << 15,
    NO_LINE = -1
};

static uint64_t seed;

static uint32_t below(uint32_t limit)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % limit;
}

/* A cache spelled out: what it holds, the line used last first. */
typedef struct plain_cache {
    int lines[MOST_LINES];
    size_t count;
    size_t capacity;
} plain_cache_t;

/* Line by line in the order of x. */
static void write_all(plain_cache_t *cache)
{
    cache->count = 0;
    for (int line = LINES - 1; line >= 0 && cache->count < cache->capacity; line--)
        cache->lines[cache->count++] = line;
}

/* Brings a line to the front; whether it was there. */
static bool plain_use(plain_cache_t *cache, int line)
{
    size_t at = 0;
    while (at < cache->count && (line == NO_LINE || cache->lines[at] != line))
        at++;
    bool was_there = at < cache->count;
    if (cache->capacity == 0)
        return false;
    if (!was_there && cache->count < cache->capacity)
        cache->count++;
    at = at < cache->capacity ? at : cache->capacity - 1;
    memmove(&cache->lines[1], &cache->lines[0], at * sizeof cache->lines[0]);
    cache->lines[0] = line;
    return was_there;
}

/* The rule spelled out. */
static struct {
    plain_cache_t levels[REUSE_LEVELS];
    bool prefetches;
    size_t passing;
    /* Bytes that have come into the first level, and when a line was used. */
    size_t clock;
    bool was_used[LINES];
    size_t used_at[LINES];
} plain;

static void begin(const reuse_caches_t *caches)
{
    size_t first = caches->first_level;
    const size_t sizes[REUSE_LEVELS] = {first > 0 ? first : caches->second_level,
                                        first > 0 ? caches->second_level : 0, caches->share};
    memset(&plain, 0, sizeof plain);
    plain.prefetches = caches->prefetches;
    for (int level = 0; level < REUSE_LEVELS; level++) {
        size_t capacity = sizes[level] > 0 && sizes[level] < 64 ? 1 : sizes[level] / 64;
        plain.levels[level].capacity = capacity < MOST_LINES ? capacity : MOST_LINES;
        write_all(&plain.levels[level]);
    }
}

static void begin_row(void)
{
    plain.clock += ROW_BYTES;
    for (plain.passing += ROW_BYTES; plain.passing >= 64; plain.passing -= 64)
        for (int level = 0; level < REUSE_LEVELS; level++)
            plain_use(&plain.levels[level], NO_LINE);
}

/* Whether the line's predecessor has been used lately. */
static bool follows(uint32_t line)
{
    return plain.prefetches && line > 0 && plain.was_used[line - 1] &&
           plain.clock - plain.used_at[line - 1] <= 8 * ROW_BYTES + 1024;
}

static reuse_place_t expected(uint32_t row, uint32_t column)
{
    uint32_t line = column / 8;
    bool is_there = line == row / 8 || line == row / 8 + 1 || follows(line);
    bool is_in_first = plain_use(&plain.levels[0], (int)line);
    bool is_in_second = !is_in_first && plain_use(&plain.levels[1], (int)line);
    bool is_in_last = !is_in_first && !is_in_second && plain_use(&plain.levels[2], (int)line);
    reuse_place_t place = is_in_first    ? REUSE_HELD
                          : is_in_second ? REUSE_CLOSE
                          : is_in_last   ? REUSE_NEAR
                                         : REUSE_FAR;
    if (is_there)
        place = is_in_second ? REUSE_SEQUENCE : REUSE_HELD;
    else if (!is_in_first)
        plain.clock += 64;
    plain.was_used[line] = true;
    plain.used_at[line] = plain.clock;
    return place;
}

/* Rows in order, some of them left out, as a thread with several blocks has them. Counts the places
 * that were met. */
static void compare_rows(reuse_t *reuse, const reuse_caches_t *caches, size_t met[REUSE_PLACES])
{
    begin(caches);
    for (uint32_t row = 0; row < ROWS; row++) {
        if (below(5) == 0)
            continue;
        reuse_next_row(reuse);
        begin_row();
        assert_int_equal(reuse_use(reuse, row, row), expected(row, row));
        for (size_t k = 0; k < WIDTH; k++) {
            uint32_t column = below(3) == 0 ? below(VALUES) : (row + below(40)) % VALUES;
            reuse_place_t place = expected(row, column);
            assert_int_equal(reuse_use(reuse, row, column), place);
            met[place]++;
        }
    }
}

static void init(reuse_t *reuse, reuse_caches_t caches)
{
    if (reuse_init(reuse, VALUES, ROW_BYTES, caches))
        return;
    print_error("no memory\n");
    exit(1);
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
                                            {1000, 1 << 20, 1 << 21, true},
                                            {64, 200, 6000, false}};
    seed = (uint64_t)time(NULL);
    print_message("seed %llu\n", (unsigned long long)seed);
    size_t met[REUSE_PLACES] = {0};
    for (size_t c = 0; c < sizeof caches / sizeof caches[0]; c++) {
        reuse_t reuse;
        init(&reuse, caches[c]);
        for (int round = 0; round < 2; round++) {
            reuse_forget(&reuse);
            compare_rows(&reuse, &caches[c], met);
        }
        reuse_free(&reuse);
    }
    for (int place = REUSE_HELD; place < REUSE_PLACES; place++)
        assert_true(met[place] > 0);
}

/* The last level has a line until as many lines of rows have passed as it holds. */
static void rows_pass_through_the_last_level(void **state)
{
    (void)state;
    enum {
        HELD = 16,
        SHARE = HELD * REUSE_LINE_BYTES
    };
    reuse_t reuse;
    init(&reuse, (reuse_caches_t){0, 64, SHARE, false});
    reuse_empty(&reuse);
    assert_int_equal(reuse_use(&reuse, 0, 400), REUSE_FAR);
    reuse_next_row_of(&reuse, SHARE - REUSE_LINE_BYTES);
    assert_int_equal(reuse_use(&reuse, 0, 400), REUSE_NEAR);
    reuse_next_row_of(&reuse, SHARE);
    assert_int_equal(reuse_use(&reuse, 0, 400), REUSE_FAR);
    for (uint32_t line = 0; line < HELD; line++)
        assert_int_equal(reuse_use(&reuse, 0, 500 + line * REUSE_LINE_VALUES), REUSE_FAR);
    assert_int_equal(reuse_use(&reuse, 0, 400), REUSE_FAR);
    reuse_free(&reuse);
}

/* Lines used again and again push others out as much as new ones do: of two rounds through a line
 * more than the cache has, each drops the line that comes next. */
static void lines_that_stay_push_others_out(void **state)
{
    (void)state;
    enum {
        HELD = 16
    };
    reuse_t reuse;
    init(&reuse, (reuse_caches_t){(size_t)HELD * REUSE_LINE_BYTES, 1 << 20, 1 << 21, false});
    reuse_empty(&reuse);
    for (int round = 0; round < 3; round++)
        for (uint32_t line = 0; line <= HELD; line++)
            assert_int_equal(reuse_use(&reuse, 0, 400 + line * REUSE_LINE_VALUES),
                             round == 0 ? REUSE_FAR : REUSE_CLOSE);
    for (int round = 0; round < 3; round++)
        for (uint32_t line = 2; line <= HELD; line++)
            assert_int_equal(reuse_use(&reuse, 0, 400 + line * REUSE_LINE_VALUES), REUSE_HELD);
    reuse_free(&reuse);
}

/* A line in sequence counts only if the second level has it and the first does not: not on its way
 * from memory, nor while it stays in the first. */
static void lines_in_sequence_come_from_the_second_level(void **state)
{
    (void)state;
    enum {
        FIRST = 8,
        COUNT = 40
    };
    reuse_t reuse;
    init(&reuse, (reuse_caches_t){(size_t)FIRST * REUSE_LINE_BYTES, 1 << 20, 1 << 21, true});
    reuse_empty(&reuse);
    reuse_use(&reuse, 0, 400);
    for (int round = 0; round < 2; round++)
        for (uint32_t line = 1; line < COUNT; line++) {
            reuse_place_t place = reuse_use(&reuse, 0, 400 + line * REUSE_LINE_VALUES);
            assert_int_equal(place, round == 0 ? REUSE_HELD : REUSE_SEQUENCE);
            assert_int_equal(reuse_use(&reuse, 0, 400 + line * REUSE_LINE_VALUES), REUSE_HELD);
        }
    /* The own line of a row, too. */
    uint32_t row = 400 + REUSE_LINE_VALUES;
    assert_int_equal(reuse_use(&reuse, row, row), REUSE_SEQUENCE);
    assert_int_equal(reuse_use(&reuse, row, row), REUSE_HELD);
    reuse_free(&reuse);
}

/* Once emptied no level holds a line, however large, until it is used. */
static void empty_caches_hold_nothing(void **state)
{
    (void)state;
    reuse_t reuse;
    init(&reuse, (reuse_caches_t){0, 1 << 20, 1 << 21, false});
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
        cmocka_unit_test(rows_pass_through_the_last_level),
        cmocka_unit_test(lines_that_stay_push_others_out),
        cmocka_unit_test(lines_in_sequence_come_from_the_second_level),
        cmocka_unit_test(empty_caches_hold_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
