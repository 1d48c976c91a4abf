#include "node/processors.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "node/memory.h"
#include "node/node.h"
#include "node/segment.h"

_Static_assert(CPU_SETSIZE == PGASI_PROCESSORS_MOST, "a set of processors fits");

static bool has_processors;
static bool is_crowded;

/* Where there are more than a set holds, nothing is told. */
void pgasi_processors_tell(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return;
    for (uint32_t i = 0; i < PGASI_PROCESSORS_MOST; i++)
        if (CPU_ISSET(i, &set))
            atomic_fetch_or(&pgasi_node_memory.control->processors[i / 64], UINT64_C(1) << i % 64);
}

void pgasi_processors_count(uint32_t host_count)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < PGASI_PROCESSORS_MOST; i++)
        if ((atomic_load(&pgasi_node_memory.control->processors[i / 64]) >> i % 64 & 1) != 0)
            count++;
    /* A container may be told of its own processors as those that are online. */
    bool is_full = (long)pgasi_nodes.machine_threads > sysconf(_SC_NPROCESSORS_CONF);
    has_processors = count >= host_count && !is_full;
    is_crowded = is_full || (count > 0 && count < pgasi_nodes.threads_count);
}

bool pgasi_has_processors(void)
{
    return has_processors;
}

bool pgasi_processors_are_few(void)
{
    return is_crowded;
}
