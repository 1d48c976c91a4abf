/**
 * The same transfers through gasnet.h, on the segments of GASNet. One GASNet node is one thread.
 */
#ifndef STREAM_TRANSFER_GASNET_H
#define STREAM_TRANSFER_GASNET_H

#include <stddef.h>

#include "transfer_kind.h"

/** Starts the job, in place of pgas_init, which this includes. Ends the program if that fails. */
void stream_gasnet_begin(void);

/** Ends the job and the program, with status 0. Collective. */
_Noreturn void stream_gasnet_end(void);

/** GASNet's side of a link. */
typedef struct stream_gasnet stream_gasnet_t;

/** Makes the segments, of at least `nbytes` each, and room for `depth` handles; once in a job,
 *  before it allocates much else. Collective; ends the job if there is not enough memory. The
 * caller frees it. */
stream_gasnet_t *stream_gasnet_create(size_t nbytes, size_t depth);

/** Frees it; the segments stay. */
void stream_gasnet_free(stream_gasnet_t *gasnet);

/** The calling thread's segment. */
char *stream_gasnet_memory(const stream_gasnet_t *gasnet);

/** Runs `count` transfers between the private `buffer` and the segment of a thread, and completes
 *  them. Not collective. */
void stream_gasnet_run(const stream_gasnet_t *gasnet, int partner, char *buffer,
                       const stream_transfer_t *transfer, size_t count);

#endif
