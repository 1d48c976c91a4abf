#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "support/cli.h"
#include "support/cli_command.h"

enum {
    ROW_NONZEROS_DEFAULT = 256,
    ROW_NONZEROS_MAX = 1000000
};

typedef struct options {
    size_t max_row_nonzeros;
    const char *json;
    const char *files[3];
    size_t count;
} options_t;

static const struct argp_option option_list[] = {
    {"max-row-nonzeros", 'm', "N", 0,
     "Refuse a matrix with more off-diagonals in a row (default 256); every row takes as much room "
     "as the longest",
     0},
    {"json", 'j', "FILE", 0, "Write the figures as JSON ('-': standard output)", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options_t *options = state->input;
    switch (key) {
    case 'm':
        options->max_row_nonzeros = cli_parse_count("--max-row-nonzeros", arg, 1, ROW_NONZEROS_MAX);
        return 0;
    case 'j':
        options->json = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (options->count == 3)
            cli_fail(CLI_EXIT_USAGE, "'%s': one file too many; see '%s --help'", arg, state->name);
        options->files[options->count++] = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text);
    size_t ending_length = strlen(ending);
    return length >= ending_length && strcmp(text + length - ending_length, ending) == 0;
}

/* What is read and where it goes. */
typedef struct source {
    const char *first;
    const char *second;
    size_t max_row_nonzeros;
    mesh_file_content_t *content;
} source_t;

static bool read_mesh(void *context, mesh_error_t *error)
{
    const source_t *source = context;
    return mesh_tetgen_read(source->first, source->second, &source->content->mesh, error);
}

static bool read_matrix(void *context, mesh_error_t *error)
{
    const source_t *source = context;
    return mesh_matrix_market_read(source->first, source->max_row_nonzeros,
                                   &source->content->matrix, error);
}

/* MESH.node MESH.ele, either order, or the name without an ending for both. */
static void import_tetgen(const options_t *options, mesh_file_content_t *content)
{
    char node[4096];
    char ele[4096];
    const char *first = options->files[0];
    if (options->count == 3) {
        bool swapped = ends_with(first, ".ele");
        snprintf(node, sizeof node, "%s", options->files[swapped ? 1 : 0]);
        snprintf(ele, sizeof ele, "%s", options->files[swapped ? 0 : 1]);
    } else {
        int length = (int)strlen(first);
        if (ends_with(first, ".node"))
            length -= 5;
        else if (ends_with(first, ".ele"))
            length -= 4;
        snprintf(node, sizeof node, "%.*s.node", length, first);
        snprintf(ele, sizeof ele, "%.*s.ele", length, first);
    }
    source_t source = {node, ele, 0, content};
    command_run("reading the mesh", read_mesh, &source);
    command_make_diffusion(content, NULL);
}

static void import_matrix(const options_t *options, mesh_file_content_t *content)
{
    source_t source = {options->files[0], NULL, options->max_row_nonzeros, content};
    command_run("reading the matrix", read_matrix, &source);
}

static void report(const options_t *options, const char *output, const mesh_file_content_t *content)
{
    size_t nonzeros = mesh_matrix_offdiagonals(&content->matrix);
    if (command_may_print(options->json)) {
        printf("%s: %zu rows of %zu places, %zu off-diagonals", output, content->matrix.rows,
               content->matrix.row_nonzeros, nonzeros);
        if (content->mesh.cells > 0)
            printf(", %zu points, volume %g", content->mesh.points,
                   mesh_geometry_volume(&content->mesh));
        printf("\n");
    }
    command_write_json(options->json,
                       json_pack("{s:s, s:I, s:I, s:I, s:I, s:I}", "file", output, "rows",
                                 (json_int_t)content->matrix.rows, "row_nonzeros",
                                 (json_int_t)content->matrix.row_nonzeros, "offdiagonals",
                                 (json_int_t)nonzeros, "cells", (json_int_t)content->mesh.cells,
                                 "points", (json_int_t)content->mesh.points));
}

int command_import(int argc, char **argv)
{
    static const struct argp_child children[] = {{&cli_command_common, 0, NULL, -1}, {0}};
    static const struct argp argp = {
        .options = option_list,
        .parser = parse,
        .args_doc = "MATRIX.mtx OUT.h5\nMESH OUT.h5\nMESH.node MESH.ele OUT.h5",
        .doc = "Reads a Matrix Market matrix (coordinate; real, integer or pattern; general or "
               "symmetric; the name ends in .mtx), or a TetGen mesh (MESH.node and MESH.ele), for "
               "which the diffusion matrix is made.",
        .children = children,
    };
    options_t options = {.max_row_nonzeros = ROW_NONZEROS_DEFAULT};
    mesh_file_content_t content = {0};
    cli_command_parse(&argp, argc, argv, &options);
    if (options.count < 2)
        cli_fail(CLI_EXIT_USAGE, "needed: a file to read and one to write; see '%s --help'",
                 argv[0]);
    if (options.count == 2 && ends_with(options.files[0], ".mtx"))
        import_matrix(&options, &content);
    else
        import_tetgen(&options, &content);
    const char *output = options.files[options.count - 1];
    snprintf(content.source, sizeof content.source, "fathom-mesh import %s", options.files[0]);
    command_write_file(output, &content);
    command_progress_end();
    report(&options, output, &content);
    mesh_file_content_free(&content);
    return EXIT_SUCCESS;
}
