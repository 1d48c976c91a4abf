/**
 * Temporary directories, the files in them, and the child process, known to mesh_temporaries_remove
 * as output files are (meshes/temporary.h).
 *
 * Creation and registration happen with all signals blocked in the calling thread of execution, so
 * that a signal handled there finds either nothing or something it knows of.
 */
#ifndef MESHES_SRC_TEMPORARY_FILE_H
#define MESHES_SRC_TEMPORARY_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "meshes/error.h"
#include "meshes/temporary.h"

/** A file, or a directory. */
typedef struct meshi_temporary meshi_temporary_t;

/** The path of the file. Valid until it is removed. */
const char *meshi_temporary_path(const meshi_temporary_t *temporary);

/** Removes the file, or the directory, which must be empty by then, and forgets it. NULL is
 *  allowed. */
void meshi_temporary_remove(meshi_temporary_t *temporary);

/** Creates a private directory (mode 0700) under $TMPDIR or /tmp, after clearing away those there
 *  whose owner was killed (temporary_directory.h). */
bool meshi_temporary_directory(meshi_temporary_t **temporary, mesh_error_t *error);

/** The descriptor that marks the directory as in use, closed on exec. A child that works in the
 *  directory keeps it open, so that the directory is in use as long as the child lives. */
int meshi_temporary_owner(const meshi_temporary_t *directory);

/** Registers a file in a temporary directory under a short name without creating it: whoever
 *  creates it later, it is removed before the directory. */
bool meshi_temporary_member(const meshi_temporary_t *directory, const char *name,
                            meshi_temporary_t **temporary, mesh_error_t *error);

/** Registers the process that mesh_temporaries_remove has to end, with its process group; 0 for
 *  none. It gets SIGTERM and `grace` milliseconds to end by itself, then SIGKILL; 0: SIGKILL at
 *  once. */
void meshi_temporary_child(pid_t child, int grace);

#endif
