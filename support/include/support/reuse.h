/**
 * Which lines of x a sparse product has to fetch out of order, by a rule for a cache of a given
 * size.
 *
 * A line is eight values of x, counted from its start. A product goes through its rows in order, so
 * the line of the row at hand and the one after it come by themselves. Any other line that a row
 * uses is fetched, unless one of the last rows used it: as many as go through the cache before what
 * they used has left it. That number, the window, is what the caller makes of the cache's size.
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

/** Values of x in a line. */
#define REUSE_LINE_VALUES 8U

/** The longest window, in rows. */
#define REUSE_WINDOW_MAX (UINT32_C(1) << 30)

/** What was used when. */
typedef struct reuse {
    uint32_t *last; /**< by line: the row, by the clock, that used it last; 0: long ago or never */
    size_t lines; /**< elements of that */
    uint32_t window; /**< rows that a line stays after its last use, the one at hand not counted */
    uint32_t now; /**< the clock, in rows; more than `window` */
} reuse_t;

/**
 * Begins with all lines unused; 4 bytes per line.
 *
 * @param reuse  receives it; to be freed with reuse_free, whatever this returns.
 * @param values of x.
 * @param window in rows; a longer one than REUSE_WINDOW_MAX is taken as that.
 * @return false if there is no memory; `reuse` is then empty.
 */
static inline bool reuse_init(reuse_t *reuse, size_t values, size_t window)
{
    uint32_t rows = window < REUSE_WINDOW_MAX ? (uint32_t)window : REUSE_WINDOW_MAX;
    size_t lines = values / REUSE_LINE_VALUES + 1;
    reuse->last = (uint32_t *)calloc(lines, sizeof *reuse->last);
    reuse->lines = reuse->last != NULL ? lines : 0;
    reuse->window = rows;
    reuse->now = rows + 1;
    return reuse->last != NULL;
}

/** Frees the memory and empties it. Harmless on an empty one. */
static inline void reuse_free(reuse_t *reuse)
{
    free(reuse->last);
    reuse->last = NULL;
    reuse->lines = 0;
}

/** Sets the clock back, with the uses that still count. Slow, and needed once in billions of rows:
 *  reuse_next_row and reuse_forget call it. */
static inline void reuse_rewind(reuse_t *reuse)
{
    uint32_t start = 2 * reuse->window + 1;
    for (size_t line = 0; line < reuse->lines; line++) {
        uint32_t age = reuse->now - reuse->last[line];
        reuse->last[line] = age <= reuse->window ? start - age : 0;
    }
    reuse->now = start;
}

/** Goes on to the next row, after a use of the one before or not. */
static inline void reuse_next_row(reuse_t *reuse)
{
    if (reuse->now == UINT32_MAX)
        reuse_rewind(reuse);
    reuse->now++;
}

/** Forgets all uses, as between two threads of a layout; the next call is reuse_next_row or
 *  reuse_fetches for the first row. Takes no time that depends on the number of values, but once in
 *  billions of rows. */
static inline void reuse_forget(reuse_t *reuse)
{
    if (UINT32_MAX - reuse->now <= reuse->window)
        reuse_rewind(reuse);
    reuse->now += reuse->window + 1;
}

/**
 * Uses a value of x, and tells whether its line has to be fetched out of order for that.
 *
 * To be called for every off-diagonal of the row at hand, and for the row's own column, so that its
 * line is known as used.
 *
 * @param row    the row at hand.
 * @param column the value; less than the number of values.
 * @return whether the column lies neither in the line of the row nor in the one after it, and
 *         neither this row nor one of the `window` rows before it has used its line.
 */
static inline bool reuse_fetches(reuse_t *reuse, uint32_t row, uint32_t column)
{
    uint32_t line = column / REUSE_LINE_VALUES;
    bool comes_by_itself = line - row / REUSE_LINE_VALUES <= 1;
    bool has_left = reuse->now - reuse->last[line] > reuse->window;
    reuse->last[line] = reuse->now;
    return has_left && !comes_by_itself;
}

#ifdef __cplusplus
}
#endif
#endif
