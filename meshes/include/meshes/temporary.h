/**
 * Output files that appear whole or not at all, and what to remove when a program is stopped in the
 * middle.
 *
 * One operating-system thread at a time calls the functions, the last one excepted.
 *
 * The writers of this library create temporary files, mesh_ventricle_make also a temporary
 * directory and a child process, and mesh_order_find a child process for METIS. They remove them on
 * every way out but one: a signal that ends the process. A program that wants them removed then too
 * calls mesh_temporaries_remove from its signal handler; where the program has several threads of
 * execution, in the one that calls the library.
 *
 * No handler sees SIGKILL: then the kernel ends the child, and the next call of mesh_ventricle_make
 * by the same user on the same host removes the directory. A file beside an output file stays.
 */
#ifndef MESHES_TEMPORARY_H
#define MESHES_TEMPORARY_H

#include <stdbool.h>

#include "meshes/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A file that is written under a temporary name beside its target. */
typedef struct mesh_temporary mesh_temporary_t;

/** Creates an empty file beside `target`, under a name of its own, with the permissions a new file
 *  would have. Refuses a target that is there and is not a regular file. */
bool mesh_temporary_create(const char *target, mesh_temporary_t **temporary, mesh_error_t *error);

/** Whether mesh_temporary_create could do that now: to be asked before long work. Leaves nothing
 *  behind. Always accepts NULL and "-". */
bool mesh_temporary_check(const char *target, mesh_error_t *error);

/** The path of the file. Valid until commit or remove. */
const char *mesh_temporary_path(const mesh_temporary_t *temporary);

/** Gives the file its final name, replacing what is there, and forgets it. A symbolic link is
 *  replaced, and not what it points to. On failure the file remains. */
bool mesh_temporary_commit(mesh_temporary_t *temporary, const char *target, mesh_error_t *error);

/** Removes the file and forgets it. NULL is allowed. */
void mesh_temporary_remove(mesh_temporary_t *temporary);

/** Ends the child process, if there is one, with its process group, and removes all temporary
 *  files and directories of this process. Async-signal-safe. Ends no other process; the caller is
 *  expected to end its own right after. */
void mesh_temporaries_remove(void);

#ifdef __cplusplus
}
#endif
#endif
