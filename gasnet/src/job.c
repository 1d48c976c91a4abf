#include "internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#include <pgas/copy.h>
#include <pgas/heap.h>
#include <pgas/ptr.h>
#include <pgas/sync.h>

#include "am.h"
#include "everything.h"
#include "everything_pieces.h"
#include "handler_table.h"

_Atomic gasneti_stage_t gasneti_stage;
gasneti_map_t gasneti_map = {.max_long = GASNETI_MAX_LONG};

const char GASNETI_MODE_SYMBOL(GASNETI_MODE)[] = GASNETI_MODE_NAME;

/* What a node tells the others, in its own segment of Fathom, at the same offset everywhere. */
typedef struct record {
    uint64_t max_segment;
    uint64_t addr;
    uint64_t size;
    uint64_t offset;
    /* It has no memory for a segment. */
    uint64_t lacks_memory;
} record_t;

static pgas_ptr_t records;
static uintptr_t max_local;
static uintptr_t max_global;
/* What the own segment lies in. */
static pgas_ptr_t memory;

static pgas_ptr_t record_of(gasnet_node_t node)
{
    return (pgas_ptr_t){.thread = node, .offset = records.offset};
}

static record_t read_record(gasnet_node_t node)
{
    record_t record;
    pgas_memget(&record, record_of(node), sizeof record);
    return record;
}

static record_t *own_record(void)
{
    return pgas_local(record_of(gasnet_mynode()));
}

/* ---- gasnet_init ---- */

/* Room for alignment, for Fathom's own allocations, of which the copies of long data for
 * collectives are the largest, and for those of the program beside GASNet. */
static uintptr_t largest_segment(void)
{
    size_t size = pgas_heap_size();
    size_t used = pgas_heap_used();
    size_t most = (size_t)256 << 20;
    size_t reserve = size / 16 < most ? size / 16 : most;
    reserve += (size_t)2 * GASNET_PAGESIZE;
    if (size < used + reserve)
        return 0;
    return (size - used - reserve) / GASNET_PAGESIZE * GASNET_PAGESIZE;
}

static int share_limits(void)
{
    if (pgas_all_alloc(gasnet_nodes(), sizeof(record_t), &records) != PGAS_OK)
        return GASNET_ERR_RESOURCE;
    max_local = max_global = gasneti_everything ? UINTPTR_MAX : largest_segment();
    *own_record() = (record_t){.max_segment = max_local};
    pgas_barrier();
    for (gasnet_node_t node = 0; node < gasnet_nodes(); node++) {
        uintptr_t theirs = read_record(node).max_segment;
        if (theirs < max_global)
            max_global = theirs;
    }
    return GASNET_OK;
}

void gasneti_want_everything(void)
{
    if (gasneti_stage != GASNETI_STAGE_NEW)
        return;
    gasneti_everything = true;
    gasneti_map.max_long = GASNETI_EVERYTHING_MAX_LONG;
}

// NOLINTNEXTLINE(readability-non-const-parameter): the type is GASNet's
int gasneti_init2(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    static bool has_begun;
    if (gasneti_stage != GASNETI_STAGE_NEW)
        return GASNET_ERR_NOT_INIT;
    if (has_begun) /* and failed */
        return GASNET_ERR_RESOURCE;
    has_begun = true;
    gasneti_errors_rename();
    gasneti_exit_prepare();
    gasneti_am_register();
    gasneti_everything_register();
    gasneti_pieces_register();
    if (pgas_init() != PGAS_OK)
        return GASNET_ERR_RESOURCE;
    gasneti_attach_main();
    gasneti_environment_share();
    gasneti_everything_start();
    int status = share_limits();
    if (status != GASNET_OK)
        return status;
    gasneti_exit_connect();
    gasneti_stage = GASNETI_STAGE_INITIALISED;
    return GASNET_OK;
}

int gasneti_init7(int *argc, char ***argv, gasnet_handlerentry_t *table, int numentries,
                  void *segbase, uintptr_t segsize, int allow_faults)
{
    (void)segbase;
    (void)allow_faults;
    if (segsize == GASNET_SEGSIZE_EVERYTHING)
        gasneti_want_everything();
    int status = gasneti_init2(argc, argv);
    return status == GASNET_OK ? gasnet_attach(table, numentries, segsize, 0) : status;
}

/* ---- gasnet_attach ---- */

static bool allocate(uintptr_t size)
{
    return pgas_alloc(size + GASNET_PAGESIZE, &memory) == PGAS_OK;
}

/* A segment of the size that is asked for, or of what there is: the program may have used the heap
 * since it was told what there was. Its record says whether it has. */
static void make_segment(uintptr_t size)
{
    record_t *mine = own_record();
    *mine = (record_t){.max_segment = max_local};
    memory = pgas_ptr_null();
    if (gasneti_everything) {
        mine->size = UINTPTR_MAX;
        return;
    }
    if (size > max_local)
        size = max_local;
    if (size == 0)
        return;
    if (!allocate(size)) {
        size = size < largest_segment() ? size : largest_segment();
        mine->lacks_memory = size == 0 || !allocate(size);
        if (mine->lacks_memory)
            return;
    }
    uintptr_t start = (uintptr_t)pgas_local(memory);
    uintptr_t aligned = (start + GASNET_PAGESIZE - 1) / GASNET_PAGESIZE * GASNET_PAGESIZE;
    mine->addr = aligned;
    mine->size = size;
    mine->offset = memory.offset + (aligned - start);
}

static int map_segments(void)
{
    gasnet_node_t nodes = gasnet_nodes();
    gasneti_segment_t *segments =
        aligned_alloc(_Alignof(gasneti_segment_t), nodes * sizeof *segments);
    if (segments == NULL)
        return GASNET_ERR_RESOURCE;
    memset(segments, 0, nodes * sizeof *segments);
    bool lacks_memory = false;
    for (gasnet_node_t node = 0; node < nodes; node++) {
        record_t record = read_record(node);
        lacks_memory |= record.lacks_memory != 0;
        segments[node].addr = record.addr;
        segments[node].size = record.size;
        segments[node].offset = record.offset;
        pgas_ptr_t start = {.thread = node, .offset = record.offset};
        bool is_mapped = gasneti_everything ? node == gasnet_mynode() : pgas_local(start) != NULL;
        segments[node].mapped = gasneti_everything ? NULL : pgas_local(start);
        segments[node].reach = is_mapped ? record.size : 0;
    }
    if (lacks_memory) {
        free(segments);
        return GASNET_ERR_RESOURCE;
    }
    gasneti_map.segments = segments;
    return GASNET_OK;
}

/* With handlers, in the runtime. */
static int attach(uintptr_t size)
{
    make_segment(size);
    pgas_barrier();
    int status = map_segments();
    if (status == GASNET_OK) {
        gasneti_stage = GASNETI_STAGE_ATTACHED;
        gasneti_map.nodes = gasnet_nodes();
    } else {
        gasneti_handler_table_clear();
        if (!pgas_ptr_is_null(memory))
            pgas_free(memory);
    }
    pgas_barrier();
    return status;
}

int gasnet_attach(gasnet_handlerentry_t *table, int numentries, uintptr_t segsize,
                  uintptr_t minheapoffset)
{
    (void)minheapoffset;
    if (gasneti_stage != GASNETI_STAGE_INITIALISED)
        return GASNET_ERR_NOT_INIT;
    if ((!gasneti_everything && segsize % GASNET_PAGESIZE != 0) || numentries < 0 ||
        (numentries > 0 && table == NULL))
        return GASNET_ERR_BAD_ARG;
    int status = gasneti_handler_table_fill(table, (size_t)numentries);
    if (status != GASNET_OK)
        return status;
    gasneti_enter();
    status = attach(segsize);
    gasneti_leave();
    return status;
}

/* ---- Places ---- */

bool gasneti_find_place(gasnet_node_t node, const void *addr, size_t nbytes, pgas_ptr_t *place)
{
    if (node >= gasneti_map.nodes)
        return false;
    const gasneti_segment_t *segment = &gasneti_map.segments[node];
    uintptr_t offset = (uintptr_t)addr - segment->addr;
    if (offset > segment->size || nbytes > segment->size - offset)
        return false;
    *place = (pgas_ptr_t){.thread = node, .offset = segment->offset + offset};
    return true;
}

pgas_ptr_t gasneti_place(const char *call, gasnet_node_t node, const void *addr, size_t nbytes)
{
    pgas_ptr_t place;
    gasneti_errors_name(call);
#ifdef PGAS_DEBUG
    gasneti_require_unrestricted(call);
#endif
    if (gasneti_find_place(node, addr, nbytes, &place))
        return place;
    if (!gasneti_is_attached())
        gasneti_fatal(call, "called before gasnet_attach");
    if (node >= gasneti_map.nodes)
        gasneti_fatal(call, "node %u: the job has %u", node, gasneti_map.nodes);
    gasneti_fatal(call,
                  "%zu bytes at %p: not in the segment of node %u, %#" PRIxPTR " to %#" PRIxPTR,
                  nbytes, (const void *)addr, node, gasneti_map.segments[node].addr,
                  gasneti_map.segments[node].addr + gasneti_map.segments[node].size);
}

/* ---- Queries ---- */

uintptr_t gasnet_getMaxLocalSegmentSize(void)
{
    return max_local;
}

uintptr_t gasnet_getMaxGlobalSegmentSize(void)
{
    return max_global;
}

uintptr_t gasnet_getMaxNativeSegmentSize(void)
{
    struct sysinfo info;
    if (gasneti_stage != GASNETI_STAGE_NEW)
        return max_global;
    if (sysinfo(&info) != 0)
        return 0;
    return (uintptr_t)info.totalram * info.mem_unit / GASNET_PAGESIZE * GASNET_PAGESIZE;
}

static gasnet_node_t entries(int numentries)
{
    return (gasnet_node_t)numentries < gasnet_nodes() ? (gasnet_node_t)numentries : gasnet_nodes();
}

/* The lowest node of the same supernode. */
static gasnet_node_t lowest_beside(gasnet_node_t node)
{
    gasnet_node_t lowest = 0;
    while (pgas_node_of((int)lowest) != pgas_node_of((int)node))
        lowest++;
    return lowest;
}

int gasnet_getSegmentInfo(gasnet_seginfo_t *table, int numentries)
{
    if (!gasneti_is_attached())
        return GASNET_ERR_NOT_INIT;
    if (numentries < 0 || (numentries > 0 && table == NULL))
        return GASNET_ERR_BAD_ARG;
    for (gasnet_node_t node = 0; node < entries(numentries); node++) {
        table[node].nodeinfo = lowest_beside(node);
        table[node].addr = (void *)gasneti_map.segments[node].addr;
        table[node].size = gasneti_map.segments[node].size;
    }
    return GASNET_OK;
}

int gasnet_getNodeInfo(gasnet_nodeinfo_t *table, int numentries)
{
    if (gasneti_stage == GASNETI_STAGE_NEW)
        return GASNET_ERR_NOT_INIT;
    if (numentries < 0 || (numentries > 0 && table == NULL))
        return GASNET_ERR_BAD_ARG;
    for (gasnet_node_t node = 0; node < entries(numentries); node++) {
        gasnet_node_t supernode = (gasnet_node_t)pgas_node_of((int)node);
        table[node] = (gasnet_nodeinfo_t){.host = supernode, .supernode = supernode};
        if (gasneti_map.nodes > 0 && gasneti_map.segments[node].reach > 0)
            table[node].offset = (ptrdiff_t)((uintptr_t)gasneti_map.segments[node].mapped -
                                             gasneti_map.segments[node].addr);
    }
    return GASNET_OK;
}
