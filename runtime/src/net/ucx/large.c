#include "net/ucx/large.h"

#include <stdatomic.h>
#include <stdio.h>

#include <pgas/detail.h>

#include "net/spin.h"
#include "net/ucx/endpoint.h"
#include "net/ucx/initiator.h"
#include "net/ucx/numbered.h"
#include "net/ucx/pending.h"
#include "net/ucx/post.h"
#include "net/ucx/progress.h"
#include "net/ucx/worker.h"

enum {
    /* Each costs UCX about a KiB here. */
    UNDER_WAY_MAX = 64
};

/* The most bytes of one message. */
#define PART_MAX ((size_t)1 << 30)

/* Over sockets, bytes that UCX sends at once arrive sooner than those for which it asks first, and
 * longer transfers take two thirds of the time (docs/decisions.md, 112). The owner keeps a request
 * for every reply that has not left; for gets beyond this that would be too many. */
#define AT_ONCE_MAX ((size_t)64 << 20)
#define AT_ONCE_PART ((size_t)(PGASI_UCX_REPLIES_MAX - 1) * PGASI_UCX_EAGER_MAX)

/* The most bytes of one part of a copy: where both sides are on one node, the source's thread
 * copies it while others wait for it. */
#define COPY_PART_MAX ((size_t)1 << 20)

static pgasi_ucx_pool_t pool = {.pending = &pgasi_ucx_background_awaited};
static _Atomic uint32_t under_way;
/* Those that need no credit. */
static _Atomic uint32_t unbounded_under_way;

static bool has_credit(const void *unused)
{
    (void)unused;
    return atomic_load_explicit(&under_way, memory_order_relaxed) < UNDER_WAY_MAX;
}

static void describe(char *text, size_t size)
{
    snprintf(text, size, "credit for more large copies under way");
}

typedef struct transfer {
    uint64_t token;
    pgas_ptr_t dst;
    pgas_ptr_t src;
    /* Of a put; a get's destination is the operation's. */
    const char *from;
    size_t nbytes;
    size_t part;
    /* Of a get whose parts have several replies each, the bytes of one; else 0. */
    size_t reply;
    /* Of a put whose parts are numbered, from this number on; else 0. */
    uint64_t number;
    uint32_t agent;
    /* As the operation's. */
    uint32_t puts_to;
} transfer_t;

static uint32_t parts_of(size_t nbytes, size_t part)
{
    return (uint32_t)((nbytes - 1) / part + 1);
}

/* Nothing waits from here on: numbers follow one another. */
static uint64_t begin(uint32_t thread, void *dst, transfer_t *transfer, size_t part,
                      void (*post)(const void *transfer))
{
    const pgasi_ucx_operation_t operation = {
        .dst = dst,
        .size = dst != NULL ? transfer->nbytes : 0,
        .thread = thread,
        .parts = parts_of(transfer->nbytes, transfer->reply != 0 ? transfer->reply : part),
        .is_background = true,
        .puts_to = transfer->puts_to,
        .under_way = pgasi_ucx_me->is_unbounded ? &unbounded_under_way : &under_way,
    };
    transfer->part = part;
    transfer->token = pgasi_ucx_operation_begin(&operation);
    pgasi_ucx_background_post(post, transfer, sizeof *transfer);
    return transfer->token;
}

static void credit_wait(void)
{
    if (!has_credit(NULL) && !pgasi_ucx_me->is_unbounded)
        pgasi_ucx_wait(has_credit, NULL, 0, describe);
}

static size_t length_at(const transfer_t *transfer, size_t at)
{
    size_t left = transfer->nbytes - at;
    return left < transfer->part ? left : transfer->part;
}

static void post_get(const void *what)
{
    const transfer_t *get = what;
    uint32_t thread = get->src.thread;
    ucp_ep_h ep = pgasi_ucx_background_endpoint(thread);
    pgasi_ucx_background_awaited++;
    for (size_t at = 0; at < get->nbytes; at += get->part) {
        pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&pool, thread);
        desc->header.get = (pgasi_ucx_get_t){
            .secret = pgasi_ucx_secret,
            .token = get->token,
            .at = at,
            .offset = get->src.offset + at,
            .nbytes = length_at(get, at),
            .part = get->reply,
        };
        pgasi_ucx_post_request(ep, PGASI_UCX_GET, desc, sizeof desc->header.get, NULL, 0);
    }
}

uint64_t pgasi_ucx_large_get(void *dst, pgas_ptr_t src, size_t nbytes)
{
    transfer_t get = {.src = src, .nbytes = nbytes};
    bool at_once = pgasi_net_per_target() > 1 && nbytes <= AT_ONCE_MAX;
    if (at_once)
        get.reply = PGASI_UCX_EAGER_MAX;
    credit_wait();
    return begin(src.thread, dst, &get, at_once ? AT_ONCE_PART : PART_MAX, post_get);
}

static void post_put(const void *what)
{
    const transfer_t *put = what;
    uint32_t thread = put->dst.thread;
    ucp_ep_h ep = pgasi_ucx_background_endpoint(thread);
    pgasi_ucx_background_awaited++;
    for (size_t at = 0; at < put->nbytes; at += put->part) {
        pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&pool, thread);
        desc->header.large_put = (pgasi_ucx_large_put_t){
            .secret = pgasi_ucx_secret,
            .token = put->token,
            .offset = put->dst.offset + at,
            .initiator = pgasi_job.thread,
            .agent = put->agent,
            .number = put->number != 0 ? put->number + at / put->part : 0,
        };
        pgasi_ucx_post_request(ep, PGASI_UCX_LARGE_PUT, desc, sizeof desc->header.large_put,
                               put->from + at, length_at(put, at));
    }
}

uint64_t pgasi_ucx_large_put(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    transfer_t put = {.dst = dst, .from = src, .nbytes = nbytes, .puts_to = dst.thread + 1};
    credit_wait();
    return begin(dst.thread, NULL, &put, PART_MAX, post_put);
}

void pgasi_ucx_large_put_numbered(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    transfer_t put = {.dst = dst, .from = src, .nbytes = nbytes, .agent = pgasi_ucx_me->agent};
    credit_wait();
    put.number = pgasi_ucx_number_parts(dst.thread, parts_of(nbytes, PART_MAX));
    begin(dst.thread, NULL, &put, PART_MAX, post_put);
}

bool pgasi_ucx_large_is_under_way(void)
{
    return atomic_load_explicit(&under_way, memory_order_relaxed) +
               atomic_load_explicit(&unbounded_under_way, memory_order_relaxed) >
           0;
}

static void post_copy(const void *what)
{
    const transfer_t *copy = what;
    uint32_t thread = copy->src.thread;
    ucp_ep_h ep = pgasi_ucx_background_endpoint(thread);
    pgasi_ucx_background_awaited++;
    for (size_t at = 0; at < copy->nbytes; at += copy->part) {
        pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&pool, thread);
        desc->header.copy = (pgasi_ucx_copy_t){
            .secret = pgasi_ucx_secret,
            .token = copy->token,
            .from = copy->src.offset + at,
            .to = copy->dst.offset + at,
            .nbytes = length_at(copy, at),
            .initiator = pgasi_job.thread,
            .thread = copy->dst.thread,
        };
        pgasi_ucx_post_request(ep, PGASI_UCX_COPY, desc, sizeof desc->header.copy, NULL, 0);
    }
}

uint64_t pgasi_ucx_large_copy(pgas_ptr_t dst, pgas_ptr_t src, size_t nbytes)
{
    bool same_node = pgasi_job.peers[dst.thread].node == pgasi_job.peers[src.thread].node;
    transfer_t copy = {.dst = dst, .src = src, .nbytes = nbytes};
    credit_wait();
    return begin(src.thread, NULL, &copy, same_node ? COPY_PART_MAX : PART_MAX, post_copy);
}

void pgasi_ucx_large_finalize(void)
{
    pgasi_ucx_pool_free(&pool);
}
