#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "support/cli.h"
#include "support/json_text.h"

enum {
    CELLS_MIN = 1000,
    CELLS_MAX = 100000000,
    PARTS_MAX = 1000000
};

/* Options without a short form. */
enum {
    KEY_OUTER_RADIUS = 256,
    KEY_OUTER_HEIGHT,
    KEY_INNER_RADIUS,
    KEY_INNER_HEIGHT,
    KEY_CUT,
    KEY_TETGEN,
};

typedef struct options {
    mesh_ventricle_t shape;
    size_t cells;
    size_t threads; /* 0: not given */
    int method;
    int metis;
    const char *tetgen;
    const char *json;
    const char *output;
} options_t;

static const struct argp_option option_list[] = {
    {"cells", 'n', "N", 0, "How many cells; within 10 % of it (needed)", 0},
    {"order", 'o', "METHOD", 0,
     "Order of the cells: none (default; as tetgen leaves them), rcm, metis or hilbert", 0},
    {"metis", 'm', "ALGORITHM", 0,
     "For --order metis: kway (default), nested or nested-product, as for the command 'order'", 0},
    {"threads", 't', "T", 0, "Parts of --order metis --metis kway (default 1)", 0},
    {"outer-radius", KEY_OUTER_RADIUS, "CM", 0, "Half axis across of the outer wall (default 3.5)",
     1},
    {"outer-height", KEY_OUTER_HEIGHT, "CM", 0, "Half axis along z of the outer wall (default 8.5)",
     1},
    {"inner-radius", KEY_INNER_RADIUS, "CM", 0, "Half axis across of the inner wall (default 2.5)",
     1},
    {"inner-height", KEY_INNER_HEIGHT, "CM", 0, "Half axis along z of the inner wall (default 7.5)",
     1},
    {"cut", KEY_CUT, "CM", 0, "Height of the base above the equator (default 2.5)", 1},
    {"tetgen", KEY_TETGEN, "PROGRAM", 0, "The mesh generator (default tetgen)", 2},
    {"json", 'j', "FILE", 0, "Write the figures as JSON ('-': standard output)", 2},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options_t *options = state->input;
    switch (key) {
    case 'n':
        options->cells = cli_parse_count("--cells", arg, CELLS_MIN, CELLS_MAX);
        return 0;
    case 'o':
        options->method = cli_parse_choice("--order", arg, command_methods);
        return 0;
    case 'm':
        options->metis = cli_parse_choice("--metis", arg, command_metis);
        return 0;
    case 't':
        options->threads = cli_parse_count("--threads", arg, 1, PARTS_MAX);
        return 0;
    case KEY_OUTER_RADIUS:
        options->shape.outer_radius = cli_parse_real("--outer-radius", arg, 0.01, 1000.0);
        return 0;
    case KEY_OUTER_HEIGHT:
        options->shape.outer_height = cli_parse_real("--outer-height", arg, 0.01, 1000.0);
        return 0;
    case KEY_INNER_RADIUS:
        options->shape.inner_radius = cli_parse_real("--inner-radius", arg, 0.01, 1000.0);
        return 0;
    case KEY_INNER_HEIGHT:
        options->shape.inner_height = cli_parse_real("--inner-height", arg, 0.01, 1000.0);
        return 0;
    case KEY_CUT:
        options->shape.cut = cli_parse_real("--cut", arg, -1000.0, 1000.0);
        return 0;
    case KEY_TETGEN:
        options->tetgen = arg;
        return 0;
    case 'j':
        options->json = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (options->output != NULL)
            cli_fail(CLI_EXIT_USAGE, "'%s': one output file is enough", arg);
        options->output = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void report(const options_t *options, const mesh_file_content_t *content,
                   const mesh_ventricle_report_t *made, const mesh_diffusion_report_t *diffusion,
                   double seconds)
{
    size_t cells = content->mesh.cells;
    double off = (double)cells / (double)options->cells - 1.0;
    if (command_may_print(options->json)) {
        printf("%s: %zu cells (%zu wanted, %+.1f %%), %zu points, %zu run%s of tetgen, %.1f s\n",
               options->output, cells, options->cells, 100.0 * off, content->mesh.points,
               made->runs, made->runs == 1 ? "" : "s", seconds);
        printf("time step %.3g cm^2 (diffusivity 1); linear fields are not steady in %zu of %zu "
               "inner cells, %.3g %% of their volume\n",
               diffusion->time_step, diffusion->unsteady_cells, diffusion->inner_cells,
               100.0 * diffusion->unsteady_volume);
    }
    command_write_json(
        options->json,
        json_pack("{s:o, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:I, s:I, s:f, s:s, s:f}", "file",
                  text_to_json(options->output), "wanted_cells", (json_int_t)options->cells,
                  "cells", (json_int_t)cells, "points", (json_int_t)content->mesh.points,
                  "tetgen_runs", (json_int_t)made->runs, "surface_edge_cm", made->edge,
                  "volume_cm3", mesh_geometry_volume(&content->mesh), "time_step_cm2",
                  diffusion->time_step, "norm_bound", diffusion->norm_bound, "inner_cells",
                  (json_int_t)diffusion->inner_cells, "unsteady_cells",
                  (json_int_t)diffusion->unsteady_cells, "unsteady_volume_fraction",
                  diffusion->unsteady_volume, "order", command_methods[options->method], "seconds",
                  seconds));
}

typedef struct mesh_work {
    const options_t *options;
    mesh_geometry_t *mesh;
    mesh_ventricle_report_t *report;
} mesh_work_t;

static bool make_mesh(void *context, mesh_error_t *error)
{
    const mesh_work_t *work = context;
    const options_t *options = work->options;
    return mesh_ventricle_make(&options->shape, options->cells, options->tetgen, &command_progress,
                               work->mesh, work->report, error);
}

int command_ventricle(int argc, char **argv)
{
    static const struct argp argp = {
        .options = option_list,
        .parser = parse,
        .args_doc = "--cells N OUT.h5",
        .doc = "Meshes a left ventricle, the shell between two ellipsoids with the base cut off, "
               "with tetgen, and writes the mesh with its diffusion matrix.",
    };
    options_t options = {.shape = mesh_ventricle_default, .metis = -1, .tetgen = "tetgen"};
    mesh_file_content_t content = {0};
    mesh_ventricle_report_t made;
    mesh_diffusion_report_t diffusion;
    double start = command_seconds();
    cli_parse(&argp, 0, argc, argv, &options);
    if (options.cells == 0 || options.output == NULL)
        cli_fail(CLI_EXIT_USAGE, "needed: --cells N and an output file; see '%s --help'", argv[0]);
    command_check_metis("--order", options.method, &options.metis);
    mesh_order_method_t method = command_method(options.method, options.metis);
    if (options.threads > 0 && method != MESH_ORDER_METIS)
        cli_fail(CLI_EXIT_USAGE, "--threads goes with --order metis --metis kway");
    if (options.threads == 0)
        options.threads = 1;
    const cli_file_t files[] = {{"OUT.h5", options.output, 1}, {"--json", options.json, 1}};
    cli_check_files(files, sizeof files / sizeof files[0]);
    command_check_json(options.json);
    command_check_output(options.output);
    mesh_work_t work = {&options, &content.mesh, &made};
    command_run("tetgen", make_mesh, &work);
    command_order_content(&content, method, options.threads, 0);
    command_make_diffusion(&content, &diffusion);
    char threads[32] = "";
    if (method == MESH_ORDER_METIS)
        snprintf(threads, sizeof threads, " --threads %zu", options.threads);
    snprintf(content.source, sizeof content.source,
             "fathom-mesh ventricle --cells %zu --outer-radius %g --outer-height %g "
             "--inner-radius %g --inner-height %g --cut %g --order %s%s%s%s",
             options.cells, options.shape.outer_radius, options.shape.outer_height,
             options.shape.inner_radius, options.shape.inner_height, options.shape.cut,
             command_methods[options.method], options.metis > 0 ? " --metis " : "",
             options.metis > 0 ? command_metis[options.metis] : "", threads);
    command_write_file(options.output, &content);
    command_progress_end();
    report(&options, &content, &made, &diffusion, command_seconds() - start);
    mesh_file_content_free(&content);
    return EXIT_SUCCESS;
}
