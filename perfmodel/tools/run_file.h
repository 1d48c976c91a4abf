/**
 * Reads what a program wrote with --json. If a key is missing or holds something else, every
 * function ends the process with one line that names the file and the key.
 */
#ifndef PERFMODEL_TOOLS_RUN_FILE_H
#define PERFMODEL_TOOLS_RUN_FILE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "perfmodel/machine.h"

/** Reads the file; the caller frees it with json_decref. */
json_t *run_file_read(const char *path);

/** The object, array, text or count at a key of `object`. */
const json_t *run_file_object(const char *path, const json_t *object, const char *key);
const json_t *run_file_array(const char *path, const json_t *object, const char *key);
const char *run_file_text(const char *path, const json_t *object, const char *key);
uint64_t run_file_count(const char *path, const json_t *object, const char *key);

/** A measured time: 0 or in the range of machine.h. */
double run_file_seconds(const char *path, const json_t *object, const char *key);

/** An object at a key with median, min and max, which are measured times, positive and in order. */
model_spread_t run_file_spread(const char *path, const json_t *object, const char *key);

/** Ends the process unless the array at key "threads" has `count` elements. */
void run_file_check_threads(const char *path, const json_t *threads, size_t count);

#endif
