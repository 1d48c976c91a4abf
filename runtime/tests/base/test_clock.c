/**
 * A pause lasts as long as it says, while a timer of the program interrupts it again and again.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>

#include <cmocka.h>

#include "base/clock.h"

static volatile sig_atomic_t ticks;

static void on_tick(int number)
{
    (void)number;
    ticks++;
}

static void test_pause(void **state)
{
    enum {
        PAUSE_MS = 60
    };
    const struct itimerval each = {{.tv_usec = 1000}, {.tv_usec = 1000}};
    const struct itimerval none = {{0}, {0}};
    (void)state;
    signal(SIGALRM, on_tick);
    setitimer(ITIMER_REAL, &each, NULL);
    uint64_t begin = pgasi_microseconds();
    pgasi_pause(PAUSE_MS);
    uint64_t took = pgasi_microseconds() - begin;
    setitimer(ITIMER_REAL, &none, NULL);
    assert_true(ticks > 0);
    assert_true(took >= PAUSE_MS * UINT64_C(1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pause)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
