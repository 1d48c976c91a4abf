/* Lines fetched out of order, beside the rule spelled out by a search through all uses so far. */
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
    VALUES = 203,
    ROWS = 200,
    WIDTH = 4,
    USES = ROWS * (WIDTH + 1)
};

static uint64_t seed;

static uint32_t below(uint32_t limit)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % limit;
}

/* All uses since the last forgetting. */
static struct {
    size_t turn;
    uint32_t line;
} uses[USES];
static size_t use_count;

static bool expected(size_t turn, size_t window, uint32_t row, uint32_t column)
{
    uint32_t line = column / 8;
    bool is_there = line == row / 8 || line == row / 8 + 1;
    for (size_t u = 0; u < use_count; u++)
        is_there |= uses[u].line == line && uses[u].turn + window >= turn;
    uses[use_count].turn = turn;
    uses[use_count++].line = line;
    return !is_there;
}

/* Rows in order, some of them left out, as a thread with several blocks has them. */
static void compare_rows(reuse_t *reuse)
{
    size_t turn = 0;
    use_count = 0;
    for (uint32_t row = 0; row < ROWS; row++) {
        if (below(5) == 0)
            continue;
        reuse_next_row(reuse);
        turn++;
        assert_int_equal(reuse_fetches(reuse, row, row), expected(turn, reuse->window, row, row));
        for (size_t k = 0; k < WIDTH; k++) {
            uint32_t column = below(3) == 0 ? below(VALUES) : (row + below(40)) % VALUES;
            assert_int_equal(reuse_fetches(reuse, row, column),
                             expected(turn, reuse->window, row, column));
        }
    }
}

static const size_t windows[] = {0, 1, 3, 20, 150, 100000};

enum {
    WINDOWS = sizeof windows / sizeof windows[0]
};

/* Each time after forgetting the rows before. */
static void random_rows(void **state)
{
    (void)state;
    for (size_t w = 0; w < WINDOWS; w++) {
        reuse_t reuse;
        assert_true(reuse_init(&reuse, VALUES, windows[w]));
        for (int time = 0; time < 3; time++) {
            compare_rows(&reuse);
            reuse_forget(&reuse);
        }
        reuse_free(&reuse);
        assert_null(reuse.last);
    }
}

/* Rows, forgetting, and rows again, the clock ending so many rows after the first. */
static void compare_near_end(size_t window, uint32_t left)
{
    reuse_t reuse;
    assert_true(reuse_init(&reuse, VALUES, window));
    reuse.now = UINT32_MAX - left;
    for (int time = 0; time < 2; time++) {
        compare_rows(&reuse);
        assert_true(reuse.now > reuse.window);
        reuse_forget(&reuse);
    }
    reuse_free(&reuse);
}

/* The clock's end changes nothing, wherever it comes: at a row, in forgetting, or after it. */
static void end_of_the_clock(void **state)
{
    (void)state;
    for (size_t w = 0; w < WINDOWS; w++)
        for (uint32_t left = 0; left < 2 * ROWS; left += 5) {
            compare_near_end(windows[w], left);
            compare_near_end(windows[w], (uint32_t)windows[w] + left);
        }
}

static void by_hand(void **state)
{
    (void)state;
    reuse_t reuse;
    assert_true(reuse_init(&reuse, 64, 2));
    assert_false(reuse_fetches(&reuse, 0, 0));
    assert_false(reuse_fetches(&reuse, 0, 15)); /* the line after the row's */
    assert_true(reuse_fetches(&reuse, 0, 16));
    assert_false(reuse_fetches(&reuse, 0, 23)); /* the same line */
    reuse_next_row(&reuse);
    reuse_next_row(&reuse);
    assert_false(reuse_fetches(&reuse, 2, 16)); /* two rows later */
    reuse_next_row(&reuse);
    reuse_next_row(&reuse);
    reuse_next_row(&reuse);
    assert_true(reuse_fetches(&reuse, 5, 16)); /* three rows after that */
    assert_true(reuse_fetches(&reuse, 24, 0)); /* behind the row */
    reuse_forget(&reuse);
    assert_true(reuse_fetches(&reuse, 5, 16));
    reuse_free(&reuse);
}

static void long_windows(void **state)
{
    (void)state;
    reuse_t reuse;
    assert_true(reuse_init(&reuse, 64, SIZE_MAX));
    assert_int_equal(reuse.window, REUSE_WINDOW_MAX);
    for (int time = 0; time < 10; time++) {
        assert_true(reuse_fetches(&reuse, 0, 63));
        reuse_next_row(&reuse);
        assert_false(reuse_fetches(&reuse, 1, 63));
        reuse_forget(&reuse);
    }
    reuse_free(&reuse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_rows),
        cmocka_unit_test(end_of_the_clock),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(long_windows),
    };
    seed = (uint64_t)time(NULL);
    printf("seed: %llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
