/**
 * Reading the JSON files that the model takes.
 */
#ifndef PERFMODEL_SRC_JSON_FILE_H
#define PERFMODEL_SRC_JSON_FILE_H

#include <jansson.h>

#include "meshes/error.h"

/**
 * Reads a regular file, or what a pipe of the process has (/dev/stdin, /dev/fd/N). Its texts have
 * no control characters afterwards, so that they can be printed.
 *
 * @return what the caller frees with json_decref; NULL with one line in `error`, which names the
 *         file.
 */
json_t *modeli_json_read(const char *path, mesh_error_t *error);

#endif
