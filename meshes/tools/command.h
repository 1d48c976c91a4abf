/**
 * What the subcommands of fathom-mesh share.
 */
#ifndef MESHES_TOOLS_COMMAND_H
#define MESHES_TOOLS_COMMAND_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "meshes/meshes.h"

/** The subcommands. argv[0] is what their help calls them; returns the exit status. */
int command_ventricle(int argc, char **argv);
int command_import(int argc, char **argv);
int command_order(int argc, char **argv);
int command_info(int argc, char **argv);
int command_export(int argc, char **argv);

/** Ends the process with status 1 and the error as its message, after wiping the progress bar. */
_Noreturn void command_fail(const mesh_error_t *error);

/** Progress on the terminal, for work that command_run runs. */
extern const mesh_progress_t command_progress;

/** Ends the bar. */
void command_progress_end(void);

/** Ends the process if the file cannot be written: before long work. Leaves nothing behind, and
 *  accepts NULL. */
void command_check_output(const char *path);

/** The same for what command_write_json takes. */
void command_check_json(const char *json_path);

/** Writes an object to a file, to standard output when `path` is "-", not at all when it is NULL;
 *  takes the reference. */
void command_write_json(const char *path, json_t *object);

/** Whether a report in words belongs on standard output: not when JSON goes there. */
bool command_may_print(const char *json_path);

/** The names of ordering methods for cli_parse_choice, those of METIS's algorithms, and what a pair
 *  of them stands for. */
extern const char *const command_methods[];
extern const char *const command_metis[];
mesh_order_method_t command_method(int choice, int metis);

/** Makes --metis its default where it is not given, and so negative. Where it is given, ends the
 *  process with one line and CLI_EXIT_USAGE unless `option` has chosen METIS. */
void command_check_metis(const char *option, int choice, int *metis);

/** Runs work in a thread of its own, while the caller shows the elapsed time and what the work
 *  tells command_progress. `stage`, a constant string, is shown until it tells something. Ends the
 *  process when `run` fails. */
void command_run(const char *stage, bool (*run)(void *context, mesh_error_t *error), void *context);

/** Makes the diffusion matrix of the content's mesh that way; `report` may be NULL. */
void command_make_diffusion(mesh_file_content_t *content, mesh_diffusion_report_t *report);

/** Reads, writes and renumbers that way. Renumbering does nothing for MESH_ORDER_NONE; `parts` and
 *  `block` are those of mesh_order_find. */
void command_read_file(const char *path, mesh_file_content_t *content);
void command_write_file(const char *path, const mesh_file_content_t *content);
void command_order_content(mesh_file_content_t *content, mesh_order_method_t method, size_t parts,
                           size_t block);

/** Seconds since an arbitrary moment. */
double command_seconds(void);

#endif
