/**
 * Numbered messages that arrive in any order, some of them twice, against a table of what has
 * arrived: the sequence without a gap, and the acknowledgements that are due.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "net/ucx/arrivals.h"
#include "random.h"

enum {
    MESSAGES = 400,
    ROUNDS = 400
};

/* Around the ends of 40, 32 and 64 bits. */
static const uint64_t starts[] = {0, (UINT64_C(1) << 40) - 200, (UINT64_C(1) << 32) - 200,
                                  UINT64_MAX - MESSAGES - 1};

/* The order of the messages, each exchanged with one up to `reach` places later. */
static void deal(uint64_t *random, size_t reach, uint64_t *order)
{
    for (size_t i = 0; i < MESSAGES; i++)
        order[i] = i + 1;
    for (size_t i = 0; i < MESSAGES; i++) {
        size_t j = i + random_below(random, reach + 1);
        if (j < MESSAGES) {
            uint64_t other = order[i];
            order[i] = order[j];
            order[j] = other;
        }
    }
}

static uint64_t row_without_hole(const bool *there)
{
    uint64_t done = 0;
    while (done < MESSAGES && there[done + 1])
        done++;
    return done;
}

typedef struct model {
    bool there[MESSAGES + 2];
    bool asked[MESSAGES + 2];
    uint64_t acked;
} model_t;

/* An acknowledgement is due if a message for which one was requested has arrived and is not
 * acknowledged. */
static bool is_due(const model_t *model, uint64_t done)
{
    for (uint64_t i = model->acked + 1; i <= done; i++)
        if (model->asked[i])
            return true;
    return false;
}

static void check_step(pgasi_arrivals_t *arrivals, model_t *model, uint64_t start)
{
    uint64_t done = row_without_hole(model->there);
    assert_int_equal(arrivals->done - start, done);
    bool wanted = is_due(model, done);
    uint64_t due = pgasi_arrivals_due(arrivals);
    if (wanted)
        assert_int_not_equal(due, 0);
    if (due != 0) {
        assert_int_equal(due - start, done);
        model->acked = done;
    }
    assert_int_equal(pgasi_arrivals_due(arrivals), 0);
}

static void in_any_order(void **unused)
{
    (void)unused;
    uint64_t random = random_seed();
    for (size_t round = 0; round < ROUNDS; round++) {
        uint64_t order[MESSAGES];
        uint64_t start = starts[round % (sizeof starts / sizeof starts[0])];
        pgasi_arrivals_t arrivals = {.done = start};
        model_t model;
        memset(&model, 0, sizeof model);
        deal(&random, random_size(&random, MESSAGES), order);
        for (size_t i = 0; i < MESSAGES; i++) {
            uint64_t number = order[i];
            assert_int_equal(pgasi_arrivals_add(&arrivals, start + number), PGASI_ARRIVAL_NEW);
            model.there[number] = true;
            if (random_below(&random, 4) == 0) {
                pgasi_arrivals_request(&arrivals, start + number);
                model.asked[number] = true;
            }
            check_step(&arrivals, &model, start);
            uint64_t again = order[random_below(&random, i + 1)];
            assert_int_equal(pgasi_arrivals_add(&arrivals, start + again), PGASI_ARRIVAL_REPEATED);
        }
        assert_int_equal(arrivals.count, 0);
        assert_int_equal(arrivals.lowest_requested, 0);
        pgasi_arrivals_free(&arrivals);
    }
}

/* A second request while the first is open: both get a reply, each when its message has arrived. */
static void asked_again_while_pending(void **unused)
{
    (void)unused;
    pgasi_arrivals_t arrivals = {0};
    pgasi_arrivals_add(&arrivals, 2);
    pgasi_arrivals_request(&arrivals, 2);
    assert_int_equal(pgasi_arrivals_due(&arrivals), 0);
    pgasi_arrivals_add(&arrivals, 4);
    pgasi_arrivals_request(&arrivals, 4);
    assert_int_equal(pgasi_arrivals_due(&arrivals), 0);
    pgasi_arrivals_add(&arrivals, 1);
    assert_int_equal(pgasi_arrivals_due(&arrivals), 2);
    assert_int_equal(pgasi_arrivals_due(&arrivals), 0);
    pgasi_arrivals_add(&arrivals, 3);
    assert_int_equal(pgasi_arrivals_due(&arrivals), 4);
    pgasi_arrivals_free(&arrivals);
}

/* As many messages as requested have arrived, but one of them is a different one. */
static void number_is_no_count(void **unused)
{
    (void)unused;
    pgasi_arrivals_t arrivals = {0};
    pgasi_arrivals_request(&arrivals, 2);
    pgasi_arrivals_add(&arrivals, 2);
    pgasi_arrivals_add(&arrivals, 3);
    pgasi_arrivals_add(&arrivals, 4);
    assert_int_equal(pgasi_arrivals_due(&arrivals), 0);
    pgasi_arrivals_add(&arrivals, 1);
    assert_int_equal(pgasi_arrivals_due(&arrivals), 4);
    pgasi_arrivals_free(&arrivals);
}

/* Messages in order need no memory. */
static void in_order_without_memory(void **unused)
{
    (void)unused;
    pgasi_arrivals_t arrivals = {0};
    for (uint64_t number = 1; number <= MESSAGES; number++)
        pgasi_arrivals_add(&arrivals, number);
    assert_null(arrivals.runs);
    assert_int_equal(pgasi_arrivals_add(&arrivals, 0), PGASI_ARRIVAL_REPEATED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_any_order),
        cmocka_unit_test(asked_again_while_pending),
        cmocka_unit_test(number_is_no_count),
        cmocka_unit_test(in_order_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
