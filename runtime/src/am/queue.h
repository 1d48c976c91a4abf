/**
 * A queue within a process: anybody adds without waiting, one at a time takes.
 *
 * Who adds makes its item the last one by one exchange, then links the one before it. Who takes
 * walks the links, and finds nothing for the moment where one is not there yet.
 */
#ifndef PGASI_AM_QUEUE_H
#define PGASI_AM_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/** What an item begins with. */
typedef struct pgasi_queue_link {
    struct pgasi_queue_link *_Atomic next;
} pgasi_queue_link_t;

typedef struct pgasi_queue {
    /** The last one that has been added, or `none`. */
    pgasi_queue_link_t *_Atomic last;
    /** The next one to be taken, or `none`. Written by who takes. */
    pgasi_queue_link_t *_Atomic first;
    /** Stands in for an item where there would be none. */
    pgasi_queue_link_t none;
} pgasi_queue_t;

#define PGASI_QUEUE_EMPTY(queue) \
    { \
        .last = &(queue).none, .first = &(queue).none \
    }

/** Adds an item. Sequentially consistent: who then reads a word, and who writes that word before
 *  pgasi_queue_has_item, do not miss each other. */
void pgasi_queue_add(pgasi_queue_t *queue, pgasi_queue_link_t *item);

/** Takes the next item; NULL if there is none, or if it is just being added. */
pgasi_queue_link_t *pgasi_queue_take(pgasi_queue_t *queue);

/** Whether something has been added that has not been taken. */
static inline bool pgasi_queue_has_item(pgasi_queue_t *queue)
{
    return atomic_load(&queue->last) != &queue->none ||
           atomic_load_explicit(&queue->first, memory_order_relaxed) != &queue->none;
}

#endif
