/* v4 and v5: what travels while rows are computed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs some of the above. */
#include <cmocka.h>

#include "perfmodel/deviation.h"
#include "small_job.h"

/* v4: all of the messages' travel time shows, or none of it. */
static void overlap(void **state)
{
    (void)state;
    small_job_add_all();
    double row =
        16 * 10 + 16 + 4 + 16; /* A and J, D and x, a slice's share, y at twice the price */
    double interior = 150 * row * 1e-9;
    double boundary = 50 * (row + 4) * 1e-9;
    double begin = 190 * (12e-9 + 16e-9);
    double travel = 3e-5 + 960 / 5e7;
    model_prediction_t v4 = small_job_predict(MODEL_V4);
    near(v4.nodes[1], travel);
    near(v4.threads[3].put, begin);
    near(v4.threads[3].compute, interior + boundary);
    near(v4.threads[3].communication, travel - interior);
    near(v4.threads[3].unpack, 8 * (30 + 80) * 3e-9);
    near(v4.seconds.predicted, begin + travel + 8 * (30 + 80) * 3e-9 + boundary);
    model_prediction_free(&v4);
    for (size_t t = 0; t < 4; t++) {
        counts[t].rows += 100000;
        counts[t].interior_entries += 1600000;
    }
    v4 = small_job_predict(MODEL_V4);
    near(v4.threads[3].communication, 0.0);
    model_prediction_free(&v4);
}

/* v5 sends what its leader counts, and copies what arrives, then what boundary rows use. */
static void by_node(void **state)
{
    (void)state;
    small_job_add_all();
    model_prediction_t v5 = small_job_predict(MODEL_V5);
    near(v5.nodes[0], 3e-5 + 320 / 5e7);
    near(v5.threads[0].unpack, 160 * 3e-9 + 8 * (30 + 80) * 3e-9);
    model_prediction_free(&v5);
}

static double seconds_of(model_variant_t variant)
{
    model_prediction_t made = small_job_predict(variant);
    double seconds = made.seconds.predicted;
    model_prediction_free(&made);
    return seconds;
}

/* Every message to another node but the first has a price, of a thread in v4 and of a node in v5. A
 * machine file without the price, and jobs where nobody sends more than one, are as before. */
static void messages_cost(void **state)
{
    (void)state;
    const model_parameter_t flood = (model_parameter_t)MODEL_MESSAGE_FLOOD;
    small_job_add_all();
    double alone[MODEL_VARIANTS] = {
        [MODEL_V4] = seconds_of(MODEL_V4), [MODEL_V5] = seconds_of(MODEL_V5)};
    for (size_t t = 0; t < 4; t++)
        counts[t].messages_out[MODEL_REMOTE] = 0;
    small_job_set(flood, 1e-6);
    near(seconds_of(MODEL_V4), alone[MODEL_V4]);
    for (size_t t = 0; t < 4; t++)
        counts[t].messages_out[MODEL_REMOTE] = 1;
    near(seconds_of(MODEL_V4), alone[MODEL_V4]);
    for (size_t t = 0; t < 4; t++)
        counts[t].messages_out[MODEL_REMOTE] = 101;
    near(seconds_of(MODEL_V4), alone[MODEL_V4] + 100e-6);
    near(seconds_of(MODEL_V5), alone[MODEL_V5]);
    model_prediction_t v4 = small_job_predict(MODEL_V4);
    assert_true((v4.left_out & MODEL_BIT(flood)) == 0);
    near(v4.threads[3].put, 190 * (12e-9 + 16e-9) + 100e-6);
    model_prediction_free(&v4);
    counts[0].node_messages_out = 11;
    model_prediction_t v5 = small_job_predict(MODEL_V5);
    near(v5.threads[0].put, 110 * (12e-9 + 16e-9) + 10e-6);
    near(v5.threads[1].put, 110 * (12e-9 + 16e-9));
    model_prediction_free(&v5);
    machine.has[flood] = false;
    near(seconds_of(MODEL_V4), alone[MODEL_V4]);
    v4 = small_job_predict(MODEL_V4);
    assert_true((v4.left_out & MODEL_BIT(flood)) != 0);
    model_prediction_free(&v4);
}

/* Its spread is a part of what may close the gap between v4 and v5. */
static void messages_have_a_spread(void **state)
{
    (void)state;
    const model_parameter_t flood = (model_parameter_t)MODEL_MESSAGE_FLOOD;
    mesh_error_t error;
    model_deviations_t v4;
    model_deviations_t v5;
    small_job_add_all();
    small_job_set(flood, 1e-6);
    for (size_t t = 0; t < 4; t++)
        counts[t].messages_out[MODEL_REMOTE] = 101;
    assert_true(model_deviate(&layout, counts, &machine, MODEL_V4, &v4, &error));
    assert_true(model_deviate(&layout, counts, &machine, MODEL_V5, &v5, &error));
    near(v4.better[flood], -50e-6);
    near(v4.worse[flood], 100e-6);
    near(v5.worse[flood], 0.0);
}

/* A node that needs values and sends none waits for them as long as they travel. */
static void one_way(void **state)
{
    (void)state;
    small_job_add_all();
    for (size_t t = 0; t < 4; t++) {
        counts[t].values_out[MODEL_REMOTE] = t < 2 ? 0 : 20;
        counts[t].values_in[MODEL_REMOTE] = t < 2 ? 20 : 0;
        counts[t].node_values_out = t == 2 ? 40 : 0;
        counts[t].interior_entries = 0;
        counts[t].boundary_rows = counts[t].rows;
    }
    for (int variant = MODEL_V4; variant <= MODEL_V5; variant++) {
        model_prediction_t made = small_job_predict((model_variant_t)variant);
        near(made.nodes[0], 3e-5 + 320 / 5e7);
        assert_true(made.threads[0].communication > 0.0);
        near(made.threads[3].communication, 0.0);
        model_prediction_free(&made);
    }
}

/* What comes from the own node takes a signal's way at least, as far as no rows are computed. */
static void on_node(void **state)
{
    (void)state;
    const model_parameter_t turn = (model_parameter_t)MODEL_NODE_TURN;
    mesh_error_t error;
    model_deviations_t v4;
    small_job_add_all();
    double interior = 150 * (16 * 10 + 16 + 4 + 16) * 1e-9;
    for (size_t t = 0; t < 4; t++) {
        counts[t].values_out[MODEL_REMOTE] = 0;
        counts[t].values_in[MODEL_REMOTE] = 0;
        counts[t].node_values_out = 0;
    }
    double alone = seconds_of(MODEL_V4);
    small_job_set(turn, interior / 2);
    near(seconds_of(MODEL_V4), alone);
    small_job_set(turn, interior + 1e-3);
    near(seconds_of(MODEL_V4), alone + 1e-3);
    assert_true(model_deviate(&layout, counts, &machine, MODEL_V4, &v4, &error));
    assert_true(v4.worse[turn] > 1e-3);
    model_prediction_t made = small_job_predict(MODEL_V4);
    assert_true((made.left_out & MODEL_BIT(turn)) == 0);
    model_prediction_free(&made);
    for (size_t t = 0; t < 4; t++)
        counts[t].values_in[MODEL_LOCAL] = 0;
    double without = seconds_of(MODEL_V4);
    machine.has[turn] = false;
    near(seconds_of(MODEL_V4), without);
    made = small_job_predict(MODEL_V4);
    assert_true((made.left_out & MODEL_BIT(turn)) != 0);
    model_prediction_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(overlap, small_job_prepare),
        cmocka_unit_test_setup(by_node, small_job_prepare),
        cmocka_unit_test_setup(on_node, small_job_prepare),
        cmocka_unit_test_setup(messages_cost, small_job_prepare),
        cmocka_unit_test_setup(messages_have_a_spread, small_job_prepare),
        cmocka_unit_test_setup(one_way, small_job_prepare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
