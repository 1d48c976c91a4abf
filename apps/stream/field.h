/**
 * The cost of the heat equation's steps, as fathom-heat2d runs them, all threads at once: points of
 * a block, and what follows them, the rows of a neighbour on the node and the columns of the own
 * block.
 */
#ifndef STREAM_FIELD_H
#define STREAM_FIELD_H

#include <pgas/pgas.h>
#include <stdbool.h>

enum {
    /** Points of a row. */
    STREAM_FIELD_COLUMNS = 4000
};

typedef struct stream_field {
    size_t rows;
    /** Both levels of all threads, each with a row more at both ends. */
    pgas_ptr_t segment;
    /** The own levels' first points. */
    double *level[2];
    /** The level to be computed from. */
    int now;
    /** A column of narrow rows. */
    double *column;
    /** Whether all threads' processors have streaming stores. */
    bool streams;
} stream_field_t;

/** Seconds, on the slowest thread. */
typedef struct stream_field_times {
    /** Per point of a step, with plain stores, and with streaming ones; 0 where there are none. */
    double point;
    double streaming_point;
    /** Right after such a step: per value of the other thread's first row, which it has
     *  computed first, and of its last, gotten into the own block; of own rows where a thread has
     *  its node to itself. */
    double first_row;
    double last_row;
    /** Of one cache line gotten in that place: the code and the tables of a get come from memory
     *  then. */
    double first_get;
    /** Per value of a column, gathered and scattered, the mean of both; and in rows a quarter as
     *  long. */
    double column;
    double narrow_column;
} stream_field_times_t;

/** Allocates levels of about `nbytes` together per thread, at least three rows each. Collective. */
void stream_field_create(size_t nbytes, stream_field_t *field);

/** Frees them. Collective. */
void stream_field_free(stream_field_t *field);

/** Measures all, the medians over a few steps. Collective. */
stream_field_times_t stream_field_measure(stream_field_t *field);

/** True if all values on all threads were right. Collective. */
bool stream_field_check(const stream_field_t *field);

#endif
