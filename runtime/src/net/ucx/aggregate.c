#include "net/ucx/aggregate.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <pgas/detail.h>

#include "net/ucx/credit.h"
#include "net/ucx/endpoint.h"
#include "net/ucx/numbered.h"
#include "net/ucx/pending.h"
#include "net/ucx/post.h"

enum {
    /* Bytes that one message of puts, or one reply to gets, has at most. */
    BUFFER_SIZE = PGASI_UCX_EAGER_MAX,
    /* Bytes of a request for gets. */
    REQUEST_MAX = 16384,
    PLACES_MAX = REQUEST_MAX / sizeof(pgasi_ucx_piece_t),
    ATOMIC_MAX = sizeof(pgasi_ucx_piece_t) + sizeof(pgasi_ucx_operands_t)
};

/* Aggregated gets: the request until it is sent, the places until the reply comes. */
typedef struct pgasi_ucx_gets {
    struct pgasi_ucx_gets *next;
    /* All that there are, in use or not. */
    struct pgasi_ucx_gets *created_before;
    pgasi_ucx_desc_t *request;
    size_t request_size;
    /* Counts this one from its request to its reply: as the first of the gets was begun. */
    _Atomic uint32_t *under_way;
    uint64_t token;
    uint64_t nbytes;
    uint32_t thread;
    uint32_t count;
    struct {
        char *dst;
        ptrdiff_t stride;
        uint32_t nbytes;
        uint32_t count;
    } place[PLACES_MAX];
} gets_t;

/* What waits to be sent to one thread; NULL if nothing. */
typedef struct pgasi_ucx_waiting {
    pgasi_ucx_desc_t *puts;
    size_t puts_size;
    gets_t *gets;
    /* Requests for gets without a reply so far. */
    uint32_t gets_under_way;
} waiting_t;

/* Pieces count from here: 32 bits reach 2 GiB up and down from the first. */
static uint64_t base_for(uint64_t offset)
{
    uint64_t reach = (uint64_t)1 << 31;
    return offset > reach ? offset - reach : 0;
}

static bool reaches(uint64_t base, uint64_t offset)
{
    return offset >= base && offset - base <= UINT32_MAX;
}

/* How many of some chunks go into `size` bytes. */
static size_t count_in(size_t size, const pgasi_chunks_t *chunks)
{
    if (chunks->count == 1)
        return 1;
    size_t count = size / chunks->nbytes;
    return count < chunks->count ? count : chunks->count;
}

static size_t size_of_piece(const pgasi_chunks_t *chunks)
{
    return sizeof(pgasi_ucx_piece_t) + (chunks->count > 1 ? sizeof(pgasi_ucx_run_t) : 0);
}

/* Writes a piece of `count` chunks; returns its end. */
static unsigned char *write_piece(unsigned char *at, uint64_t distance,
                                  const pgasi_chunks_t *chunks, size_t count, ptrdiff_t stride)
{
    pgasi_ucx_piece_t piece = {.distance = (uint32_t)distance,
                               .nbytes =
                                   (uint32_t)chunks->nbytes | (count > 1 ? PGASI_UCX_IS_RUN : 0)};
    memcpy(at, &piece, sizeof piece);
    at += sizeof piece;
    if (count == 1)
        return at;
    pgasi_ucx_run_t run = {.stride = stride, .count = count};
    memcpy(at, &run, sizeof run);
    return at + sizeof run;
}

/* Puts. */

static void send_puts(uint32_t thread, bool wants_ack)
{
    waiting_t *target = &pgasi_ucx_me->waiting[thread];
    pgasi_ucx_desc_t *puts = target->puts;
    target->puts = NULL;
    pgasi_ucx_number(&puts->header.numbered, thread, wants_ack);
    pgasi_ucx_post_request(pgasi_ucx_endpoint(thread), PGASI_UCX_PUTS, puts,
                           sizeof puts->header.puts, puts->payload, target->puts_size);
}

static pgasi_ucx_desc_t *open_puts(uint32_t thread, uint64_t offset)
{
    waiting_t *target = &pgasi_ucx_me->waiting[thread];
    target->puts = pgasi_ucx_desc_alloc(&pgasi_ucx_me->buffers, thread);
    target->puts->header.puts = (pgasi_ucx_puts_t){.offset = base_for(offset)};
    target->puts_size = 0;
    pgasi_ucx_number_ahead(thread);
    return target->puts;
}

void pgasi_ucx_puts_flush(uint32_t thread)
{
    if (pgasi_ucx_me->waiting[thread].puts != NULL)
        send_puts(thread, false);
}

void pgasi_ucx_puts_acked(uint32_t thread)
{
    if (pgasi_ucx_me->waiting[thread].puts != NULL && pgasi_ucx_numbered_is_idle(thread))
        send_puts(thread, true);
}

void pgasi_ucx_puts_request_ack(uint32_t thread)
{
    if (pgasi_ucx_me->waiting[thread].puts == NULL)
        open_puts(thread, 0);
    send_puts(thread, true);
}

/* Makes room for a piece of at least `minimum` bytes at `dst`. Only a message that is begun here
 * can find its target idle: what has waited has waited for the target's acknowledgement, and leaves
 * when that comes. So `*leaves` stays true only for such a message. */
static pgasi_ucx_desc_t *puts_with_room(pgas_ptr_t dst, size_t minimum, bool *leaves)
{
    waiting_t *target = &pgasi_ucx_me->waiting[dst.thread];
    pgasi_ucx_desc_t *puts = target->puts;
    if (puts != NULL && (target->puts_size + minimum > BUFFER_SIZE ||
                         !reaches(puts->header.puts.offset, dst.offset))) {
        send_puts(dst.thread, false);
        puts = NULL;
    }
    *leaves = *leaves && puts == NULL && pgasi_ucx_numbered_is_idle(dst.thread);
    return puts != NULL ? puts : open_puts(dst.thread, dst.offset);
}

/* Writes the piece of an atomic operation; returns its size. */
static size_t write_atomic(unsigned char *at, uint64_t distance, const pgasi_net_atomic_t *atomic)
{
    const pgasi_ucx_piece_t piece = {
        .distance = (uint32_t)distance,
        .nbytes = PGASI_UCX_IS_ATOMIC | (uint32_t)atomic->op << PGASI_UCX_OP_SHIFT |
                  (uint32_t)atomic->type,
    };
    const pgasi_ucx_operands_t operands = {atomic->operand, atomic->compare};
    size_t size = pgasi_ucx_operands_size(atomic->op);
    memcpy(at, &piece, sizeof piece);
    memcpy(at + sizeof piece, &operands, size);
    return sizeof piece + size;
}

uint64_t pgasi_ucx_update_add(pgas_ptr_t at, const pgasi_net_atomic_t *atomic)
{
    bool leaves = true;
    pgasi_ucx_desc_t *puts = puts_with_room(at, ATOMIC_MAX, &leaves);
    size_t *size = &pgasi_ucx_me->waiting[at.thread].puts_size;
    *size += write_atomic(puts->payload + *size, at.offset - puts->header.puts.offset, atomic);
    puts->header.puts.count++;
    uint64_t handle = pgasi_ucx_numbered_handle(at.thread);
    if (leaves)
        send_puts(at.thread, true);
    return handle;
}

size_t pgasi_ucx_puts_add(pgas_ptr_t dst, const char *src, const pgasi_chunks_t *chunks,
                          bool leaves, uint64_t *handle)
{
    waiting_t *target = &pgasi_ucx_me->waiting[dst.thread];
    pgasi_ucx_desc_t *puts =
        puts_with_room(dst, size_of_piece(chunks) + pgasi_ucx_padded(chunks->nbytes), &leaves);
    size_t count = count_in(BUFFER_SIZE - target->puts_size - size_of_piece(chunks), chunks);
    size_t nbytes = count * chunks->nbytes;
    size_t padded = pgasi_ucx_padded(nbytes);
    unsigned char *begin = puts->payload + target->puts_size;
    unsigned char *at =
        write_piece(begin, dst.offset - puts->header.puts.offset, chunks, count, chunks->dst);
    if (padded > nbytes)
        memset(at + nbytes, 0, padded - nbytes);
    if (count == 1) {
        memcpy(at, src, nbytes);
    } else {
        pgasi_chunks_t packed = {chunks->nbytes, count, (ptrdiff_t)chunks->nbytes, chunks->src};
        pgasi_chunks_copy((char *)at, src, &packed);
    }
    target->puts_size += (size_t)(at - begin) + padded;
    puts->header.puts.count++;
    *handle = pgasi_ucx_numbered_handle(dst.thread);
    if (leaves)
        send_puts(dst.thread, true);
    return count;
}

/* Gets. Those that wait to be sent are not under way: there is credit without any reply to them. */

static void count_under_way(const gets_t *gets, uint32_t by)
{
    uint32_t count = atomic_load_explicit(gets->under_way, memory_order_relaxed);
    atomic_store_explicit(gets->under_way, count + by, memory_order_relaxed);
}

void pgasi_ucx_gets_flush(uint32_t thread)
{
    waiting_t *target = &pgasi_ucx_me->waiting[thread];
    gets_t *gets = target->gets;
    if (gets == NULL)
        return;
    target->gets = NULL;
    target->gets_under_way++;
    count_under_way(gets, 1);
    pgasi_ucx_desc_t *request = gets->request;
    request->header.get.nbytes = gets->nbytes;
    pgasi_ucx_post_request(pgasi_ucx_endpoint(thread), PGASI_UCX_GETS, request,
                           sizeof request->header.get, request->payload, gets->request_size);
}

/* Distributes the reply to aggregated gets, which are complete then. */
static bool place(void *context, const void *data, size_t nbytes)
{
    gets_t *gets = context;
    if (gets->nbytes != nbytes)
        return false;
    const char *next = data;
    for (uint32_t i = 0; i < gets->count; i++) {
        size_t length = gets->place[i].nbytes;
        size_t count = gets->place[i].count;
        if (count == 1) {
            memcpy(gets->place[i].dst, next, length);
        } else {
            pgasi_chunks_t chunks = {length, count, gets->place[i].stride, (ptrdiff_t)length};
            pgasi_chunks_copy(gets->place[i].dst, next, &chunks);
        }
        next += count * length;
    }
    uint32_t thread = gets->thread;
    count_under_way(gets, (uint32_t)-1);
    gets->next = pgasi_ucx_me->unused_gets;
    pgasi_ucx_me->unused_gets = gets;
    pgasi_ucx_me->waiting[thread].gets_under_way--;
    if (pgasi_ucx_me->waiting[thread].gets_under_way == 0)
        pgasi_ucx_gets_flush(thread);
    return true;
}

static gets_t *create_gets(void)
{
    gets_t *gets = malloc(sizeof *gets);
    if (gets == NULL)
        pgasi_fatal("network", "no memory for a message");
    gets->created_before = pgasi_ucx_me->created_last;
    pgasi_ucx_me->created_last = gets;
    return gets;
}

static gets_t *open_gets(uint32_t thread, uint64_t offset)
{
    gets_t *gets = pgasi_ucx_me->unused_gets;
    if (gets != NULL)
        pgasi_ucx_me->unused_gets = gets->next;
    else
        gets = create_gets();
    const pgasi_ucx_operation_t operation = {
        .deliver = place,
        .context = gets,
        .thread = thread,
        .parts = 1,
    };
    gets->request = pgasi_ucx_desc_alloc(&pgasi_ucx_me->buffers, thread);
    gets->token = pgasi_ucx_operation_begin(&operation);
    gets->request_size = 0;
    gets->under_way = pgasi_ucx_gets_under_way();
    gets->nbytes = 0;
    gets->thread = thread;
    gets->count = 0;
    gets->request->header.get = (pgasi_ucx_get_t){
        .secret = pgasi_ucx_secret,
        .token = gets->token,
        .offset = base_for(offset),
    };
    pgasi_ucx_me->waiting[thread].gets = gets;
    return gets;
}

/* Makes room for a piece of `size` bytes whose reply has at least `minimum`; `*leaves` as for puts.
 */
static gets_t *gets_with_room(pgas_ptr_t src, size_t size, size_t minimum, bool *leaves)
{
    gets_t *gets = pgasi_ucx_me->waiting[src.thread].gets;
    if (gets != NULL &&
        (gets->request_size + size > REQUEST_MAX || gets->nbytes + minimum > BUFFER_SIZE ||
         !reaches(gets->request->header.get.offset, src.offset))) {
        pgasi_ucx_gets_flush(src.thread);
        gets = NULL;
    }
    *leaves = *leaves && gets == NULL && pgasi_ucx_me->waiting[src.thread].gets_under_way == 0;
    return gets != NULL ? gets : open_gets(src.thread, src.offset);
}

/* Notes where `count` chunks of `nbytes` bytes of the reply go, whose piece has been written. */
static void note_place(gets_t *gets, char *dst, size_t nbytes, size_t count, ptrdiff_t stride)
{
    gets->place[gets->count].dst = dst;
    gets->place[gets->count].stride = stride;
    gets->place[gets->count].nbytes = (uint32_t)nbytes;
    gets->place[gets->count].count = (uint32_t)count;
    gets->count++;
    gets->nbytes += count * nbytes;
}

size_t pgasi_ucx_gets_add(char *dst, pgas_ptr_t src, const pgasi_chunks_t *chunks, bool leaves,
                          uint64_t *handle)
{
    gets_t *gets = gets_with_room(src, size_of_piece(chunks), chunks->nbytes, &leaves);
    size_t count = count_in(BUFFER_SIZE - gets->nbytes, chunks);
    unsigned char *payload = gets->request->payload;
    unsigned char *end =
        write_piece(payload + gets->request_size, src.offset - gets->request->header.get.offset,
                    chunks, count, chunks->src);
    gets->request_size = (size_t)(end - payload);
    note_place(gets, dst, chunks->nbytes, count, chunks->dst);
    *handle = gets->token;
    if (leaves)
        pgasi_ucx_gets_flush(src.thread);
    return count;
}

uint64_t pgasi_ucx_atomic_add(void *old, pgas_ptr_t at, const pgasi_net_atomic_t *atomic)
{
    bool leaves = true;
    size_t nbytes = pgasi_size_of_type(atomic->type);
    gets_t *gets = gets_with_room(at, ATOMIC_MAX, nbytes, &leaves);
    gets->request_size += write_atomic(gets->request->payload + gets->request_size,
                                       at.offset - gets->request->header.get.offset, atomic);
    note_place(gets, old, nbytes, 1, 0);
    uint64_t handle = gets->token;
    if (leaves)
        pgasi_ucx_gets_flush(at.thread);
    return handle;
}

bool pgasi_ucx_aggregate_init(pgasi_ucx_initiator_t *initiator)
{
    initiator->waiting = calloc(pgasi_job.threads, sizeof *initiator->waiting);
    return initiator->waiting != NULL;
}

static void free_open(waiting_t *target)
{
    if (target->puts != NULL)
        pgasi_ucx_desc_free(target->puts);
    if (target->gets != NULL)
        pgasi_ucx_desc_free(target->gets->request);
}

void pgasi_ucx_aggregate_free(pgasi_ucx_initiator_t *initiator)
{
    for (uint32_t i = 0; i < pgasi_job.threads && initiator->waiting != NULL; i++)
        free_open(&initiator->waiting[i]);
    free(initiator->waiting);
    while (initiator->created_last != NULL) {
        gets_t *gets = initiator->created_last;
        initiator->created_last = gets->created_before;
        free(gets);
    }
}
