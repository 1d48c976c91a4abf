#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "support/cli.h"
#include "support/json_text.h"
#include "support/printable.h"

typedef struct options {
    const char *json;
    const char *file;
} options_t;

static const struct argp_option option_list[] = {
    {"json", 'j', "FILE", OPTION_ARG_OPTIONAL,
     "Write the figures as JSON (no FILE or '-': standard output)", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options_t *options = state->input;
    switch (key) {
    case 'j':
        options->json = arg != NULL ? arg : "-";
        return 0;
    case ARGP_KEY_ARG:
        if (options->file != NULL)
            cli_fail(CLI_EXIT_USAGE, "'%s': one file at a time", arg);
        options->file = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static json_t *describe_mesh(const mesh_geometry_t *mesh, bool print)
{
    double low[3];
    double high[3];
    double least = mesh->volumes[0];
    double most = mesh->volumes[0];
    size_t boundary = 0;
    for (size_t i = 0; i < 3 * mesh->points; i++) {
        low[i % 3] = i < 3 ? mesh->xyz[i] : fmin(low[i % 3], mesh->xyz[i]);
        high[i % 3] = i < 3 ? mesh->xyz[i] : fmax(high[i % 3], mesh->xyz[i]);
    }
    for (size_t i = 0; i < mesh->cells; i++) {
        least = fmin(least, mesh->volumes[i]);
        most = fmax(most, mesh->volumes[i]);
        for (size_t k = 0; k < 4; k++)
            boundary += mesh->neighbours[4 * i + k] < 0;
    }
    double volume = mesh_geometry_volume(mesh);
    if (print) {
        printf("mesh      %zu cells, %zu points, %zu boundary faces\n", mesh->cells, mesh->points,
               boundary);
        printf("          volume %g; of a cell %g to %g\n", volume, least, most);
        printf("          box (%g, %g, %g) to (%g, %g, %g)\n", low[0], low[1], low[2], high[0],
               high[1], high[2]);
    }
    return json_pack("{s:I, s:I, s:I, s:f, s:f, s:f, s:[f,f,f], s:[f,f,f]}", "cells",
                     (json_int_t)mesh->cells, "points", (json_int_t)mesh->points, "boundary_faces",
                     (json_int_t)boundary, "volume", volume, "cell_volume_min", least,
                     "cell_volume_max", most, "box_min", low[0], low[1], low[2], "box_max", high[0],
                     high[1], high[2]);
}

static json_t *describe_matrix(const mesh_matrix_t *matrix, bool print)
{
    size_t nonzeros = mesh_matrix_offdiagonals(matrix);
    mesh_bandwidth_t bandwidth = mesh_matrix_bandwidth(matrix);
    if (print) {
        printf("matrix    %zu rows of %zu places, %zu off-diagonals\n", matrix->rows,
               matrix->row_nonzeros, nonzeros);
        printf("          bandwidth max %zu, mean %.1f\n", bandwidth.largest, bandwidth.mean);
        if (matrix->time_step > 0.0)
            printf("          time step %g (diffusivity 1)\n", matrix->time_step);
    }
    return json_pack("{s:I, s:I, s:I, s:I, s:f, s:f}", "rows", (json_int_t)matrix->rows,
                     "row_nonzeros", (json_int_t)matrix->row_nonzeros, "offdiagonals",
                     (json_int_t)nonzeros, "bandwidth_max", (json_int_t)bandwidth.largest,
                     "bandwidth_mean", bandwidth.mean, "time_step", matrix->time_step);
}

int command_info(int argc, char **argv)
{
    static const struct argp argp = {
        .options = option_list,
        .parser = parse,
        .args_doc = "FILE.h5",
        .doc = "Reads and checks a whole file and says what it holds.",
    };
    options_t options = {0};
    mesh_file_content_t content = {0};
    cli_parse(&argp, 0, argc, argv, &options);
    if (options.file == NULL)
        cli_fail(CLI_EXIT_USAGE, "needed: a file; see '%s --help'", argv[0]);
    const cli_file_t files[] = {{"FILE.h5", options.file, 0}, {"--json", options.json, 1}};
    cli_check_files(files, sizeof files / sizeof files[0]);
    command_read_file(options.file, &content);
    bool print = command_may_print(options.json);
    json_t *source = text_to_json(content.source);
    printable_make(content.source, strlen(content.source), true);
    if (print)
        printf("%s: Fathom mesh file, version %d\nsource    %s\nchecksums %s\n", options.file,
               MESH_FILE_VERSION, content.source,
               content.has_checksums ? "agree" : "none: written by an older fathom-mesh");
    json_t *object =
        json_pack("{s:o, s:i, s:o, s:b}", "file", text_to_json(options.file), "version",
                  MESH_FILE_VERSION, "source", source, "checksums", (int)content.has_checksums);
    if (content.mesh.cells > 0)
        json_object_set_new(object, "mesh", describe_mesh(&content.mesh, print));
    if (content.matrix.rows > 0)
        json_object_set_new(object, "matrix", describe_matrix(&content.matrix, print));
    command_write_json(options.json, object);
    mesh_file_content_free(&content);
    return EXIT_SUCCESS;
}
