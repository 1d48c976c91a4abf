/* Table 5 of the paper with its machine's parameters, and the terms beyond it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* cmocka.h needs some of the above. */
#include <cmocka.h>

#include "near.h"
#include "perfmodel/heat.h"

static const double mib = 1048576.0;

static void set(model_machine_t *machine, model_parameter_t parameter, double value)
{
    machine->has[parameter] = true;
    machine->parameters[parameter] = (model_spread_t){value, value, value};
}

static model_machine_t abel(void)
{
    model_machine_t machine = {.cache_line_bytes = 64.0};
    set(&machine, MODEL_PRIVATE_BANDWIDTH, 75000.0 * mib / 16.0);
    set(&machine, MODEL_REMOTE_BANDWIDTH, 6000.0 * mib);
    set(&machine, MODEL_REMOTE_LATENCY, 3.4e-6);
    return machine;
}

static model_heat_prediction_t predict(const model_heat_shape_t *shape, size_t nodes,
                                       size_t per_node, const model_machine_t *machine)
{
    mesh_error_t error;
    model_layout_t layout;
    model_heat_prediction_t prediction;
    assert_true(model_heat_layout(shape, nodes, per_node, &layout, &error));
    assert_true(model_heat_predict(shape, &layout, machine, &prediction, &error));
    return prediction;
}

/* T_comp as printed; T_halo as the formulas give it if taken literally, since the printed values
 * are smaller: with the points that a thread owns and 6000 MiB/s, and with its halo included and
 * 6e9 bytes/s, which differ in the last digit twice. */
static const struct {
    size_t size;
    size_t P;
    size_t Q;
    const char *compute;
    const char *halo;
    const char *halo_counted_in;
} rows[] = {
    {20000, 4, 4, "122.07", "0.36", "0.36"},  {20000, 4, 8, "61.04", "0.39", "0.39"},
    {20000, 8, 8, "30.52", "0.28", "0.28"},   {20000, 8, 16, "15.26", "0.32", "0.33"},
    {20000, 16, 16, "7.63", "0.24", "0.24"},  {20000, 16, 32, "3.81", "0.22", "0.22"},
    {40000, 4, 4, "488.28", "0.72", "0.72"},  {40000, 4, 8, "244.14", "0.75", "0.75"},
    {40000, 8, 8, "122.07", "0.50", "0.50"},  {40000, 8, 16, "61.04", "0.54", "0.54"},
    {40000, 16, 16, "30.52", "0.37", "0.38"}, {40000, 16, 32, "15.26", "0.33", "0.33"},
};

enum {
    ROWS = sizeof rows / sizeof rows[0]
};

static void table_5(void **state)
{
    (void)state;
    model_machine_t machine = abel();
    for (size_t r = 0; r < ROWS; r++) {
        char compute[32];
        char halo[32];
        model_heat_shape_t shape = {rows[r].size,      rows[r].size, rows[r].P, rows[r].Q, 1,
                                    MODEL_HEAT_MEMGET, false};
        model_heat_prediction_t p = predict(&shape, 0, 16, &machine);
        snprintf(compute, sizeof compute, "%.2f", p.paper_compute.predicted * 1000.0);
        snprintf(halo, sizeof halo, "%.2f", p.paper_halo.predicted * 1000.0);
        assert_string_equal(compute, rows[r].compute);
        assert_string_equal(halo, rows[r].halo);
        /* Without further parameters there is nothing to add. */
        assert_near(p.halo.predicted, p.paper_halo.predicted, 1e-12);
        assert_near(p.compute.predicted, p.paper_compute.predicted, 1e-12);
        model_heat_prediction_free(&p);
    }
}

static void table_5_with_halo(void **state)
{
    (void)state;
    model_machine_t machine = abel();
    set(&machine, MODEL_REMOTE_BANDWIDTH, 6e9);
    for (size_t r = 0; r < ROWS; r++) {
        char halo[32];
        size_t M = rows[r].size + 2 * rows[r].P + 2;
        size_t N = rows[r].size + 2 * rows[r].Q + 2;
        model_heat_shape_t shape = {M, N, rows[r].P, rows[r].Q, 1, MODEL_HEAT_MEMGET, false};
        model_heat_prediction_t p = predict(&shape, 0, 16, &machine);
        snprintf(halo, sizeof halo, "%.2f", p.paper_halo.predicted * 1000.0);
        assert_string_equal(halo, rows[r].halo_counted_in);
        model_heat_prediction_free(&p);
    }
}

/* 2 x 2 threads with 10 x 20 points each, on two nodes: the border between rows of threads is that
 * between the nodes. */
static void counts(void **state)
{
    (void)state;
    mesh_error_t error;
    model_layout_t layout;
    model_heat_shape_t shape = {22, 42, 2, 2, 1, MODEL_HEAT_MEMGET, false};
    assert_true(model_heat_layout(&shape, 2, 0, &layout, &error));
    model_heat_counts_t c = model_heat_count(&shape, &layout, 3);
    assert_int_equal(c.rows, 10);
    assert_int_equal(c.cols, 20);
    assert_int_equal(c.points, 200);
    assert_int_equal(c.horizontal[MODEL_LOCAL], 10);
    assert_int_equal(c.values[MODEL_LOCAL], 10);
    assert_int_equal(c.values[MODEL_REMOTE], 20);
    assert_int_equal(c.messages[MODEL_REMOTE], 1);
    shape.steps_per_exchange = 3;
    c = model_heat_count(&shape, &layout, 0);
    assert_int_equal(c.horizontal[MODEL_LOCAL], 30);
    assert_int_equal(c.values[MODEL_REMOTE], 60 + 9);
    assert_int_equal(c.messages[MODEL_REMOTE], 2);
    assert_int_equal(c.points, 10 * 20 + 11 * 21 + 12 * 22);
}

/* Steps that share an exchange: as many points as their layers have, and no more than are counted.
 */
static void many_steps(void **state)
{
    (void)state;
    mesh_error_t error;
    model_layout_t layout;
    for (size_t steps = 1; steps <= 20; steps++) {
        model_heat_shape_t shape = {62, 72, 3, 3, steps, MODEL_HEAT_MEMGET, false};
        uint64_t points = 0;
        assert_true(model_heat_layout(&shape, 1, 0, &layout, &error));
        for (uint64_t layer = 0; layer < steps; layer++)
            points += (20 + 2 * layer) * (23 + 2 * layer);
        model_heat_counts_t c = model_heat_count(&shape, &layout, 4);
        assert_int_equal(c.rows, 20);
        assert_int_equal(c.cols, 23);
        assert_int_equal(c.points, points);
    }
    model_heat_shape_t large = {1000000002, 1000000002, 1, 1, 18, MODEL_HEAT_MEMGET, false};
    assert_true(model_heat_layout(&large, 1, 0, &layout, &error));
    assert_int_equal(model_heat_count(&large, &layout, 0).points, UINT64_C(18000000000000000000));
    large.steps_per_exchange = 19;
    assert_false(model_heat_layout(&large, 1, 0, &layout, &error));
    assert_non_null(strstr(error.text, "too large"));
    large.steps_per_exchange = 0;
    assert_false(model_heat_layout(&large, 1, 0, &layout, &error));
}

/* One thread: reads at 2e9, written bytes by the rest of the scale, streaming stores without the
 * fetch; and formula (22) without the scale. */
static void reading_and_writing(void **state)
{
    (void)state;
    model_machine_t machine = abel();
    model_heat_shape_t shape = {1002, 1002, 1, 1, 1, MODEL_HEAT_MEMGET, false};
    set(&machine, MODEL_PRIVATE_BANDWIDTH, 1e9);
    set(&machine, MODEL_PRIVATE_READ_BANDWIDTH, 2e9);
    set(&machine, MODEL_BARRIER_LATENCY, 1e-3);
    model_heat_prediction_t p = predict(&shape, 0, 0, &machine);
    assert_near(p.compute.predicted, 1e6 * 24.0 / 1e9, 1e-9);
    assert_int_equal(p.left_out, 1U << MODEL_PRIVATE_SCALE_BANDWIDTH | 1U << MODEL_HEAT_POINT);
    model_heat_prediction_free(&p);
    set(&machine, MODEL_PRIVATE_SCALE_BANDWIDTH, 0.8e9);
    p = predict(&shape, 0, 0, &machine);
    assert_near(p.compute.predicted, 1e6 * (8.0 / 2e9 + 8.0 * 2e-9), 1e-9);
    assert_near(p.halo.predicted, 0.0, 0);
    assert_near(p.barrier.predicted, 1e-3, 0);
    model_heat_prediction_free(&p);
    shape.streams = true;
    p = predict(&shape, 0, 0, &machine);
    assert_near(p.compute.predicted, 1e6 * (8.0 / 2e9 + 8.0 * 1.5e-9), 1e-9);
    model_heat_prediction_free(&p);
}

/* Two threads one above the other, four steps an exchange: with memget all rows are packed and
 * unpacked, with strided none; and strided has two barriers. */
static void steps_that_share(void **state)
{
    (void)state;
    model_machine_t machine = abel();
    model_heat_shape_t shape = {2002, 1002, 2, 1, 4, MODEL_HEAT_MEMGET, false};
    set(&machine, MODEL_BARRIER_LATENCY, 1e-3);
    double halos[2][2];
    for (int slow = 0; slow < 2; slow++) {
        set(&machine, MODEL_PRIVATE_BANDWIDTH, slow ? 1e9 : 1e30);
        for (int strided = 0; strided < 2; strided++) {
            shape.form = strided ? MODEL_HEAT_STRIDED : MODEL_HEAT_MEMGET;
            model_heat_prediction_t p = predict(&shape, 2, 0, &machine);
            halos[strided][slow] = p.halo.predicted;
            assert_near(p.barrier.predicted, (strided ? 2.0 : 1.0) * 1e-3 / 4.0, 1e-12);
            model_heat_prediction_free(&p);
        }
    }
    /* Four layers of 1000 points, read and written twice, by each of four steps. */
    assert_near(halos[0][1] - halos[0][0], 4.0 * 4000.0 * 8.0 / 1e9 / 4.0, 1e-12);
    assert_near(halos[1][1], halos[1][0], 1e-12);
}

/* Messages that travel during the computation cost nothing, unless nothing is hidden. */
static void overlap(void **state)
{
    (void)state;
    model_machine_t machine = abel();
    model_heat_shape_t shape = {2002, 2002, 2, 1, 1, MODEL_HEAT_MEMGET, false};
    model_heat_prediction_t blocking = predict(&shape, 2, 0, &machine);
    shape.form = MODEL_HEAT_ASYNC;
    model_heat_prediction_t hidden = predict(&shape, 2, 0, &machine);
    double sent = 3.4e-6 + 2000.0 * 8.0 / (6000.0 * mib);
    assert_near(blocking.halo.predicted, sent, 1e-12);
    assert_near(hidden.halo.predicted, 0.0, 1e-12);
    assert_near(hidden.halo.high, sent, 1e-12);
    assert_false(hidden.has_paper);
    model_heat_prediction_free(&blocking);
    model_heat_prediction_free(&hidden);
}

/* 1 x 2 threads on two nodes, 1000 x 1000 points each: columns, packed and unpacked, and the first
 * read after computing; bytes beyond the measured length travel at the link's speed. */
static void after_computing(void **state)
{
    (void)state;
    model_machine_t machine = abel();
    model_heat_shape_t shape = {1002, 2002, 1, 2, 1, MODEL_HEAT_MEMGET, false};
    set(&machine, MODEL_PRIVATE_BANDWIDTH, 1e9);
    set(&machine, MODEL_REMOTE_BANDWIDTH, 2e9);
    set(&machine, MODEL_REMOTE_LATENCY, 1e-5);
    set(&machine, MODEL_COLUMN_ACCESS, 2e-8);
    set(&machine, MODEL_EXCHANGE_LATENCY, 5e-5);
    set(&machine, MODEL_EXCHANGE_BANDWIDTH, 1e9);
    /* The packed column at 1e9, written and read. */
    double packed = 2.0 * (1000.0 * 2e-8 + 1000.0 * 8.0 / 1e9);
    model_heat_prediction_t p = predict(&shape, 2, 0, &machine);
    assert_near(p.halo.predicted, packed + 5e-5 + 8000.0 / 1e9, 1e-12);
    model_heat_prediction_free(&p);
    /* In rows of half way between narrow and wide ones. */
    shape.N = 5030;
    set(&machine, MODEL_NARROW_COLUMN_ACCESS, 1e-8);
    p = predict(&shape, 2, 0, &machine);
    assert_near(p.halo.predicted, packed - 2000.0 * 0.5e-8 + 5e-5 + 8000.0 / 1e9, 1e-12);
    model_heat_prediction_free(&p);
    machine.has[MODEL_NARROW_COLUMN_ACCESS] = false;
    shape.N = 4002;
    shape.Q = 4;
    p = predict(&shape, 4, 0, &machine);
    /* The two in the middle pack and read twice, the second time at the usual latency. */
    assert_near(p.halo.predicted, 2.0 * packed + 5e-5 + 1e-5 + 16000.0 / 1e9, 1e-12);
    model_heat_prediction_free(&p);
    /* On two nodes one thread of each reads from the other, and at most its own share comes first.
     */
    set(&machine, MODEL_REMOTE_BANDWIDTH_SHARED, 5e8);
    shape.M = 10002;
    p = predict(&shape, 2, 0, &machine);
    double column = 2.0 * (10000.0 * 2e-8 + 80000.0 / 1e9);
    double near = 2.0 * 80000.0 / 1e9;
    double far = 5e-5 + 65536.0 / 1e9 + (80000.0 - 65536.0) / 5e8;
    assert_near(p.halo.predicted, 2.0 * column + near + far, 1e-12);
    model_heat_prediction_free(&p);
    machine.has[MODEL_REMOTE_BANDWIDTH_SHARED] = false;
    shape = (model_heat_shape_t){20002, 20002, 2, 1, 1, MODEL_HEAT_MEMGET, false};
    p = predict(&shape, 2, 0, &machine);
    assert_near(p.halo.predicted, 5e-5 + 65536.0 / 1e9 + (160000.0 - 65536.0) / 2e9, 1e-12);
    model_heat_prediction_free(&p);
}

/* Steps as measured: points by the kind of stores, and the rows of neighbours on the node by when
 * they were computed. Deep halos compute points in the caches, whose cost was not measured. */
static void steps_as_measured(void **state)
{
    (void)state;
    model_machine_t machine = abel();
    model_heat_shape_t shape = {3002, 1002, 3, 1, 1, MODEL_HEAT_MEMGET, false};
    set(&machine, MODEL_PRIVATE_BANDWIDTH, 1e9);
    set(&machine, MODEL_HEAT_POINT, 3e-9);
    set(&machine, MODEL_HEAT_STREAMING_POINT, 2e-9);
    set(&machine, MODEL_HEAT_FIRST_ROW, 5e-9);
    set(&machine, MODEL_HEAT_LAST_ROW, 1e-9);
    model_heat_prediction_t p = predict(&shape, 0, 0, &machine);
    assert_near(p.compute.predicted, 3e-3, 1e-12);
    assert_near(p.threads[0].halo, 1000 * 5e-9, 1e-15); /* from below */
    assert_near(p.threads[1].halo, 1000 * 6e-9, 1e-15);
    assert_near(p.threads[2].halo, 1000 * 1e-9, 1e-15); /* from above */
    assert_near(p.halo.predicted, 1000 * 6e-9, 1e-15);
    assert_int_equal(p.left_out & (1U << MODEL_HEAT_FIRST_GET), 1U << MODEL_HEAT_FIRST_GET);
    model_heat_prediction_free(&p);
    /* Short rows cost more per value than the measured ones of 4000: the first get comes once. */
    set(&machine, MODEL_HEAT_FIRST_GET, 2e-6);
    p = predict(&shape, 0, 0, &machine);
    assert_near(p.threads[0].halo, 2e-6 + 1000 * (5e-9 - 0.5e-9), 1e-15);
    assert_near(p.threads[1].halo, 2e-6 + 1000 * (6e-9 - 1e-9), 1e-15);
    assert_near(p.threads[2].halo, 2e-6 + 1000 * (1e-9 - 0.5e-9), 1e-15);
    assert_int_equal(p.left_out & (1U << MODEL_HEAT_FIRST_GET), 0);
    model_heat_prediction_free(&p);
    machine.has[MODEL_HEAT_FIRST_GET] = false;
    shape.form = MODEL_HEAT_SIGNAL; /* copies of packed rows, put by the neighbour */
    p = predict(&shape, 0, 0, &machine);
    assert_true(p.threads[0].halo > 1000 * 16e-9);
    assert_int_equal(p.left_out & (1U << MODEL_HEAT_FIRST_ROW), 0);
    model_heat_prediction_free(&p);
    shape.form = MODEL_HEAT_MEMGET;
    shape.streams = true;
    p = predict(&shape, 0, 0, &machine);
    assert_near(p.compute.predicted, 2e-3, 1e-12);
    model_heat_prediction_free(&p);
    shape.steps_per_exchange = 2;
    p = predict(&shape, 0, 0, &machine);
    assert_true(fabs(p.compute.predicted - 2e-3) > 1e-3);
    model_heat_prediction_free(&p);
}

/* Signals cost their senders the calls, and their waits are the barrier's, unless computing hides
 * them; a call with more bytes than it keeps returns when they have arrived. */
static void sends(void **state)
{
    (void)state;
    model_machine_t machine = abel();
    model_heat_shape_t shape = {3002, 1002, 3, 1, 1, MODEL_HEAT_SIGNAL, false};
    set(&machine, MODEL_PRIVATE_BANDWIDTH, 1e9);
    set(&machine, MODEL_REMOTE_BANDWIDTH, 2e9);
    set(&machine, MODEL_REMOTE_LATENCY, 1e-5);
    set(&machine, MODEL_MESSAGE_LATENCY, 1.5e-5);
    set(&machine, MODEL_EXCHANGE_SEND, 4e-6);
    set(&machine, MODEL_EXCHANGE_SEND_BANDWIDTH, 4e9);
    set(&machine, MODEL_PRICE(MODEL_SIGNAL_LATENCY, MODEL_REMOTE), 7e-6);
    model_heat_prediction_t p = predict(&shape, 3, 0, &machine);
    /* A section of 1000 values is read, written, read and written. */
    double packed = 4.0 * 8000.0 / 1e9;
    assert_near(p.threads[0].halo, packed + 4e-6 + 8000.0 / 4e9, 1e-12);
    assert_near(p.threads[1].halo, 2.0 * packed + 2.0 * 4e-6 + 16000.0 / 4e9, 1e-12);
    assert_near(p.barrier.predicted, 0.0, 0.0);
    assert_near(p.barrier.high, 7e-6 + 16000.0 / 2e9, 1e-12);
    assert_true((p.left_out & MODEL_BIT(MODEL_EXCHANGE_SEND)) == 0);
    assert_true((p.left_out & MODEL_BIT(MODEL_PRICE(0, 0))) == 0);
    model_heat_prediction_free(&p);
    /* On one node nothing of this is needed, and nothing of it counts. */
    p = predict(&shape, 1, 0, &machine);
    assert_near(p.barrier.high, 0.0, 0.0);
    assert_true((p.left_out & MODEL_BIT(MODEL_EXCHANGE_SEND)) == 0);
    model_heat_prediction_free(&p);
    /* 13000 values are too many to be kept. */
    shape = (model_heat_shape_t){202, 13002, 2, 1, 1, MODEL_HEAT_SIGNAL, false};
    p = predict(&shape, 2, 0, &machine);
    assert_near(p.halo.predicted,
                13.0 * packed + 4e-6 + 65536.0 / 4e9 + 1.5e-5 + (104000.0 - 65536.0) / 2e9, 1e-12);
    assert_near(p.barrier.high, 0.0, 0.0);
    model_heat_prediction_free(&p);
    shape.N = 12002;
    p = predict(&shape, 2, 0, &machine);
    assert_near(p.halo.predicted, 12.0 * packed + 4e-6 + 96000.0 / 4e9, 1e-12);
    model_heat_prediction_free(&p);
    /* A long row beside a short column: each counts for itself. */
    model_heat_shape_t both = {2002, 40002, 2, 2, 1, MODEL_HEAT_SIGNAL, false};
    model_layout_t layout;
    assert_true(model_heat_layout(&both, 4, 0, &layout, NULL));
    model_heat_counts_t counts = model_heat_count(&both, &layout, 0);
    assert_int_equal(counts.messages[MODEL_REMOTE], 2);
    assert_int_equal(counts.long_messages, 1);
    assert_int_equal(counts.long_values, 20000);
    double across[2]; /* what the columns take, whose sections have 1000 values and 500 */
    for (int i = 0; i < 2; i++) {
        double sent = 8000.0 / (1 + i);
        both.M = 2000 / (size_t)(1 + i) + 2;
        p = predict(&both, 4, 0, &machine);
        across[i] = p.halo.predicted - 4.0 * 160000.0 / 1e9 - 2.0 * 4e-6 - (65536.0 + sent) / 4e9 -
                    1.5e-5 - (160000.0 - 65536.0) / 2e9;
        assert_near(p.barrier.high, 7e-6 + sent / 2e9, 1e-12);
        model_heat_prediction_free(&p);
    }
    assert_true(across[1] > 0.0);
    assert_near(across[0], 2.0 * across[1], 1e-12);
    /* A file without them: as messages that travel while the thread computes. */
    machine.has[MODEL_EXCHANGE_SEND] = false;
    machine.has[MODEL_PRICE(MODEL_SIGNAL_LATENCY, MODEL_REMOTE)] = false;
    p = predict(&shape, 2, 0, &machine);
    assert_near(p.halo.predicted, 12.0 * packed, 1e-12);
    assert_near(p.halo.high, 12.0 * packed + 1.5e-5 + 96000.0 / 2e9, 1e-12);
    assert_true((p.left_out & MODEL_BIT(MODEL_EXCHANGE_SEND)) != 0);
    assert_true((p.left_out & MODEL_BIT(MODEL_PRICE(0, 0))) != 0);
    model_heat_prediction_free(&p);
}

static void too_small(void **state)
{
    (void)state;
    mesh_error_t error;
    model_layout_t layout;
    model_heat_shape_t shape = {10, 10, 4, 4, 3, MODEL_HEAT_MEMGET, false};
    assert_false(model_heat_layout(&shape, 1, 0, &layout, &error));
    assert_non_null(strstr(error.text, "--size 10x10"));
    shape.steps_per_exchange = 2;
    assert_true(model_heat_layout(&shape, 1, 0, &layout, &error));
    assert_false(model_heat_layout(&shape, 17, 0, &layout, &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_5),
        cmocka_unit_test(table_5_with_halo),
        cmocka_unit_test(counts),
        cmocka_unit_test(many_steps),
        cmocka_unit_test(reading_and_writing),
        cmocka_unit_test(overlap),
        cmocka_unit_test(steps_that_share),
        cmocka_unit_test(after_computing),
        cmocka_unit_test(steps_as_measured),
        cmocka_unit_test(sends),
        cmocka_unit_test(too_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
