/**
 * Rings of messages in shared memory: many producers, one consumer.
 *
 * A position counts slots since the start, in 64 bits, and never wraps. A producer reserves slots
 * by moving `tail`, only where the consumer has left them, so that nobody ever holds a slot that it
 * has to wait for; then it writes the message and publishes it by the slot's `turn`, the number of
 * times that the ring has gone round, + 1, in 32 bits. The consumer knows by the turn that the slot
 * at its position is full; it never waits for a slot that is reserved and not yet published, since
 * the producer may have lost its core. It tells the producers its position now and then only, so
 * that a message moves one cache line and no other.
 *
 * Turns wrap after 2^40 messages: a slot's turn is then 2^32 rounds old or the current one, and a
 * slot is written in every round.
 */
#ifndef PGASI_SHM_RING_H
#define PGASI_SHM_RING_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    PGASI_RING_SLOTS = 256,
    /** Slots that the consumer may have left without telling the producers. */
    PGASI_RING_UNTOLD = 32,
    /** Bytes of a message's body in its first slot, and in both. */
    PGASI_SLOT_BODY = 48,
    PGASI_BODY_MAX = 96
};

/** What a message says about itself; the ring does not look at it but for the size of the body. */
typedef struct pgasi_message_head {
    uint16_t handler;
    uint8_t kind;
    uint8_t nargs;
    uint32_t source;
    uint32_t nbytes;
} pgasi_message_head_t;

/** A message outside the ring. */
typedef struct pgasi_message {
    alignas(16) unsigned char body[PGASI_BODY_MAX];
    pgasi_message_head_t head;
    /** Bytes of the body in use. */
    uint32_t size;
} pgasi_message_t;

/** One cache line. A longer body goes on in the next slot's. */
typedef struct pgasi_slot {
    alignas(64) _Atomic uint32_t turn;
    pgasi_message_head_t head;
    alignas(16) unsigned char body[PGASI_SLOT_BODY];
} pgasi_slot_t;

_Static_assert(sizeof(pgasi_slot_t) == 64, "a slot is a cache line");

/** Starts as zeros. */
typedef struct pgasi_ring {
    /** The next position to be reserved. */
    alignas(64) _Atomic uint64_t tail;
    /** A position up to which the consumer has left the slots. */
    alignas(64) _Atomic uint64_t head;
    /** The consumer's position. */
    alignas(64) uint64_t next;
    pgasi_slot_t slots[PGASI_RING_SLOTS];
} pgasi_ring_t;

static inline uint32_t pgasi_ring_turn(uint64_t position)
{
    return (uint32_t)(position / PGASI_RING_SLOTS) + 1;
}

static inline pgasi_slot_t *pgasi_ring_slot(pgasi_ring_t *ring, uint64_t position)
{
    return &ring->slots[position % PGASI_RING_SLOTS];
}

/** Fills all of a slot but its turn, whatever the body's length. */
static inline void pgasi_ring_write(pgasi_ring_t *ring, uint64_t position,
                                    const pgasi_message_t *message, size_t begin)
{
    pgasi_slot_t *slot = pgasi_ring_slot(ring, position);
    slot->head = message->head;
    memcpy(slot->body, message->body + begin, PGASI_SLOT_BODY);
}

/** Whether `slots` slots from `tail` on have been left, as far as is known. Where others have moved
 *  the tail since it was read, the consumer may be beyond it: the difference is negative then, and
 *  the exchange that follows fails. */
static inline bool pgasi_ring_fits(uint64_t tail, uint64_t slots, uint64_t head)
{
    return (int64_t)(tail + slots - head) <= PGASI_RING_SLOTS;
}

/**
 * Puts a message into the ring; false if it is full. `known` is the producer's own copy of `head`,
 * 0 at first. Publication is sequentially consistent: a producer that reads a word afterwards and a
 * consumer that writes that word before it looks into the ring do not miss each other.
 */
static inline bool pgasi_ring_put(pgasi_ring_t *ring, uint64_t *known,
                                  const pgasi_message_t *message)
{
    uint64_t slots = message->size > PGASI_SLOT_BODY ? 2 : 1;
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    do {
        if (!pgasi_ring_fits(tail, slots, *known)) {
            *known = atomic_load_explicit(&ring->head, memory_order_acquire);
            if (!pgasi_ring_fits(tail, slots, *known))
                return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&ring->tail, &tail, tail + slots,
                                                    memory_order_relaxed, memory_order_relaxed));
    if (slots == 2) {
        pgasi_ring_write(ring, tail + 1, message, PGASI_SLOT_BODY);
        atomic_store_explicit(&pgasi_ring_slot(ring, tail + 1)->turn, pgasi_ring_turn(tail + 1),
                              memory_order_relaxed);
    }
    pgasi_ring_write(ring, tail, message, 0);
    atomic_store(&pgasi_ring_slot(ring, tail)->turn, pgasi_ring_turn(tail));
    return true;
}

/** Whether a message has come. For the consumer. */
static inline bool pgasi_ring_has_message(pgasi_ring_t *ring)
{
    return atomic_load_explicit(&pgasi_ring_slot(ring, ring->next)->turn, memory_order_acquire) ==
           pgasi_ring_turn(ring->next);
}

/** The same, ordered behind all that the consumer has written before. */
static inline bool pgasi_ring_has_message_now(pgasi_ring_t *ring)
{
    return atomic_load(&pgasi_ring_slot(ring, ring->next)->turn) == pgasi_ring_turn(ring->next);
}

/** Takes the message that pgasi_ring_has_message has seen; `size` says how long a body is, of which
 *  the head knows everything. */
static inline void pgasi_ring_take(pgasi_ring_t *ring, pgasi_message_t *message,
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

#endif
