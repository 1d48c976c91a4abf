/**
 * Counts who has come: the last of so many notices that it is the last.
 *
 * Threads that count in one cache line wait for that line one after the other, and everybody who
 * polls a word in it takes it away from them once more. So three threads or more count in a line
 * that nobody waits on, and many of them in groups: the last one of a group counts for all of it.
 * Two fetch one line less if the counter lies beside the word that they wait on. docs/decisions.md,
 * 125, has what each is worth.
 */
#ifndef PGASI_SHM_ATTENDANCE_H
#define PGASI_SHM_ATTENDANCE_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define PGASI_ATTENDANCE_GROUPS 8

/** Of those who have come, the number in the low half, and the sum of their marks in the high one.
 */
typedef _Atomic uint64_t pgasi_attending_t;

/** In shared memory. Starts as zeros. */
typedef struct pgasi_attendance {
    alignas(64) pgasi_attending_t all;
    struct {
        alignas(64) pgasi_attending_t some;
    } groups[PGASI_ATTENDANCE_GROUPS];
} pgasi_attendance_t;

/** The caller is the one at `place` among `count`, counted from 0. */
typedef struct pgasi_attendant {
    uint32_t place;
    uint32_t count;
    uint32_t mark;
} pgasi_attendant_t;

/** Adds to a counter. True if it is complete: then it is 0 again, and `*sum` what it was. */
static inline bool pgasi_attend_one(pgasi_attending_t *counter, uint64_t step, uint32_t count,
                                    uint64_t *sum)
{
    *sum = atomic_fetch_add(counter, step) + step;
    if ((uint32_t)*sum != count)
        return false;
    atomic_store_explicit(counter, 0, memory_order_relaxed);
    return true;
}

/** pgasi_attend of three and more. */
bool pgasi_attend_many(pgasi_attendance_t *attendance, const pgasi_attendant_t *attendant,
                       uint64_t step, uint64_t *sum);

/**
 * Counts the caller, in `beside` if there are no more than two, else in `attendance`. True: all
 * have come, the counters are 0 again, and `*marks` is the sum of the marks, modulo 2^32; what the
 * others did before they came is seen. Nobody may come again before the last one has said so to
 * all.
 */
static inline bool pgasi_attend(pgasi_attendance_t *attendance, pgasi_attending_t *beside,
                                const pgasi_attendant_t *attendant, uint32_t *marks)
{
    const uint64_t step = (uint64_t)attendant->mark << 32 | 1;
    uint64_t sum;
    if (attendant->count <= 2 ? !pgasi_attend_one(beside, step, attendant->count, &sum)
                              : !pgasi_attend_many(attendance, attendant, step, &sum))
        return false;
    *marks = (uint32_t)(sum >> 32);
    return true;
}

/** How many have come, while nobody comes. */
uint32_t pgasi_attendance_count(const pgasi_attendance_t *attendance,
                                const pgasi_attending_t *beside);

#endif
