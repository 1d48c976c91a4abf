/**
 * Memory that operations in flight hold: copies of sources, and lists. Each client thread has its
 * own, counts it, and keeps what is freed for the next operation: some dozens of copies are more
 * than malloc keeps at the top of its heap, so that each would cost new pages.
 */
#ifndef GASNETI_HELD_H
#define GASNETI_HELD_H

#include <stdbool.h>
#include <stddef.h>

enum {
    /** Some hundreds of the largest copies, far more than hide the time of a round trip. */
    GASNETI_HELD_AT_MOST = 4 << 20
};

/** Of `nbytes`, aligned as malloc aligns. Ends the job if there is none. */
void *gasneti_held_allocate(const char *call, size_t nbytes);

/** By the thread that has allocated it; NULL: nothing. */
void gasneti_held_free(void *memory);

/** Whether the calling thread's operations hold GASNETI_HELD_AT_MOST or more. */
bool gasneti_held_is_full(void);

/** Gives back what is kept, for a client thread that ends. Not in SEQ. */
void gasneti_held_end(void);

#endif
