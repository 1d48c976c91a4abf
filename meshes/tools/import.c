#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "command.h"
#include "support/cli.h"
#include "support/json_text.h"

enum {
    ROW_NONZEROS_DEFAULT = 256,
    ROW_NONZEROS_MAX = 1000000
};

typedef struct options {
    size_t max_row_nonzeros; /* 0: not given */
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
        if (strlen(arg) + sizeof ".node.gz" > PATH_MAX)
            cli_fail(CLI_EXIT_USAGE, "'%.20s...': the name is too long", arg);
        options->files[options->count++] = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

typedef enum format {
    FORMAT_UNKNOWN,
    FORMAT_MATRIX,
    FORMAT_NODE,
    FORMAT_ELE
} format_t;

/* What a file's name says about it. */
typedef struct name {
    format_t format;
    size_t stem; /* characters before the suffix */
    bool is_packed; /* .gz comes last */
} name_t;

/* Letters of either case are the same. */
static bool ends_with(const char *text, size_t length, const char *ending)
{
    size_t ending_length = strlen(ending);
    return length > ending_length &&
           strncasecmp(text + length - ending_length, ending, ending_length) == 0;
}

static name_t classify(const char *file)
{
    static const struct {
        const char *suffix;
        format_t format;
    } formats[] = {{".mtx", FORMAT_MATRIX}, {".node", FORMAT_NODE}, {".ele", FORMAT_ELE}};
    size_t length = strlen(file);
    name_t name = {.is_packed = ends_with(file, length, ".gz")};
    if (name.is_packed)
        length -= strlen(".gz");
    name.stem = length;
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++)
        if (ends_with(file, length, formats[f].suffix)) {
            name.format = formats[f].format;
            name.stem = length - strlen(formats[f].suffix);
        }
    return name;
}

/* The files that are read: that of a matrix, or those of a mesh's points and cells. */
typedef struct source {
    bool is_matrix;
    char first[PATH_MAX];
    char second[PATH_MAX];
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

_Noreturn static void refuse(const char *file)
{
    cli_fail(CLI_EXIT_USAGE,
             "'%s': this kind of file is not read; a matrix is NAME.mtx, a mesh NAME.node with "
             "NAME.ele, each with .gz behind it if packed; meshes/README.md tells how to convert "
             "others",
             file);
}

/* A file and the one beside it, "mesh.node" and "mesh.ele", in the case and with the .gz that the
 * given one has. */
static void name_pair(const char *file, name_t name, source_t *source)
{
    bool is_upper = file[name.stem] == '.' && isupper((unsigned char)file[name.stem + 1]);
    const char *packed = name.is_packed ? file + strlen(file) - strlen(".gz") : "";
    int stem = (int)name.stem;
    snprintf(source->first, PATH_MAX, "%.*s%s%s", stem, file, is_upper ? ".NODE" : ".node", packed);
    snprintf(source->second, PATH_MAX, "%.*s%s%s", stem, file, is_upper ? ".ELE" : ".ele", packed);
    if (name.format == FORMAT_NODE)
        snprintf(source->first, PATH_MAX, "%s", file);
    if (name.format == FORMAT_ELE)
        snprintf(source->second, PATH_MAX, "%s", file);
}

/* MESH.node MESH.ele, either order; one of them; or MESH alone. */
static void name_tetgen(const options_t *options, source_t *source)
{
    const char *first = options->files[0];
    const char *second = options->files[1];
    name_t name = classify(first);
    if (options->count == 3) {
        name_t other = classify(second);
        bool swapped = name.format == FORMAT_ELE;
        if (name.format != FORMAT_NODE && name.format != FORMAT_ELE)
            refuse(first);
        if (other.format != (swapped ? FORMAT_NODE : FORMAT_ELE))
            cli_fail(CLI_EXIT_USAGE, "'%s': beside '%s' the file of its %s is needed", second,
                     first, swapped ? "points, .node," : "cells, .ele,");
        snprintf(source->first, PATH_MAX, "%s", swapped ? second : first);
        snprintf(source->second, PATH_MAX, "%s", swapped ? first : second);
    } else {
        name_pair(first, name, source);
        /* TetGen's names have numbers: "heart.1". */
        if (name.format == FORMAT_UNKNOWN && access(source->first, F_OK) != 0 &&
            (name.is_packed || access(first, F_OK) == 0))
            refuse(first);
    }
}

/* Says what will be read, of which the command line may name a part. */
static void name_source(const options_t *options, source_t *source)
{
    source->is_matrix = options->count == 2 && classify(options->files[0]).format == FORMAT_MATRIX;
    if (source->is_matrix)
        snprintf(source->first, PATH_MAX, "%s", options->files[0]);
    else
        name_tetgen(options, source);
    if (!source->is_matrix && options->max_row_nonzeros > 0)
        cli_fail(CLI_EXIT_USAGE, "--max-row-nonzeros goes with a matrix");
    source->max_row_nonzeros =
        options->max_row_nonzeros > 0 ? options->max_row_nonzeros : ROW_NONZEROS_DEFAULT;
}

static void read_source(source_t *source)
{
    if (source->is_matrix) {
        command_run("reading the matrix", read_matrix, source);
    } else {
        command_run("reading the mesh", read_mesh, source);
        command_make_diffusion(source->content, NULL);
    }
}

static void check_files(const options_t *options, const source_t *source)
{
    const cli_file_t files[] = {
        {"what is read", source->first, 0},
        {"what is read", source->is_matrix ? NULL : source->second, 0},
        {"OUT.h5", options->files[options->count - 1], 1},
        {"--json", options->json, 1},
    };
    cli_check_files(files, sizeof files / sizeof files[0]);
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
                       json_pack("{s:o, s:I, s:I, s:I, s:I, s:I}", "file", text_to_json(output),
                                 "rows", (json_int_t)content->matrix.rows, "row_nonzeros",
                                 (json_int_t)content->matrix.row_nonzeros, "offdiagonals",
                                 (json_int_t)nonzeros, "cells", (json_int_t)content->mesh.cells,
                                 "points", (json_int_t)content->mesh.points));
}

int command_import(int argc, char **argv)
{
    static const struct argp argp = {
        .options = option_list,
        .parser = parse,
        .args_doc = "MATRIX.mtx OUT.h5\nMESH OUT.h5\nMESH.node MESH.ele OUT.h5",
        .doc = "Reads a Matrix Market matrix (coordinate; real, integer or pattern; general, "
               "symmetric or skew-symmetric; the name ends in .mtx), or a TetGen mesh (MESH.node "
               "and MESH.ele), for which the diffusion matrix is made. Files packed by gzip are "
               "read as they are (.mtx.gz). How meshes of other formats, Gmsh's and VTK's, are "
               "converted is told in meshes/README.md.",
    };
    options_t options = {0};
    mesh_file_content_t content = {0};
    cli_parse(&argp, 0, argc, argv, &options);
    if (options.count < 2)
        cli_fail(CLI_EXIT_USAGE, "needed: a file to read and one to write; see '%s --help'",
                 argv[0]);
    const char *output = options.files[options.count - 1];
    source_t source = {.content = &content};
    name_source(&options, &source);
    check_files(&options, &source);
    command_check_json(options.json);
    command_check_output(output);
    read_source(&source);
    snprintf(content.source, sizeof content.source, "fathom-mesh import %s", options.files[0]);
    command_write_file(output, &content);
    command_progress_end();
    report(&options, output, &content);
    mesh_file_content_free(&content);
    return EXIT_SUCCESS;
}
