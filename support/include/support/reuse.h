/**
 * Which lines of x a sparse product has to fetch out of order, and from where, by a rule for three
 * caches of given sizes: the first and the second level of a core, and a thread's share of the last
 * level.
 *
 * A line is eight values of x, counted from its start. A product goes through its rows in order, so
 * the line of the row at hand and the one after it come by themselves; so does, where the hardware
 * prefetches, a line whose predecessor some row of the last few has used. All of these are told
 * apart if the second level had them and the first did not: some row has fetched them before, and
 * to bring them into the first again takes time on some processors. Any other line that a row uses
 * is fetched from the nearest cache that has it. Each cache keeps the lines that were used last
 * (support/lru.h). The second level sees what the first does not have, and the last level what the
 * second does not have. Through all of them pass also the rows. Before the first row x has been
 * written from its start to its end, as v2 and v3 copy it.
 *
 * Header only, so that an installed library can use it. All numbers are 0-based. A reuse_t belongs
 * to one thread of execution at a time.
 */
#ifndef SUPPORT_REUSE_H
#define SUPPORT_REUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "support/lru.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Values of x in a line, and bytes. */
#define REUSE_LINE_VALUES 8U
#define REUSE_LINE_BYTES 64U

/** The levels of cache. */
#define REUSE_LEVELS 3

/** Where a line comes from. */
typedef enum reuse_place {
    /** From the first-level cache, or by itself. */
    REUSE_HELD = 0,
    /** By itself, in sequence, from the second-level cache. */
    REUSE_SEQUENCE,
    /** Out of order, as all that follow: from the second-level cache. */
    REUSE_CLOSE,
    /** From the last-level cache. */
    REUSE_NEAR,
    /** From memory. */
    REUSE_FAR,
    /** How many there are. */
    REUSE_PLACES
} reuse_place_t;

/** The caches, in bytes. */
typedef struct reuse_caches {
    /** Of a core; 0: not known, and what the second level holds counts as held; then no line comes
     *  in sequence. */
    size_t first_level;
    size_t second_level;
    /** Of a thread, of the last level; 0: not known, and nothing comes from there. */
    size_t share;
    /** Whether the hardware prefetches lines in sequence. */
    bool prefetches;
} reuse_caches_t;

/** What was used when. */
typedef struct reuse {
    /** By level. */
    lru_t caches[REUSE_LEVELS];
    /** The clock at the last use of a line. */
    uint64_t *last;
    uint64_t row_bytes;
    /** Of rows, too few for a line yet. */
    uint64_t passing;
    bool prefetches;
    /** The clock: bytes that have come into the first level. */
    uint64_t now;
    /** The clock when all was forgotten. */
    uint64_t start;
} reuse_t;

/** Frees the memory and empties it. Harmless on an empty one. */
static inline void reuse_free(reuse_t *reuse)
{
    for (int level = 0; level < REUSE_LEVELS; level++)
        lru_free(&reuse->caches[level]);
    free(reuse->last);
    reuse->last = NULL;
}

/** Whole lines; at least one, unless the cache is unknown. For reuse_init. */
static inline uint32_t reuse_lines(size_t nbytes)
{
    size_t lines = nbytes / REUSE_LINE_BYTES;
    size_t most = (size_t)1 << 31;
    return nbytes > 0 && lines == 0 ? 1 : (uint32_t)(lines < most ? lines : most);
}

/**
 * Begins with all of x just written; 12 to 20 bytes per line of x, and 12 per line of a cache.
 *
 * @param reuse       receives it; to be freed with reuse_free, whatever this returns.
 * @param values      of x.
 * @param row_bytes   that a row moves through the caches besides x.
 * @param caches      what holds lines.
 * @return false if there is no memory; `reuse` is then empty.
 */
static inline bool reuse_init(reuse_t *reuse, size_t values, size_t row_bytes,
                              reuse_caches_t caches)
{
    uint32_t lines = (uint32_t)(values / REUSE_LINE_VALUES + 1);
    reuse->last = (uint64_t *)calloc(lines, sizeof *reuse->last);
    bool knows_first = caches.first_level > 0;
    uint32_t capacities[REUSE_LEVELS];
    capacities[0] = reuse_lines(knows_first ? caches.first_level : caches.second_level);
    capacities[1] = knows_first ? reuse_lines(caches.second_level) : 0;
    capacities[2] = reuse_lines(caches.share);
    reuse->row_bytes = row_bytes;
    reuse->passing = 0;
    reuse->prefetches = caches.prefetches;
    reuse->now = reuse->start = 1;
    bool has_caches = true;
    for (int level = 0; level < REUSE_LEVELS; level++)
        has_caches = lru_init(&reuse->caches[level], lines, capacities[level]) && has_caches;
    if (reuse->last != NULL && has_caches)
        return true;
    reuse_free(reuse);
    return false;
}

/** Goes on to the next row, of another size than others. */
static inline void reuse_next_row_of(reuse_t *reuse, size_t row_bytes)
{
    uint64_t nbytes = reuse->passing + row_bytes;
    reuse->passing = nbytes % REUSE_LINE_BYTES;
    for (int level = 0; level < REUSE_LEVELS; level++)
        lru_pass(&reuse->caches[level], (uint32_t)(nbytes / REUSE_LINE_BYTES));
    reuse->now += row_bytes;
}

/** Goes on to the next row. */
static inline void reuse_next_row(reuse_t *reuse)
{
    reuse_next_row_of(reuse, reuse->row_bytes);
}

/** Begins anew, as between two threads of a layout: all of x is just written. Takes no time that
 *  depends on the number of values. */
static inline void reuse_forget(reuse_t *reuse)
{
    for (int level = 0; level < REUSE_LEVELS; level++)
        lru_forget(&reuse->caches[level]);
    reuse->passing = 0;
    reuse->start = ++reuse->now;
}

/** The same with all caches empty: nothing of x has been written lately. */
static inline void reuse_empty(reuse_t *reuse)
{
    reuse_forget(reuse);
    for (int level = 0; level < REUSE_LEVELS; level++)
        lru_empty(&reuse->caches[level]);
}

/** Whether the line before this one was used while the first-level cache took in eight rows, as
 *  many as a line has values, and a KiB of other lines; for reuse_use. */
static inline bool reuse_follows(const reuse_t *reuse, uint32_t line)
{
    uint64_t recent = REUSE_LINE_VALUES * reuse->row_bytes + 1024;
    uint64_t last = line > 0 ? reuse->last[line - 1] : 0;
    return reuse->prefetches && last >= reuse->start && reuse->now - last <= recent;
}

/**
 * Uses a value of x, and tells from where its line comes.
 *
 * To be called for every off-diagonal of the row at hand, and for the row's own column, so that its
 * line is known as used.
 *
 * @param row    the row at hand.
 * @param column the value; less than the number of values.
 */
static inline reuse_place_t reuse_use(reuse_t *reuse, uint32_t row, uint32_t column)
{
    static const reuse_place_t places[REUSE_LEVELS + 1] = {REUSE_HELD, REUSE_CLOSE, REUSE_NEAR,
                                                           REUSE_FAR};
    uint32_t line = column / REUSE_LINE_VALUES;
    bool comes_by_itself = line - row / REUSE_LINE_VALUES <= 1 || reuse_follows(reuse, line);
    int level = 0;
    while (level < REUSE_LEVELS && !lru_use(&reuse->caches[level], line))
        level++;
    reuse_place_t place = places[level];
    if (comes_by_itself)
        place = place == REUSE_CLOSE ? REUSE_SEQUENCE : REUSE_HELD;
    reuse->now += place <= REUSE_SEQUENCE ? 0 : REUSE_LINE_BYTES;
    reuse->last[line] = reuse->now;
    return place;
}

#ifdef __cplusplus
}
#endif
#endif
