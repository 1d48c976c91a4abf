/* naive and v1 by the rates of their own loops. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs some of the above. */
#include <cmocka.h>

#include "small_job.h"

/* With their own rates, naive and v1 pay only for every line of their node and for values of other
 * nodes: no local access, no pointer. */
static void by_pointers(void **state)
{
    (void)state;
    small_job_add_all();
    small_job_set(MODEL_GATHER_ACCESS, 2e-9);
    small_job_add_rates(MODEL_POINTERS_KERNEL, 30e-9, 2e-9);
    small_job_add_rates(MODEL_NAIVE_KERNEL, 80e-9, 0.0);
    small_job_add_rates(MODEL_POINTERS_TURNS_KERNEL, 20e-9, 0.0);
    small_job_add_rates(MODEL_POINTERS_MIXED_KERNEL, 22e-9, 0.0);
    /* Five close ones, five near ones and sixty far ones, each in a row of its own. */
    double lines = 5 * 1e-9 + 5 * 2e-9 + 60 * 20e-9;
    model_prediction_t v1 = small_job_predict(MODEL_V1);
    near(v1.threads[0].compute, 200 * (30e-9 - 8e-9 * 10 * 150 / 3200) + lines);
    near(v1.threads[0].communication, 50 * 1e-5);
    assert_int_equal(v1.left_out & MODEL_BIT(MODEL_RATE(MODEL_POINTERS_KERNEL, 0, 0)), 0);
    model_prediction_free(&v1);
    model_prediction_t naive = small_job_predict(MODEL_NAIVE);
    near(naive.threads[0].compute, 200 * 80e-9 + lines + 800 * 2e-9);
    model_prediction_free(&naive);
    /* The more accesses go to the other thread of the node, the less they wait for each other. */
    static const uint64_t others[] = {0, 160, 320, 960, 1600, 3000};
    static const double seconds[] = {30e-9, 26e-9, 22e-9, 21e-9, 20e-9, 20e-9};
    for (int i = 0; i < 6; i++) {
        counts[0].individual[MODEL_LOCAL] = others[i];
        v1 = small_job_predict(MODEL_V1);
        near(v1.threads[0].compute, 200 * seconds[i] + lines);
        model_prediction_free(&v1);
    }
}

/* In blocks of a power of two addresses take shifts, whose rates apply if they are known. */
static void by_shifts(void **state)
{
    (void)state;
    small_job_add_all();
    small_job_set(MODEL_GATHER_ACCESS, 0.0);
    small_job_add_rates(MODEL_POINTERS_KERNEL, 30e-9, 0.0);
    small_job_add_rates(MODEL_POINTERS_TURNS_KERNEL, 25e-9, 0.0);
    small_job_add_rates(MODEL_SHIFTS_KERNEL, 20e-9, 0.0);
    small_job_add_rates(MODEL_SHIFTS_TURNS_KERNEL, 15e-9, 0.0);
    small_job_add_rates(MODEL_POINTERS_MIXED_KERNEL, 26e-9, 0.0);
    small_job_add_rates(MODEL_SHIFTS_MIXED_KERNEL, 16e-9, 0.0);
    static const size_t blocksizes[] = {100, 64, 1, 96};
    static const double own[] = {30e-9, 20e-9, 20e-9, 30e-9};
    counts[0].individual[MODEL_LOCAL] = 0;
    for (int b = 0; b < 4; b++) {
        layout.blocksize = blocksizes[b];
        model_prediction_t v1 = small_job_predict(MODEL_V1);
        near(v1.threads[0].compute, 200 * own[b]);
        model_prediction_free(&v1);
    }
    static const uint64_t others[] = {320, 3000};
    static const double seconds[] = {16e-9, 15e-9};
    layout.blocksize = 128;
    for (int i = 0; i < 2; i++) {
        counts[0].individual[MODEL_LOCAL] = others[i];
        model_prediction_t v1 = small_job_predict(MODEL_V1);
        near(v1.threads[0].compute, 200 * seconds[i]);
        model_prediction_free(&v1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(by_pointers, small_job_prepare),
        cmocka_unit_test_setup(by_shifts, small_job_prepare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
