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

/** Writes `content` to the file `temporary`, which exists and is empty. */
typedef bool mesh_temporary_writer_t(const char *temporary, const void *content,
                                     mesh_error_t *error);

/** Has `write` write a file beside `target`, under a name of its own, and gives it its name,
 *  replacing what is there: a symbolic link, and not what it points to. It has the permissions of
 *  the file that was there, and its owner may write it; where that had an access list, its owner
 *  alone may read and write it; or those of a new file, and its owner may read and write it.
 *  Refuses a target that is there and is not a regular file. On failure nothing is left of it. */
bool mesh_temporary_write(const char *target, mesh_temporary_writer_t *write, const void *content,
                          mesh_error_t *error);

/** Whether a file could be created beside `target` now: to be asked before long work. Leaves
 *  nothing behind. Always accepts NULL. */
bool mesh_temporary_check(const char *target, mesh_error_t *error);

/** Ends the child process, if there is one, with its process group, and removes all temporary
 *  files and directories of this process. Async-signal-safe. Ends no other process; the caller is
 *  expected to end its own right after. */
void mesh_temporaries_remove(void);

#ifdef __cplusplus
}
#endif
#endif
