#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "support/cli.h"
#include "support/json_text.h"

enum {
    THREADS_MAX = 1000000,
    BLOCK_MAX = 1 << 30
};

typedef struct options {
    int method;
    int metis;
    size_t threads;
    size_t block;
    size_t parts;
    const char *json;
    const char *files[2];
    size_t count;
} options_t;

/* The figures by which an order is judged. */
typedef struct figures {
    mesh_bandwidth_t bandwidth;
    size_t foreign;
} figures_t;

static const struct argp_option option_list[] = {
    {"method", 'o', "METHOD", 0, "none, rcm, metis or hilbert (needed)", 0},
    {"metis", 'm', "ALGORITHM", 0,
     "For --method metis: kway (default), nested (dissection of cells that share a face) or "
     "nested-product (of rows that refer to each other)",
     0},
    {"threads", 't', "T", 0, "Threads that will share the matrix (default 2)", 0},
    {"blocksize", 'b', "ROWS", 0,
     "Rows in a block of their distribution (default: one block for each thread)", 0},
    {"parts", 'p', "P", 0,
     "Parts of the k-way partition, of as many rows each as a block (default: one for each thread, "
     "with the rows that the thread has)",
     0},
    {"json", 'j', "FILE", 0, "Write the figures as JSON ('-': standard output)", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options_t *options = state->input;
    switch (key) {
    case 'o':
        options->method = cli_parse_choice("--method", arg, command_methods);
        return 0;
    case 'm':
        options->metis = cli_parse_choice("--metis", arg, command_metis);
        return 0;
    case 't':
        options->threads = cli_parse_count("--threads", arg, 1, THREADS_MAX);
        return 0;
    case 'b':
        options->block = cli_parse_count("--blocksize", arg, 1, BLOCK_MAX);
        return 0;
    case 'p':
        options->parts = cli_parse_count("--parts", arg, 1, THREADS_MAX);
        return 0;
    case 'j':
        options->json = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (options->count == 2)
            cli_fail(CLI_EXIT_USAGE, "'%s': one file too many; see '%s --help'", arg, state->name);
        options->files[options->count++] = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static figures_t judge(const options_t *options, const mesh_matrix_t *matrix)
{
    mesh_error_t error;
    figures_t figures = {.bandwidth = mesh_matrix_bandwidth(matrix)};
    if (!mesh_matrix_foreign(matrix, options->threads, options->block, &figures.foreign, &error))
        command_fail(&error);
    return figures;
}

static json_t *to_json(const figures_t *figures)
{
    return json_pack("{s:I, s:f, s:I}", "bandwidth_max", (json_int_t)figures->bandwidth.largest,
                     "bandwidth_mean", figures->bandwidth.mean, "foreign_cells",
                     (json_int_t)figures->foreign);
}

static void report(const options_t *options, size_t rows, const figures_t *before,
                   const figures_t *after, double seconds)
{
    if (command_may_print(options->json)) {
        printf("%-42s %14s %14s\n", "", "before", "after");
        printf("%-42s %14zu %14zu\n", "bandwidth, max |i-j|", before->bandwidth.largest,
               after->bandwidth.largest);
        printf("%-42s %14.1f %14.1f\n", "bandwidth, mean |i-j|", before->bandwidth.mean,
               after->bandwidth.mean);
        printf("%-42s %14zu %14zu\n", "cells needed from other threads", before->foreign,
               after->foreign);
        printf("(%zu rows, %zu threads, blocks of %zu rows; ordered in %.1f s)\n", rows,
               options->threads, options->block, seconds);
    }
    json_t *object = json_pack(
        "{s:o, s:s, s:I, s:I, s:I, s:f, s:o, s:o}", "file", text_to_json(options->files[1]),
        "method", command_methods[options->method], "rows", (json_int_t)rows, "threads",
        (json_int_t)options->threads, "blocksize_rows", (json_int_t)options->block,
        "ordering_seconds", seconds, "before", to_json(before), "after", to_json(after));
    if (command_method(options->method, 0) == MESH_ORDER_METIS)
        json_object_set_new(object, "metis", json_string(command_metis[options->metis]));
    command_write_json(options->json, object);
}

/* Adds to how the file was made how it was ordered. Where there is no room, the end of what was
 * there gives way. */
static void note_order(const options_t *options, char source[MESH_FILE_SOURCE_SIZE])
{
    static const char cut[] = "...";
    char note[MESH_FILE_SOURCE_SIZE / 2];
    char parts[64] = "";
    mesh_order_method_t method = command_method(options->method, options->metis);
    if (method == MESH_ORDER_NONE)
        return;
    if (method == MESH_ORDER_METIS && options->parts > 0)
        snprintf(parts, sizeof parts, " --parts %zu", options->parts);
    else if (method == MESH_ORDER_METIS)
        snprintf(parts, sizeof parts, " --threads %zu --blocksize %zu", options->threads,
                 options->block);
    snprintf(note, sizeof note, "%sordered by fathom-mesh order --method %s%s%s%s",
             source[0] != '\0' ? "; " : "", command_methods[options->method],
             options->metis > 0 ? " --metis " : "",
             options->metis > 0 ? command_metis[options->metis] : "", parts);
    size_t room = MESH_FILE_SOURCE_SIZE - 1 - strlen(note);
    if (strlen(source) > room)
        memcpy(source + room - strlen(cut), cut, sizeof cut);
    memcpy(source + strlen(source), note, strlen(note) + 1);
}

static void set_defaults(options_t *options, size_t rows)
{
    if (options->block == 0)
        options->block = (rows + options->threads - 1) / options->threads;
}

/* A file may be ordered in place. */
static void check_files(const options_t *options)
{
    const cli_file_t in[] = {{"IN.h5", options->files[0], 0}, {"--json", options->json, 1}};
    const cli_file_t out[] = {{"OUT.h5", options->files[1], 1}, {"--json", options->json, 1}};
    cli_check_files(in, sizeof in / sizeof in[0]);
    cli_check_files(out, sizeof out / sizeof out[0]);
}

static void run(options_t *options)
{
    mesh_file_content_t content = {0};
    command_read_file(options->files[0], &content);
    if (content.matrix.rows == 0)
        cli_fail(EXIT_FAILURE, "%s: holds no matrix: group /matrix is missing", options->files[0]);
    size_t rows = content.matrix.rows;
    set_defaults(options, rows);
    figures_t before = judge(options, &content.matrix);
    double start = command_seconds();
    size_t threads = options->threads < rows ? options->threads : rows;
    command_order_content(&content, command_method(options->method, options->metis),
                          options->parts > 0 ? options->parts : threads,
                          options->parts > 0 ? 0 : options->block);
    double seconds = command_seconds() - start;
    figures_t after = judge(options, &content.matrix);
    note_order(options, content.source);
    command_write_file(options->files[1], &content);
    command_progress_end();
    report(options, rows, &before, &after, seconds);
    mesh_file_content_free(&content);
}

int command_order(int argc, char **argv)
{
    static const struct argp argp = {
        .options = option_list,
        .parser = parse,
        .args_doc = "--method METHOD IN.h5 OUT.h5",
        .doc =
            "Renumbers the cells, rows and columns of the matrix alike, and tells what it did to "
            "the bandwidth and to the number of cells threads need from each other.",
    };
    options_t options = {.method = -1, .metis = -1, .threads = 2};
    cli_parse(&argp, 0, argc, argv, &options);
    if (options.method < 0 || options.count != 2)
        cli_fail(CLI_EXIT_USAGE,
                 "needed: --method METHOD, a file to read and one to write; see "
                 "'%s --help'",
                 argv[0]);
    command_check_metis("--method", options.method, &options.metis);
    if (options.parts > 0 && command_method(options.method, options.metis) != MESH_ORDER_METIS)
        cli_fail(CLI_EXIT_USAGE, "--parts goes with --method metis --metis kway");
    check_files(&options);
    command_check_json(options.json);
    command_check_output(options.files[1]);
    run(&options);
    return EXIT_SUCCESS;
}
