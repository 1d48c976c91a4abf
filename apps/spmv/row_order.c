#include "row_order.h"

#include <stdlib.h>
#include <string.h>

#include "common/large.h"
#include "support/slices.h"

/* Places in the slices of rows in an order. */
static size_t stored(const uint32_t *lengths, size_t count, const uint32_t *order)
{
    size_t places = 0;
    for (size_t first = 0; first < count; first += SLICES_ROWS) {
        uint32_t longest = 0;
        for (size_t k = first; k < first + SLICES_ROWS && k < count; k++)
            longest = lengths[order[k]] > longest ? lengths[order[k]] : longest;
        places += (size_t)longest * SLICES_ROWS;
    }
    return places;
}

/* Sorts a window by counting. `starts` has longest + 2 elements. */
static void sort_window(const uint32_t *lengths, size_t first, size_t end, size_t longest,
                        size_t *starts, uint32_t *order)
{
    memset(starts, 0, (longest + 2) * sizeof *starts);
    for (size_t row = first; row < end; row++)
        starts[longest - lengths[row] + 1]++;
    for (size_t shorter = 1; shorter <= longest; shorter++)
        starts[shorter] += starts[shorter - 1];
    for (size_t row = first; row < end; row++)
        order[first + starts[longest - lengths[row]]++] = (uint32_t)row;
}

static void sort(const uint32_t *lengths, size_t count, uint32_t *order)
{
    size_t longest = 0;
    for (size_t row = 0; row < count; row++)
        longest = lengths[row] > longest ? lengths[row] : longest;
    size_t *starts = common_alloc("order of rows", longest + 2, sizeof *starts);
    for (size_t first = 0; first < count; first += SLICES_WINDOW) {
        size_t end = first + SLICES_WINDOW < count ? first + SLICES_WINDOW : count;
        sort_window(lengths, first, end, longest, starts, order);
    }
    free(starts);
}

static void keep(size_t count, uint32_t *order)
{
    for (size_t row = 0; row < count; row++)
        order[row] = (uint32_t)row;
}

void spmv_row_order_find(const uint32_t *lengths, size_t count, uint32_t *order)
{
    keep(count, order);
    size_t kept = stored(lengths, count, order);
    sort(lengths, count, order);
    if (slices_keep_order(kept, stored(lengths, count, order)))
        keep(count, order);
}
