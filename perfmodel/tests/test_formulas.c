/* The paper's formulas on counts and parameters that are easy to compute with by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs some of the above. */
#include <cmocka.h>

#include "perfmodel/formulas.h"
#include "small_job.h"

static void single_formulas(void **state)
{
    (void)state;
    assert_int_equal(model_blocks_of_thread(&layout, 0), 2);
    near(model_working_set_bytes(&layout, counts), 200 * (192 + 32) + 180 * 8);
    near(model_bytes_per_row(16), 216.0);
    near(model_compute_seconds(&layout, 2, &parameters), 200.0 * 216.0 / 1e9);
    near(model_contiguous_local_seconds(8.0, &parameters), 8e-9);
    near(model_contiguous_remote_seconds(8.0, &parameters), 8e-8);
    near(model_individual_local_seconds(&parameters), 64e-9);
    near(model_v1_communication_seconds(&counts[0], &parameters), 150 * 64e-9 + 50 * 1e-5);
    /* Three blocks of the node, its own two among them, and one of the other node per thread. */
    near(model_v2_node_seconds(&layout, counts, 0, &parameters),
         3 * 2 * 800e-9 + 2 * (1e-5 + 800 / 1e8));
    near(model_pack_seconds(&counts[0], &parameters), 80 * 20e-9);
    near(model_v3_node_seconds(&layout, counts, 1, &parameters),
         2 * 60 * 8e-9 + (1e-5 + 160 / 1e8) + (1e-5 + 800 / 1e8));
    near(model_copy_seconds(&layout, 2, &parameters), 2 * 200 * 8e-9);
    near(model_unpack_seconds(&counts[0], &parameters), 80 * 76e-9);
}

static void blocks_with_a_rest(void **state)
{
    (void)state;
    mesh_error_t error;
    model_layout_t odd;
    assert_true(model_layout_make(701, 16, 3, 1, 0, 100, &odd, &error));
    assert_int_equal(model_blocks_of_thread(&odd, 0), 3);
    assert_int_equal(model_blocks_of_thread(&odd, 1), 3);
    assert_int_equal(model_blocks_of_thread(&odd, 2), 2);
}

static void totals(void **state)
{
    (void)state;
    double compute = 200.0 * 216e-9;
    near(model_v1_seconds(&layout, counts, &parameters), compute + 150 * 64e-9 + 150 * 1e-5);
    near(model_v2_seconds(&layout, counts, &parameters),
         compute + 3 * 1600e-9 + 2 * (1e-5 + 800 / 1e8));
    /* Thread 3 packs most and its node takes longest to put; thread 1 unpacks most. */
    near(model_v3_seconds(&layout, counts, &parameters),
         160 * 20e-9 + 120 * 8e-9 + 2e-5 + 960 / 1e8 + 3200e-9 + 180 * 76e-9 + compute);
}

/* Thread 0 has two blocks of a hundred rows, which count as full even if rows are missing. */
static void parts_by_the_paper(void **state)
{
    (void)state;
    double compute = 200.0 * 216e-9;
    counts[0].rows = 150;
    model_parts_t v1 = model_paper_parts(&layout, &counts[0], &parameters, MODEL_V1);
    near(v1.compute, compute);
    near(v1.communication, 150 * 64e-9 + 50 * 1e-5);
    near(model_parts_sum(&v1), v1.compute + v1.communication);
    model_parts_t v2 = model_paper_parts(&layout, &counts[0], &parameters, MODEL_V2);
    near(v2.compute, compute);
    near(v2.copy, 3 * 2 * 800e-9 + 1e-5 + 800 / 1e8);
    near(model_parts_sum(&v2), v2.compute + v2.copy);
    model_parts_t v3 = model_paper_parts(&layout, &counts[0], &parameters, MODEL_V3);
    near(v3.pack, 80 * 20e-9);
    near(v3.put, model_v3_local_seconds(&counts[0], &parameters) +
                     model_v3_remote_seconds(&counts[0], &parameters));
    near(v3.copy, 3200e-9);
    near(v3.unpack, 80 * 76e-9);
    near(v3.compute, compute);
    model_parts_t v4 = model_paper_parts(&layout, &counts[0], &parameters, MODEL_V4);
    assert_true(model_parts_sum(&v4) == 0.0);
}

/* With only the paper's parameters the prediction is that of the paper's formulas. */
static void nothing_added(void **state)
{
    (void)state;
    for (int v = MODEL_V1; v <= MODEL_V3; v++) {
        model_prediction_t p = small_job_predict((model_variant_t)v);
        assert_true(p.has_paper);
        near(p.seconds.predicted, p.paper.predicted);
        near(p.seconds.low, p.paper.low);
        near(p.seconds.high, p.paper.high);
        assert_true(p.paper.low < p.paper.predicted && p.paper.predicted < p.paper.high);
        assert_true((p.left_out & (1U << MODEL_BARRIER_LATENCY)) != 0);
        model_prediction_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(single_formulas, small_job_prepare),
        cmocka_unit_test_setup(blocks_with_a_rest, small_job_prepare),
        cmocka_unit_test_setup(totals, small_job_prepare),
        cmocka_unit_test_setup(parts_by_the_paper, small_job_prepare),
        cmocka_unit_test_setup(nothing_added, small_job_prepare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
