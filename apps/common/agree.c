#include "common/agree.h"

#include <limits.h>

#include <pgas/pgas.h>

void common_agree(bool ok, const char *message)
{
    int32_t me = pgas_mythread();
    int32_t lowest = pgas_allreduce_int32(PGAS_TEAM_ALL, ok ? INT_MAX : me, PGAS_MIN);
    if (lowest == me)
        pgas_fail(1, "%s", message);
    if (lowest != INT_MAX)
        pgas_barrier(); /* meanwhile the lowest one ends the job */
}
