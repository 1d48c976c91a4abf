/**
 * Operations that the program has made, by number: pgas_op_create's, and upccoll_op_create's.
 * Attached threads may make, use and free them at once.
 */
#ifndef PGASI_COLL_OWN_OPERATIONS_H
#define PGASI_COLL_OWN_OPERATIONS_H

#include <stdbool.h>

#include "shm/guard.h"

/** A function of any type: to be cast to its own before it is called. */
typedef void pgasi_any_function_t(void);

typedef struct pgasi_own {
    /** NULL in a free number, which knows the next one. */
    pgasi_any_function_t *function;
    bool commutes;
    int next_free;
} pgasi_own_t;

/** Begins with `first`, the lowest number, and `first_free` -1. */
typedef struct pgasi_owns {
    int first;
    int first_free;
    pgasi_own_t *list;
    int count;
    int size;
    pgasi_guard_t guard;
} pgasi_owns_t;

/** The number of a new one: the one that was freed last, or the next; -1 if there is no memory. */
int pgasi_owns_add(pgasi_owns_t *owns, pgasi_any_function_t *function, bool commutes);

/** A copy, which has no function if there is no such operation. */
pgasi_own_t pgasi_owns_find(pgasi_owns_t *owns, int op);

/** Frees the number; false if there is no such operation. */
bool pgasi_owns_remove(pgasi_owns_t *owns, int op);

#endif
