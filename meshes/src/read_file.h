/**
 * Reading a whole text file into memory.
 */
#ifndef MESHES_SRC_READ_FILE_H
#define MESHES_SRC_READ_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "meshes/error.h"

/** Reads a whole regular file, and unpacks it if gzip has packed it. The caller frees `text`, which
 * has no terminating zero. */
bool meshi_read_file(const char *path, char **text, size_t *nbytes, mesh_error_t *error);

#endif
