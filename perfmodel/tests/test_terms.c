/* The terms that the paper leaves out, on the same counts and parameters: memory, core, lines of x
 * and moves of values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka.h needs some of the above. */
#include <cmocka.h>

#include "small_job.h"

static void all_terms(void **state)
{
    (void)state;
    small_job_add_all();
    double compute = 200.0 * (208 * 1e-9 + 8 * 2e-9);
    double individual = 10 * 1e-7 + 140 * 5e-9 + 150 * 1e-5;

    model_prediction_t v1 = small_job_predict(MODEL_V1);
    near(v1.seconds.predicted, compute + 3200 * 4e-9 + individual + 1e-4);
    near(v1.threads[3].communication, individual);
    assert_int_equal(
        v1.left_out,
        MODEL_BIT(MODEL_PRODUCT_ACCESS) | MODEL_BIT(MODEL_PRODUCT_BANDWIDTH) |
            MODEL_BIT(MODEL_GATHER_ACCESS) | MODEL_BIT(MODEL_FIRST_RATE(MODEL_POINTERS_KERNEL)) |
            MODEL_BIT(MODEL_FIRST_RATE(MODEL_SHIFTS_KERNEL)) |
            MODEL_BIT(MODEL_FIRST_RATE(MODEL_POINTERS_TURNS_KERNEL)) |
            MODEL_BIT(MODEL_FIRST_RATE(MODEL_SHIFTS_TURNS_KERNEL)) |
            MODEL_BIT(MODEL_FIRST_RATE(MODEL_POINTERS_MIXED_KERNEL)) |
            MODEL_BIT(MODEL_FIRST_RATE(MODEL_SHIFTS_MIXED_KERNEL)) | MODEL_BIT(MODEL_KEPT_ROWS));
    model_prediction_free(&v1);

    model_prediction_t naive = small_job_predict(MODEL_NAIVE);
    double accesses = 3200 + 200 * 34;
    near(naive.seconds.predicted, compute + accesses * 4e-9 + 800 * 2e-9 + individual + 1e-4);
    assert_false(naive.has_paper);
    model_prediction_free(&naive);

    /* Latencies overlap; both threads' bytes share one link. */
    model_prediction_t v2 = small_job_predict(MODEL_V2);
    double copy = 2400 * 2 / 0.8e9 + 1e-5 + 1600 / 5e7;
    near(v2.threads[0].copy, copy);
    near(v2.seconds.predicted, compute + copy + 1e-4);
    model_prediction_free(&v2);

    model_prediction_t v3 = small_job_predict(MODEL_V3);
    double before = 160 * (12e-9 + 16e-9) + 480 * 2 / 0.8e9 + 3e-5 + 960 / 5e7;
    double after = 1600 * 2 / 0.8e9 + 180 * 12e-9 + 15 * 128e-9 + compute;
    near(v3.seconds.predicted, before + after + 2e-4);
    near(v3.nodes[1], before);
    model_prediction_free(&v3);
}

/* The core is the bottleneck where memory is not. */
static void core_bound(void **state)
{
    (void)state;
    small_job_add_all();
    double traffic = 200.0 * (208 * 1e-9 + 8 * 2e-9);
    small_job_set(MODEL_PRODUCT_ACCESS, 1e-9);
    model_prediction_t v3 = small_job_predict(MODEL_V3);
    near(v3.threads[0].compute, traffic);
    model_prediction_free(&v3);
    small_job_set(MODEL_PRODUCT_ACCESS, 50e-9);
    v3 = small_job_predict(MODEL_V3);
    near(v3.threads[0].compute, 200 * 16 * 50e-9);
    model_prediction_free(&v3);
    model_prediction_t v1 = small_job_predict(MODEL_V1);
    near(v1.threads[0].compute, 200 * 16 * 50e-9 + 3200 * 4e-9);
    model_prediction_free(&v1);
    small_job_set(MODEL_PRODUCT_ACCESS, 1e-9);
    v1 = small_job_predict(MODEL_V1);
    near(v1.threads[0].compute, traffic);
    model_prediction_free(&v1);
}

/* The products' own bandwidth, plus lines of x: in v1 those of own values, in the others all. */
static void gathered_lines(void **state)
{
    (void)state;
    small_job_add_all();
    small_job_set(MODEL_PRODUCT_BANDWIDTH, 0.8e9);
    double streamed = 200 * 216 / 0.8e9;
    double sliced = 150 * 196 * 1e-9 + 50 * 200 * 1e-9; /* as in overlap() */
    for (int with_lines = 0; with_lines < 2; with_lines++) {
        model_prediction_t v1 = small_job_predict(MODEL_V1);
        near(v1.threads[0].compute, streamed + with_lines * 70 * 1e-7 + 3200 * 4e-9);
        model_prediction_free(&v1);
        model_prediction_t v2 = small_job_predict(MODEL_V2);
        near(v2.threads[0].compute, streamed + with_lines * 100 * 1e-7);
        model_prediction_free(&v2);
        model_prediction_t v3 = small_job_predict(MODEL_V3);
        near(v3.threads[0].compute, streamed + with_lines * 100 * 1e-7);
        model_prediction_free(&v3);
        model_prediction_t v4 = small_job_predict(MODEL_V4);
        near(v4.threads[0].compute, sliced + with_lines * 100 * 1e-7);
        model_prediction_free(&v4);
        small_job_set(MODEL_GATHER_ACCESS, 1e-7);
    }
    /* Without a bandwidth of their own, at the costs of reading and writing. */
    machine.has[MODEL_PRODUCT_BANDWIDTH] = false;
    model_prediction_t v3 = small_job_predict(MODEL_V3);
    near(v3.threads[0].compute, 200 * (208 * 1e-9 + 8 * 2e-9) + 100 * 1e-7);
    model_prediction_free(&v3);
    /* A core that is slower than the memory also waits for these lines. */
    small_job_set(MODEL_PRODUCT_ACCESS, 50e-9);
    v3 = small_job_predict(MODEL_V3);
    near(v3.threads[0].compute, 200 * 16 * 50e-9 + 100 * 1e-7);
    model_prediction_free(&v3);
}

/* The cost of a gathered line is useful only if the size of the cache that misses it is known. */
static void unknown_cache(void **state)
{
    (void)state;
    small_job_set(MODEL_GATHER_ACCESS, 1e-7);
    for (int v = MODEL_NAIVE; v < MODEL_VARIANTS; v++) {
        bool has_product = v < MODEL_V4;
        machine.second_level_cache_bytes = 0.0;
        model_prediction_t without = small_job_predict((model_variant_t)v);
        assert_int_equal(without.left_out >> MODEL_GATHER_ACCESS & 1U, 1);
        assert_int_equal(without.left_out >> MODEL_PRODUCT_BANDWIDTH & 1U, has_product);
        model_prediction_free(&without);
        machine.second_level_cache_bytes = 1048576.0;
        model_prediction_t with = small_job_predict((model_variant_t)v);
        assert_int_equal(with.left_out >> MODEL_GATHER_ACCESS & 1U, 0);
        model_prediction_free(&with);
    }
}

/* A sum that keeps the memory less busy than the scale does says nothing about reading. */
static void slow_sum(void **state)
{
    (void)state;
    small_job_set(MODEL_PRIVATE_READ_BANDWIDTH, 0.5e9);
    small_job_set(MODEL_PRIVATE_SCALE_BANDWIDTH, 1e9);
    for (size_t t = 0; t < 4; t++)
        memcpy(counts[t].lines_in, counts[t].values_in, sizeof counts[t].lines_in);
    model_prediction_t v3 = small_job_predict(MODEL_V3);
    near(v3.seconds.predicted, v3.paper.predicted);
    model_prediction_free(&v3);
}

/* Reading alone does not tell what writing costs, nor does the scale alone tell what reading
 * costs. */
static void half_of_a_pair(void **state)
{
    (void)state;
    static const model_parameter_t pair[] = {MODEL_PRIVATE_READ_BANDWIDTH,
                                             MODEL_PRIVATE_SCALE_BANDWIDTH};
    for (int p = 0; p < 2; p++) {
        small_job_set(pair[p], 2e9);
        model_prediction_t v3 = small_job_predict(MODEL_V3);
        near(v3.seconds.predicted, v3.paper.predicted);
        assert_int_equal(v3.left_out >> pair[p] & 1U, 0);
        assert_int_equal(v3.left_out >> pair[1 - p] & 1U, 1);
        model_prediction_free(&v3);
        machine.has[pair[p]] = false;
    }
}

/* Every move of values has its own price, by the part that the cache holds and by how full the
 * lines are. */
static void moved_values(void **state)
{
    (void)state;
    static const double line = (15.0 / 80 - 0.125) / 0.875; /* 80 values in 15 lines */
    small_job_add_all();
    for (int m = 0; m < MODEL_MOVES; m++) {
        small_job_set((model_parameter_t)MODEL_MOVE(m), (m + 1) * 1e-9);
        small_job_set((model_parameter_t)(MODEL_MOVE(m) + 1), (m + 1) * 1e-8);
    }
    double bytes = 200 * (192 + 32) + 80 * 8;
    static const double held[] = {1.0, 0.5};
    for (int i = 0; i < 2; i++) {
        machine.last_level_share_bytes = held[i] * bytes;
        double unit = held[i] * 1e-9 + (1 - held[i]) * 1e-8;
        model_prediction_t v3 = small_job_predict(MODEL_V3);
        near(v3.threads[0].pack, 80 * unit * (4 + line));
        near(v3.threads[0].copy, 200 * unit);
        near(v3.threads[0].unpack, 80 * unit * (6 + line));
        assert_int_equal(v3.left_out & MODEL_BIT(MODEL_MOVE(0)), 0);
        model_prediction_free(&v3);
        model_prediction_t v2 = small_job_predict(MODEL_V2);
        /* Beyond it only what blocks cost, and what comes from the other node. */
        double local = 200 * unit + 100 * 2 * unit;
        small_job_set(MODEL_MOVE(MODEL_MOVE_COPY), 0.0);
        small_job_set(MODEL_MOVE(MODEL_MOVE_COPY) + 1, 0.0);
        small_job_set(MODEL_MOVE(MODEL_MOVE_COPY_OTHER), 0.0);
        small_job_set(MODEL_MOVE(MODEL_MOVE_COPY_OTHER) + 1, 0.0);
        model_prediction_t free_of_charge = small_job_predict(MODEL_V2);
        assert_near(v2.threads[0].copy - free_of_charge.threads[0].copy, local, 1e-12);
        small_job_set(MODEL_MOVE(MODEL_MOVE_COPY), 1e-9);
        small_job_set(MODEL_MOVE(MODEL_MOVE_COPY) + 1, 1e-8);
        small_job_set(MODEL_MOVE(MODEL_MOVE_COPY_OTHER), 2e-9);
        small_job_set(MODEL_MOVE(MODEL_MOVE_COPY_OTHER) + 1, 2e-8);
        model_prediction_free(&v2);
        model_prediction_free(&free_of_charge);
    }
    machine.last_level_share_bytes = 1e9;
    model_prediction_t v4 = small_job_predict(MODEL_V4);
    near(v4.threads[0].put, (80 + 30) * 1e-9 * (8 + line));
    near(v4.threads[0].unpack, (30 + 80 * 2) * 1e-9);
    model_prediction_free(&v4);
    /* Boundary rows that use more than a third of the own part have a copy of it, unpacked. */
    counts[0].boundary_own_values = 66;
    counts[1].boundary_own_values = 67;
    counts[1].values_in[MODEL_LOCAL] = 60;
    v4 = small_job_predict(MODEL_V4);
    near(v4.threads[0].put, (80 + 66) * 1e-9 * (8 + line));
    near(v4.threads[0].unpack, (66 + 80 * 2) * 1e-9);
    near(v4.threads[1].put, 80 * 1e-9 * (8 + line));
    near(v4.threads[1].unpack, (200 + 80 * 2) * 1e-9);
    model_prediction_free(&v4);
    counts[0].boundary_own_values = 30;
    model_prediction_t v5 = small_job_predict(MODEL_V5);
    near(v5.threads[0].unpack, 160 * 3e-9 + (30 + 80 * 2) * 1e-9);
    model_prediction_free(&v5);
}

/* Data that fit the share of the last-level cache come from there: less for v4 than for v3, whose
 * rows are padded. */
static void held(void **state)
{
    (void)state;
    small_job_add_all();
    small_job_set(MODEL_GATHER_ACCESS, 0.0);
    small_job_add_rates(MODEL_ROWS_KERNEL, 30e-9, 0.0);
    small_job_add_rates(MODEL_SLICED_KERNEL, 20e-9, 0.0);
    for (size_t t = 0; t < 4; t++)
        counts[t].interior_entries = 600; /* of 150 rows */
    double v3_bytes = 200 * (192 + 32) + 180 * 8;
    static const double part[] = {0.4, 0.9, 1.0};
    for (int step = 0; step < 3; step++) {
        machine.last_level_share_bytes = part[step] * v3_bytes;
        small_job_set(MODEL_BARRIER_LATENCY, 1e-4);
        model_prediction_t v3 = small_job_predict(MODEL_V3);
        near(v3.threads[1].compute, 200 * (part[step] < 1.0 ? 30e-9 : 15e-9));
        model_prediction_free(&v3);
        model_prediction_t v4 = small_job_predict(MODEL_V4);
        near(v4.threads[1].compute, 200 * (part[step] < 0.9 ? 20e-9 : 10e-9));
        model_prediction_free(&v4);
    }
    for (int w = 0; w < MODEL_RATE_WIDTHS; w++) {
        small_job_set((model_parameter_t)MODEL_CLOSE_ROW(MODEL_ROWS_KERNEL, w), 12e-9);
        small_job_set((model_parameter_t)MODEL_CLOSE_ROW(MODEL_SLICED_KERNEL, w), 6e-9);
    }
    for (int step = 0; step < 3; step++) { /* and of the second level */
        machine.second_level_cache_bytes = part[step] * v3_bytes;
        small_job_set(MODEL_BARRIER_LATENCY, 1e-4);
        model_prediction_t v3 = small_job_predict(MODEL_V3);
        near(v3.threads[1].compute, 200 * (part[step] < 1.0 ? 15e-9 : 12e-9));
        assert_int_equal(v3.left_out & MODEL_BIT(MODEL_CLOSE_ROWS), 0);
        model_prediction_free(&v3);
        model_prediction_t v4 = small_job_predict(MODEL_V4);
        near(v4.threads[1].compute, 200 * (part[step] < 0.9 ? 10e-9 : 6e-9));
        model_prediction_free(&v4);
    }
}

/* Lines in sequence have a price in memory and one where the matrix is held, in v2 to v5; without
 * it they are free, and the prediction says so. */
static void lines_in_sequence(void **state)
{
    (void)state;
    small_job_add_all();
    small_job_set(MODEL_GATHER_ACCESS, 0.0);
    for (int kernel = 0; kernel < MODEL_LINE_KERNELS; kernel++)
        small_job_add_rates((model_kernel_t)kernel, 20e-9, 0.0);
    double before[MODEL_VARIANTS][2];
    for (int variant = MODEL_V1; variant < MODEL_VARIANTS; variant++)
        for (int held = 0; held < 2; held++) {
            machine.last_level_share_bytes = held ? 1e9 : 1.0;
            small_job_set(MODEL_BARRIER_LATENCY, 1e-4);
            model_prediction_t made = small_job_predict((model_variant_t)variant);
            before[variant][held] = made.threads[1].compute;
            assert_true(variant == MODEL_V1 || (made.left_out & MODEL_BIT(MODEL_SEQUENCES)) != 0);
            assert_true(variant == MODEL_V1 || (made.left_out & MODEL_BIT(MODEL_HELD_LINES)) != 0);
            assert_true(variant == MODEL_V1 || (made.left_out & MODEL_BIT(MODEL_CLOSE_ROWS)) != 0);
            model_prediction_free(&made);
        }
    small_job_set(MODEL_SEQUENCE(MODEL_ROWS_KERNEL, MODEL_RATE_ROW), 3e-9);
    small_job_set(MODEL_SEQUENCE(MODEL_ROWS_KERNEL, MODEL_RATE_HELD), 1e-9);
    small_job_set(MODEL_SEQUENCE(MODEL_SLICED_KERNEL, MODEL_RATE_ROW), 2e-9);
    small_job_set(MODEL_SEQUENCE(MODEL_SLICED_KERNEL, MODEL_RATE_HELD), 0.5e-9);
    static const double added[MODEL_VARIANTS][2] = {
        [MODEL_V2] = {40 * 3e-9, 40 * 1e-9},
        [MODEL_V3] = {40 * 3e-9, 40 * 1e-9},
        [MODEL_V4] = {(20 + 10) * 2e-9, (20 + 10) * 0.5e-9},
        [MODEL_V5] = {(20 + 10) * 2e-9, (20 + 10) * 0.5e-9},
    };
    for (int variant = MODEL_V1; variant < MODEL_VARIANTS; variant++)
        for (int held = 0; held < 2; held++) {
            machine.last_level_share_bytes = held ? 1e9 : 1.0;
            small_job_set(MODEL_BARRIER_LATENCY, 1e-4);
            model_prediction_t made = small_job_predict((model_variant_t)variant);
            near(made.threads[1].compute, before[variant][held] + added[variant][held]);
            assert_int_equal(made.left_out & MODEL_BIT(MODEL_SEQUENCES), 0);
            model_prediction_free(&made);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(all_terms, small_job_prepare),
        cmocka_unit_test_setup(core_bound, small_job_prepare),
        cmocka_unit_test_setup(gathered_lines, small_job_prepare),
        cmocka_unit_test_setup(unknown_cache, small_job_prepare),
        cmocka_unit_test_setup(slow_sum, small_job_prepare),
        cmocka_unit_test_setup(half_of_a_pair, small_job_prepare),
        cmocka_unit_test_setup(moved_values, small_job_prepare),
        cmocka_unit_test_setup(held, small_job_prepare),
        cmocka_unit_test_setup(lines_in_sequence, small_job_prepare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
