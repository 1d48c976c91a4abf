/**
 * Exactly one of those who come is the last, whatever their number and order: it has the sum of all
 * marks, and sees what the others did before they came.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "shm/attendance.h"

enum {
    MOST = 300,
    THREADS = 19,
    PHASES = 400
};

static pgasi_attendance_t attendance;
static pgasi_attending_t beside;

/* Threads that count wrongly would wait for ever. */
static bool counts_in_turn;

static void shuffle(uint32_t *places, uint32_t count, uint64_t *state)
{
    for (uint32_t i = 0; i < count; i++)
        places[i] = i;
    for (uint32_t i = count; i > 1; i--) {
        uint32_t other = (uint32_t)(random_next(state) % i);
        uint32_t place = places[i - 1];
        places[i - 1] = places[other];
        places[other] = place;
    }
}

static void attend_in_turn(uint32_t count, uint64_t *state)
{
    uint32_t places[MOST];
    uint32_t marks = 0;
    uint32_t sum = 0;
    shuffle(places, count, state);
    for (uint32_t i = 0; i < count; i++) {
        pgasi_attendant_t one = {places[i], count, (uint32_t)random_next(state)};
        sum += one.mark;
        assert_int_equal(pgasi_attendance_count(&attendance, &beside), i);
        assert_int_equal(pgasi_attend(&attendance, &beside, &one, &marks), i == count - 1);
    }
    assert_int_equal(marks, sum);
    assert_int_equal(pgasi_attendance_count(&attendance, &beside), 0);
}

static void last_is_last(void **unused)
{
    uint64_t state = 125;
    (void)unused;
    for (uint32_t count = 1; count <= MOST; count++) {
        attend_in_turn(count, &state);
        attend_in_turn(count, &state);
    }
    counts_in_turn = true;
}

/* Nobody counts in the line that two share, or in one of another group, without need. */
static void lines_are_apart(void **unused)
{
    uint32_t marks;
    (void)unused;
    assert_false(pgasi_attend(&attendance, &beside, &(pgasi_attendant_t){0, 3, 0}, &marks));
    assert_int_equal(atomic_load(&beside), 0);
    assert_int_equal((uint32_t)atomic_load(&attendance.all), 1);
    memset(&attendance, 0, sizeof attendance);
    assert_false(pgasi_attend(&attendance, &beside, &(pgasi_attendant_t){0, 64, 0}, &marks));
    assert_false(pgasi_attend(&attendance, &beside, &(pgasi_attendant_t){63, 64, 0}, &marks));
    assert_int_equal((uint32_t)atomic_load(&attendance.all), 0);
    assert_int_equal((uint32_t)atomic_load(&attendance.groups[0].some), 1);
    assert_int_equal((uint32_t)atomic_load(&attendance.groups[7].some), 1);
    memset(&attendance, 0, sizeof attendance);
}

/* What each thread writes before it comes, without any order but that of the counting. */
static unsigned written[THREADS];
static unsigned lasts;
static unsigned unseen;
static unsigned wrong_marks;
static _Atomic unsigned complete;
static uint32_t together;

static void complete_phase(unsigned phase, uint32_t marks)
{
    for (uint32_t i = 0; i < together; i++)
        unseen += written[i] != phase;
    wrong_marks += marks != phase * (together * (together - 1) / 2);
    lasts++;
    atomic_store_explicit(&complete, phase, memory_order_release);
}

static void *come_again(void *argument)
{
    const uint32_t place = *(const uint32_t *)argument;
    for (unsigned phase = 1; phase <= PHASES; phase++) {
        const pgasi_attendant_t mine = {place, together, phase * place};
        uint32_t marks;
        written[place] = phase;
        if (pgasi_attend(&attendance, &beside, &mine, &marks))
            complete_phase(phase, marks);
        while (atomic_load_explicit(&complete, memory_order_acquire) < phase)
            sched_yield();
    }
    return NULL;
}

static void last_sees_all(void **unused)
{
    static const uint32_t counts[] = {1, 2, 3, 8, 9, 13, THREADS};
    (void)unused;
    assert_true(counts_in_turn);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        pthread_t threads[THREADS];
        uint32_t places[THREADS];
        together = counts[c];
        lasts = 0;
        atomic_store(&complete, 0);
        for (uint32_t i = 0; i < together; i++) {
            places[i] = i;
            assert_int_equal(pthread_create(&threads[i], NULL, come_again, &places[i]), 0);
        }
        for (uint32_t i = 0; i < together; i++)
            pthread_join(threads[i], NULL);
        assert_int_equal(lasts, PHASES);
        assert_int_equal(unseen, 0);
        assert_int_equal(wrong_marks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_is_last),
        cmocka_unit_test(lines_are_apart),
        cmocka_unit_test(last_sees_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
