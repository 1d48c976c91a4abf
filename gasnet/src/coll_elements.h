/**
 * Reductions element by element: the results are as many elements as each image has
 * (docs/decisions.md, 140).
 */
#ifndef GASNETI_COLL_ELEMENTS_H
#define GASNETI_COLL_ELEMENTS_H

#include "coll.h"
#include "coll_functions.h"

typedef struct gasneti_coll_elements {
    const char *call;
    gasneti_coll_operator_t function;
    /** The elements of each of the node's images. */
    char *const *own;
    /** On the node of the image that gets them. */
    char *result;
    gasnet_node_t reader;
    size_t size;
    size_t count;
    /** Elements [begin, end) are under way, at most so many. */
    size_t begin;
    size_t end;
    size_t most;
    /** Room for what the node sends, if it has several images, and for what its reader gets. */
    char *sent;
    char *received;
} gasneti_coll_elements_t;

/** Begins, with all set down to `count` (> 0). */
void gasneti_coll_elements_open(gasneti_coll_elements_t *it);

/** Combines what has come; sets `move` for the next elements and returns true, or false if there
 *  are none. Outside the runtime. */
bool gasneti_coll_elements_next(gasneti_coll_elements_t *it, gasneti_coll_move_t *move);

void gasneti_coll_elements_close(gasneti_coll_elements_t *it);

#endif
