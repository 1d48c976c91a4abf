#include "storage.h"

#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 4096
};

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

/* Longest first, every eighth row, from the first on, is the longest of its slice. */
static void end_window(modeli_storage_t *storage)
{
    uint64_t before = 0;
    for (size_t length = storage->longest_possible; length > 0; length--) {
        uint64_t after = before + storage->in_window[length];
        uint64_t slices = (after + MODELI_SLICE_ROWS - 1) / MODELI_SLICE_ROWS -
                          (before + MODELI_SLICE_ROWS - 1) / MODELI_SLICE_ROWS;
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
    if (storage->rows % MODELI_SLICE_ROWS == 0)
        end_slice(storage);
    if (storage->rows % WINDOW == 0)
        end_window(storage);
}

/* The comparisons are those of spmv_row_order_find, in places, and spmv_local_matrix_create, in
 * lengths, with their rounding. */
uint64_t modeli_storage_entries(modeli_storage_t *storage)
{
    end_slice(storage);
    end_window(storage);
    uint64_t slices = (storage->rows + MODELI_SLICE_ROWS - 1) / MODELI_SLICE_ROWS;
    bool keeps = storage->kept * MODELI_SLICE_ROWS <= storage->sorted * MODELI_SLICE_ROWS / 4 * 5;
    uint64_t lengths = keeps ? storage->kept : storage->sorted;
    if (lengths >= slices * storage->longest / 8 * 7)
        lengths = slices * storage->longest;
    return lengths * MODELI_SLICE_ROWS;
}

void modeli_storage_free(modeli_storage_t *storage)
{
    free(storage->in_window);
    storage->in_window = NULL;
}
