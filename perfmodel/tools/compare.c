#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_file.h"
#include "support/cli.h"

typedef struct options {
    command_options_t common;
    const char *run;
    const char *matrix;
} options_t;

static const struct argp_option option_list[] = {
    {"matrix", 'M', "MATRIX.h5", 0,
     "Count again from the matrix and demand that the run's counts and traffic are the same; "
     "without it v4 and v5, which need more counts than the run reports, are not predicted",
     0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options_t *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->common;
        return 0;
    case 'M':
        options->matrix = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (options->run != NULL)
            cli_fail(CLI_EXIT_USAGE, "'%s': one RUN is enough", arg);
        options->run = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

json_t *compare_spread_json(const model_spread_t *spread)
{
    return json_pack("{s:f, s:f, s:f}", "median", spread->median, "min", spread->min, "max",
                     spread->max);
}

static bool stands_like(const compare_t *compare, const json_t *threads,
                        const model_layout_t *layout)
{
    for (size_t t = 0; t < layout->threads; t++) {
        const json_t *thread = json_array_get(threads, t);
        if (run_file_count(compare->path, thread, "node") != model_layout_node(layout, t))
            return false;
    }
    return true;
}

void compare_layout(const compare_t *compare, size_t rows, size_t row_nonzeros, size_t blocksize,
                    size_t count, const json_t *threads, model_layout_t *layout)
{
    mesh_error_t error;
    size_t nodes = run_file_count(compare->path, compare->run, "nodes");
    size_t on_first = 0;
    run_file_check_threads(compare->path, threads, count);
    if (!model_layout_make(rows, row_nonzeros, count, nodes, 0, blocksize, layout, &error))
        cli_fail(EXIT_FAILURE, "%s: %s", compare->path, error.text);
    if (stands_like(compare, threads, layout))
        return;
    for (size_t t = 0; t < count; t++)
        on_first += run_file_count(compare->path, json_array_get(threads, t), "node") == 0;
    if (on_first == 0 ||
        !model_layout_make(rows, row_nonzeros, count, 0, on_first, blocksize, layout, &error) ||
        !stands_like(compare, threads, layout))
        cli_fail(EXIT_FAILURE,
                 "%s: key 'node': the threads do not stand on their nodes in blocks, which the "
                 "model needs",
                 compare->path);
}

static void run(const options_t *options)
{
    json_t *root = run_file_read(options->run);
    compare_t compare = {.options = &options->common, .path = options->run, .run = root};
    const char *program = run_file_text(options->run, root, "program");
    json_t *object = NULL;
    if (strcmp(program, "fathom-spmv") == 0)
        object = compare_spmv(&compare, options->matrix);
    else if (strcmp(program, "fathom-heat2d") == 0 && options->matrix != NULL)
        cli_fail(CLI_EXIT_USAGE, "--matrix: a run of fathom-heat2d, as %s, has none", options->run);
    else if (strcmp(program, "fathom-heat2d") == 0)
        object = compare_heat(&compare);
    else
        cli_fail(EXIT_FAILURE, "%s: key 'program' is '%s', not fathom-spmv or fathom-heat2d",
                 options->run, program);
    command_write_json(&options->common, object);
    json_decref(root);
}

int command_compare(int argc, char **argv)
{
    static const struct argp_child children[] = {{&command_file_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = option_list,
        .parser = parse,
        .args_doc = "RUN.json",
        .doc = "Puts the predicted parts beside those that fathom-spmv or fathom-heat2d measured "
               "(their --json).\vA ratio is predicted over measured. Calibrate before and after "
               "the run and give both files: the machine may have changed meanwhile. Exit status: "
               "0; 1 if the input is bad or the counts differ; 2 for a bad option.",
        .children = children,
    };
    options_t options = {.run = NULL};
    cli_parse(&argp, 0, argc, argv, &options);
    if (options.run == NULL)
        cli_fail(CLI_EXIT_USAGE, "no RUN.json given; see '%s --help'", argv[0]);
    command_check_machine(argv[0], &options.common);
    command_check_files(&options.common, "RUN.json", options.run);
    command_check_files(&options.common, "--matrix", options.matrix);
    run(&options);
    return EXIT_SUCCESS;
}
