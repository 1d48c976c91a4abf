#include "command.h"

#include <math.h>
#include <meshes/temporary.h>
#include <meshes/text_file.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cli.h"
#include "support/progress.h"

enum {
    OPTION_THREADS_PER_NODE = 0x100
};

static const struct argp_option matrix_options[] = {
    {"threads", 't', "T", 0, "Threads of the job", 0},
    {0},
};

static error_t parse_matrix(int key, char *arg, struct argp_state *state)
{
    command_options_t *options = state->input;
    switch (key) {
    case 't':
        options->threads = cli_parse_count("--threads", arg, 1, MODEL_THREADS_MAX);
        return 0;
    case ARGP_KEY_ARG:
        if (options->matrix != NULL)
            cli_fail(CLI_EXIT_USAGE, "'%s': one MATRIX is enough", arg);
        options->matrix = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp command_matrix_argp = {matrix_options, parse_matrix, NULL, NULL,
                                         NULL,           NULL,         NULL};

static const struct argp_option job_options[] = {
    {"nodes", 'n', "N", 0,
     "Nodes of the job (default 1); the threads stand on them in blocks, as even as possible", 0},
    {"threads-per-node", OPTION_THREADS_PER_NODE, "P", 0, "The same by size, in place of --nodes",
     0},
    {0},
};

static error_t parse_job(int key, char *arg, struct argp_state *state)
{
    command_options_t *options = state->input;
    switch (key) {
    case 'n':
        options->nodes = cli_parse_count("--nodes", arg, 1, MODEL_THREADS_MAX);
        return 0;
    case OPTION_THREADS_PER_NODE:
        options->threads_per_node =
            cli_parse_count("--threads-per-node", arg, 1, MODEL_THREADS_MAX);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp command_job_argp = {job_options, parse_job, NULL, NULL, NULL, NULL, NULL};

static const struct argp_option file_options[] = {
    {"machine", 'm', "FILE", 0,
     "Parameters of the machine, as 'fathom-stream calibrate' writes them; several times: "
     "calibrations to be combined",
     0},
    {"json", 'j', "FILE", 0,
     "Write the results there; '-' is standard output, in place of the table", 0},
    {0},
};

/* NOLINTNEXTLINE(readability-non-const-parameter): the signature is argp's. */
static error_t parse_files(int key, char *arg, struct argp_state *state)
{
    command_options_t *options = state->input;
    switch (key) {
    case 'm':
        if (options->machine_count == MODEL_MACHINES_MAX)
            cli_fail(CLI_EXIT_USAGE, "--machine: %d files are enough", MODEL_MACHINES_MAX);
        options->machines[options->machine_count++] = arg;
        return 0;
    case 'j':
        options->json = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp command_file_argp = {file_options, parse_files, NULL, NULL, NULL, NULL, NULL};

void command_check_files(const command_options_t *options, const char *what, const char *read)
{
    cli_file_t files[MODEL_MACHINES_MAX + 3] = {
        {"--json", options->json, 1}, {"MATRIX", options->matrix, 0}, {what, read, 0}};
    size_t count = 3;
    for (size_t m = 0; m < options->machine_count; m++)
        files[count++] = (cli_file_t){"--machine", options->machines[m], 0};
    cli_check_files(files, count);
    mesh_error_t error;
    if (command_may_print(options) && !mesh_temporary_check(options->json, &error))
        cli_fail(EXIT_FAILURE, "--json: %s", error.text);
}

void command_check_machine(const char *name, const command_options_t *options)
{
    if (options->machine_count == 0)
        cli_fail(CLI_EXIT_USAGE, "needed: --machine; see '%s --help'", name);
}

void command_check_options(const char *name, const command_options_t *options)
{
    mesh_error_t error;
    model_layout_t layout;
    if (options->matrix == NULL)
        cli_fail(CLI_EXIT_USAGE, "no MATRIX given; see '%s --help'", name);
    if (options->threads == 0)
        cli_fail(CLI_EXIT_USAGE, "needed: --threads; see '%s --help'", name);
    command_check_machine(name, options);
    if (!model_layout_make(1, 1, options->threads, options->nodes, options->threads_per_node, 0,
                           &layout, &error))
        cli_fail(CLI_EXIT_USAGE, "%s", error.text);
}

void command_fail(const mesh_error_t *error)
{
    progress_end();
    cli_fail(EXIT_FAILURE, "%s", error->text);
}

static void note_progress(void *context, const char *stage, size_t done, size_t total)
{
    static const char *shown;
    (void)context;
    if (stage != shown || done == 0) {
        progress_end();
        progress_begin(stage, total);
        shown = stage;
    }
    progress_update(done);
}

const mesh_progress_t command_progress = {note_progress, NULL};

void command_progress_end(void)
{
    progress_end();
}

void command_read_machine(const command_options_t *options, size_t nodes, model_machine_t *machine)
{
    mesh_error_t error;
    model_machine_t *found = command_alloc(options->machine_count, sizeof *found);
    for (size_t m = 0; m < options->machine_count; m++)
        if (!model_machine_read(options->machines[m], &found[m], &error) ||
            !model_machine_suits(&found[m], nodes, &error))
            command_fail(&error);
    if (!model_machines_agree(found, options->machine_count, &error))
        command_fail(&error);
    model_machine_combine(found, options->machine_count, machine);
    free(found);
}

void command_print_shape(const model_machine_t *machine, const model_layout_t *layout)
{
    size_t measured = machine->threads_per_node;
    if (measured > 0 && measured != layout->threads_per_node)
        printf("note: %s was measured with %zu threads per node, the job has %zu; bandwidths per "
               "thread depend on that\n",
               machine->path, measured, layout->threads_per_node);
}

void command_read_matrix(const char *path, model_matrix_t *matrix)
{
    mesh_error_t error;
    if (!model_matrix_load(path, &command_progress, matrix, &error))
        command_fail(&error);
    progress_end();
}

void command_make_layout(const command_options_t *options, const model_matrix_t *matrix,
                         size_t blocksize, model_layout_t *layout)
{
    mesh_error_t error;
    if (!model_layout_make(matrix->rows, matrix->row_nonzeros, options->threads, options->nodes,
                           options->threads_per_node, blocksize, layout, &error))
        command_fail(&error);
}

model_counts_t *command_count(const model_matrix_t *matrix, const model_layout_t *layout,
                              const model_machine_t *machine)
{
    mesh_error_t error;
    model_counts_t *counts = command_alloc(layout->threads, sizeof *counts);
    if (!model_count(matrix, layout, model_machine_caches(machine), 0, &command_progress, counts,
                     &error))
        command_fail(&error);
    progress_end();
    return counts;
}

void *command_alloc(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL)
        cli_fail(EXIT_FAILURE, "not enough memory (%zu times %zu bytes)", count, size);
    return memory;
}

bool command_may_print(const command_options_t *options)
{
    return options->json == NULL || strcmp(options->json, "-") != 0;
}

void command_write_json(const command_options_t *options, json_t *object)
{
    mesh_error_t error;
    const char *path = options->json;
    char *text = path != NULL ? json_dumps(object, JSON_INDENT(2)) : NULL;
    if (path != NULL && (object == NULL || text == NULL))
        cli_fail(EXIT_FAILURE, "%s: not enough memory for the JSON text", path);
    json_decref(object);
    if (path == NULL)
        return;
    if (strcmp(path, "-") == 0)
        puts(text); /* cli_init watches over it */
    else if (!mesh_text_file_write(path, text, strlen(text), &error))
        cli_fail(EXIT_FAILURE, "--json: %s", error.text);
    free(text);
}
