#include "am/queue.h"

void pgasi_queue_add(pgasi_queue_t *queue, pgasi_queue_link_t *item)
{
    atomic_store_explicit(&item->next, NULL, memory_order_relaxed);
    pgasi_queue_link_t *before = atomic_exchange(&queue->last, item);
    atomic_store_explicit(&before->next, item, memory_order_release);
}

static pgasi_queue_link_t *next_of(pgasi_queue_link_t *item)
{
    return atomic_load_explicit(&item->next, memory_order_acquire);
}

static void set_first(pgasi_queue_t *queue, pgasi_queue_link_t *item)
{
    atomic_store_explicit(&queue->first, item, memory_order_relaxed);
}

/* The last one is taken only when something stands behind it: others may be about to link there. */
pgasi_queue_link_t *pgasi_queue_take(pgasi_queue_t *queue)
{
    pgasi_queue_link_t *first = atomic_load_explicit(&queue->first, memory_order_relaxed);
    pgasi_queue_link_t *next = next_of(first);
    if (first == &queue->none) {
        if (next == NULL)
            return NULL;
        set_first(queue, next);
        first = next;
        next = next_of(first);
    }
    if (next == NULL) {
        if (first != atomic_load_explicit(&queue->last, memory_order_relaxed))
            return NULL;
        pgasi_queue_add(queue, &queue->none);
        next = next_of(first);
        if (next == NULL)
            return NULL;
    }
    set_first(queue, next);
    return first;
}
