#include "common/agree.h"

#include <pgas/pgas.h>

void common_agree(bool ok, const char *message)
{
    pgas_array_t failed;
    if (pgas_array_create((size_t)pgas_threads(), sizeof(char), 1, &failed) != PGAS_OK)
        pgas_exit(1);
    PGAS_PUT(char, &failed, (size_t)pgas_mythread(), !ok);
    pgas_barrier();
    if (!ok) {
        size_t lowest = 0;
        while (!PGAS_GET(char, &failed, lowest))
            lowest++;
        if (lowest == (size_t)pgas_mythread())
            pgas_fail(1, "%s", message);
        pgas_barrier(); /* meanwhile the lowest one ends the job */
    }
    pgas_array_free(&failed);
}
