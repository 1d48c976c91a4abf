/* sweep and tune: the curve over BLOCKSIZE, and its lowest point. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice.h"
#include "command.h"
#include "support/cli.h"
#include "support/host.h"
#include "support/json_text.h"

enum {
    BLOCKSIZES_MAX = 1000,
    TRIALS_MAX = 64
};

typedef struct options {
    command_options_t common;
    bool tunes;
    int variant;
    size_t blocksizes[BLOCKSIZES_MAX];
    size_t blocksize_count;
    /* Whether one of them was larger than the matrix. */
    bool cut;
    const char *accuracy;
    size_t measured;
    const char *launcher;
} options_t;

/* The results. */
typedef struct curve {
    model_layout_t layout;
    model_machine_t machine;
    size_t variant_count;
    size_t count;
    model_point_t *points;
    model_verdict_t verdict;
    /* Reasons to doubt the verdict, and the accuracy file, if there is one. */
    unsigned doubts;
    bool has_accuracy;
    model_accuracy_t accuracy;
    /* The candidates that were run, and the fastest of them. */
    trial_result_t trials[TRIALS_MAX];
    size_t trial_count;
    size_t trial_chosen;
} curve_t;

static const struct argp_option option_list[] = {
    {"blocksizes", 'b', "LIST", 0,
     "Rows per block to try, as in 1000,2000 (default: one block per thread, that divided by whole "
     "numbers, and powers of two)",
     0},
    {"variant", 'v', "NAME", 0, "naive, v1, v2, v3, v4, v5 or all (default: all but naive)", 0},
    {0},
};

static const struct argp_option tune_option_list[] = {
    {"accuracy", 'a', "FILE", 0,
     "How far predictions are from run times on this processor, as 'scripts/verify' writes it "
     "(results/MACHINE/verification-accuracy.json)",
     0},
    {"measure", 'k', "K", 0,
     "Run the K most promising candidates for a few products; what is measured decides", 0},
    {"launcher", 'l', "TEXT", 0,
     "What starts a job for --measure, as 'srun --mpi=pmix -N {nodes} -n {threads}' (default: "
     "fathom-run, with emulated nodes)",
     0},
    {0},
};

static error_t parse_tune(int key, char *arg, struct argp_state *state)
{
    options_t *options = state->input;
    switch (key) {
    case 'a':
        options->accuracy = arg;
        return 0;
    case 'k':
        options->measured = cli_parse_count("--measure", arg, 1, TRIALS_MAX);
        return 0;
    case 'l':
        options->launcher = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp tune_argp = {tune_option_list, parse_tune, NULL, NULL, NULL, NULL, NULL};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options_t *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        for (int child = 0; child < 3; child++)
            state->child_inputs[child] = &options->common;
        if (options->tunes)
            state->child_inputs[3] = options;
        return 0;
    case 'b':
        options->blocksize_count =
            cli_parse_list("--blocksizes", arg, 1, INT32_MAX, options->blocksizes, BLOCKSIZES_MAX);
        return 0;
    case 'v':
        options->variant = cli_parse_choice("--variant", arg, model_variant_names);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static unsigned wanted(const options_t *options)
{
    unsigned all = (1U << MODEL_VARIANTS) - 1;
    if (options->variant < 0)
        return all & ~(1U << MODEL_NAIVE);
    return options->variant == MODEL_VARIANTS ? all : 1U << (unsigned)options->variant;
}

static void read_accuracy(const options_t *options, curve_t *curve)
{
    mesh_error_t error;
    curve->has_accuracy = options->accuracy != NULL;
    if (curve->has_accuracy && !model_accuracy_read(options->accuracy, &curve->accuracy, &error))
        command_fail(&error);
}

/* Cuts block sizes as fathom-spmv does, and keeps the first of equal ones. */
static void merge_blocksizes(options_t *options, const model_layout_t *layout)
{
    size_t *sizes = options->blocksizes;
    size_t kept = 0;
    for (size_t b = 0; b < options->blocksize_count; b++) {
        size_t size = model_layout_blocksize(layout->rows, layout->threads, sizes[b]);
        size_t same = 0;
        options->cut = options->cut || size < sizes[b];
        while (same < kept && sizes[same] != size)
            same++;
        sizes[same] = size;
        kept += same == kept;
    }
    options->blocksize_count = kept;
}

static void find(options_t *options, curve_t *curve)
{
    mesh_error_t error;
    model_matrix_t matrix;
    unsigned variants = wanted(options);
    command_read_matrix(options->common.matrix, &matrix);
    command_make_layout(&options->common, &matrix, 0, &curve->layout);
    command_read_machine(&options->common, curve->layout.nodes, &curve->machine);
    if (options->blocksize_count == 0)
        options->blocksize_count =
            model_tune_candidates(matrix.rows, options->common.threads, options->blocksizes);
    merge_blocksizes(options, &curve->layout);
    curve->variant_count = 0;
    for (unsigned v = 0; v < MODEL_VARIANTS; v++)
        curve->variant_count += (variants >> v) & 1U;
    curve->count = options->blocksize_count * curve->variant_count;
    curve->points = command_alloc(curve->count, sizeof *curve->points);
    if (!model_sweep(&matrix, &curve->layout, &curve->machine, options->blocksizes,
                     options->blocksize_count, variants, &command_progress, curve->points, &error))
        command_fail(&error);
    command_progress_end();
    curve->verdict = model_judge(
        curve->points, curve->count,
        model_accuracy_pairs(curve->has_accuracy ? &curve->accuracy : NULL, &curve->machine));
    model_matrix_free(&matrix);
}

/* Finds the reasons to doubt the verdict. */
static void doubt(curve_t *curve)
{
    char host[256];
    char processor[128];
    host_name(host, sizeof host);
    host_processor(processor, sizeof processor);
    curve->doubts = model_doubts(&curve->verdict, &curve->machine, &curve->layout, host, processor,
                                 curve->has_accuracy ? &curve->accuracy : NULL,
                                 curve->points[curve->verdict.chosen].features);
}

/* Runs the most promising candidates. */
static void measure(const options_t *options, curve_t *curve)
{
    mesh_error_t error;
    size_t list[TRIALS_MAX];
    double seconds[TRIALS_MAX];
    const trial_t trial = {options->common.matrix, options->launcher, &curve->layout};
    curve->trial_count = model_shortlist(curve->points, curve->count, list, options->measured);
    if (!trial_run(&trial, curve->points, list, curve->trial_count, curve->trials, &error))
        command_fail(&error);
    for (size_t t = 0; t < curve->trial_count; t++)
        seconds[t] = curve->trials[t].seconds;
    curve->trial_chosen = model_choose_measured(curve->points, list, seconds, curve->trial_count);
}

/* The point to recommend: by measured times, if there are any. */
static size_t choice(const curve_t *curve)
{
    return curve->trial_count > 0 ? curve->trials[curve->trial_chosen].point
                                  : curve->verdict.chosen;
}

static advice_t advice_of(const curve_t *curve)
{
    return (advice_t){
        .layout = &curve->layout,
        .machine = &curve->machine,
        .points = curve->points,
        .count = curve->count,
        .verdict = &curve->verdict,
        .doubts = curve->doubts,
        .accuracy = curve->has_accuracy ? &curve->accuracy : NULL,
        .trials = curve->trials,
        .trial_count = curve->trial_count,
        .trial_chosen = curve->trial_chosen,
    };
}

static void write_json(const options_t *options, const curve_t *curve)
{
    const model_layout_t *layout = &curve->layout;
    json_t *object = command_json(options->tunes ? "tune" : "sweep");
    command_json_add(object, json_pack("{s:{s:o, s:I, s:I}, s:o, s:I, s:I, s:I, s:i}", "matrix",
                                       "path", text_to_json(options->common.matrix), "rows",
                                       (json_int_t)layout->rows, "row_nonzeros",
                                       (json_int_t)layout->row_nonzeros, "machine",
                                       command_machine_json(&options->common, &curve->machine),
                                       "threads", (json_int_t)layout->threads, "nodes",
                                       (json_int_t)layout->nodes, "threads_per_node",
                                       (json_int_t)layout->threads_per_node, "iterations", 1000));
    json_t *points = json_array();
    const advice_t advice = advice_of(curve);
    for (size_t p = 0; p < curve->count; p++) {
        json_t *point = advice_point_json(&curve->points[p]);
        if (options->tunes)
            json_object_set_new(point, "alike", json_boolean(advice_is_alike(&advice, p)));
        json_array_append_new(points, point);
    }
    json_object_set_new(object, "points", points);
    json_object_set_new(object, "best", advice_point_json(&curve->points[choice(curve)]));
    if (options->tunes)
        json_object_set_new(object, "verdict", advice_json(&advice));
    command_write_json(&options->common, object);
}

/* Prints a row per block size: seconds of every variant, then the load, and the traffic of the
 * last one. */
static void print_curve(const curve_t *curve)
{
    printf("%10s", "BLOCKSIZE");
    for (size_t v = 0; v < curve->variant_count; v++)
        printf(" %10s", model_variant_name(curve->points[v].variant));
    printf("  %9s %12s %10s\n", "load", "volume, MB", "messages");
    for (size_t p = 0; p < curve->count; p += curve->variant_count) {
        const model_point_t *first = &curve->points[p];
        const model_point_t *last = &curve->points[p + curve->variant_count - 1];
        printf("%10zu", first->blocksize);
        for (size_t v = 0; v < curve->variant_count; v++)
            printf(" %10.4g", first[v].seconds.predicted * 1000.0);
        printf("  %9.4f %12.4g %10llu%s\n", (double)first->largest_rows / first->mean_rows,
               (double)last->volume_bytes * 1e-6, (unsigned long long)last->messages,
               first->blocksize == curve->points[choice(curve)].blocksize ? "  <- chosen" : "");
    }
    printf("(seconds per 1000 products; load: rows of the fullest thread over the mean; volume and "
           "messages\nbetween threads per product, with %s)\n",
           model_variant_name(curve->points[curve->variant_count - 1].variant));
}

/* A job gets numbers of threads and nodes, and its nodes are as full as can be. */
static void check_measurable(const options_t *options)
{
    size_t threads = options->common.threads;
    size_t per_node = options->common.threads_per_node;
    if (options->measured > 0 && per_node > 0 && per_node < threads && threads % per_node != 0)
        cli_fail(CLI_EXIT_USAGE,
                 "--measure: no job of %zu threads can be started with %zu on each node but the "
                 "last: give --nodes",
                 threads, per_node);
}

static int run(int argc, char **argv, bool tunes, const char *doc)
{
    const struct argp_child children[] = {{&command_matrix_argp, 0, NULL, 0},
                                          {&command_job_argp, 0, NULL, 0},
                                          {&command_file_argp, 0, NULL, 0},
                                          {tunes ? &tune_argp : NULL, 0, NULL, 0},
                                          {0}};
    const struct argp argp = {
        .options = option_list,
        .parser = parse,
        .args_doc = "MATRIX.h5",
        .doc = doc,
        .children = children,
    };
    options_t options = {.tunes = tunes, .variant = -1};
    curve_t curve = {.count = 0};
    cli_parse(&argp, 0, argc, argv, &options);
    command_check_options(argv[0], &options.common);
    command_check_files(&options.common, "--accuracy", options.accuracy);
    if (options.launcher != NULL && options.measured == 0)
        cli_fail(CLI_EXIT_USAGE, "--launcher: nothing is run without --measure");
    check_measurable(&options);
    read_accuracy(&options, &curve);
    find(&options, &curve);
    if (tunes)
        doubt(&curve);
    if (options.measured > 0)
        measure(&options, &curve);
    if (command_may_print(&options.common)) {
        printf("%s: %zu rows; threads: %zu, nodes: %zu; machine: %s\n", options.common.matrix,
               curve.layout.rows, curve.layout.threads, curve.layout.nodes, curve.machine.name);
        advice_t advice = advice_of(&curve);
        if (tunes)
            advice_print(&advice);
        else
            command_print_shape(&curve.machine, &curve.layout);
        print_curve(&curve);
        if (options.cut)
            printf("(a BLOCKSIZE of more than %zu rows is %zu, as for fathom-spmv)\n",
                   curve.layout.rows, curve.layout.rows);
    }
    write_json(&options, &curve);
    free(curve.points);
    return EXIT_SUCCESS;
}

int command_sweep(int argc, char **argv)
{
    return run(argc, argv, false, "Predicts the time of a product for many block sizes.");
}

int command_tune(int argc, char **argv)
{
    return run(argc, argv, true,
               "Chooses the variant and the block size to run with: of those that cannot be told "
               "from the one with the least predicted time the largest block size. Says why, and "
               "what speaks against relying on it.");
}
