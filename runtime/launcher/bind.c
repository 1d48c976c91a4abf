#include "bind.h"

#include "lean_hwloc.h"
#include "support/cli.h"

#include <hwloc.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct binding {
    size_t nbytes; /* of one set */
    char *sets; /* one cpu_set_t of `nbytes` bytes for each thread */
};

static cpu_set_t *set_of(const binding_t *binding, size_t thread)
{
    return (void *)(binding->sets + thread * binding->nbytes);
}

/* An upper bound of the number of cores, which needs no topology; 0 where the system lets no
 * process be bound. */
static size_t count_processors(void)
{
    for (size_t bits = 1024; bits <= (size_t)1 << 20; bits *= 2) {
        cpu_set_t *set = CPU_ALLOC(bits);
        if (set == NULL)
            return SIZE_MAX;
        size_t nbytes = CPU_ALLOC_SIZE(bits);
        int count = sched_getaffinity(0, nbytes, set) == 0 ? CPU_COUNT_S(nbytes, set) : 0;
        bool may_bind = count > 0 && sched_setaffinity(0, nbytes, set) == 0;
        CPU_FREE(set);
        if (count > 0)
            return may_bind ? (size_t)count : 0;
    }
    return 0;
}

/* The topology of the processors that this process may use; NULL on failure. */
static hwloc_topology_t load_topology(void)
{
    hwloc_topology_t topology;
    lean_hwloc_t lean = lean_hwloc_begin(); /* its plugins are opened here */
    int status = hwloc_topology_init(&topology);
    lean_hwloc_end(&lean);
    if (status != 0)
        return NULL;
    hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING |
                                           HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM);
    if (hwloc_topology_load(topology) == 0)
        return topology;
    hwloc_topology_destroy(topology);
    return NULL;
}

static void store(const binding_t *binding, size_t thread, hwloc_const_cpuset_t cpus)
{
    cpu_set_t *set = set_of(binding, thread);
    int cpu;
    hwloc_bitmap_foreach_begin(cpu, cpus)
    {
        CPU_SET_S((size_t)cpu, binding->nbytes, set);
    }
    hwloc_bitmap_foreach_end();
}

/* The first core of each thread's share of the machine. False, with nothing bound, when shares
 * meet in a core: on machines whose cores differ in their number of processors. */
static bool spread_by_topology(hwloc_topology_t topology, const binding_t *binding,
                               hwloc_cpuset_t *share, size_t threads)
{
    hwloc_obj_t root = hwloc_get_root_obj(topology);
    int depth = hwloc_get_type_or_below_depth(topology, HWLOC_OBJ_CORE);
    if (hwloc_distrib(topology, &root, 1, share, (unsigned)threads, depth, 0) != 0)
        return false;
    bool apart = true;
    for (size_t t = 0; apart && t < threads; t++)
        apart = share[t] != NULL; /* else there was no memory for it */
    hwloc_cpuset_t taken = hwloc_bitmap_alloc();
    for (size_t t = 0; apart && t < threads; t++) {
        hwloc_obj_t core =
            hwloc_get_next_obj_covering_cpuset_by_depth(topology, share[t], depth, NULL);
        apart = core != NULL && taken != NULL && !hwloc_bitmap_intersects(taken, core->cpuset);
        if (apart) {
            hwloc_bitmap_or(taken, taken, core->cpuset);
            store(binding, t, core->cpuset);
        }
    }
    hwloc_bitmap_free(taken);
    return apart;
}

static void spread_evenly(hwloc_topology_t topology, const binding_t *binding, size_t threads,
                          size_t cores)
{
    int depth = hwloc_get_type_or_below_depth(topology, HWLOC_OBJ_CORE);
    for (size_t t = 0; t < threads; t++) {
        CPU_ZERO_S(binding->nbytes, set_of(binding, t));
        unsigned index = (unsigned)(t * cores / threads);
        store(binding, t, hwloc_get_obj_by_depth(topology, depth, index)->cpuset);
    }
}

static binding_t *spread(hwloc_topology_t topology, size_t threads, size_t cores)
{
    binding_t *binding = malloc(sizeof *binding);
    hwloc_cpuset_t *share = calloc(threads, sizeof(hwloc_cpuset_t));
    if (binding == NULL || share == NULL)
        goto free_both;
    int last = hwloc_bitmap_last(hwloc_topology_get_topology_cpuset(topology));
    binding->nbytes = CPU_ALLOC_SIZE((size_t)last + 1);
    binding->sets = calloc(threads, binding->nbytes);
    if (binding->sets == NULL)
        goto free_both;
    if (!spread_by_topology(topology, binding, share, threads))
        spread_evenly(topology, binding, threads, cores);
    for (size_t t = 0; t < threads; t++)
        hwloc_bitmap_free(share[t]);
    free(share);
    return binding;

free_both:
    free(share);
    free(binding);
    return NULL;
}

int bind_create(bind_mode_t mode, size_t threads, binding_t **binding)
{
    *binding = NULL;
    if (mode == BIND_NONE)
        return 0;
    size_t processors = count_processors();
    if (mode == BIND_AUTO && threads > processors)
        return 0;
    if (processors == 0) {
        perror("fathom-run: --bind core: sched_setaffinity");
        return EXIT_FAILURE;
    }
    hwloc_topology_t topology = load_topology();
    if (topology == NULL) {
        perror("fathom-run: hwloc cannot read the machine's topology (try --bind none)");
        return mode == BIND_AUTO ? 0 : EXIT_FAILURE;
    }
    int status = 0;
    int depth = hwloc_get_type_or_below_depth(topology, HWLOC_OBJ_CORE);
    size_t cores = (size_t)hwloc_get_nbobjs_by_depth(topology, depth);
    if (threads <= cores) {
        *binding = spread(topology, threads, cores);
        if (*binding == NULL) {
            perror("fathom-run: --bind core");
            status = EXIT_FAILURE;
        }
    } else if (mode == BIND_CORE) {
        fprintf(stderr,
                "fathom-run: --bind: 'core' is for at most as many threads as cores: "
                "%zu threads, %zu cores\n",
                threads, cores);
        status = CLI_EXIT_USAGE;
    }
    hwloc_topology_destroy(topology);
    return status;
}

const cpu_set_t *bind_set(const binding_t *binding, size_t thread, size_t *nbytes)
{
    if (binding == NULL)
        return NULL;
    *nbytes = binding->nbytes;
    return set_of(binding, thread);
}

void bind_free(binding_t *binding)
{
    if (binding != NULL)
        free(binding->sets);
    free(binding);
}
