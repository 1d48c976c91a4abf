/**
 * Pieces of the heap: allocated in each way, refused in one line, and stamped, so that a piece that
 * another one overwrites is noticed.
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

/** Of the job, and the calling thread's number; the program sets them. */
extern size_t threads;
extern size_t me;

/** What an allocation counts for, as heap.h says. */
size_t counted(size_t nbytes);

/** `nbytes` bytes of one's own, or in every segment. Collective for ALL. */
pgas_status_t allocate(kind_t kind, size_t nbytes, pgas_ptr_t *ptr);

/** The same, with one line for a refusal, and no trace of it in `ptr`. */
bool try_allocate(kind_t kind, size_t nbytes, pgas_ptr_t *ptr);

void give_back(kind_t kind, pgas_ptr_t ptr);

/** Visits a piece's stamps: all of them by its maker, or each thread its own part of one of all. */
void visit_piece(const piece_t *piece, void (*visit)(pgas_ptr_t at, size_t nbytes, int fill));

/** For visit_piece: writes a stamp, or fails unless it is there. */
void stamp(pgas_ptr_t at, size_t nbytes, int fill);
void check_stamp(pgas_ptr_t at, size_t nbytes, int fill);

/** Collective: the heaps are empty. */
void check_nothing_used(void);

#endif
