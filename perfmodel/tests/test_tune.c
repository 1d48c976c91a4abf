/* Candidates for BLOCKSIZE; a sweep finds its best point, which agrees with the predictions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs some of the above. */
#include <cmocka.h>

#include "near.h"
#include "perfmodel/tune.h"

static void candidates(void **state)
{
    (void)state;
    size_t list[MODEL_CANDIDATES_MAX];
    for (size_t rows = 1; rows < 2000000; rows = rows * 3 + 1)
        for (size_t threads = 1; threads < 2000; threads = threads * 2 + 1) {
            size_t count = model_tune_candidates(rows, threads, list);
            assert_true(count >= 1 && count <= MODEL_CANDIDATES_MAX);
            assert_int_equal(list[0], (rows + threads - 1) / threads);
            for (size_t c = 1; c < count; c++)
                assert_true(list[c] < list[c - 1] && list[c] >= 8);
        }
    assert_int_equal(model_tune_candidates(INT32_MAX, 1, list) <= MODEL_CANDIDATES_MAX, 1);
}

/* A band of width 9 whose rows 2 k and 2 k + 1 lie half of the matrix apart. With two blocks per
 * thread both halves of a pair belong to one thread. */
static model_matrix_t paired(size_t n)
{
    enum {
        WIDTH = 8
    };
    model_matrix_t matrix = {.rows = n, .row_nonzeros = WIDTH};
    matrix.J = malloc(n * WIDTH * sizeof(int32_t));
    assert_non_null(matrix.J);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < WIDTH; k++)
            matrix.J[i * WIDTH + k] = (int32_t)(k < 2 ? (i + k) % n : (i + n / 2) % n);
    return matrix;
}

static void finds_the_best(void **state)
{
    (void)state;
    static const size_t n = 40000;
    mesh_error_t error;
    model_layout_t layout;
    size_t list[MODEL_CANDIDATES_MAX];
    model_machine_t machine = {.cache_line_bytes = 64.0};
    machine.has[MODEL_PRIVATE_BANDWIDTH] = machine.has[MODEL_REMOTE_BANDWIDTH] =
        machine.has[MODEL_REMOTE_LATENCY] = true;
    machine.parameters[MODEL_PRIVATE_BANDWIDTH] = (model_spread_t){5e9, 5e9, 5e9};
    machine.parameters[MODEL_REMOTE_BANDWIDTH] = (model_spread_t){1e9, 1e9, 1e9};
    machine.parameters[MODEL_REMOTE_LATENCY] = (model_spread_t){1e-5, 1e-5, 1e-5};
    model_matrix_t matrix = paired(n);
    assert_true(model_layout_make(n, matrix.row_nonzeros, 4, 4, 0, 0, &layout, &error));
    size_t count = model_tune_candidates(n, 4, list);
    model_point_t *points = calloc(count * 2, sizeof *points);
    assert_non_null(points);
    assert_true(model_sweep(&matrix, &layout, &machine, list, count,
                            1U << MODEL_V2 | 1U << MODEL_V3, NULL, points, &error));
    size_t best = model_sweep_best(points, count * 2);
    assert_int_equal(points[best].blocksize, n / 8);
    assert_int_equal(points[best].variant, MODEL_V3);
    assert_int_equal(points[best].largest_rows, n / 4);
    for (size_t p = 0; p < count * 2; p++) {
        model_counts_t counts[4];
        model_prediction_t prediction;
        model_layout_t tried = layout;
        tried.blocksize = list[p / 2];
        assert_int_equal(points[p].blocksize, list[p / 2]);
        assert_true(
            model_count(&matrix, &tried, (model_caches_t){0.0, 0.0, 0.0}, 1, NULL, counts, &error));
        assert_true(model_predict(&tried, counts, &machine, p % 2 == 0 ? MODEL_V2 : MODEL_V3,
                                  &prediction, &error));
        assert_near(points[p].seconds.predicted, prediction.seconds.predicted, 0);
        assert_true(points[best].seconds.predicted <= points[p].seconds.predicted);
        model_prediction_free(&prediction);
    }
    /* A block that is larger than the matrix is the matrix, whatever its size is a power of. */
    static const size_t large[] = {n, (size_t)1 << 20};
    assert_true(
        model_sweep(&matrix, &layout, &machine, large, 2, 1U << MODEL_V2, NULL, points, &error));
    assert_int_equal(points[1].blocksize, n);
    assert_near(points[1].paper.predicted, points[0].paper.predicted, 0);
    free(points);
    model_matrix_free(&matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates),
        cmocka_unit_test(finds_the_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
