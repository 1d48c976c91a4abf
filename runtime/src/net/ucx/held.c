#include "net/ucx/held.h"

#include <stdlib.h>

static bool grow(pgasi_ucx_held_t *held)
{
    size_t size = held->size == 0 ? 8 : 2 * held->size;
    pgasi_ucx_held_signal_t *heap = realloc(held->heap, size * sizeof *heap);
    if (heap == NULL)
        return false;
    held->heap = heap;
    held->size = size;
    return true;
}

bool pgasi_ucx_held_add(pgasi_ucx_held_t *held, uint64_t number, const pgasi_net_signal_t *signal)
{
    if (held->count == held->size && !grow(held))
        return false;
    pgasi_ucx_held_signal_t *heap = held->heap;
    size_t at = held->count++;
    while (at > 0 && heap[(at - 1) / 2].number > number) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = (pgasi_ucx_held_signal_t){number, *signal};
    return true;
}

/* The last one goes where the first was, and down to its place. */
static void remove_first(pgasi_ucx_held_t *held)
{
    pgasi_ucx_held_signal_t *heap = held->heap;
    size_t count = --held->count;
    size_t at = 0;
    if (count == 0) {
        pgasi_ucx_held_free(held);
        return;
    }
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1].number < heap[child].number)
            child++;
        if (heap[child].number > heap[count].number)
            break;
        heap[at] = heap[child];
    }
    heap[at] = heap[count];
}

bool pgasi_ucx_held_take(pgasi_ucx_held_t *held, uint64_t done, pgasi_net_signal_t *signal)
{
    if (held->count == 0 || held->heap[0].number > done)
        return false;
    *signal = held->heap[0].signal;
    remove_first(held);
    return true;
}

void pgasi_ucx_held_free(pgasi_ucx_held_t *held)
{
    free(held->heap);
    *held = (pgasi_ucx_held_t){.heap = NULL};
}
