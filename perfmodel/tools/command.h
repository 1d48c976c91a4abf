/**
 * What the subcommands of fathom-model share.
 */
#ifndef PERFMODEL_TOOLS_COMMAND_H
#define PERFMODEL_TOOLS_COMMAND_H

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "perfmodel/perfmodel.h"

/** The subcommands. argv[0] is the name shown in their help; they return the exit status. */
int command_predict(int argc, char **argv);
int command_heat(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_sweep(int argc, char **argv);
int command_tune(int argc, char **argv);
int command_traffic(int argc, char **argv);
int command_collective(int argc, char **argv);

/** Options that several subcommands have. Those not given are zero. */
typedef struct command_options {
    const char *matrix;
    const char *machines[MODEL_MACHINES_MAX];
    size_t machine_count;
    const char *json;
    size_t threads;
    size_t nodes;
    size_t threads_per_node;
} command_options_t;

/** MATRIX.h5 and --threads; --nodes and --threads-per-node; --machine and --json. They are
 *  children of a subcommand's parser, which passes them its command_options_t as input. */
extern const struct argp command_matrix_argp;
extern const struct argp command_job_argp;
extern const struct argp command_file_argp;

/** Ends the process unless MATRIX, --threads and --machine were all given and the job makes sense.
 *  `name` is the subcommand's, for messages. */
void command_check_options(const char *name, const command_options_t *options);

/** Ends the process unless --machine was given. */
void command_check_machine(const char *name, const command_options_t *options);

/** Ends the process if --json would overwrite an input file, or cannot be written; `read`, if not
 *  NULL, is one more of these files, and `what` its name. */
void command_check_files(const command_options_t *options, const char *what, const char *read);

/** Ends the process with status 1 and the error as its message, after wiping the progress bar. */
_Noreturn void command_fail(const mesh_error_t *error);

/** Progress on the terminal. */
extern const mesh_progress_t command_progress;

/** Ends the bar. */
void command_progress_end(void);

/** Reads the machine files and combines them; ends the process if that fails, or if a job on
 *  `nodes` nodes needs more than they have. */
void command_read_machine(const command_options_t *options, size_t nodes, model_machine_t *machine);

/** Prints a line if the machine was measured with another number of threads per node than the job
 *  has: W and the rest are per thread with all threads of a node active. */
void command_print_shape(const model_machine_t *machine, const model_layout_t *layout);

/** Reads the matrix; ends the process if that fails. */
void command_read_matrix(const char *path, model_matrix_t *matrix);

/** Makes the layout of the options; ends the process if that fails. */
void command_make_layout(const command_options_t *options, const model_matrix_t *matrix,
                         size_t blocksize, model_layout_t *layout);

/** Counts for a machine, with progress; ends the process if that fails. The caller frees the
 *  counts. */
model_counts_t *command_count(const model_matrix_t *matrix, const model_layout_t *layout,
                              const model_machine_t *machine);

/** Allocates `count` zeroed elements of `size` bytes; ends the process if memory runs out. */
void *command_alloc(size_t count, size_t size);

/** Whether to print a report in words on standard output: not if JSON goes there. */
bool command_may_print(const command_options_t *options);

/** Writes an object to --json, if given; takes the reference. The file appears whole or not at
 *  all. */
void command_write_json(const command_options_t *options, json_t *object);

/** What the JSON of all subcommands begins with: {"program", "version", "command"}. */
json_t *command_json(const char *command);

/** Adds the members of `more` to `object`, after its own; takes the reference. */
void command_json_add(json_t *object, json_t *more);

/** {"name", "path"}. */
json_t *command_machine_json(const command_options_t *options, const model_machine_t *machine);

/** {"predicted", "low", "high"}, each times `times`. */
json_t *command_estimate_json(const model_estimate_t *estimate, double times);

/** One element per thread, with the keys of fathom-spmv's "counts". */
json_t *command_counts_json(const model_layout_t *layout, const model_counts_t *counts);

/** The same keys, without "thread" and "node", each with a summary (summary.h) over the threads. */
json_t *command_counts_summary_json(const model_layout_t *layout, const model_counts_t *counts);

/** An array of the names of the parameters in a set of bits. */
json_t *command_parameters_json(model_parameter_set_t parameters);

/** "a, b": the names of the parameters in a set of bits, gather_access with the key of the machine
 *  file that it also needs; `text` has space for all. */
const char *command_parameter_names(model_parameter_set_t parameters, char text[512]);

#endif
