/**
 * The file that PGAS_STATS names: it has all the statistics of a job, or what it had before.
 */
#ifndef PGASI_JOB_STATS_FILE_H
#define PGASI_JOB_STATS_FILE_H

#include <stdbool.h>

#include <jansson.h>

/** Whether the file can be written, as far as its name tells: its folder takes files, and it is a
 *  regular file if it is there. Not collective. Logs what is wrong. */
bool pgasi_stats_file_check(const char *name);

/** Writes `root` to a new file beside `name`, which then takes that name. On failure `name` stays
 *  as it was. Not collective. Logs what is wrong. */
bool pgasi_stats_file_write(const char *name, const json_t *root);

#endif
