/**
 * A cache of whole lines that drops the one unused for longest, whichever it is: fully associative,
 * LRU. It holds lines of one vector, which have numbers, and others that pass through it once and
 * have none.
 *
 * Every call but lru_init takes a time that does not depend on the sizes of cache and vector, taken
 * over all calls since the last lru_forget or lru_empty.
 *
 * Header only. All numbers are 0-based. An lru_t belongs to one thread of execution at a time.
 */
#ifndef SUPPORT_LRU_H
#define SUPPORT_LRU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/** No line of the vector. */
#define LRU_NO_LINE UINT32_MAX

/** A line that has come into the cache; all of them form a ring in the order of their uses. */
typedef struct lru_entry {
    uint32_t newer;
    uint32_t older;
    uint32_t line;
} lru_entry_t;

/** A cache; without entries it never holds anything. */
typedef struct lru {
    lru_entry_t *entries;
    /** By line: its entry, if that is one of the first `used` ones and has this line. */
    uint32_t *entry_of;
    /** Of the vector. */
    uint32_t lines;
    uint32_t capacity;
    /** Entries in use; room that holds nothing yet; and lines that the cache has held since the
     *  beginning and nobody has used again: together the capacity. */
    uint32_t used;
    uint32_t vacant;
    uint32_t untouched;
    /** The first of the untouched lines, or one before it that has been used. */
    uint32_t untouched_from;
    /** The entry used last; the next newer one is the oldest. */
    uint32_t newest;
} lru_t;

/** Begins anew with an empty cache. */
static inline void lru_empty(lru_t *lru)
{
    lru->used = 0;
    lru->untouched = 0;
    lru->untouched_from = lru->lines;
    lru->vacant = lru->capacity;
}

/** Begins anew when all of the vector has been written, from its start to its end. */
static inline void lru_forget(lru_t *lru)
{
    lru->used = 0;
    lru->untouched = lru->lines < lru->capacity ? lru->lines : lru->capacity;
    lru->untouched_from = lru->lines - lru->untouched;
    lru->vacant = lru->capacity - lru->untouched;
}

/**
 * Begins with a vector just written.
 *
 * @param lru      receives it; to be freed with lru_free, whatever this returns.
 * @param lines    of the vector; less than LRU_NO_LINE.
 * @param capacity lines that the cache holds; 0: it holds nothing.
 * @return false if there is no memory; `lru` then holds nothing.
 */
static inline bool lru_init(lru_t *lru, uint32_t lines, uint32_t capacity)
{
    lru->entries = (lru_entry_t *)calloc((size_t)capacity + 1, sizeof *lru->entries);
    lru->entry_of = capacity > 0 ? (uint32_t *)calloc((size_t)lines + 1, sizeof(uint32_t)) : NULL;
    bool is_there = lru->entries != NULL && (capacity == 0 || lru->entry_of != NULL);
    lru->lines = lines;
    lru->capacity = is_there ? capacity : 0;
    lru->newest = 0;
    lru_forget(lru);
    return is_there;
}

/** Frees the memory; the cache then holds nothing. Harmless on one that has been freed. */
static inline void lru_free(lru_t *lru)
{
    free(lru->entries);
    free(lru->entry_of);
    lru->entries = NULL;
    lru->entry_of = NULL;
    lru->capacity = 0;
    lru_empty(lru);
}

/** Whether an entry has the line; for lru_use. */
static inline bool lru_has_entry(const lru_t *lru, uint32_t line)
{
    uint32_t at = lru->entry_of[line];
    return at < lru->used && lru->entries[at].line == line;
}

/** Puts an entry that is in no ring between the newest and the oldest; for lru_use. */
static inline void lru_link(lru_t *lru, uint32_t at)
{
    lru_entry_t *entries = lru->entries;
    uint32_t newest = lru->used > 1 ? lru->newest : at;
    uint32_t oldest = lru->used > 1 ? entries[newest].newer : at;
    entries[at].older = newest;
    entries[at].newer = oldest;
    entries[newest].newer = at;
    entries[oldest].older = at;
    lru->newest = at;
}

/** Makes an entry the newest; for lru_use. */
static inline void lru_renew(lru_t *lru, uint32_t at)
{
    const lru_entry_t entry = lru->entries[at];
    if (at == lru->newest)
        return;
    lru->entries[entry.newer].older = entry.older;
    lru->entries[entry.older].newer = entry.newer;
    lru_link(lru, at);
}

/** Drops the untouched line that was written first; for lru_use. */
static inline void lru_drop_untouched(lru_t *lru)
{
    while (lru_has_entry(lru, lru->untouched_from))
        lru->untouched_from++;
    lru->untouched_from++;
    lru->untouched--;
}

/** Brings a line in that no entry has; for lru_use. */
static inline void lru_add(lru_t *lru, uint32_t line, bool was_untouched)
{
    uint32_t at = lru->used;
    if (was_untouched)
        lru->untouched--;
    else if (lru->vacant > 0)
        lru->vacant--;
    else if (lru->untouched > 0)
        lru_drop_untouched(lru);
    else
        at = lru->entries[lru->newest].newer;
    lru->entries[at].line = line;
    if (at < lru->used) {
        lru->newest = at;
    } else {
        lru->used++;
        lru_link(lru, at);
    }
    if (line != LRU_NO_LINE)
        lru->entry_of[line] = at;
}

/** Uses a line of the vector, which then is in the cache. Returns whether it was before. */
static inline bool lru_use(lru_t *lru, uint32_t line)
{
    if (lru->capacity == 0)
        return false;
    if (lru_has_entry(lru, line)) {
        lru_renew(lru, lru->entry_of[line]);
        return true;
    }
    bool was_untouched = lru->untouched > 0 && line >= lru->untouched_from;
    lru_add(lru, line, was_untouched);
    return was_untouched;
}

/** Lets so many other lines pass. */
static inline void lru_pass(lru_t *lru, uint32_t count)
{
    if (lru->capacity > 0)
        for (uint32_t i = 0; i < count; i++)
            lru_add(lru, LRU_NO_LINE, false);
}

#ifdef __cplusplus
}
#endif
#endif
