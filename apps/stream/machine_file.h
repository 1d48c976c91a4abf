/**
 * What a calibration has found: the machine file of calibrate.h, and a table for people.
 */
#ifndef STREAM_MACHINE_FILE_H
#define STREAM_MACHINE_FILE_H

#include <stdio.h>

#include "calibration.h"
#include "common/timing.h"

/** The results, by parameter. */
typedef struct stream_machine_file {
    const stream_calibration_t *calibration;
    const char *name;
    size_t rounds;
    const common_spread_t *spreads;
} stream_machine_file_t;

/** Writes the file; "-" is standard output. Ends the job with one line if that fails. */
void stream_machine_file_write(const stream_machine_file_t *file, const char *out);

/** Prints a table. */
void stream_machine_file_print(const stream_machine_file_t *file);

/** Writes a line if the calibration was disturbed (support/steady.h). */
void stream_machine_file_warn(const stream_machine_file_t *file, FILE *stream);

#endif
