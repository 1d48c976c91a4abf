#include <stdio.h>
#include <stdlib.h>

#include "prediction_json.h"
#include "support/cli.h"
#include "support/json_text.h"

typedef struct options {
    command_options_t common;
    size_t blocksize;
    size_t iterations;
    int variant;
    bool per_thread;
} options_t;

enum {
    OPTION_PER_THREAD = 0x200
};

static const struct argp_option option_list[] = {
    {"blocksize", 'b', "ROWS", 0,
     "Rows per block (default: one block per thread, as even as possible)", 0},
    {"variant", 'v', "NAME", 0, "naive, v1, v2, v3, v4, v5 or all (default)", 0},
    {"iterations", 'i', "COUNT", 0, "Products whose time is given (default 1000)", 0},
    {"per-thread", OPTION_PER_THREAD, NULL, 0,
     "Write to --json what every thread and node does, not only summaries", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options_t *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->common;
        state->child_inputs[1] = &options->common;
        state->child_inputs[2] = &options->common;
        return 0;
    case 'b':
        options->blocksize = cli_parse_count("--blocksize", arg, 1, INT32_MAX);
        return 0;
    case 'v':
        options->variant = cli_parse_choice("--variant", arg, model_variant_names);
        return 0;
    case 'i':
        options->iterations = cli_parse_count("--iterations", arg, 1, 1000000000);
        return 0;
    case OPTION_PER_THREAD:
        options->per_thread = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_head(const options_t *options, const model_layout_t *layout,
                       const model_machine_t *machine)
{
    printf(
        "%s: %zu rows, %zu off-diagonals per row; threads: %zu, nodes: %zu, rows per block: %zu; "
        "machine: %s\n",
        options->common.matrix, layout->rows, layout->row_nonzeros, layout->threads, layout->nodes,
        layout->blocksize, machine->name);
    command_print_shape(machine, layout);
    printf("%-8s %14s %23s %14s %23s\n", "variant", "s, all terms", "(low .. high)",
           "s, the paper's", "(low .. high)");
}

static void print_prediction(const model_prediction_t *prediction, double iterations)
{
    const model_estimate_t *seconds = &prediction->seconds;
    const model_estimate_t *paper = &prediction->paper;
    char names[512];
    printf("%-8s %14.4g (%9.4g .. %9.4g)", model_variant_name(prediction->variant),
           seconds->predicted * iterations, seconds->low * iterations, seconds->high * iterations);
    if (prediction->has_paper)
        printf(" %14.4g (%9.4g .. %9.4g)", paper->predicted * iterations, paper->low * iterations,
               paper->high * iterations);
    printf("\n");
    if (prediction->left_out != 0)
        printf("%8s left out, for the machine file does not have: %s\n", "",
               command_parameter_names(prediction->left_out, names));
}

/* Predicts one variant, and prints the prediction. */
static void predict(const options_t *options, const prediction_case_t *from,
                    model_variant_t variant, json_t *variants)
{
    mesh_error_t error;
    model_prediction_t prediction;
    double iterations = (double)options->iterations;
    if (!model_predict(from->layout, from->counts, from->machine, variant, &prediction, &error))
        command_fail(&error);
    if (command_may_print(&options->common))
        print_prediction(&prediction, iterations);
    if (variants != NULL)
        json_array_append_new(variants,
                              prediction_json(from, &prediction, iterations, options->per_thread));
    model_prediction_free(&prediction);
}

/* As in fathom-spmv, as far as the matrix alone tells. */
static json_t *storage_json(const prediction_case_t *from)
{
    uint64_t entries = 0;
    for (size_t t = 0; t < from->layout->threads; t++)
        entries += from->counts[t].interior_entries + from->counts[t].boundary_entries;
    return json_pack("{s:I}", "entries", (json_int_t)entries);
}

/* Takes the reference to `variants`. */
static void write_json(const options_t *options, const prediction_case_t *from, json_t *variants)
{
    const model_layout_t *layout = from->layout;
    json_t *object = command_json("predict");
    command_json_add(
        object,
        json_pack("{s:{s:o, s:I, s:I}, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "matrix", "path",
                  text_to_json(options->common.matrix), "rows", (json_int_t)layout->rows,
                  "row_nonzeros", (json_int_t)layout->row_nonzeros, "machine",
                  command_machine_json(&options->common, from->machine), "threads",
                  (json_int_t)layout->threads, "nodes", (json_int_t)layout->nodes,
                  "threads_per_node", (json_int_t)layout->threads_per_node, "blocksize",
                  (json_int_t)layout->blocksize, "iterations", (json_int_t)options->iterations,
                  "working_set_bytes", (json_int_t)model_working_set_bytes(layout, from->counts),
                  "counts_summary", command_counts_summary_json(layout, from->counts)));
    if (options->per_thread)
        json_object_set_new(object, "counts", command_counts_json(layout, from->counts));
    json_object_set_new(object, "storage", storage_json(from));
    json_object_set_new(object, "variants", variants);
    command_write_json(&options->common, object);
}

static void run(const options_t *options)
{
    model_layout_t layout;
    model_machine_t machine;
    model_matrix_t matrix;
    command_read_matrix(options->common.matrix, &matrix);
    command_make_layout(&options->common, &matrix, options->blocksize, &layout);
    command_read_machine(&options->common, layout.nodes, &machine);
    model_counts_t *counts = command_count(&matrix, &layout, &machine);
    model_matrix_free(&matrix);
    prediction_case_t from = {&layout, counts, &machine};
    json_t *variants = options->common.json != NULL ? json_array() : NULL;
    if (command_may_print(&options->common))
        print_head(options, &layout, &machine);
    for (int v = 0; v < MODEL_VARIANTS; v++)
        if (options->variant == v || options->variant == MODEL_VARIANTS)
            predict(options, &from, (model_variant_t)v, variants);
    if (variants != NULL)
        write_json(options, &from, variants);
    free(counts);
}

int command_predict(int argc, char **argv)
{
    static const struct argp_child children[] = {{&command_matrix_argp, 0, NULL, 0},
                                                 {&command_job_argp, 0, NULL, 0},
                                                 {&command_file_argp, 0, NULL, 0},
                                                 {0}};
    static const struct argp argp = {
        .options = option_list,
        .parser = parse,
        .args_doc = "MATRIX.h5",
        .doc = "Predicts the time of products with a matrix, and what every thread does and moves."
               "\vThe table has the time by the paper's formulas and with the terms that these "
               "leave out, each with the bounds that the spread of the machine's parameters gives. "
               "Without --nodes all threads are on one node.",
        .children = children,
    };
    options_t options = {.iterations = 1000, .variant = MODEL_VARIANTS};
    cli_parse(&argp, 0, argc, argv, &options);
    command_check_options(argv[0], &options.common);
    command_check_files(&options.common, NULL, NULL);
    if (options.per_thread && options.common.json == NULL)
        cli_fail(CLI_EXIT_USAGE, "--per-thread goes with --json");
    run(&options);
    return EXIT_SUCCESS;
}
