/**
 * Directories for temporary files that say whether their owner lives.
 *
 * A directory is named fathom-mesh-HOST-XXXXXX and holds a file `owner` that is locked (flock) as
 * long as a process has it open: the one that made the directory, or one that inherited it. A
 * directory of this user and host whose file nobody has locked belongs to nobody.
 */
#ifndef MESHES_SRC_TEMPORARY_DIRECTORY_H
#define MESHES_SRC_TEMPORARY_DIRECTORY_H

#include <limits.h>
#include <stdbool.h>

#include "meshes/error.h"

/** Such a directory. */
typedef struct meshi_directory {
    /** Descriptor of the locked file, closed on exec. */
    int owner;
    /** Absolute. */
    char path[PATH_MAX];
    /** Path of that file. */
    char owner_path[PATH_MAX + 16];
} meshi_directory_t;

/** Makes a directory (mode 0700) under $TMPDIR, or /tmp where that is not set, and locks its owner
 *  file. */
bool meshi_directory_create(meshi_directory_t *directory, mesh_error_t *error);

/** Removes the directory with the files that are left in it, and closes the descriptor. If one of
 *  them cannot be removed, the owner file stays with it, for meshi_directories_clear.
 *  Async-signal-safe. */
void meshi_directory_remove(const meshi_directory_t *directory);

/** Removes the directories there whose owner has ended, with their files. Follows no link,
 *  and leaves alone what belongs to another user, was made on another host, or is no directory
 *  made by meshi_directory_create. Tells of no failure: what stays is in nobody's way. */
void meshi_directories_clear(void);

#endif
