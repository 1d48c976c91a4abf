/**
 * Which lines of x a sparse product has to fetch out of order, and from where, by a rule for three
 * caches of given sizes: the first and the second level of a core, and a thread's share of the last
 * level.
 *
 * A line is eight values of x, counted from its start. A product goes through its rows in order, so
 * the line of the row at hand and the one after it come by themselves; so does, where the hardware
 * prefetches, a line whose predecessor some row of the last few has used. Any other line that a row
 * uses is in a cache unless more bytes have come into that cache since its last use than it holds:
 * into a core's own levels those of the rows, and the lines fetched out of order; into the last
 * level only such lines, since a last-level cache keeps lines that are used again rather than those
 * that a stream of rows brings and nobody uses twice. Before the first row x has been written from
 * its start to its end, as v2 and v3 copy it.
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

#ifdef __cplusplus
extern "C" {
#endif

/** Values of x in a line, and bytes. */
#define REUSE_LINE_VALUES 8U
#define REUSE_LINE_BYTES 64U

/** The levels of cache, and those of them that belong to the core, into which rows come. */
#define REUSE_LEVELS 3
#define REUSE_CORE_LEVELS 2

/** Where a line comes from. */
typedef enum reuse_place {
    /** From the first-level cache, or by itself. */
    REUSE_HELD = 0,
    /** From the second-level cache. */
    REUSE_CLOSE,
    /** From the last-level cache. */
    REUSE_NEAR,
    /** From memory. */
    REUSE_FAR
} reuse_place_t;

/** The caches, in bytes. */
typedef struct reuse_caches {
    /** Of a core; 0: not known, and what the second level holds counts as held. */
    size_t first_level;
    size_t second_level;
    /** Of a thread, of the last level; 0: not known, and nothing comes from there. */
    size_t share;
    /** Whether the hardware prefetches lines in sequence. */
    bool prefetches;
} reuse_caches_t;

/** What was used when. */
typedef struct reuse {
    /** The clock at the last use of a line, by line and level. */
    uint64_t *last;
    size_t values;
    uint64_t row_bytes;
    uint64_t cache_bytes[REUSE_LEVELS];
    bool prefetches;
    /** The clocks: bytes that have come into each cache. */
    uint64_t now[REUSE_LEVELS];
    /** The clocks when all was forgotten. */
    uint64_t start[REUSE_LEVELS];
} reuse_t;

/**
 * Begins with all of x just written; 24 bytes per line.
 *
 * @param reuse       receives it; to be freed with reuse_free, whatever this returns.
 * @param values      of x.
 * @param row_bytes   that a row moves through the core's caches, lines out of order not counted.
 * @param caches      what holds lines.
 * @return false if there is no memory; `reuse` is then empty.
 */
static inline bool reuse_init(reuse_t *reuse, size_t values, size_t row_bytes,
                              reuse_caches_t caches)
{
    size_t lines = values / REUSE_LINE_VALUES + 1;
    reuse->last = (uint64_t *)calloc(lines * REUSE_LEVELS, sizeof *reuse->last);
    reuse->values = reuse->last != NULL ? values : 0;
    reuse->row_bytes = row_bytes;
    reuse->cache_bytes[0] = caches.first_level > 0 ? caches.first_level : caches.second_level;
    reuse->cache_bytes[1] = caches.second_level;
    reuse->cache_bytes[2] = caches.share;
    reuse->prefetches = caches.prefetches;
    for (int level = 0; level < REUSE_LEVELS; level++)
        reuse->now[level] = reuse->start[level] = 1;
    return reuse->last != NULL;
}

/** Frees the memory and empties it. Harmless on an empty one. */
static inline void reuse_free(reuse_t *reuse)
{
    free(reuse->last);
    reuse->last = NULL;
    reuse->values = 0;
}

/** Goes on to the next row, of another size than others. */
static inline void reuse_next_row_of(reuse_t *reuse, size_t row_bytes)
{
    for (int level = 0; level < REUSE_CORE_LEVELS; level++)
        reuse->now[level] += row_bytes;
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
        reuse->start[level] = ++reuse->now[level];
}

/** The same with all caches empty: nothing of x has been written lately. */
static inline void reuse_empty(reuse_t *reuse)
{
    reuse_forget(reuse);
    for (int level = 0; level < REUSE_LEVELS; level++)
        reuse->now[level] += reuse->cache_bytes[level] + 1;
}

/** Whether a level holds the line of a column; for reuse_use. */
static inline bool reuse_holds(const reuse_t *reuse, int level, uint32_t column)
{
    uint64_t last = reuse->last[column / REUSE_LINE_VALUES * REUSE_LEVELS + (unsigned)level];
    uint64_t start = reuse->start[level];
    uint64_t behind = (uint64_t)(reuse->values - column) * sizeof(double);
    uint64_t age = last >= start ? reuse->now[level] - last : reuse->now[level] - start + behind;
    bool is_known = level < REUSE_CORE_LEVELS || reuse->cache_bytes[level] > 0;
    return is_known && age <= reuse->cache_bytes[level];
}

/** Whether the line before this one was used while the first-level cache took in eight rows, as
 *  many as a line has values, and a KiB of other lines; for reuse_use. */
static inline bool reuse_follows(const reuse_t *reuse, uint32_t line)
{
    uint64_t recent = REUSE_LINE_VALUES * reuse->row_bytes + 1024;
    uint64_t last = line > 0 ? reuse->last[((size_t)line - 1) * REUSE_LEVELS] : 0;
    return reuse->prefetches && last >= reuse->start[0] && reuse->now[0] - last <= recent;
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
    uint32_t line = column / REUSE_LINE_VALUES;
    uint64_t *last = &reuse->last[(size_t)line * REUSE_LEVELS];
    bool comes_by_itself = line - row / REUSE_LINE_VALUES <= 1 || reuse_follows(reuse, line);
    bool is_held = comes_by_itself || reuse_holds(reuse, 0, column);
    bool is_close = is_held || reuse_holds(reuse, 1, column);
    bool is_near = is_close || reuse_holds(reuse, 2, column);
    reuse->now[0] += is_held ? 0 : REUSE_LINE_BYTES;
    reuse->now[1] += is_close ? 0 : REUSE_LINE_BYTES;
    reuse->now[2] += is_near ? 0 : REUSE_LINE_BYTES;
    for (int level = 0; level < REUSE_LEVELS; level++)
        last[level] = reuse->now[level];
    return is_held ? REUSE_HELD : is_close ? REUSE_CLOSE : is_near ? REUSE_NEAR : REUSE_FAR;
}

#ifdef __cplusplus
}
#endif
#endif
