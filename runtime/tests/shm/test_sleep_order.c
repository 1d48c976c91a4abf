/**
 * No thread sleeps through an event or a message: one thread goes to sleep on an event, or on its
 * bell, with an event and without, while another sets the event, or puts a message into its ring
 * and rings, over and over. The system calls are replaced and only recorded: a thread that would
 * have slept must have been woken.
 */
#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "../pause.h"
#include "shm/bell.h"
#include "shm/ring.h"
#include "sync/wait.h"

enum {
    ROUNDS = 1500000
};

/* Of processor time: on a busy machine fewer rounds are run; fewer, too, without FATHOM_TEST_LONG,
 * and under a sanitizer, which makes a round so slow that the two hardly meet. */
static const double long_seconds = 2.0;
static const double brief_seconds = 0.5;

static _Thread_local bool counts;
static _Thread_local unsigned slept;
static _Thread_local unsigned woke;

static _Atomic unsigned sets;
static unsigned expected_sets;

/* The sleeper stays asleep until the other thread has done its part, woken or not. */
static void sleep_until_set(void)
{
    slept++;
    for (unsigned looks = 1; atomic_load(&sets) < expected_sets; looks++)
        if (looks % 1000 == 0)
            sched_yield();
}

/* Replaces the C library's function. */
// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): whose name is reserved
long syscall(long number, ...)
{
    static long (*real)(long, ...);
    va_list list;
    long arguments[6];
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        arguments[i] = va_arg(list, long);
    va_end(list);
    if (counts && number == SYS_futex_waitv) {
        sleep_until_set();
        return 0;
    }
    if (counts && number == SYS_futex) {
        if (arguments[1] == FUTEX_WAIT)
            sleep_until_set();
        else
            woke++;
        return 0;
    }
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                arguments[5]);
}

typedef enum way {
    /* The event, for a sleeper on it alone. */
    SET,
    RAISE,
    /* The event, for a sleeper on its bell. */
    RAISE_BELL,
    /* A message, for a sleeper with an event and for one without. */
    MESSAGE,
    MESSAGE_ALONE
} way_t;

static pgasi_event_t event;
static pgasi_bell_t bell;
static pgasi_ring_t ring;
static way_t way;
static _Atomic unsigned arrived;
static _Atomic unsigned rounds;
static unsigned results[2];
static _Thread_local unsigned turn;

/* Waits until both threads are here. */
static void meet(void)
{
    turn += 2;
    atomic_fetch_add(&arrived, 1);
    for (unsigned looks = 1; atomic_load(&arrived) < turn; looks++)
        if (looks % 1000 == 0)
            sched_yield();
}

/* Waits a few cycles, so that the two interleave in every way. */
static void dither(unsigned round, unsigned step)
{
    for (volatile unsigned i = 0; i < round / step % 16; i++)
        continue;
}

static void *wake(void *unused)
{
    (void)unused;
    const pgasi_message_t message = {.size = 0};
    uint64_t known = 0;
    counts = true;
    for (unsigned round = 1; round <= atomic_load(&rounds); round++) {
        meet();
        dither(round, 1);
        woke = 0;
        if (way == SET) {
            pgasi_event_set(&event, round);
        } else if (way < MESSAGE) {
            pgasi_event_raise(&event, 1);
        } else {
            pgasi_ring_put(&ring, &known, &message);
            pgasi_bell_ring(&bell);
        }
        results[0] = woke;
        atomic_fetch_add(&sets, 1);
        meet();
        meet();
    }
    return NULL;
}

static bool has_come(void)
{
    return pgasi_ring_has_message_now(&ring);
}

static uint32_t no_body(const pgasi_message_head_t *head)
{
    (void)head;
    return 0;
}

static void sleep_over_and_over(void)
{
    pgasi_message_t message;
    bool is_brief = getenv("FATHOM_TEST_LONG") == NULL || getenv("FATHOM_TEST_SANITIZED") != NULL;
    double end = own_cpu_seconds() + (is_brief ? brief_seconds : long_seconds);
    counts = true;
    for (unsigned round = 1; round <= atomic_load(&rounds); round++) {
        uint32_t old = atomic_load(&event.value);
        if (own_cpu_seconds() > end)
            atomic_store(&rounds, round);
        meet();
        slept = 0;
        expected_sets = round;
        dither(round, 16);
        if (way < RAISE_BELL)
            pgasi_event_sleep(&event, old, 1);
        else
            pgasi_bell_sleep(&bell, way == MESSAGE_ALONE ? NULL : &event, old, 1, has_come);
        results[1] = slept;
        meet();
        if (way >= MESSAGE)
            pgasi_ring_take(&ring, &message, no_body);
        if (results[1] > 0 && results[0] == 0)
            fail_msg("round %u: one would sleep, and nobody wakes him", round);
        meet();
    }
    counts = false;
}

static void run(way_t which)
{
    pthread_t setter;
    way = which;
    if (which >= RAISE_BELL && !pgasi_bell_waits_for_two()) /* sleeps are bounded then */
        skip();
    atomic_store(&event.value, 0);
    atomic_store(&rounds, ROUNDS);
    atomic_store(&arrived, 0);
    atomic_store(&sets, 0);
    turn = 0;
    assert_int_equal(pthread_create(&setter, NULL, wake, NULL), 0);
    sleep_over_and_over();
    pthread_join(setter, NULL);
}

static void set_event_wakes(void **unused)
{
    (void)unused;
    run(SET);
}

static void raised_event_wakes(void **unused)
{
    (void)unused;
    run(RAISE);
}

static void raised_event_wakes_on_bell(void **unused)
{
    (void)unused;
    run(RAISE_BELL);
}

static void message_wakes(void **unused)
{
    (void)unused;
    run(MESSAGE);
}

static void message_wakes_without_event(void **unused)
{
    (void)unused;
    run(MESSAGE_ALONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_event_wakes),
        cmocka_unit_test(raised_event_wakes),
        cmocka_unit_test(raised_event_wakes_on_bell),
        cmocka_unit_test(message_wakes),
        cmocka_unit_test(message_wakes_without_event),
    };
    pgasi_bell_init(true);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
