/**
 * What collectives are made of: meetings of a team, rounds in which every thread shows bytes, all
 * meet, and each reads what its partner shows, and adding up elements. All threads at once, but for
 * reads from another node by one thread alone.
 */
#ifndef STREAM_ROUNDS_H
#define STREAM_ROUNDS_H

#include <pgas/pgas.h>
#include <stdbool.h>

/** The sizes of rounds, in bytes; the longest only on the node. */
#define STREAM_ROUND_SIZES 5
#define STREAM_ROUND_REMOTE_SIZES (STREAM_ROUND_SIZES - 1)
extern const size_t stream_round_bytes[STREAM_ROUND_SIZES];

/** What is measured of each place; in the order of model_round_t in perfmodel/machine.h. */
typedef enum stream_round {
    /** Seconds of a meeting: of the thread alone, of its node's threads, of one thread per node. */
    STREAM_MEETING = 0,
    /** Seconds of a round of STREAM_ROUND_BYTES: alone, on the node. */
    STREAM_ROUND,
    /** Of these, those of the read; also from a partner on another node after all have met. Each is
     *  timed alone, and what the clock takes is subtracted: 0 if the clock takes longer. */
    STREAM_ROUND_READ = STREAM_ROUND + STREAM_ROUND_SIZES,
    STREAM_PLACED_ROUNDS = STREAM_ROUND_READ + STREAM_ROUND_SIZES
} stream_round_t;

/** All of these prices: those of the places, `price` times PGAS_PLACES plus the place; seconds of
 *  adding one double to another, both in the first-level cache; and by size those of the read in a
 *  round where only the lowest thread of every second node reads, of its partner on the next node,
 *  while all others wait in the next meeting. */
enum {
    STREAM_COMBINE = STREAM_PLACED_ROUNDS * PGAS_PLACES,
    STREAM_READ_ALONE,
    STREAM_ROUND_PRICES = STREAM_READ_ALONE + STREAM_ROUND_REMOTE_SIZES
};

typedef struct stream_rounds {
    /** Two buffers of every thread, used in turns. */
    pgas_ptr_t shown;
    char *source;
    char *into;
    double *operands;
    pgas_team_t *alone;
    /** What the next loop works on. */
    int place;
    size_t nbytes;
    bool is_read;
    bool is_alone;
    /** Rounds so far, reads that found something else than was shown, and seconds of reading. */
    uint64_t rounds;
    uint64_t wrong;
    double read_seconds;
    double clock_seconds;
    /** Iterations that are measured at a time. */
    size_t counts[STREAM_ROUND_PRICES];
} stream_rounds_t;

/** Prepares what the job can measure: about `slot` seconds for each price. Collective; ends the job
 *  if there is no memory. */
void stream_rounds_create(double slot, stream_rounds_t *rounds);

/** Frees it. Collective. */
void stream_rounds_free(stream_rounds_t *rounds);

/** The name of a price in the machine file. */
const char *stream_round_name(int price);

/** Whether a price is measured; the same on every thread. */
bool stream_round_is_measured(int price);

/** Seconds of every price that is measured and has a count; the others stay. Collective. */
void stream_rounds_measure(stream_rounds_t *rounds, double seconds[STREAM_ROUND_PRICES]);

/** True if every read found what its partner showed. Collective. */
bool stream_rounds_check(const stream_rounds_t *rounds);

#endif
