/**
 * The cost of memory traffic, with reading and writing separate.
 */
#ifndef PERFMODEL_SRC_STREAM_H
#define PERFMODEL_SRC_STREAM_H

#include "perfmodel/machine.h"

/** Bytes that a thread moves between memory and cache, as the program sees them: fetches of lines
 *  that are written to do not count. */
typedef struct modeli_traffic {
    double read;
    double written;
} modeli_traffic_t;

/** Whether the machine's parameters separate the two: reading alone, and STREAM's scale. */
bool modeli_knows_writing(const model_parameters_t *machine);

/** Seconds for the traffic: as spmv.h says under private_read_bandwidth, or all at W_private. */
double modeli_traffic_seconds(modeli_traffic_t traffic, const model_parameters_t *machine);

#endif
