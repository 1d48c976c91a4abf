/* fathom-spmv: the paper's sparse matrix-vector product in its variants, measured and checked. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/gather.h"
#include "common/json.h"
#include "common/options.h"
#include "common/output.h"
#include "local_product.h"
#include "product_file.h"
#include "report.h"
#include "run.h"
#include "support/cli.h"

static const spmv_variant_t *const variants[] = {&spmv_naive, &spmv_v1, &spmv_v2,
                                                 &spmv_v3,    &spmv_v4, &spmv_v5};
static const char *const variant_names[] = {"naive", "v1", "v2", "v3", "v4", "v5", "all", NULL};

enum {
    VARIANT_COUNT = sizeof variants / sizeof variants[0],
    VARIANT_V4 = 4,
    VARIANT_ALL = VARIANT_COUNT
};

/* Options without a short form. */
enum {
    KEY_X = 256,
    KEY_Y,
    KEY_PRODUCT
};

typedef struct options {
    const char *matrix;
    const char *json;
    const char *x;
    const char *y;
    int variant;
    size_t blocksize;
    bool check;
    const spmv_product_t *product;
    spmv_settings_t settings;
} options_t;

static const struct argp_option option_table[] = {
    {"variant", 'v', "NAME", 0, "naive, v1, v2, v3, v4, v5 or all (default)", 0},
    {"blocksize", 'b', "ROWS", 0,
     "rows per block of the shared arrays (default: one block per thread, as even as possible)", 0},
    {"iterations", 'i', "COUNT", 0, "products per repetition (default 100)", 0},
    {"repetitions", 'r', "COUNT", 0, "repetitions; the table shows their median (default 3)", 0},
    {"check", 'c', NULL, 0,
     "compare with a sequential product, to 1e-12, and the counted traffic with the matrix", 0},
    {"product", KEY_PRODUCT, "NAME", 0,
     "how v4 and v5 multiply: a wrong NAME lists those that this processor has (default: the "
     "fastest in a short trial)",
     0},
    {"x", KEY_X, "FILE.h5", 0,
     "start from the dataset /x of that file (default: pseudo-random values), in the order of the "
     "matrix file's rows",
     0},
    {"y", KEY_Y, "FILE.h5", 0,
     "write the values after --iterations products there: datasets /x, /y and /original, the rows' "
     "numbers before any renumbering (left out if the matrix file does not tell); needs one "
     "--variant",
     0},
    {"json", 'j', "FILE", 0,
     "write the results there; '-' is standard output, in place of the table", 0},
    {0},
};

/* Finds a product that this processor can run. */
static const spmv_product_t *parse_product(const char *name)
{
    enum {
        LIST_MAX = 1024
    };
    char list[LIST_MAX] = "";
    const spmv_product_t *product = spmv_product_find(name);
    if (product != NULL && spmv_product_runs(product))
        return product;
    for (size_t p = 0; p < SPMV_PRODUCTS; p++) {
        size_t used = strlen(list);
        if (spmv_product_runs(&spmv_products[p]))
            snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "",
                     spmv_products[p].name);
    }
    cli_fail(CLI_EXIT_USAGE, "--product: '%s' is not one that this processor can run: %s", name,
             list);
}

static void check_product(const options_t *options)
{
    if (options->product != NULL && options->variant < VARIANT_V4)
        cli_fail(CLI_EXIT_USAGE,
                 "--product: %s is the paper's and has no choice of products; "
                 "v4 and v5 have one",
                 variant_names[options->variant]);
}

static void check_files(const options_t *options)
{
    const cli_file_t files[] = {{"MATRIX", options->matrix, 0},
                                {"--x", options->x, 0},
                                {"--y", options->y, 1},
                                {"--json", options->json, 1}};
    cli_check_files(files, sizeof files / sizeof files[0]);
    if (options->y != NULL && options->variant == VARIANT_ALL)
        cli_fail(CLI_EXIT_USAGE, "--y: needed beside it: --variant, one of naive, v1 to v5, of "
                                 "which the values are written");
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    enum {
        MANY = 1000000000
    };
    options_t *options = state->input;
    switch (key) {
    case 'v':
        options->variant = cli_parse_choice("--variant", text, variant_names);
        return 0;
    case 'b':
        options->blocksize = cli_parse_count("--blocksize", text, 1, MANY);
        return 0;
    case 'i':
        options->settings.iterations = cli_parse_count("--iterations", text, 1, MANY);
        return 0;
    case 'r':
        options->settings.repetitions = cli_parse_count("--repetitions", text, 1, MANY);
        return 0;
    case 'c':
        options->check = true;
        return 0;
    case 'j':
        options->json = text;
        return 0;
    case KEY_PRODUCT:
        options->product = parse_product(text);
        return 0;
    case KEY_X:
        options->x = text;
        return 0;
    case KEY_Y:
        options->y = text;
        options->settings.keeps_values = true;
        return 0;
    case ARGP_KEY_ARG:
        if (options->matrix != NULL)
            cli_fail(CLI_EXIT_USAGE, "'%s': one MATRIX is enough", text);
        options->matrix = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        cli_fail(CLI_EXIT_USAGE, "no MATRIX given; see --help");
    case ARGP_KEY_END:
        check_product(options);
        check_files(options);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "MATRIX.h5",
    .doc = "Runs v = M v with the matrix of a mesh file, once per variant, and prints the time.\v"
           "Start it under a launcher: fathom-run -n 2 fathom-spmv MATRIX.h5. naive to v3 are "
           "Listings 2 to 5 of the paper; v4 overlaps v3's messages with computation, and v5 sends "
           "one per pair of nodes. Exit status: 0; 1 if a check failed or the input is bad; "
           "2 for a bad option.",
};

static void show(const options_t *options, const spmv_report_t *report)
{
    if (pgas_mythread() != 0)
        return;
    if (options->json != NULL)
        spmv_report_write(report, options->json);
    if (options->json == NULL || strcmp(options->json, "-") != 0)
        spmv_report_print(report);
    for (size_t v = 0; v < report->result_count; v++)
        if (!spmv_result_passed(&report->results[v]))
            pgas_fail(1, "%s: the check failed: error %.1e (limit %.1e), traffic %s",
                      report->results[v].variant, report->results[v].error, SPMV_CHECK_LIMIT,
                      report->results[v].traffic_as_predicted ? "as predicted"
                                                              : "not as predicted");
}

static void run(const options_t *options)
{
    spmv_problem_t problem;
    spmv_counts_t mine;
    spmv_result_t results[VARIANT_COUNT];
    size_t result_count = 0;
    if (pgas_mythread() == 0) {
        common_json_check("--json", options->json);
        common_output_check("--y", options->y);
    }
    spmv_problem_load(options->matrix, options->blocksize, &problem);
    problem.product = options->product;
    if (options->x != NULL)
        spmv_problem_load_start(options->x, &problem);
    if (options->y != NULL)
        spmv_problem_load_original(&problem);
    spmv_counts_take(&problem, &mine);
    spmv_counts_t *counts = common_gather(&mine, sizeof mine);
    spmv_check_t *check = options->check ? spmv_check_create(&problem, SPMV_CHECK_PRODUCTS) : NULL;
    for (int v = 0; v < VARIANT_COUNT; v++)
        if (options->variant == v || options->variant == VARIANT_ALL)
            spmv_run(variants[v], &problem, &mine, &options->settings, check,
                     &results[result_count++]);
    spmv_check_free(check);
    spmv_report_t report = {
        .matrix = options->matrix,
        .problem = &problem,
        .settings = &options->settings,
        .counts = counts,
        .results = results,
        .result_count = result_count,
    };
    show(options, &report);
    if (options->y != NULL)
        spmv_product_write(options->y, options->matrix, &problem, &options->settings, &results[0]);
    for (size_t v = 0; v < result_count; v++) {
        free(results[v].values);
        free(results[v].threads);
    }
    free(counts);
    spmv_problem_free(&problem);
}

int main(int argc, char **argv)
{
    options_t options = {
        .variant = VARIANT_ALL,
        .settings = {.iterations = 100, .repetitions = 3},
    };
    common_options_parse("fathom-spmv", &argp, argc, argv, &options);
    if (pgas_init() != PGAS_OK)
        return 1;
    run(&options);
    pgas_finalize();
    return 0;
}
