#include "coll/own_operations.h"

#include <limits.h>
#include <stdlib.h>

enum {
    FIRST_SIZE = 16
};

/* The guard is held, as for all that are static here. */
static bool grow(pgasi_owns_t *owns)
{
    int size = owns->size == 0 ? FIRST_SIZE : 2 * owns->size;
    if (owns->size > (INT_MAX - owns->first) / 2)
        return false;
    pgasi_own_t *more = realloc(owns->list, (size_t)size * sizeof *more);
    if (more == NULL)
        return false;
    owns->list = more;
    owns->size = size;
    return true;
}

static int alloc_number(pgasi_owns_t *owns)
{
    int number = owns->first_free;
    if (number >= 0)
        owns->first_free = owns->list[number].next_free;
    else if (owns->count < owns->size || grow(owns))
        number = owns->count++;
    return number;
}

static pgasi_own_t *find(const pgasi_owns_t *owns, int op)
{
    bool is_number = op >= owns->first && op - owns->first < owns->count;
    pgasi_own_t *own = is_number ? &owns->list[op - owns->first] : NULL;
    return own != NULL && own->function != NULL ? own : NULL;
}

int pgasi_owns_add(pgasi_owns_t *owns, pgasi_any_function_t *function, bool commutes)
{
    pgasi_guard_lock(&owns->guard);
    int number = alloc_number(owns);
    if (number >= 0)
        owns->list[number] = (pgasi_own_t){.function = function, .commutes = commutes};
    pgasi_guard_unlock(&owns->guard);
    return number >= 0 ? owns->first + number : -1;
}

pgasi_own_t pgasi_owns_find(pgasi_owns_t *owns, int op)
{
    pgasi_guard_lock(&owns->guard);
    const pgasi_own_t *found = find(owns, op);
    pgasi_own_t own = found != NULL ? *found : (pgasi_own_t){.function = NULL};
    pgasi_guard_unlock(&owns->guard);
    return own;
}

bool pgasi_owns_remove(pgasi_owns_t *owns, int op)
{
    pgasi_guard_lock(&owns->guard);
    pgasi_own_t *own = find(owns, op);
    if (own != NULL) {
        *own = (pgasi_own_t){.function = NULL, .next_free = owns->first_free};
        owns->first_free = op - owns->first;
    }
    pgasi_guard_unlock(&owns->guard);
    return own != NULL;
}
