#include "shm/ring.h"

#include <string.h>

static inline void write_slot(pgasi_ring_t *ring, uint64_t position, const pgasi_message_t *message,
                              size_t begin)
{
    pgasi_slot_t *slot = pgasi_ring_slot(ring, position);
    size_t left = message->size > begin ? message->size - begin : 0;
    slot->head = message->head;
    memcpy(slot->body, message->body + begin, left < PGASI_SLOT_BODY ? left : PGASI_SLOT_BODY);
}

/* Whether `slots` slots from `tail` on have been left, as far as is known. Where others have moved
 * the tail since it was read, the consumer may be beyond it: the difference is negative then, and
 * the exchange that follows fails. */
static inline bool fits(uint64_t tail, uint64_t slots, uint64_t head)
{
    return (int64_t)(tail + slots - head) <= PGASI_RING_SLOTS;
}

bool pgasi_ring_put(pgasi_ring_t *ring, uint64_t *known, const pgasi_message_t *message)
{
    uint64_t slots = message->size > PGASI_SLOT_BODY ? 2 : 1;
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    do {
        if (!fits(tail, slots, *known)) {
            *known = atomic_load_explicit(&ring->head, memory_order_acquire);
            if (!fits(tail, slots, *known))
                return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&ring->tail, &tail, tail + slots,
                                                    memory_order_relaxed, memory_order_relaxed));
    if (slots == 2) {
        write_slot(ring, tail + 1, message, PGASI_SLOT_BODY);
        atomic_store_explicit(&pgasi_ring_slot(ring, tail + 1)->turn, pgasi_ring_turn(tail + 1),
                              memory_order_relaxed);
    }
    write_slot(ring, tail, message, 0);
    atomic_store(&pgasi_ring_slot(ring, tail)->turn, pgasi_ring_turn(tail));
    return true;
}

void pgasi_ring_take(pgasi_ring_t *ring, pgasi_message_t *message,
                     uint32_t (*size)(const pgasi_message_head_t *head))
{
    const pgasi_slot_t *slot = pgasi_ring_slot(ring, ring->next);
    message->head = slot->head;
    memcpy(message->body, slot->body, PGASI_SLOT_BODY);
    message->size = size(&message->head);
    ring->next++;
    if (message->size > PGASI_SLOT_BODY) {
        memcpy(message->body + PGASI_SLOT_BODY, pgasi_ring_slot(ring, ring->next)->body,
               PGASI_BODY_MAX - PGASI_SLOT_BODY);
        ring->next++;
    }
    uint64_t told = atomic_load_explicit(&ring->head, memory_order_relaxed);
    if (ring->next - told >= PGASI_RING_UNTOLD)
        atomic_store_explicit(&ring->head, ring->next, memory_order_release);
}
