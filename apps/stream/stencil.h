/**
 * The steps of a stencil, as the heat solver makes them: every thread gathers a column, waits in a
 * barrier, reads a row and the column of a neighbour, scatters the column and computes its block.
 * It is that solver's kernel that computes.
 *
 * Blocks have about as many points as STREAM's arrays have elements, in rows of 512, 4096 and 32768
 * points: the longer a row, the fewer rows the caches hold, and the more pages lie between the
 * values of a column.
 */
#ifndef STREAM_STENCIL_H
#define STREAM_STENCIL_H

#include <pgas/pgas.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    STREAM_STENCIL_WIDTHS = 3,
    /** What is measured with each width. */
    STREAM_STENCIL_KINDS = 4,
    STREAM_STENCIL_RATES = STREAM_STENCIL_KINDS * STREAM_STENCIL_WIDTHS
};

/** Bytes of the long one of the first reads after computing: MODEL_EXCHANGE_BYTES of
 *  perfmodel/machine.h. */
#define STREAM_READ_BYTES ((size_t)64 << 10)

typedef struct stream_stencil {
    /** Points of a block, about. */
    size_t points;
    /** The threads' memory: two levels of the field, then a column. */
    pgas_ptr_t shared;
    double *levels[2];
    double *column;
    /** The neighbour's column; private. */
    double *received;
    /** Whether every thread has a partner on its node, and on another one. */
    bool has_neighbour;
    bool has_remote;
    /** How many values of the field every thread has. */
    size_t count;
} stream_stencil_t;

/** What the slowest thread takes. */
typedef struct stream_stencil_times {
    /** By kind, then width. Seconds of a point; of a point that is stored past the caches; of an
     *  element of a column, the mean of gathering and scattering; of a blocking read of a row, the
     *  mean of the first and the last row, from a thread of the node that has just computed it. */
    double rates[STREAM_STENCIL_RATES];
    /** Seconds of a blocking read of 8 bytes from another node, and of one of STREAM_READ_BYTES,
     *  with rows of 4096 points; 0 without partners there. */
    double short_read;
    double long_read;
} stream_stencil_times_t;

/** Allocates blocks of about `points` points. Collective. */
void stream_stencil_create(size_t points, stream_stencil_t *stencil);

/** Frees them. Collective. */
void stream_stencil_free(stream_stencil_t *stencil);

/** The name of a rate. */
const char *stream_stencil_name(int rate);

/** Whether this job, on this processor, can measure a rate. */
bool stream_stencil_can(const stream_stencil_t *stencil, int rate);

/** Measures everything that can be measured; the rest is 0. Collective. */
stream_stencil_times_t stream_stencil_measure(stream_stencil_t *stencil);

/** True if all threads' fields hold what they must. Collective. */
bool stream_stencil_check(const stream_stencil_t *stencil);

#endif
