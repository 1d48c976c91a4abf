/**
 * Memory of stages (team/stage.h), blocks of the process's own heap, kept for the next use. Calls
 * that end at once and calls in flight keep their own, since the progress thread may run the latter
 * at the same time; and each keep one of every class of sizes, so that little does not take what
 * much will need, unless there is nothing else. Where the heap has no room for something, of the
 * program's too, all give up what they keep.
 */
#ifndef PGASI_TEAM_SPARE_H
#define PGASI_TEAM_SPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A block of `size` bytes at `offset` of the own segment; offset 0: none. */
typedef struct pgasi_spare {
    uint64_t offset;
    size_t size;
} pgasi_spare_t;

/** Before the first collective call. */
void pgasi_spare_start(void);

/** A block of at least `nbytes` bytes, and seldom of more than four times as many or 256 KiB; or
 *  none, and `*used` receives the bytes in use of the heap. */
pgasi_spare_t pgasi_spare_take(bool is_in_flight, size_t nbytes, uint64_t *used);

/** Gives it back: keeps it if it is not too large and larger than what is kept, and frees the other
 *  one. */
void pgasi_spare_keep(bool is_in_flight, pgasi_spare_t block);

#endif
