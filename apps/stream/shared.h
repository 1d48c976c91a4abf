/**
 * STREAM on shared arrays, in the ways a program can access them.
 */
#ifndef STREAM_SHARED_H
#define STREAM_SHARED_H

#include <pgas/pgas.h>

#include "kernels.h"

typedef enum stream_form {
    /** Through pointers-to-shared: PGAS_GET and PGAS_PUT. */
    STREAM_POINTERS = 0,
    /** Plain pointers to where the memory is mapped. */
    STREAM_PRIVATISED,
    /** By pgas_memget into private buffers, the kernel there, and pgas_memput. */
    STREAM_BULK,
    STREAM_FORMS
} stream_form_t;

/** Their names in reports. */
extern const char *const stream_form_names[STREAM_FORMS];

/** Three shared arrays of one block per thread. A kernel reads the block of a thread's partner in
 *  some place, and writes the thread's own. */
typedef struct stream_shared {
    /** Elements per thread and array. */
    size_t elements;
    pgas_array_t a;
    pgas_array_t b;
    pgas_array_t c;
    /** Buffers for bulk copies. */
    stream_arrays_t buffers;
} stream_shared_t;

/** Allocates the arrays. Collective. */
void stream_shared_create(size_t elements, stream_shared_t *shared);

/** Frees them. Collective. */
void stream_shared_free(stream_shared_t *shared);

/** True if the form can reach the place: plain pointers do not reach other nodes. */
bool stream_shared_reaches(stream_form_t form, pgas_place_t place);

/**
 * Runs STREAM's four kernels `repetitions` times, after one warm-up, over the first `count`
 * elements of every block. Collective. seconds[kernel * repetitions + r] is the time until the last
 * thread finished. Returns whether all elements hold what they must.
 */
bool stream_shared_measure(stream_shared_t *shared, stream_form_t form, pgas_place_t place,
                           size_t count, size_t repetitions, double *seconds);

#endif
