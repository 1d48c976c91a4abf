/* Verdicts from intervals, the choice of the largest block, and the reasons to doubt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka.h needs some of the above. */
#include <cmocka.h>

#include <meshes/text_file.h>

#include "near.h"
#include "perfmodel/doubt.h"

/* A point whose time moves with two parameters. */
static model_point_t point(size_t blocksize, model_variant_t variant, double seconds, double memory,
                           double latency)
{
    model_point_t made = {.blocksize = blocksize, .variant = variant};
    made.seconds.predicted = seconds;
    made.deviations.better[MODEL_PRODUCT_BANDWIDTH] = -memory;
    made.deviations.worse[MODEL_PRODUCT_BANDWIDTH] = memory;
    made.deviations.better[MODEL_BARRIER_LATENCY] = -latency;
    made.deviations.worse[MODEL_BARRIER_LATENCY] = latency;
    return made;
}

/* Changes from independent parameters add up as squares, each side separately. */
static void intervals(void **state)
{
    (void)state;
    model_point_t one = point(100, MODEL_V2, 10.0, 3.0, 4.0);
    assert_near(model_interval(&one).predicted, 10.0, 0);
    assert_near(model_interval(&one).low, 5.0, 1e-12);
    assert_near(model_interval(&one).high, 15.0, 1e-12);
    one.deviations.worse[MODEL_PARAMETERS] = 12.0;
    assert_near(model_interval(&one).low, 5.0, 1e-12);
    assert_near(model_interval(&one).high, 23.0, 1e-12);
}

/* Slower memory makes both slower; it does not blur their difference. */
static void shared_parameters_cancel(void **state)
{
    (void)state;
    model_point_t fast = point(100, MODEL_V3, 10.0, 5.0, 0.0);
    model_point_t slow = point(100, MODEL_V2, 11.0, 5.5, 0.0);
    model_gap_t gap = model_gap(&slow, &fast, NULL);
    assert_near(gap.predicted, 0.1, 1e-12);
    assert_near(gap.spread, 0.05, 1e-12);
    assert_true(model_gap_counts(gap));
    slow = point(100, MODEL_V2, 11.0, 5.0, 1.5);
    gap = model_gap(&slow, &fast, NULL);
    assert_near(gap.spread, 0.15, 1e-12);
    assert_false(model_gap_counts(gap));
    assert_false(model_gap_counts((model_gap_t){MODEL_LEAST_GAIN, 0.0, 0.0}));
    assert_true(model_gap_counts((model_gap_t){MODEL_LEAST_GAIN * 1.01, 0.0, 0.0}));
}

/* A parameter that only widens a difference leaves no doubt which is faster: two loads that one
 * rate makes slower, the larger one more. */
static void what_widens_does_not_blur(void **state)
{
    (void)state;
    model_point_t points[] = {point(1000, MODEL_V4, 2.0, 0, 0), point(10, MODEL_V4, 1.0, 0, 0)};
    points[0].deviations.worse[MODEL_PRODUCT_BANDWIDTH] = 3.2;
    points[1].deviations.worse[MODEL_PRODUCT_BANDWIDTH] = 1.6;
    model_gap_t gap = model_gap(&points[0], &points[1], NULL);
    assert_near(gap.predicted, 1.0, 1e-12);
    assert_near(gap.spread, 0.0, 0);
    assert_true(model_gap_counts(gap));
    model_verdict_t verdict = model_judge(points, 2, NULL);
    assert_int_equal(verdict.chosen, 1);
    assert_int_equal(verdict.least, 1);
    /* Of two ends the one that closes it more counts, whichever it is. */
    points[0].deviations.better[MODEL_PRODUCT_BANDWIDTH] = -0.5;
    points[1].deviations.better[MODEL_PRODUCT_BANDWIDTH] = -0.25;
    assert_near(model_gap(&points[0], &points[1], NULL).spread, 0.25, 1e-12);
    points[1].deviations.worse[MODEL_PRODUCT_BANDWIDTH] = 3.6;
    assert_near(model_gap(&points[0], &points[1], NULL).spread, 0.4, 1e-12);
    points[1].deviations.worse[MODEL_PRODUCT_BANDWIDTH] = 4.3;
    assert_false(model_gap_counts(model_gap(&points[0], &points[1], NULL)));
    assert_int_equal(model_judge(points, 2, NULL).chosen, 0);
}

static void largest_block(void **state)
{
    (void)state;
    /* A tiny gain is no reason for small blocks. */
    model_point_t points[] = {
        point(50000, MODEL_V2, 2.00, 0, 0), point(50000, MODEL_V4, 1.0003, 0, 0),
        point(8000, MODEL_V2, 1.5, 0, 0),   point(8000, MODEL_V4, 1.0001, 0, 0),
        point(8, MODEL_V2, 1.2, 0, 0),      point(8, MODEL_V4, 1.0000, 0, 0),
    };
    model_verdict_t verdict = model_judge(points, 6, NULL);
    assert_int_equal(verdict.fastest, 5);
    assert_int_equal(verdict.chosen, 1);
    assert_int_equal(verdict.least, 5);
    assert_int_equal(verdict.alike, 1U << MODEL_V4);
    assert_int_equal(verdict.rival, 4);
    assert_near(verdict.gain.predicted, 0.2, 1e-12);
    /* A real gain is. */
    points[1].seconds.predicted = 1.1;
    assert_int_equal(model_judge(points, 6, NULL).chosen, 3);
    /* Unless the spread may close it. */
    points[1].deviations.worse[MODEL_GATHER_ACCESS] = 0.2;
    assert_int_equal(model_judge(points, 6, NULL).chosen, 3);
    points[1].deviations.better[MODEL_GATHER_ACCESS] = -0.2;
    assert_int_equal(model_judge(points, 6, NULL).chosen, 1);
}

/* Among variants that cannot be told apart, the one with the larger block; with equal blocks, the
 * faster. */
static void among_variants(void **state)
{
    (void)state;
    const model_point_t points[] = {
        point(1000, MODEL_V2, 1.02, 0, 0),
        point(1000, MODEL_V3, 1.01, 0, 0),
        point(1000, MODEL_V4, 1.30, 0, 0),
        point(10, MODEL_V4, 1.00, 0, 0),
    };
    model_verdict_t verdict = model_judge(points, 4, NULL);
    assert_int_equal(verdict.chosen, 1);
    assert_int_equal(verdict.alike, 1U << MODEL_V2 | 1U << MODEL_V3 | 1U << MODEL_V4);
    assert_int_equal(verdict.rival, 1);
    verdict = model_judge(&points[2], 1, NULL);
    assert_int_equal(verdict.chosen, 0);
    assert_int_equal(verdict.rival, 0);
}

/* What the model itself gets wrong between two variants: they are told apart only beyond that, and
 * the choice stays the best guess. Blocks of one variant are not concerned. */
static void errors_of_the_model(void **state)
{
    (void)state;
    const model_point_t points[] = {
        point(1000, MODEL_V2, 1.06, 0, 0),
        point(500, MODEL_V4, 1.00, 0, 0),
        point(1000, MODEL_V4, 1.06, 0, 0),
        point(1000, MODEL_V3, 1.20, 0, 0),
    };
    model_pair_errors_t errors = {{{0}}};
    errors.of[MODEL_V2][MODEL_V4] = 0.1;
    errors.of[MODEL_V3][MODEL_V4] = 0.1;
    assert_int_equal(model_judge(points, 4, NULL).alike, 1U << MODEL_V4);
    model_verdict_t verdict = model_judge(points, 4, &errors);
    assert_int_equal(verdict.alike, 1U << MODEL_V2 | 1U << MODEL_V4);
    assert_int_equal(verdict.chosen, 1);
    assert_int_equal(verdict.least, 1);
    assert_near(verdict.gain.error, 0.1, 0);
    assert_false(model_gap_counts(verdict.gain));
    /* The rival is one that cannot be told apart, though another one is faster. */
    model_point_t three[] = {points[0], points[1], point(1000, MODEL_V3, 1.05, 0, 0)};
    errors.of[MODEL_V3][MODEL_V4] = 0.01;
    assert_int_equal(model_judge(three, 3, NULL).rival, 2);
    assert_int_equal(model_judge(three, 3, &errors).rival, 0);
    three[2].seconds.predicted = 1.005;
    assert_int_equal(model_judge(three, 3, &errors).rival, 2);
    /* Spread and error add up as squares. */
    assert_true(model_gap_counts((model_gap_t){0.11, 0.04, 0.1}));
    assert_false(model_gap_counts((model_gap_t){0.11, 0.05, 0.1}));
}

/* What does the same is no rival, and need not be measured too. */
static void twins(void **state)
{
    (void)state;
    const model_point_t points[] = {
        point(1000, MODEL_V2, 2.00, 0.2, 0),   point(1000, MODEL_V4, 1.00, 0.1, 0.1),
        point(1000, MODEL_V5, 1.00, 0.1, 0.1), point(10, MODEL_V5, 1.00, 0.1, 0.1),
        point(1000, MODEL_V3, 1.00, 0.1, 0.2),
    };
    size_t list[5];
    assert_int_equal(model_judge(points, 5, NULL).rival, 4);
    /* Nor is it a twin if a parameter only widens what is between them. */
    model_point_t others[] = {points[1], points[2], points[4]};
    others[2].deviations = points[1].deviations;
    others[2].deviations.worse[MODEL_GATHER_ACCESS] = 0.1;
    assert_int_equal(model_judge(others, 3, NULL).rival, 2);
    assert_int_equal(model_judge(points, 4, NULL).rival, 0);
    assert_int_equal(model_judge(&points[1], 2, NULL).rival, 0);
    assert_int_equal(model_judge(&points[1], 2, NULL).alike, 1U << MODEL_V4 | 1U << MODEL_V5);
    assert_int_equal(model_shortlist(points, 4, list, 3), 3);
    assert_int_equal(list[0], 1);
    assert_int_equal(list[1], 0);
    assert_int_equal(list[2], 2);
}

/* The choice, then a candidate of every variant, then the rest. */
static void shortlist(void **state)
{
    (void)state;
    const model_point_t points[] = {
        point(1000, MODEL_V2, 2.00, 0, 0), point(1000, MODEL_V3, 1.50, 0, 0),
        point(1000, MODEL_V4, 1.01, 0, 0), point(10, MODEL_V2, 1.90, 0, 0),
        point(10, MODEL_V3, 1.49, 0, 0),   point(10, MODEL_V4, 1.00, 0, 0),
    };
    size_t list[6];
    assert_int_equal(model_shortlist(points, 6, list, 4), 4);
    assert_int_equal(list[0], 2);
    assert_int_equal(list[1], 1);
    assert_int_equal(list[2], 3);
    assert_int_equal(list[3], 5);
    assert_int_equal(model_shortlist(points, 6, list, 9), 6);
    assert_int_equal(list[4], 4);
    assert_int_equal(list[5], 0);
    assert_int_equal(model_shortlist(points, 6, list, 0), 0);
    assert_int_equal(model_shortlist(points, 1, list, 3), 1);
}

/* Measured times decide, and the larger block where they do not differ enough. */
static void measured(void **state)
{
    (void)state;
    const model_point_t points[] = {
        point(1000, MODEL_V2, 1, 0, 0),
        point(1000, MODEL_V3, 2, 0, 0),
        point(10, MODEL_V4, 3, 0, 0),
    };
    static const size_t list[] = {2, 0, 1};
    static const double times[][3] = {{1.0, 1.02, 1.01}, {1.0, 1.2, 1.03}, {1.0, 0.9, 0.95}};
    assert_int_equal(model_choose_measured(points, list, times[0], 3), 2);
    assert_int_equal(model_choose_measured(points, list, times[1], 3), 0);
    assert_int_equal(model_choose_measured(points, list, times[2], 3), 1);
    assert_int_equal(model_choose_measured(points, list, times[2], 1), 0);
}

/* -- doubts -- */

static const double inside[MODEL_FEATURES] = {16, 1000, 0.2, 4, 2};

static model_accuracy_t covering(void)
{
    model_accuracy_t accuracy = {.processor = "P"};
    for (int f = 0; f < MODEL_FEATURES; f++) {
        accuracy.least[f] = inside[f] * 0.5;
        accuracy.most[f] = inside[f];
    }
    return accuracy;
}

static void doubts(void **state)
{
    (void)state;
    model_accuracy_t accuracy = covering();
    const model_layout_t layout = {.threads = 4, .nodes = 2};
    model_machine_t machine = {.host = "h", .processor = "P", .threads = 4, .nodes = 2};
    model_verdict_t verdict = {.fastest = 1, .rival = 0, .gain = {0.2, 0.1, 0.0}};
    assert_int_equal(model_doubts(&verdict, &machine, &layout, "h", "P", &accuracy, inside), 0);
    assert_int_equal(model_doubts(&verdict, &machine, &layout, "h", "P", NULL, inside),
                     MODEL_DOUBT_NO_ACCURACY);
    assert_int_equal(model_doubts(&verdict, &machine, &layout, "i", "P", &accuracy, inside),
                     MODEL_DOUBT_HOST);
    assert_int_equal(model_doubts(&verdict, &machine, &layout, "h", "Q", &accuracy, inside),
                     MODEL_DOUBT_PROCESSOR);
    verdict.gain.spread = 0.2;
    assert_int_equal(model_doubts(&verdict, &machine, &layout, "h", "P", &accuracy, inside),
                     MODEL_DOUBT_SPREAD);
    verdict.gain = (model_gap_t){0.2, 0.1, 0.2};
    assert_int_equal(model_doubts(&verdict, &machine, &layout, "h", "P", &accuracy, inside),
                     MODEL_DOUBT_ERRORS);
    assert_ptr_equal(model_accuracy_pairs(&accuracy, &machine), &accuracy.pairs);
    assert_null(model_accuracy_pairs(NULL, &machine));
    verdict.rival = 1; /* one variant alone has no rival */
    machine.nodes = 1;
    assert_int_equal(model_doubts(&verdict, &machine, &layout, "h", "P", &accuracy, inside),
                     MODEL_DOUBT_SHAPE);
    machine.nodes = 2;
    /* Rounds may differ a little; of parameters that one measurement gives, by anything. */
    int parameter = MODEL_RATE(MODEL_SLICED_KERNEL, MODEL_RATE_HELD, 1);
    int price = MODEL_RATE(MODEL_SLICED_KERNEL, MODEL_RATE_NEAR_ALL, 1);
    int unsteady;
    machine.has[parameter] = machine.has[price] = machine.has[MODEL_BARRIER_LATENCY] = true;
    machine.parameters[price] = (model_spread_t){1.0, 0.1, 3.0};
    machine.parameters[parameter] = (model_spread_t){1.1, 1.0, 1.2};
    machine.parameters[MODEL_BARRIER_LATENCY] = (model_spread_t){1.0, 1.0, 9.0};
    assert_int_equal(model_doubts(&verdict, &machine, &layout, "h", "P", &accuracy, inside), 0);
    machine.parameters[parameter].max = 1.64;
    assert_int_equal(model_doubts(&verdict, &machine, &layout, "h", "P", &accuracy, inside),
                     MODEL_DOUBT_DISTURBED);
    assert_near(model_machine_disturbance(&machine, &unsteady), 1.64, 1e-12);
    assert_int_equal(unsteady, parameter);
    machine.has[parameter] = false;
    assert_near(model_machine_disturbance(&machine, &unsteady), 1.0, 0);
    assert_int_equal(unsteady, -1);
    machine.threads = 2;
    assert_int_equal(model_doubts(&verdict, &machine, &layout, "h", "P", &accuracy, inside),
                     MODEL_DOUBT_SHAPE);
    machine.threads = 0;
    accuracy.processor[0] = 'Q';
    assert_int_equal(model_doubts(&verdict, &machine, &layout, "h", "P", &accuracy, inside),
                     MODEL_DOUBT_ACCURACY_PROCESSOR);
    assert_null(model_accuracy_pairs(&accuracy, &machine));
    machine.processor[0] = '\0';
    assert_int_equal(model_doubts(&verdict, &machine, &layout, "h", "P", &accuracy, inside),
                     MODEL_DOUBT_UNKNOWN_ORIGIN);
}

static void coverage(void **state)
{
    (void)state;
    const model_accuracy_t accuracy = covering();
    for (int f = 0; f < MODEL_FEATURES; f++) {
        double features[MODEL_FEATURES];
        memcpy(features, inside, sizeof features);
        assert_int_equal(model_features_outside(&accuracy, features), 0);
        features[f] = inside[f] * 1.1;
        assert_int_equal(model_features_outside(&accuracy, features), 1U << (unsigned)f);
        features[f] = inside[f] * 0.4;
        assert_int_equal(model_features_outside(&accuracy, features), 1U << (unsigned)f);
    }
    model_accuracy_t nearly = accuracy;
    nearly.least[MODEL_FEATURE_ROW_LINES] = 1e-5;
    double ordered[MODEL_FEATURES];
    memcpy(ordered, inside, sizeof ordered);
    ordered[MODEL_FEATURE_ROW_LINES] = 0.0;
    assert_int_equal(model_features_outside(&nearly, ordered), 0);
}

static char path[] = "/tmp/perfmodel-accuracy-XXXXXX";

static void write_file(const char *text)
{
    mesh_error_t error;
    assert_true(mesh_text_file_write(path, text, strlen(text), &error));
}

#define COVERAGE \
    "\"coverage\": {\"row_nonzeros\": {\"least\": 4, \"most\": 120}, " \
    "\"rows_per_thread\": {\"least\": 1e5, \"most\": 1e6}, \"threads\": {\"least\": 1, \"most\": " \
    "2}, \"nodes\": {\"least\": 1, \"most\": 2}, " \
    "\"lines_out_of_order_per_row\": {\"least\": 0, \"most\": 15}}"
#define HEAD "{\"format\": \"fathom-accuracy\", \"version\": 1, "
#define PAIRS HEAD "\"processor\": \"P\", " COVERAGE ", \"variants\": {}, \"pairs\": "
#define PAIR "{\"variants\": [\"v2\", \"v3\"], \"median_percent\": 4}"

static void accuracy_files(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *says;
    } refused[] = {
        {"{", "line 1"},
        {"{\"format\": \"fathom-machine\"}", "not an accuracy file"},
        {"{\"format\": \"fathom-accuracy\", \"version\": 2}", "'version'"},
        {HEAD COVERAGE "}", "'processor' is missing"},
        {HEAD "\"processor\": \"P\"}", "no least and most 'row_nonzeros'"},
        {HEAD "\"processor\": \"P\", " COVERAGE ", \"variants\": {\"v2\": {}}}", "variant 'v2'"},
        {HEAD "\"processor\": \"P\", " COVERAGE "}", "'variants' is no object"},
        {HEAD
         "\"processor\": \"P\", \"coverage\": {\"row_nonzeros\": {\"least\": 9, \"most\": 4}}}",
         "'row_nonzeros' has at least 9 and at most 4"},
        {HEAD "\"processor\": \"P\", " COVERAGE
              ", \"variants\": {\"v2\": {\"median_percent\": 9, \"worst_percent\": 8}}}",
         "variant 'v2'"},
        {PAIRS "[" PAIR ", {\"variants\": [\"v3\", \"v2\"], \"median_percent\": 5}]}", "number 2"},
        {PAIRS "{}}", "'pairs' is not a list"},
        {PAIRS "[1]}", "'pairs', number 1"},
        {PAIRS "[{\"variants\": [\"v2\"], \"median_percent\": 4}]}", "'pairs', number 1"},
        {PAIRS "[{\"variants\": [\"v2\", \"v2\"], \"median_percent\": 4}]}", "number 1"},
        {PAIRS "[{\"variants\": [\"v2\", \"v9\"], \"median_percent\": 4}]}", "number 1"},
        {PAIRS "[" PAIR ", {\"variants\": [\"v2\", \"v4\"], \"median_percent\": -4}]}", "number 2"},
        {PAIRS "[" PAIR ", {\"variants\": [\"v2\", \"v4\"]}]}", "number 2"},
    };
    mesh_error_t error;
    model_accuracy_t accuracy;
    for (size_t r = 0; r < sizeof refused / sizeof refused[0]; r++) {
        write_file(refused[r].text);
        assert_false(model_accuracy_read(path, &accuracy, &error));
        if (strstr(error.text, refused[r].says) == NULL || strstr(error.text, path) == NULL)
            fail_msg("'%s' does not say '%s' and '%s'", error.text, path, refused[r].says);
    }
    write_file(HEAD "\"processor\": \"P\", " COVERAGE
                    ", \"variants\": {\"v3\": {\"median_percent\": 5, \"worst_percent\": 20}}}");
    assert_true(model_accuracy_read(path, &accuracy, &error));
    assert_string_equal(accuracy.processor, "P");
    assert_near(accuracy.most[MODEL_FEATURE_ROW_NONZEROS], 120, 0);
    assert_near(accuracy.least[MODEL_FEATURE_ROW_LINES], 0, 0);
    assert_true(accuracy.has[MODEL_V3] && !accuracy.has[MODEL_V2]);
    assert_near(accuracy.worst[MODEL_V3], 0.2, 1e-12);
    assert_near(accuracy.pairs.of[MODEL_V2][MODEL_V3], 0, 0);
    write_file(PAIRS "[" PAIR "]}");
    assert_true(model_accuracy_read(path, &accuracy, &error));
    assert_near(accuracy.pairs.of[MODEL_V2][MODEL_V3], 0.04, 1e-12);
    assert_near(accuracy.pairs.of[MODEL_V3][MODEL_V2], 0.04, 1e-12);
    assert_near(accuracy.pairs.of[MODEL_V2][MODEL_V4], 0, 0);
}

/* The deviations equal those of predictions with one parameter changed. */
static void deviations(void **state)
{
    (void)state;
    mesh_error_t error;
    model_prediction_t prediction;
    model_deviations_t moved;
    const model_layout_t layout = {.rows = 1000,
                                   .row_nonzeros = 16,
                                   .blocksize = 1000,
                                   .threads = 1,
                                   .nodes = 1,
                                   .threads_per_node = 1};
    const model_counts_t counts = {.rows = 1000, .blocks = 1};
    model_machine_t machine = {.cache_line_bytes = 64};
    machine.has[MODEL_PRIVATE_BANDWIDTH] = machine.has[MODEL_BARRIER_LATENCY] = true;
    machine.parameters[MODEL_PRIVATE_BANDWIDTH] = (model_spread_t){2e9, 1e9, 4e9};
    machine.parameters[MODEL_BARRIER_LATENCY] = (model_spread_t){2e-6, 1e-6, 5e-6};
    assert_true(model_deviate(&layout, &counts, &machine, MODEL_V2, &moved, &error));
    assert_true(model_predict(&layout, &counts, &machine, MODEL_V2, &prediction, &error));
    assert_near(moved.better[MODEL_BARRIER_LATENCY], -1e-6, 1e-12);
    assert_near(moved.worse[MODEL_BARRIER_LATENCY], 3e-6, 1e-12);
    double streamed = prediction.seconds.predicted - 2e-6;
    assert_near(moved.better[MODEL_PRIVATE_BANDWIDTH], -streamed / 2, 1e-12);
    assert_near(moved.worse[MODEL_PRIVATE_BANDWIDTH], streamed, 1e-12);
    assert_near(moved.worse[MODEL_PARAMETERS], 0.0, 0);
    model_prediction_free(&prediction);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals),
        cmocka_unit_test(shared_parameters_cancel),
        cmocka_unit_test(what_widens_does_not_blur),
        cmocka_unit_test(largest_block),
        cmocka_unit_test(among_variants),
        cmocka_unit_test(errors_of_the_model),
        cmocka_unit_test(twins),
        cmocka_unit_test(shortlist),
        cmocka_unit_test(measured),
        cmocka_unit_test(doubts),
        cmocka_unit_test(coverage),
        cmocka_unit_test(accuracy_files),
        cmocka_unit_test(deviations),
    };
    int number = mkstemp(path);
    if (number < 0)
        return 1;
    close(number);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
