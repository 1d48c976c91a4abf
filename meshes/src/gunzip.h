/**
 * Text compressed by gzip, in memory.
 */
#ifndef MESHES_SRC_GUNZIP_H
#define MESHES_SRC_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>

#include "meshes/error.h"

/** Whether the bytes begin as gzip's do. No text does. */
bool meshi_is_gzip(const char *bytes, size_t nbytes);

/** Unpacks all of a gzip file, one after the other if there are several in it. What was changed,
 *  cut off or appended is found out. `name` stands for the file in messages; the caller frees
 *  `text`. */
bool meshi_gunzip(const char *name, const char *bytes, size_t nbytes, char **text,
                  size_t *text_nbytes, mesh_error_t *error);

#endif
