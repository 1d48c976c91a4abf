/* fathom-heat2d: the paper's heat equation solver in several forms of its halo exchange, measured
 * and checked. */
#include <argp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint.h"
#include "common/json.h"
#include "common/options.h"
#include "common/output.h"
#include "report.h"
#include "run.h"
#include "support/cli.h"

static const heat_form_t *const forms[] = {&heat_memget, &heat_strided, &heat_async, &heat_signal};
static const char *const form_names[] = {"memget", "strided", "async", "signal", NULL};
static const char *const stores_names[] = {"auto", "cached", "streaming", NULL};

enum {
    KEY_CHECKPOINT = 256,
    KEY_EVERY,
    KEY_RESTART,
    KEY_PICTURE,
    KEY_STORES,
    KEY_START
};

typedef struct options {
    /** Values that were not given are 0. */
    heat_shape_t shape;
    int form;
    const char *json;
    const char *restart;
    bool start_given;
    heat_settings_t settings;
} options_t;

static const struct argp_option option_table[] = {
    {"size", 's', "MxN", 0, "points of the mesh, its fixed boundary included", 0},
    {"grid", 'g', "PxQ", 0, "rows and columns of threads (default: those with the smallest halo)",
     0},
    {"iterations", 'i', "COUNT", 0, "steps from the start of the field (default 100)", 0},
    {"halo", 'H', "FORM", 0, "memget (default), strided, async or signal", 0},
    {"steps-per-exchange", 'k', "COUNT", 0,
     "layers of the halo; an exchange serves as many steps (default 1)", 0},
    {"repetitions", 'r', "COUNT", 0,
     "repetitions; the median is shown (default 3, or 1 with checkpoints)", 0},
    {"check", 'c', NULL, 0,
     "compare with a sequential solver, bit for bit, a sine mode with its decay, and the counted "
     "traffic with the halo",
     0},
    {"json", 'j', "FILE", 0,
     "write the results there; '-' is standard output, in place of the lines", 0},
    {"checkpoint", KEY_CHECKPOINT, "FILE.h5", 0, "write the field there now and then", 0},
    {"checkpoint-every", KEY_EVERY, "COUNT", 0, "after so many steps each time, and the last", 0},
    {"restart", KEY_RESTART, "FILE.h5", 0, "go on from a checkpoint, up to step --iterations", 0},
    {"picture", KEY_PICTURE, "FILE.png", 0, "draw the last field", 0},
    {"start", KEY_START, "NAME", 0, "the field at the start: spots (default) or sine", 0},
    {"stores", KEY_STORES, "HOW", 0,
     "cached, streaming (past the caches) or auto (default): the faster of the two, which is tried",
     0},
    {0},
};

enum {
    MANY = 1000000000,
    REPETITIONS_MAX = 1000000 /* 32 MB of times in each thread */
};

static error_t parse_files(int key, char *text, options_t *options)
{
    switch (key) {
    case 'j':
        options->json = text;
        return 0;
    case KEY_CHECKPOINT:
        options->settings.checkpoint = text;
        return 0;
    case KEY_EVERY:
        options->settings.checkpoint_every = cli_parse_count("--checkpoint-every", text, 1, MANY);
        return 0;
    case KEY_RESTART:
        options->restart = text;
        return 0;
    case KEY_PICTURE:
        options->settings.picture = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Checks and sets what depends on several options. */
static void complete(options_t *options)
{
    heat_settings_t *settings = &options->settings;
    bool once = settings->checkpoint != NULL || options->restart != NULL;
    if (options->shape.M == 0 && options->restart == NULL)
        cli_fail(CLI_EXIT_USAGE, "no --size given; see --help");
    if ((settings->checkpoint != NULL) != (settings->checkpoint_every > 0))
        cli_fail(CLI_EXIT_USAGE, "--checkpoint and --checkpoint-every go together");
    if (settings->stores == HEAT_STORES_STREAMING && options->shape.depth > 1)
        cli_fail(CLI_EXIT_USAGE, "--stores streaming: steps that share an exchange "
                                 "(--steps-per-exchange) share what is in the caches");
    if (once && settings->repetitions > 1)
        cli_fail(CLI_EXIT_USAGE, "--repetitions: with --checkpoint or --restart there is only one");
    /* A run may restart from the checkpoint that it replaces. */
    const cli_file_t files[] = {{"--json", options->json, 1},
                                {"--picture", settings->picture, 1},
                                {"--checkpoint", settings->checkpoint, 1}};
    const cli_file_t read[] = {{"--json", options->json, 1},
                               {"--picture", settings->picture, 1},
                               {"--restart", options->restart, 0}};
    cli_check_files(files, sizeof files / sizeof files[0]);
    cli_check_files(read, sizeof read / sizeof read[0]);
    if (settings->repetitions == 0)
        settings->repetitions = once ? 1 : 3;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    options_t *options = state->input;
    heat_shape_t *shape = &options->shape;
    switch (key) {
    case 's':
        cli_parse_pair("--size", text, 3, HEAT_MOST_POINTS, &shape->M, &shape->N);
        return 0;
    case 'g':
        cli_parse_pair("--grid", text, 1, MANY, &shape->P, &shape->Q);
        return 0;
    case 'i':
        options->settings.iterations = cli_parse_count("--iterations", text, 0, MANY);
        return 0;
    case 'H':
        options->form = cli_parse_choice("--halo", text, form_names);
        return 0;
    case 'k':
        shape->depth = cli_parse_count("--steps-per-exchange", text, 1, 10000);
        return 0;
    case 'r':
        options->settings.repetitions = cli_parse_count("--repetitions", text, 1, REPETITIONS_MAX);
        return 0;
    case 'c':
        options->settings.checked = true;
        return 0;
    case KEY_STORES:
        options->settings.stores = (heat_stores_t)cli_parse_choice("--stores", text, stores_names);
        return 0;
    case KEY_START:
        options->settings.start = (heat_start_t)cli_parse_choice("--start", text, heat_start_names);
        options->start_given = true;
        return 0;
    case ARGP_KEY_ARG:
        cli_fail(CLI_EXIT_USAGE, "'%s': not an option; see --help", text);
    case ARGP_KEY_END:
        complete(options);
        return 0;
    default:
        return parse_files(key, text, options);
    }
}

static const struct argp argp = {
    .options = option_table,
    .parser = parse_option,
    .doc = "Solves the heat equation on a rectangle of points, and prints the time.\v"
           "Start it under a launcher: fathom-run -n 4 fathom-heat2d --size 1000x1000. memget is "
           "Listings 7 and 8 of the paper; strided copies without packing; async lets the halos "
           "travel while points that need none are computed; signal puts halos with a signal to "
           "neighbours, without barriers. Exit status: 0; 1 if a check failed or the input is "
           "bad; 2 for a bad option.",
};

/* Mesh and start are the checkpoint's. */
static heat_restart_t *take_from_checkpoint(options_t *options)
{
    heat_settings_t *settings = &options->settings;
    heat_shape_t *shape = &options->shape;
    heat_checkpoint_info_t info;
    heat_restart_t *restart = heat_restart_open(options->restart, &info);
    if (shape->M != 0 && (shape->M != info.M || shape->N != info.N))
        pgas_fail(1, "--size %zux%zu: the checkpoint '%s' has %zux%zu points", shape->M, shape->N,
                  options->restart, info.M, info.N);
    if (options->start_given && settings->start != info.start)
        pgas_fail(1, "--start %s: the checkpoint '%s' has started as %s",
                  heat_start_names[settings->start], options->restart,
                  heat_start_names[info.start]);
    if (info.step > settings->iterations)
        pgas_fail(1, "--iterations %zu: the checkpoint '%s' has come to step %zu already",
                  settings->iterations, options->restart, info.step);
    shape->M = info.M;
    shape->N = info.N;
    settings->start = info.start;
    settings->restart = restart;
    return restart;
}

static void show(const options_t *options, const heat_report_t *report)
{
    const heat_result_t *result = report->result;
    if (pgas_mythread() != 0)
        return;
    if (options->json != NULL)
        heat_report_write(report, options->json);
    if (options->json == NULL || strcmp(options->json, "-") != 0)
        heat_report_print(report);
    if (!heat_result_passed(result))
        pgas_fail(1,
                  "%s: the check failed: %zu points differ from the sequential solver's, the sine "
                  "mode is %.1e off (limit %.1e), traffic %s",
                  report->form->name, result->differing, result->mode_error, result->mode_limit,
                  result->traffic_as_predicted ? "as predicted" : "not as predicted");
}

static void run(options_t *options)
{
    heat_problem_t problem;
    heat_result_t result;
    const heat_settings_t *settings = &options->settings;
    heat_restart_t *restart = NULL;
    if (options->restart != NULL)
        restart = take_from_checkpoint(options);
    if (options->shape.P == 0)
        heat_shape_choose_grid(&options->shape);
    heat_shape_check(&options->shape);
    if (pgas_mythread() == 0) {
        common_json_check("--json", options->json);
        common_output_check("--checkpoint", settings->checkpoint);
        common_output_check("--picture", settings->picture);
    }
    heat_problem_create(&options->shape, &problem);
    heat_run(forms[options->form], &problem, settings, &result);
    heat_restart_close(restart);
    heat_report_t report = {
        .form = forms[options->form],
        .problem = &problem,
        .settings = settings,
        .result = &result,
    };
    show(options, &report);
    free(result.threads);
    heat_problem_free(&problem);
}

int main(int argc, char **argv)
{
    options_t options = {.shape = {.depth = 1}, .settings = {.iterations = 100}};
    common_options_parse("fathom-heat2d", &argp, argc, argv, &options);
    if (pgas_init() != PGAS_OK)
        return 1;
    run(&options);
    pgas_finalize();
    return 0;
}
