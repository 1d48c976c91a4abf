/**
 * Pieces of the heap: allocated in each way, with one line for a failure, and stamped, so that
 * overlapping pieces are noticed.
 */
#ifndef RUNTIME_TESTS_HEAP_PIECE_H
#define RUNTIME_TESTS_HEAP_PIECE_H

#include "check.h"

enum {
    UNIT = 64
};

typedef enum kind {
    OWN,
    GLOBAL,
    ALL,
    KINDS
} kind_t;

typedef struct piece {
    pgas_ptr_t ptr;
    kind_t kind;
    /* In each segment that it lies in. */
    size_t nbytes;
    int fill;
} piece_t;

/** The size of the job, and the calling thread's number; the program sets them. */
extern size_t threads;
extern size_t me;

/** The bytes that an allocation counts as, by heap.h. */
size_t counted(size_t nbytes);

/** Allocates `nbytes` bytes in the own segment, or in every segment. Collective for ALL. */
pgas_status_t allocate(kind_t kind, size_t nbytes, pgas_ptr_t *ptr);

/** The same; checks that a failure logs one line and leaves `ptr` unchanged. */
bool try_allocate(kind_t kind, size_t nbytes, pgas_ptr_t *ptr);

void give_back(kind_t kind, pgas_ptr_t ptr);

/** Visits a piece's stamps: all stamps of a piece of one thread, or the own part of a piece of
 *  all. */
void visit_piece(const piece_t *piece, void (*visit)(pgas_ptr_t at, size_t nbytes, int fill));

/** For visit_piece: writes a stamp, or fails unless it is there. */
void stamp(pgas_ptr_t at, size_t nbytes, int fill);
void check_stamp(pgas_ptr_t at, size_t nbytes, int fill);

/** Checks that the heaps are empty. Collective. */
void check_nothing_used(void);

#endif
