#include "net/ucx/rma_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include <pgas/detail.h>

#include "base/log.h"
#include "net/ucx/failure.h"
#include "net/ucx/worker.h"
#include "node/mapped_file.h"
#include "node/node.h"
#include "node/segment.h"

pgasi_rma_path_t pgasi_ucx_path;
bool pgasi_ucx_keys_by_granule;

/* What UCX has made for the node, in its leader. */
static ucp_mem_h made;
static char *made_at;

/* By granule: what the calling thread has registered. Only the thread that progresses the target
 * worker uses it. */
static ucp_mem_h *registered;

static bool is_there_room(uint64_t nbytes)
{
    struct statvfs fs;
    if (statvfs("/dev/shm", &fs) != 0 || (uint64_t)fs.f_bavail * fs.f_frsize >= nbytes)
        return true;
    pgasi_log_alike("PGAS_SEGMENT=ucx: %" PRIu64 " bytes for the node's heaps, and /dev/shm has "
                    "%" PRIu64 " free; PGAS_HEAP_SIZE sets the size",
                    nbytes, (uint64_t)fs.f_bavail * fs.f_frsize);
    return false;
}

static bool allocate(uint64_t nbytes)
{
    const ucp_mem_map_params_t params = {
        .field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS,
        .length = nbytes,
        .flags = UCP_MEM_MAP_ALLOCATE,
    };
    ucp_mem_attr_t attr = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS};
    ucs_status_t status = ucp_mem_map(pgasi_ucx_context, &params, &made);
    if (status == UCS_OK)
        status = ucp_mem_query(made, &attr);
    made_at = attr.address;
    return pgasi_ucx_check("PGAS_SEGMENT=ucx: ucp_mem_map", status) == PGAS_OK;
}

/* UCX does not say which file it has made; it is the one that is mapped there. UCX has written all
 * of it, to be sure of the space: the pages are given back. */
int pgasi_net_memory_open(uint64_t nbytes)
{
    if (!is_there_room(nbytes) || !allocate(nbytes))
        return -1;
    int file = pgasi_mapped_file_open(made_at);
    if (file < 0) {
        pgasi_log_alike("PGAS_SEGMENT=ucx: the memory that UCX has made is no open file; is "
                        "UCX_POSIX_USE_PROC_LINK or UCX_ALLOC_PRIO set?");
        return -1;
    }
    if (fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)nbytes) != 0)
        pgasi_note("PGAS_SEGMENT=ucx: %s: the memory stays occupied", strerror(errno));
    return file;
}

uint32_t pgasi_ucx_key_holder(uint32_t thread)
{
    bool is_shared = pgasi_ucx_path.kind == PGASI_RMA_SHARED;
    return is_shared ? pgasi_nodes.leaders[pgasi_job.peers[thread].node] : thread;
}

uint64_t pgasi_ucx_key_granule(void)
{
    bool is_whole = pgasi_ucx_path.kind == PGASI_RMA_SHARED && !pgasi_ucx_keys_by_granule;
    return is_whole ? pgasi_node_memory.stride : pgasi_segment_granule();
}

/* Fresh pages: whoever returns some to the system meanwhile has done so before, or sees the mark
 * (pgasi_segment_release). */
static ucp_mem_h register_granule(uint64_t begin, uint64_t end)
{
    uint64_t granule = pgasi_segment_granule();
    if (registered == NULL)
        registered = calloc(pgasi_node_memory.stride / granule + 1, sizeof(ucp_mem_h));
    if (registered == NULL || registered[begin / granule] != NULL)
        return registered == NULL ? NULL : registered[begin / granule];
    const ucp_mem_map_params_t params = {
        .field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH,
        .address = pgasi_job.peers[pgasi_job.thread].base + begin,
        .length = end - begin,
    };
    if (ucp_mem_map(pgasi_ucx_context, &params, &registered[begin / granule]) != UCS_OK)
        registered[begin / granule] = NULL;
    return registered[begin / granule];
}

static size_t write_key(ucp_mem_h memory, uint64_t address, uint64_t begin, uint64_t end,
                        void *bytes)
{
    pgasi_ucx_key_reply_t reply = {.begin = begin, .end = end, .address = address};
    void *key;
    size_t nbytes;
    if (ucp_rkey_pack(pgasi_ucx_context, memory, &key, &nbytes) != UCS_OK)
        return 0;
    if (nbytes <= sizeof reply.key)
        memcpy(reply.key, key, nbytes);
    ucp_rkey_buffer_release(key);
    if (nbytes > sizeof reply.key)
        return 0;
    reply.nbytes = nbytes;
    memcpy(bytes, &reply, sizeof reply);
    return offsetof(pgasi_ucx_key_reply_t, key) + nbytes;
}

/* Keys to what lies below the heap are for nobody: what is there has other ways. */
static bool is_sound(const pgasi_ucx_key_request_t *request)
{
    return pgasi_ucx_path.kind != PGASI_RMA_NONE && request->kind == pgasi_ucx_path.kind &&
           request->thread < pgasi_job.threads && pgasi_job.peers[request->thread].base != NULL &&
           request->offset >= PGASI_HEAP_BEGIN && request->offset < pgasi_node_memory.stride;
}

static size_t serve_key(uint32_t source, const void *bytes, size_t nbytes, void *reply)
{
    (void)source;
    pgasi_ucx_key_request_t request;
    if (nbytes != sizeof request || reply == NULL)
        return 0;
    memcpy(&request, bytes, sizeof request);
    if (!is_sound(&request))
        return 0;
    uint64_t granule = pgasi_ucx_key_granule();
    uint64_t begin = request.offset / granule * granule;
    uint64_t end = begin + granule;
    if (end > pgasi_node_memory.stride)
        end = pgasi_node_memory.stride;
    if (granule < pgasi_node_memory.stride)
        pgasi_segment_keep(request.thread, begin);
    char *base = pgasi_job.peers[request.thread].base;
    if (pgasi_ucx_path.kind == PGASI_RMA_SHARED) {
        uint64_t distance = (uint64_t)(base - (char *)pgasi_node_memory.control);
        return made == NULL ? 0 : write_key(made, (uintptr_t)made_at + distance, begin, end, reply);
    }
    if (request.thread != pgasi_job.thread)
        return 0;
    if (begin < PGASI_HEAP_BEGIN) /* the null page cannot be registered */
        begin = PGASI_HEAP_BEGIN;
    ucp_mem_h memory = register_granule(begin, end);
    return memory == NULL ? 0 : write_key(memory, (uintptr_t)base, begin, end, reply);
}

void pgasi_ucx_memory_serve(void)
{
    pgasi_net_serve(PGASI_SERVICE_KEY, serve_key);
}

void pgasi_ucx_memory_finalize(void)
{
    uint64_t count = registered == NULL ? 0 : pgasi_node_memory.stride / pgasi_segment_granule();
    for (uint64_t i = 0; i <= count && registered != NULL; i++)
        if (registered[i] != NULL)
            ucp_mem_unmap(pgasi_ucx_context, registered[i]);
    free((void *)registered);
    registered = NULL;
    if (made != NULL)
        ucp_mem_unmap(pgasi_ucx_context, made);
    made = NULL;
}
