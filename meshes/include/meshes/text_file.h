/**
 * Writing a small text file whole or not at all.
 */
#ifndef MESHES_TEXT_FILE_H
#define MESHES_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "meshes/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Writes `nbytes` of text under a temporary name in the directory of `path` and renames it:
 *  `path` is either the complete new file or what it was before. */
bool mesh_text_file_write(const char *path, const char *text, size_t nbytes, mesh_error_t *error);

#ifdef __cplusplus
}
#endif
#endif
