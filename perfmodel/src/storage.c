#include "storage.h"

#include <stdlib.h>
#include <string.h>

#include "support/slices.h"

bool modeli_storage_init(size_t longest_possible, modeli_storage_t *storage)
{
    *storage = (modeli_storage_t){
        .in_window = calloc(longest_possible + 1, sizeof(uint32_t)),
        .longest_possible = longest_possible,
    };
    return storage->in_window != NULL;
}

void modeli_storage_clear(modeli_storage_t *storage)
{
    memset(storage->in_window, 0, (storage->longest_possible + 1) * sizeof(uint32_t));
    storage->rows = storage->longest = storage->slice_longest = 0;
    storage->kept = storage->sorted = 0;
}

static void end_slice(modeli_storage_t *storage)
{
    storage->kept += storage->slice_longest;
    storage->slice_longest = 0;
}

/* With rows sorted longest first, every eighth row, starting with the first, is the longest of its
 * slice. */
static void end_window(modeli_storage_t *storage)
{
    uint64_t before = 0;
    for (size_t length = storage->longest_possible; length > 0; length--) {
        uint64_t after = before + storage->in_window[length];
        uint64_t slices =
            (after + SLICES_ROWS - 1) / SLICES_ROWS - (before + SLICES_ROWS - 1) / SLICES_ROWS;
        storage->sorted += slices * length;
        before = after;
    }
    memset(storage->in_window, 0, (storage->longest_possible + 1) * sizeof(uint32_t));
}

void modeli_storage_add(modeli_storage_t *storage, size_t length)
{
    storage->in_window[length]++;
    storage->longest = length > storage->longest ? length : storage->longest;
    storage->slice_longest = length > storage->slice_longest ? length : storage->slice_longest;
    storage->rows++;
    if (storage->rows % SLICES_ROWS == 0)
        end_slice(storage);
    if (storage->rows % SLICES_WINDOW == 0)
        end_window(storage);
}

uint64_t modeli_storage_entries(modeli_storage_t *storage)
{
    end_slice(storage);
    end_window(storage);
    uint64_t slices = (storage->rows + SLICES_ROWS - 1) / SLICES_ROWS;
    bool keeps = slices_keep_order(storage->kept * SLICES_ROWS, storage->sorted * SLICES_ROWS);
    uint64_t lengths = keeps ? storage->kept : storage->sorted;
    if (slices_are_even(lengths, slices, storage->longest))
        lengths = slices * storage->longest;
    return lengths * SLICES_ROWS;
}

void modeli_storage_free(modeli_storage_t *storage)
{
    free(storage->in_window);
    storage->in_window = NULL;
}
