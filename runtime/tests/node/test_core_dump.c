/**
 * Shared segments stay out of core dumps, which would otherwise contain the memory of a whole node
 * for every thread that crashes; PGAS_CORE_SEGMENTS=1 includes them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* The kernel's flags of the mapping that holds `address`: "dd" is MADV_DONTDUMP. */
static bool is_left_out(const void *address)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    CHECK(maps != NULL);
    char line[4096];
    bool is_inside = false;
    while (fgets(line, sizeof line, maps) != NULL) {
        uintptr_t begin;
        uintptr_t end;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &begin, &end) == 2)
            is_inside = (uintptr_t)address >= begin && (uintptr_t)address < end;
        else if (is_inside && strncmp(line, "VmFlags:", 8) == 0)
            break;
    }
    fclose(maps);
    CHECK(is_inside);
    return strstr(line, " dd") != NULL;
}

/* Checks the segment of every thread of the node, at the allocation's first and last page: a part
 * of it may be a separate mapping of huge pages. */
static void check_segments(const pgas_array_t *array, bool left_out)
{
    for (size_t thread = 0; thread < (size_t)pgas_threads(); thread++) {
        const char *first = pgas_local(pgas_array_at(array, thread * array->block));
        if (first == NULL)
            continue;
        CHECK(is_left_out(first) == left_out);
        CHECK(is_left_out(first + array->block - 1) == left_out);
    }
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    const char *setting = getenv("PGAS_CORE_SEGMENTS");
    bool left_out = setting == NULL || strcmp(setting, "1") != 0;
    pgas_array_t large;
    size_t block = (size_t)5 << 20;
    CHECK(pgas_array_create(block * (size_t)pgas_threads(), 1, block, &large) == PGAS_OK);
    check_segments(&large, left_out);
    CHECK(!is_left_out(&large));
    pgas_array_free(&large);
    pgas_finalize();
    return 0;
}
