/**
 * A program of which others may not open the descriptors, as one that may be executed and not read:
 * its node's memory is a file in /dev/shm, unless PGAS_SEGMENT says otherwise.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "check.h"

static bool is_mapped(const char *name)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    char line[4096];
    bool found = false;
    while (!found && fgets(line, sizeof line, maps) != NULL)
        found = strstr(line, name) != NULL;
    fclose(maps);
    return found;
}

int main(void)
{
    const char *segment = getenv("PGAS_SEGMENT");
    CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
    CHECK(pgas_init() == PGAS_OK);
    if (segment == NULL || strcmp(segment, "auto") == 0)
        CHECK(is_mapped("/dev/shm/fathom-"));
    pgas_ptr_t words;
    CHECK(pgas_all_alloc((size_t)pgas_threads(), sizeof(uint64_t), &words) == PGAS_OK);
    words.thread = (uint32_t)(pgas_mythread() + 1) % (uint32_t)pgas_threads();
    PGAS_WRITE(uint64_t, words, words.thread);
    pgas_barrier();
    words.thread = (uint32_t)pgas_mythread();
    CHECK(PGAS_READ(uint64_t, words) == words.thread);
    pgas_finalize();
    return 0;
}
