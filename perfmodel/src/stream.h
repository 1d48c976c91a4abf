/**
 * The cost of memory traffic, reading and writing apart.
 */
#ifndef PERFMODEL_SRC_STREAM_H
#define PERFMODEL_SRC_STREAM_H

#include "perfmodel/machine.h"

/** Bytes that a thread moves between memory and cache, as the program names them: the fetching of
 *  lines that are written to is not counted. */
typedef struct modeli_traffic {
    double read;
    double written;
} modeli_traffic_t;

/** Whether the machine's parameters tell the two apart: reading alone, and STREAM's scale. */
bool modeli_knows_writing(const model_parameters_t *machine);

/** Seconds for that: as spmv.h says under private_read_bandwidth, or all at W_private. */
double modeli_traffic_seconds(modeli_traffic_t traffic, const model_parameters_t *machine);

#endif
