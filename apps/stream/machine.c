#include "machine.h"

#include <hwloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/gather.h"
#include "job.h"
#include "last_level.h"

enum {
    USUAL_LINE = 64,
    USUAL_CACHE = 32 << 20,
    MEMORY_SHARE = 16,
    /* Times the reported size in which the cache's is looked for. */
    BEYOND_THE_CACHE = 8
};

size_t stream_cache_line(void)
{
    long nbytes = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
    return nbytes > 0 ? (size_t)nbytes : USUAL_LINE;
}

/* The least of all threads. */
static size_t least(double mine)
{
    return (size_t)-stream_largest(-mine);
}

/* What the system says. */
static size_t least_cache(int level)
{
    long nbytes = sysconf(level);
    return least(nbytes > 0 ? (double)nbytes : 0.0);
}

size_t stream_first_level_cache(void)
{
    return least_cache(_SC_LEVEL1_DCACHE_SIZE);
}

size_t stream_second_level_cache(void)
{
    return least_cache(_SC_LEVEL2_CACHE_SIZE);
}

/* The total size of the caches of the last level that has any. */
static size_t sum_of_last_level(hwloc_topology_t topology)
{
    static const hwloc_obj_type_t levels[] = {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE,
                                              HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE,
                                              HWLOC_OBJ_L1CACHE};
    for (size_t l = 0; l < sizeof levels / sizeof levels[0]; l++) {
        size_t nbytes = 0;
        hwloc_obj_t cache = NULL;
        while ((cache = hwloc_get_next_obj_by_type(topology, levels[l], cache)) != NULL)
            nbytes += cache->attr->cache.size;
        if (nbytes > 0)
            return nbytes;
    }
    return 0;
}

size_t stream_last_level_cache(void)
{
    static size_t found;
    hwloc_topology_t topology;
    if (found == 0 && hwloc_topology_init(&topology) == 0) {
        if (hwloc_topology_load(topology) == 0)
            found = sum_of_last_level(topology);
        hwloc_topology_destroy(topology);
    }
    if (found == 0)
        found = USUAL_CACHE;
    return found;
}

/* Emulated nodes share a host. Looked for once. */
static size_t threads_of_this_host(void)
{
    typedef struct host {
        char name[256];
    } host_t;
    static size_t threads;
    host_t mine = {{0}};
    if (threads > 0)
        return threads;
    threads = 1;
    gethostname(mine.name, sizeof mine.name - 1);
    host_t *hosts = common_gather(&mine, sizeof mine);
    for (int t = 0; t < pgas_threads(); t++)
        threads += t != pgas_mythread() && strcmp(hosts[t].name, mine.name) == 0;
    free(hosts);
    return threads;
}

/* The part of this host's memory that measurements of each of its threads use; the least of all
 * hosts. */
static size_t memory_share(void)
{
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    return least(memory / MEMORY_SHARE / (double)threads_of_this_host());
}

size_t stream_last_level_share(void)
{
    static size_t found;
    if (found > 0)
        return found;
    size_t reported = least((double)stream_last_level_cache());
    size_t second_level = stream_second_level_cache();
    size_t most = memory_share();
    if (most / BEYOND_THE_CACHE > reported)
        most = reported * BEYOND_THE_CACHE;
    size_t measured = second_level > 0 ? stream_measure_last_level(second_level, most) : 0;
    found = measured < reported ? measured : reported;
    if (measured == 0) {
        size_t share = least((double)reported / (double)threads_of_this_host());
        found = share < most / BEYOND_THE_CACHE ? share : most / BEYOND_THE_CACHE;
    }
    return found;
}

size_t stream_elements_beyond_cache(size_t times)
{
    size_t share = stream_last_level_share();
    size_t usual = USUAL_CACHE / threads_of_this_host();
    size_t nbytes = times * (share > usual ? share : usual);
    size_t most = memory_share();
    size_t elements = (nbytes < most ? nbytes : most) / sizeof(double) + 1;
    return (size_t)stream_largest((double)elements);
}
