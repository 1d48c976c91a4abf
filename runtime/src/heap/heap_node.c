#include "heap/heap_node.h"

#include <inttypes.h>
#include <string.h>

#include <pgas/detail.h>

#include "heap/kept_pages.h"
#include "net/net.h"
#include "node/node.h"
#include "node/segment.h"

typedef enum opcode {
    RESERVE,
    UNRESERVE,
    ALLOC,
    RETIRE,
    FREE,
    FREE_OWN,
    FIND
} opcode_t;

typedef struct request {
    uint64_t opcode;
    uint64_t nbytes;
    uint64_t offset;
    uint64_t thread;
} request_t;

typedef struct reply {
    /** 0 where the request has failed. */
    uint64_t result;
    uint64_t used;
} reply_t;

/* The result until a reply comes; it stays if the request was malformed. */
static const uint64_t NOT_SERVED = UINT64_MAX;

static pgasi_control_t *lock_heaps(void)
{
    pgasi_control_t *control = pgasi_node_memory.control;
    pgasi_guard_lock(&control->heap_guard);
    return control;
}

static void unlock_heaps(void)
{
    pgasi_guard_unlock(&pgasi_node_memory.control->heap_guard);
}

static uint64_t alignment_for(uint64_t nbytes)
{
    return pgasi_heap_is_large(nbytes) ? PGASI_HEAP_LARGE : PGASI_REGION_UNIT;
}

/* An empty heap can hold one block of the promised size and its tag. */
static bool fits(uint64_t nbytes, uint64_t used)
{
    uint64_t size = pgasi_node_memory.heap_size + PGASI_REGION_UNIT;
    return nbytes <= size && used <= size - nbytes;
}

/* A large block begins with a chunk. */
static bool is_large(uint64_t offset, uint64_t taken)
{
    return offset % PGASI_KEPT_CHUNK == 0 && taken - PGASI_REGION_UNIT >= PGASI_HEAP_LARGE;
}

static uint64_t end_of(uint64_t offset, uint64_t taken)
{
    return offset + taken - PGASI_REGION_UNIT;
}

static void use_kept(pgasi_kept_pages_t *kept, uint64_t offset, uint64_t taken)
{
    if (is_large(offset, taken))
        pgasi_kept_pages_use(kept, offset, end_of(offset, taken));
}

/* Returns the pages of those chunks of a large block that are not kept. */
static void return_pages(const pgasi_kept_pages_t *kept, uint32_t thread, uint64_t offset,
                         uint64_t taken)
{
    uint64_t begin = offset;
    uint64_t end = end_of(offset, taken);
    while (begin < end) {
        uint64_t stop = begin;
        while (stop < end && !pgasi_kept_pages_have(kept, stop))
            stop += PGASI_KEPT_CHUNK;
        if (stop > begin)
            pgasi_segment_release(thread, begin, (stop < end ? stop : end) - begin);
        begin = stop + PGASI_KEPT_CHUNK;
    }
}

/* Of a block that is not in use any more, and not free yet, in the segments of `count` threads:
 * what may be kept is, and the other pages are returned. */
static void keep_or_return(pgasi_kept_pages_t *kept, uint64_t offset, uint64_t taken,
                           const uint32_t *threads, uint32_t count)
{
    if (!is_large(offset, taken))
        return;
    lock_heaps();
    pgasi_kept_pages_add(kept, offset, end_of(offset, taken), pgasi_node_memory.kept_most);
    const pgasi_kept_pages_t now = *kept;
    unlock_heaps();
    for (uint32_t i = 0; i < count; i++)
        return_pages(&now, threads[i], offset, taken);
}

/* Where the blocks of a heap are, and the list of what is kept there. */
typedef struct kept_in {
    const pgasi_region_t *region;
    const char *base;
    pgasi_kept_pages_t *kept;
    const uint32_t *threads;
    uint32_t threads_count;
    /* Of chunks that give way. */
    uint64_t chunks[PGASI_KEPT_CHUNKS];
    uint32_t chunks_count;
} kept_in_t;

static void release_part(const kept_in_t *heap, uint64_t begin, uint64_t end)
{
    for (uint32_t i = 0; i < heap->threads_count && begin < end; i++)
        pgasi_segment_release(heap->threads[i], begin, end - begin);
}

/* What chunks that give way have of a free block. */
static void release_of_block(void *argument, uint64_t begin, uint64_t end)
{
    const kept_in_t *heap = argument;
    for (uint32_t c = 0; c < heap->chunks_count; c++) {
        uint64_t from = heap->chunks[c];
        uint64_t to = from + PGASI_KEPT_CHUNK;
        release_part(heap, from > begin ? from : begin, to < end ? to : end);
    }
}

/* After a large block was freed, under the guard: what is kept gives way to as much at the begin of
 * the free block that it belongs to, which will be kept when it has been used. Not among many free
 * blocks, which it would take long to look through. */
static void give_way(kept_in_t *heap, uint64_t offset, uint64_t taken,
                     const pgasi_region_block_t *block)
{
    enum {
        LEAST_PART = 65536,
        MOST_BLOCKS = 2048
    };
    const uint64_t most = pgasi_node_memory.kept_most;
    if (!is_large(offset, taken))
        return;
    pgasi_kept_pages_settle(heap->kept, offset, end_of(offset, taken));
    heap->chunks_count =
        pgasi_kept_pages_give_way(heap->kept, block->begin, block->end, taken, most, heap->chunks);
    release_of_block(heap, block->begin + PGASI_REGION_UNIT, block->end);
    const pgasi_kept_pages_t before = *heap->kept;
    heap->chunks_count = pgasi_kept_pages_give_stale(heap->kept, block->begin, block->end, taken,
                                                     most, heap->chunks);
    if (heap->chunks_count > 0 && !pgasi_region_visit_free(heap->region, heap->base, LEAST_PART,
                                                           MOST_BLOCKS, release_of_block, heap))
        *heap->kept = before;
}

static void reserve(uint64_t nbytes, reply_t *reply)
{
    pgasi_control_t *control = lock_heaps();
    uint64_t most = 0;
    for (uint32_t i = 0; i < pgasi_nodes.threads_count; i++) {
        uint64_t used = pgasi_header_of(pgasi_nodes.threads[i])->local_used;
        most = used > most ? used : most;
    }
    reply->used = control->collective_used + most;
    reply->result = fits(nbytes, reply->used);
    if (reply->result != 0)
        control->collective_used += nbytes;
    unlock_heaps();
}

/* Pages are returned first: memory that is not reserved any more may be allocated again. */
static void unreserve(uint64_t nbytes, uint64_t offset)
{
    if (offset != 0)
        keep_or_return(&pgasi_node_memory.control->collective_kept, offset, nbytes,
                       pgasi_nodes.threads, pgasi_nodes.threads_count);
    lock_heaps()->collective_used -= nbytes;
    unlock_heaps();
}

static uint64_t alloc(uint64_t nbytes)
{
    uint64_t taken;
    pgasi_region_t *collective = &lock_heaps()->collective;
    uint64_t offset = pgasi_region_alloc(collective, pgasi_job.peers[0].base, nbytes,
                                         alignment_for(nbytes), &taken);
    unlock_heaps();
    return offset;
}

static uint64_t retire(uint64_t offset)
{
    uint64_t taken = 0;
    pgasi_region_t *collective = &lock_heaps()->collective;
    pgasi_region_retire(collective, pgasi_job.peers[0].base, offset, &taken);
    unlock_heaps();
    return taken;
}

static void free_collective(uint64_t offset)
{
    uint64_t taken;
    pgasi_control_t *control = lock_heaps();
    char *base = pgasi_job.peers[0].base;
    const pgasi_region_block_t block =
        pgasi_region_free(&control->collective, base, offset, &taken);
    kept_in_t heap = {.region = &control->collective,
                      .base = base,
                      .kept = &control->collective_kept,
                      .threads = pgasi_nodes.threads,
                      .threads_count = pgasi_nodes.threads_count};
    give_way(&heap, offset, taken, &block);
    unlock_heaps();
}

static bool free_own(uint32_t thread, uint64_t offset)
{
    pgasi_segment_header_t *header = pgasi_header_of(thread);
    char *base = pgasi_job.peers[thread].base;
    uint64_t taken;
    lock_heaps();
    bool owned = pgasi_region_retire(&header->local, base, offset, &taken);
    unlock_heaps();
    if (!owned)
        return false;
    keep_or_return(&header->local_kept, offset, taken, &thread, 1);
    lock_heaps();
    const pgasi_region_block_t block = pgasi_region_free(&header->local, base, offset, &taken);
    kept_in_t heap = {.region = &header->local,
                      .base = base,
                      .kept = &header->local_kept,
                      .threads = &thread,
                      .threads_count = 1};
    give_way(&heap, offset, taken, &block);
    header->local_used -= taken;
    unlock_heaps();
    return true;
}

/* Replies with the begin and end of the allocation. */
static void find(uint32_t thread, uint64_t offset, reply_t *reply)
{
    char *base = pgasi_job.peers[thread].base;
    const pgasi_control_t *control = lock_heaps();
    const pgasi_region_t *region = offset < pgasi_node_memory.local_begin
                                       ? &control->collective
                                       : &pgasi_header_of(thread)->local;
    if (!pgasi_region_find(region, base, offset, &reply->result, &reply->used))
        reply->result = 0;
    unlock_heaps();
}

static reply_t perform(const request_t *request)
{
    reply_t reply = {.result = 1};
    switch ((opcode_t)request->opcode) {
    case RESERVE:
        reserve(request->nbytes, &reply);
        break;
    case UNRESERVE:
        unreserve(request->nbytes, request->offset);
        break;
    case ALLOC:
        reply.result = alloc(request->nbytes);
        break;
    case RETIRE:
        reply.result = retire(request->offset);
        break;
    case FREE:
        free_collective(request->offset);
        break;
    case FREE_OWN:
        reply.result = free_own((uint32_t)request->thread, request->offset);
        break;
    case FIND:
        find((uint32_t)request->thread, request->offset, &reply);
        break;
    }
    return reply;
}

/* True if the request is well formed. What the regions themselves check is not checked here. */
static bool is_sound(const request_t *request)
{
    uint64_t end = pgasi_node_memory.local_begin;
    switch ((opcode_t)request->opcode) {
    case RESERVE:
    case ALLOC:
    case RETIRE:
        return true;
    case UNRESERVE: /* without its tag, a block may reach to the end */
        return request->nbytes >= PGASI_REGION_UNIT && request->nbytes <= end &&
               request->offset <= end - (request->nbytes - PGASI_REGION_UNIT) &&
               request->offset % PGASI_REGION_UNIT == 0;
    case FREE:
        return request->offset >= PGASI_HEAP_BEGIN + PGASI_REGION_UNIT && request->offset < end &&
               request->offset % PGASI_REGION_UNIT == 0;
    case FREE_OWN:
    case FIND:
        return request->thread < pgasi_job.threads && pgasi_job.peers[request->thread].base != NULL;
    }
    return false;
}

static size_t serve(uint32_t source, const void *bytes, size_t nbytes, void *reply)
{
    (void)source;
    request_t request;
    if (nbytes != sizeof request || reply == NULL)
        return 0;
    memcpy(&request, bytes, sizeof request);
    if (!is_sound(&request))
        return 0;
    reply_t result = perform(&request);
    memcpy(reply, &result, sizeof result);
    return sizeof result;
}

void pgasi_heap_serve(void)
{
    pgasi_net_serve(PGASI_SERVICE_HEAP, serve);
}

/* Performs the request on `thread`'s node. */
static reply_t call_node(uint32_t thread, request_t request)
{
    if (pgasi_job.peers[thread].node == pgasi_nodes.mine)
        return perform(&request);
    reply_t reply = {.result = NOT_SERVED};
    pgasi_net_call(thread, PGASI_SERVICE_HEAP, &request, sizeof request, &reply, sizeof reply);
    if (reply.result == NOT_SERVED)
        pgasi_fatal("heap", "thread %u does not serve request %" PRIu64, thread, request.opcode);
    return reply;
}

uint64_t pgasi_heap_used(uint32_t thread)
{
    uint64_t used = lock_heaps()->collective_used + pgasi_header_of(thread)->local_used;
    unlock_heaps();
    return used;
}

bool pgasi_heap_reserve(uint32_t node, uint64_t nbytes, uint64_t *used)
{
    reply_t reply =
        call_node(pgasi_nodes.leaders[node], (request_t){.opcode = RESERVE, .nbytes = nbytes});
    *used = reply.used;
    return reply.result != 0;
}

void pgasi_heap_unreserve(uint32_t node, uint64_t nbytes, uint64_t offset)
{
    call_node(pgasi_nodes.leaders[node],
              (request_t){.opcode = UNRESERVE, .nbytes = nbytes, .offset = offset});
}

void pgasi_heap_use(uint64_t nbytes, uint64_t offset)
{
    use_kept(&lock_heaps()->collective_kept, offset, nbytes);
    unlock_heaps();
}

uint64_t pgasi_heap_alloc(uint64_t nbytes)
{
    return call_node(0, (request_t){.opcode = ALLOC, .nbytes = nbytes}).result;
}

uint64_t pgasi_heap_retire(uint64_t offset)
{
    return call_node(0, (request_t){.opcode = RETIRE, .offset = offset}).result;
}

void pgasi_heap_free(uint64_t offset)
{
    call_node(0, (request_t){.opcode = FREE, .offset = offset});
}

static void (*give_up_kept)(void);

void pgasi_heap_on_shortage(void (*give_up)(void))
{
    give_up_kept = give_up;
}

void pgasi_heap_make_room(uint64_t nbytes)
{
    if (!fits(pgasi_region_cost(nbytes), pgasi_heap_used(pgasi_job.thread)))
        give_up_kept();
}

uint64_t pgasi_heap_alloc_own(uint64_t nbytes, uint64_t *used)
{
    uint64_t offset = pgasi_heap_try_own(nbytes, used);
    if (offset != 0)
        return offset;
    give_up_kept();
    return pgasi_heap_try_own(nbytes, used);
}

uint64_t pgasi_heap_try_own(uint64_t nbytes, uint64_t *used)
{
    uint32_t me = pgasi_job.thread;
    pgasi_segment_header_t *header = pgasi_header_of(me);
    uint64_t needed = pgasi_region_cost(nbytes);
    uint64_t offset = 0;
    uint64_t taken;
    *used = lock_heaps()->collective_used + header->local_used;
    if (fits(needed, *used))
        offset = pgasi_region_alloc(&header->local, pgasi_job.peers[me].base, nbytes,
                                    alignment_for(nbytes), &taken);
    if (offset != 0) {
        header->local_used += taken;
        use_kept(&header->local_kept, offset, taken);
    }
    unlock_heaps();
    return offset;
}

bool pgasi_heap_free_own(uint32_t thread, uint64_t offset)
{
    return call_node(thread, (request_t){.opcode = FREE_OWN, .offset = offset, .thread = thread})
               .result != 0;
}

bool pgasi_heap_find(uint32_t thread, uint64_t offset, uint64_t *begin, uint64_t *end)
{
    reply_t reply =
        call_node(thread, (request_t){.opcode = FIND, .offset = offset, .thread = thread});
    *begin = reply.result;
    *end = reply.used;
    return reply.result != 0;
}
