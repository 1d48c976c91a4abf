/**
 * Giving the core away, with a clock and a kernel of the test's own: a core that somebody keeps for
 * long is left alone for a while, and for a longer one each time that a trial finds it kept again.
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include <pgas/detail.h>

enum {
    SHORT_US = 400,
    /* What a thread of the job may take that combines or sends 1 MiB. */
    WORK_US = 1500,
    LONG_US = 3000
};

/* What the clock says, how long others keep the core, and how often it was offered. */
static int64_t now_us = 1000000;
static int64_t kept_us;
static unsigned offers;

int clock_gettime(clockid_t clock_id, struct timespec *tp)
{
    (void)clock_id;
    *tp = (struct timespec){.tv_sec = now_us / 1000000, .tv_nsec = now_us % 1000000 * 1000};
    return 0;
}

int sched_yield(void)
{
    offers++;
    now_us += kept_us;
    return 0;
}

/* Until the core is offered again; returns after how long. */
static int64_t until_offered(void)
{
    int64_t begin = now_us;
    for (unsigned before = offers; offers == before;) {
        int64_t at = now_us;
        bool goes_on = pgasi_yield();
        if (offers != before)
            return at - begin;
        assert_false(goes_on);
        now_us += 100;
    }
    return 0;
}

static void test_yield(void **state)
{
    (void)state;
    kept_us = SHORT_US;
    for (unsigned i = 1; i <= 100; i++) {
        assert_true(pgasi_yield());
        assert_int_equal(offers, i);
    }
    kept_us = WORK_US;
    for (unsigned i = 101; i <= 200; i++) {
        assert_true(pgasi_yield());
        assert_int_equal(offers, i);
    }
    kept_us = LONG_US;
    assert_false(pgasi_yield());
    assert_int_equal(offers, 201);
    assert_false(pgasi_yield());
    assert_int_equal(offers, 201);
    assert_int_equal(until_offered(), 2000);
    assert_int_equal(until_offered(), 16000);
    for (int i = 0; i < 5; i++)
        assert_int_equal(until_offered(), 128000);
    kept_us = SHORT_US;
    assert_int_equal(until_offered(), 128000);
    /* Now it is free, and soon counts as such. */
    assert_true(pgasi_yield());
    kept_us = LONG_US;
    assert_false(pgasi_yield());
    assert_int_equal(until_offered(), 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_yield)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
