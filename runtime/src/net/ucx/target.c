/* What comes from other threads. Nothing of it is believed before it is checked: the secret first,
 * then places against the segment, numbers against the tables. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "net/ucx/pending.h"
#include "net/ucx/post.h"
#include "net/ucx/target.h"
#include "net/ucx/ucx.h"
#include "node/segment.h"
#include "shm/event.h"

/* Replies, replies to aggregated gets, and what leaves by the background worker, headers only. */
static pgasi_ucx_pool_t replies = {.payload_size = PGASI_NET_MESSAGE_MAX};
static pgasi_ucx_pool_t gathered = {.payload_size = PGASI_UCX_EAGER_MAX};
static pgasi_ucx_pool_t forwarded = {.pending = &pgasi_ucx_background_awaited};

pgasi_ucx_source_t *pgasi_ucx_sources;

static pgasi_net_handler_t *handlers[PGASI_SERVICES];

bool pgasi_ucx_target_init(void)
{
    pgasi_ucx_sources = calloc(pgasi_job.threads, sizeof *pgasi_ucx_sources);
    return pgasi_ucx_sources != NULL;
}

void pgasi_ucx_target_finalize(void)
{
    pgasi_ucx_pool_free(&replies);
    pgasi_ucx_pool_free(&gathered);
    pgasi_ucx_pool_free(&forwarded);
    for (uint32_t i = 0; i < pgasi_job.threads && pgasi_ucx_sources != NULL; i++)
        pgasi_arrivals_free(&pgasi_ucx_sources[i].arrivals);
    free(pgasi_ucx_sources);
    pgasi_ucx_sources = NULL;
}

void pgasi_net_serve(pgasi_net_service_t service, pgasi_net_handler_t *handler)
{
    handlers[service] = handler;
}

static ucs_status_t drop(const char *why)
{
    pgasi_ucx_dropped(why);
    return UCS_OK;
}

static bool is_in_segment(uint64_t offset, uint64_t nbytes)
{
    uint64_t size = pgasi_node_memory.stride;
    return nbytes <= size && offset <= size - nbytes;
}

static bool wants_reply(const ucp_am_recv_param_t *param)
{
    return (param->recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP) != 0;
}

static char *at(uint64_t offset)
{
    return pgasi_job.peers[pgasi_job.thread].base + offset;
}

static void reply_with(const ucp_am_recv_param_t *param, uint64_t token, uint64_t place,
                       pgasi_ucx_desc_t *desc, const void *payload, size_t nbytes)
{
    desc->header.reply =
        (pgasi_ucx_reply_t){.secret = pgasi_ucx_secret, .token = token, .at = place};
    pgasi_ucx_post(param->reply_ep, PGASI_UCX_REPLY, desc, sizeof desc->header.reply, payload,
                   nbytes);
}

/* Replies with what is computed here: it travels in the descriptor. */
static void reply_copied(const ucp_am_recv_param_t *param, uint64_t token, const void *payload,
                         size_t nbytes)
{
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_get(&replies, PGASI_UCX_NOBODY);
    memcpy(desc->payload, payload, nbytes);
    reply_with(param, token, 0, desc, desc->payload, nbytes);
}

/* Numbered puts. */

static void acknowledge(const pgasi_ucx_source_t *source, uint64_t done)
{
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_get(&replies, (uint32_t)(source - pgasi_ucx_sources));
    desc->header.ack = (pgasi_ucx_ack_t){
        .secret = pgasi_ucx_secret,
        .done = done,
        .thread = pgasi_job.thread,
    };
    pgasi_ucx_post(source->reply_to, PGASI_UCX_ACK, desc, sizeof desc->header.ack, NULL, 0);
}

static bool is_valid(const pgasi_ucx_numbered_t *numbered, const ucp_am_recv_param_t *param)
{
    return numbered->source < pgasi_job.threads && wants_reply(param);
}

/* The bytes of a numbered message are in place. UCX does not promise to deliver messages in order.
 */
static ucs_status_t has_arrived(const pgasi_ucx_numbered_t *numbered,
                                const ucp_am_recv_param_t *param)
{
    pgasi_ucx_source_t *source = &pgasi_ucx_sources[numbered->source];
    pgasi_arrival_t arrival = pgasi_arrivals_add(&source->arrivals, numbered->number);
    if (arrival == PGASI_ARRIVAL_NO_MEMORY)
        pgasi_fatal("network", "no memory for messages out of order");
    if (arrival == PGASI_ARRIVAL_REPEATED)
        return drop("it has come before");
    if (numbered->asks != 0) {
        source->reply_to = param->reply_ep;
        pgasi_arrivals_ask(&source->arrivals, numbered->number);
    }
    uint64_t done = pgasi_arrivals_due(&source->arrivals);
    if (done != 0) {
        atomic_thread_fence(memory_order_seq_cst);
        acknowledge(source, done);
    }
    return UCS_OK;
}

static ucs_status_t serve_put(void *arg, const void *header, size_t header_size, void *data,
                              size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    pgasi_ucx_put_t put;
    if (!pgasi_ucx_open(header, header_size, &put, sizeof put))
        return UCS_OK;
    if (!is_valid(&put.numbered, param) || !is_in_segment(put.offset, nbytes) ||
        (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0)
        return drop("a put to nowhere");
    memcpy(at(put.offset), data, nbytes);
    return has_arrived(&put.numbered, param);
}

/* Bytes of a message that are still to be read. */
typedef struct reader {
    const char *next;
    size_t left;
} reader_t;

static bool read_bytes(reader_t *reader, void *to, size_t nbytes)
{
    if (nbytes > reader->left)
        return false;
    memcpy(to, reader->next, nbytes);
    reader->next += nbytes;
    reader->left -= nbytes;
    return true;
}

/* Whether all of a run of chunks lies in the segment. */
static bool is_run_in_segment(uint64_t offset, const pgasi_ucx_run_t *run, size_t nbytes)
{
    int64_t way;
    uint64_t last;
    return run->count > 0 && run->count <= INT64_MAX && is_in_segment(offset, nbytes) &&
           !__builtin_mul_overflow(run->stride, (int64_t)run->count - 1, &way) &&
           !__builtin_add_overflow((int64_t)offset, way, (int64_t *)&last) &&
           is_in_segment(last, nbytes);
}

/* Reads a piece whose place counts from `offset`: where it begins here, its chunks and, as their
 * `dst`, the bytes from one to the next. False for one that makes no sense. */
static bool read_piece(reader_t *reader, uint64_t offset, char **begin, pgasi_chunks_t *chunks)
{
    pgasi_ucx_piece_t piece;
    pgasi_ucx_run_t run = {.stride = 0, .count = 1};
    if (!read_bytes(reader, &piece, sizeof piece))
        return false;
    bool is_run = (piece.nbytes & PGASI_UCX_IS_RUN) != 0;
    if (is_run && !read_bytes(reader, &run, sizeof run))
        return false;
    size_t nbytes = piece.nbytes & ~PGASI_UCX_IS_RUN;
    uint64_t first = offset + piece.distance;
    if (nbytes == 0 || first < offset || !is_run_in_segment(first, &run, nbytes))
        return false;
    *begin = at(first);
    *chunks = (pgasi_chunks_t){nbytes, run.count, run.stride, (ptrdiff_t)nbytes};
    return true;
}

static bool put_piece(reader_t *reader, uint64_t offset)
{
    char *begin;
    pgasi_chunks_t chunks;
    size_t nbytes;
    if (!read_piece(reader, offset, &begin, &chunks) ||
        __builtin_mul_overflow(chunks.count, chunks.nbytes, &nbytes) || nbytes > reader->left ||
        pgasi_ucx_padded(nbytes) > reader->left)
        return false;
    pgasi_chunks_copy(begin, reader->next, &chunks);
    reader->next += pgasi_ucx_padded(nbytes);
    reader->left -= pgasi_ucx_padded(nbytes);
    return true;
}

static ucs_status_t serve_puts(void *arg, const void *header, size_t header_size, void *data,
                               size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    pgasi_ucx_puts_t puts;
    if (!pgasi_ucx_open(header, header_size, &puts, sizeof puts))
        return UCS_OK;
    if (!is_valid(&puts.numbered, param) || (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0)
        return drop("puts to nowhere");
    reader_t reader = {data, nbytes};
    for (uint64_t i = 0; i < puts.count; i++)
        if (!put_piece(&reader, puts.offset))
            return drop("puts to nowhere");
    return has_arrived(&puts.numbered, param);
}

static ucs_status_t serve_set(void *arg, const void *header, size_t header_size, void *data,
                              size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)data;
    (void)nbytes;
    pgasi_ucx_set_t set;
    if (!pgasi_ucx_open(header, header_size, &set, sizeof set))
        return UCS_OK;
    if (!is_valid(&set.numbered, param) || !is_in_segment(set.offset, set.nbytes))
        return drop("a set to nowhere");
    memset(at(set.offset), (int)set.value, set.nbytes);
    return has_arrived(&set.numbered, param);
}

/* Large puts, for this thread's own peers and for a third one. */

/* A put whose bytes are still to come. */
typedef struct landing {
    pgasi_ucx_large_put_t put;
    /* NULL for a forwarded one, whose initiator is told by a message. */
    ucp_ep_h reply_to;
} landing_t;

static void has_landed(const pgasi_ucx_large_put_t *put, ucp_ep_h reply_to)
{
    pgasi_ucx_desc_t *desc =
        pgasi_ucx_desc_get(reply_to != NULL ? &replies : &forwarded, (uint32_t)put->initiator);
    desc->header.reply = (pgasi_ucx_reply_t){.secret = pgasi_ucx_secret, .token = put->token};
    atomic_thread_fence(memory_order_seq_cst);
    if (reply_to != NULL)
        pgasi_ucx_post(reply_to, PGASI_UCX_REPLY, desc, sizeof desc->header.reply, NULL, 0);
    else
        pgasi_ucx_post(pgasi_ucx_background_endpoint((uint32_t)put->initiator), PGASI_UCX_DONE,
                       desc, sizeof desc->header.reply, NULL, 0);
}

static void on_landed(void *request, ucs_status_t status, size_t nbytes, void *user_data)
{
    (void)nbytes;
    landing_t landing = *(landing_t *)user_data;
    free(user_data);
    ucp_request_free(request);
    if (status != UCS_OK)
        pgasi_ucx_lost((uint32_t)landing.put.initiator, "receive", status);
    else
        has_landed(&landing.put, landing.reply_to);
}

static ucs_status_t land(const pgasi_ucx_large_put_t *put, ucp_ep_h reply_to, void *data,
                         size_t nbytes, const ucp_am_recv_param_t *param)
{
    if (put->initiator >= pgasi_job.threads || !is_in_segment(put->offset, nbytes))
        return drop("a put to nowhere");
    if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
        memcpy(at(put->offset), data, nbytes);
        has_landed(put, reply_to);
        return UCS_OK;
    }
    landing_t *landing = malloc(sizeof *landing);
    if (landing == NULL)
        pgasi_fatal("network", "no memory for a transfer");
    *landing = (landing_t){.put = *put, .reply_to = reply_to};
    if (pgasi_ucx_fetch(pgasi_ucx_target, data, at(put->offset), nbytes, on_landed, landing)) {
        free(landing);
        has_landed(put, reply_to);
    }
    return UCS_INPROGRESS;
}

static ucs_status_t serve_large_put(void *arg, const void *header, size_t header_size, void *data,
                                    size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    pgasi_ucx_large_put_t put;
    if (!pgasi_ucx_open(header, header_size, &put, sizeof put))
        return UCS_OK;
    if (!wants_reply(param))
        return drop("a put without a way back");
    return land(&put, param->reply_ep, data, nbytes, param);
}

static ucs_status_t serve_forward(void *arg, const void *header, size_t header_size, void *data,
                                  size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    pgasi_ucx_large_put_t put;
    if (!pgasi_ucx_open(header, header_size, &put, sizeof put))
        return UCS_OK;
    return land(&put, NULL, data, nbytes, param);
}

/* From here to a thread of another node; the one that asked hears of it from there. */
static void forward(const pgasi_ucx_copy_t *copy)
{
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_get(&forwarded, copy->thread);
    desc->header.large_put = (pgasi_ucx_large_put_t){
        .secret = pgasi_ucx_secret,
        .token = copy->token,
        .offset = copy->to,
        .initiator = copy->initiator,
    };
    pgasi_ucx_post(pgasi_ucx_background_endpoint(copy->thread), PGASI_UCX_FORWARD, desc,
                   sizeof desc->header.large_put, at(copy->from), copy->nbytes);
}

static ucs_status_t serve_copy(void *arg, const void *header, size_t header_size, void *data,
                               size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)data;
    (void)nbytes;
    pgasi_ucx_copy_t copy;
    if (!pgasi_ucx_open(header, header_size, &copy, sizeof copy))
        return UCS_OK;
    if (copy.thread >= pgasi_job.threads || copy.initiator >= pgasi_job.threads ||
        !is_in_segment(copy.from, copy.nbytes) || !is_in_segment(copy.to, copy.nbytes) ||
        !wants_reply(param))
        return drop("a copy from or to nowhere");
    char *base = pgasi_job.peers[copy.thread].base;
    if (base == NULL) {
        forward(&copy);
        return UCS_OK;
    }
    memcpy(base + copy.to, at(copy.from), copy.nbytes);
    const pgasi_ucx_large_put_t done = {.token = copy.token, .initiator = copy.initiator};
    has_landed(&done, param->reply_ep);
    return UCS_OK;
}

/* Gets. */

static ucs_status_t serve_get(void *arg, const void *header, size_t header_size, void *data,
                              size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)data;
    (void)nbytes;
    pgasi_ucx_get_t get;
    if (!pgasi_ucx_open(header, header_size, &get, sizeof get))
        return UCS_OK;
    if (!wants_reply(param) || !is_in_segment(get.offset, get.nbytes))
        return drop("a get from nowhere");
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_get(&replies, PGASI_UCX_NOBODY);
    reply_with(param, get.token, get.at, desc, at(get.offset), get.nbytes);
    return UCS_OK;
}

/* Packs the next piece at `*to`, where `*room` bytes are left. */
static bool get_piece(reader_t *reader, uint64_t offset, char **to, size_t *room)
{
    char *begin;
    pgasi_chunks_t chunks;
    size_t nbytes;
    if (!read_piece(reader, offset, &begin, &chunks) ||
        __builtin_mul_overflow(chunks.count, chunks.nbytes, &nbytes) || nbytes > *room)
        return false;
    pgasi_chunks_t packed = {chunks.nbytes, chunks.count, chunks.src, chunks.dst};
    pgasi_chunks_copy(*to, begin, &packed);
    *to += nbytes;
    *room -= nbytes;
    return true;
}

static ucs_status_t serve_gets(void *arg, const void *header, size_t header_size, void *data,
                               size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    pgasi_ucx_get_t gets;
    if (!pgasi_ucx_open(header, header_size, &gets, sizeof gets))
        return UCS_OK;
    if (!wants_reply(param) || gets.nbytes > PGASI_UCX_EAGER_MAX ||
        (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0)
        return drop("gets from nowhere");
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_get(&gathered, PGASI_UCX_NOBODY);
    reader_t reader = {data, nbytes};
    char *to = (char *)desc->payload;
    size_t room = gets.nbytes;
    bool good = true;
    while (good && reader.left > 0)
        good = get_piece(&reader, gets.offset, &to, &room);
    if (good && room == 0) {
        reply_with(param, gets.token, 0, desc, desc->payload, gets.nbytes);
        return UCS_OK;
    }
    pgasi_ucx_desc_put(desc);
    return drop("gets from nowhere");
}

/* Atomics. */

/* What an atomic operation leaves behind. */
static uint64_t combine(const pgasi_ucx_atomic_t *request, uint64_t old)
{
    switch ((pgasi_net_atomic_t)request->opcode) {
    case PGASI_NET_FETCH:
        break;
    case PGASI_NET_STORE:
    case PGASI_NET_SWAP:
        return request->operand;
    case PGASI_NET_ADD:
        return old + request->operand;
    case PGASI_NET_AND:
        return old & request->operand;
    case PGASI_NET_OR:
        return old | request->operand;
    case PGASI_NET_XOR:
        return old ^ request->operand;
    case PGASI_NET_COMPARE_SWAP:
        return old == request->compare ? request->operand : old;
    }
    return old;
}

static uint32_t apply_32(_Atomic uint32_t *word, const pgasi_ucx_atomic_t *request)
{
    uint32_t old = atomic_load(word);
    while (!atomic_compare_exchange_weak(word, &old, (uint32_t)combine(request, old)))
        continue;
    return old;
}

static uint64_t apply_64(_Atomic uint64_t *word, const pgasi_ucx_atomic_t *request)
{
    uint64_t old = atomic_load(word);
    while (!atomic_compare_exchange_weak(word, &old, combine(request, old)))
        continue;
    return old;
}

static ucs_status_t serve_atomic(void *arg, const void *header, size_t header_size, void *data,
                                 size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)data;
    (void)nbytes;
    pgasi_ucx_atomic_t request;
    if (!pgasi_ucx_open(header, header_size, &request, sizeof request))
        return UCS_OK;
    if (!wants_reply(param) || (request.nbytes != 4 && request.nbytes != 8) ||
        request.offset % request.nbytes != 0 || !is_in_segment(request.offset, request.nbytes) ||
        request.opcode > PGASI_NET_COMPARE_SWAP)
        return drop("an atomic operation on nothing");
    if (request.nbytes == 4)
        request.compare = (uint32_t)request.compare;
    void *word = at(request.offset);
    uint64_t old = request.nbytes == 4 ? apply_32(word, &request) : apply_64(word, &request);
    reply_copied(param, request.token, &old, sizeof old);
    return UCS_OK;
}

/* Calls and messages. */

static bool open_call(const void *header, size_t header_size, size_t nbytes,
                      const ucp_am_recv_param_t *param, pgasi_ucx_call_t *call)
{
    if (!pgasi_ucx_open(header, header_size, call, sizeof *call))
        return false;
    if (call->source < pgasi_job.threads && call->service < PGASI_SERVICES &&
        handlers[call->service] != NULL && nbytes <= PGASI_NET_MESSAGE_MAX &&
        (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0)
        return true;
    pgasi_ucx_dropped("a call of no service");
    return false;
}

static ucs_status_t serve_call(void *arg, const void *header, size_t header_size, void *data,
                               size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    pgasi_ucx_call_t call;
    if (!open_call(header, header_size, nbytes, param, &call))
        return UCS_OK;
    if (!wants_reply(param))
        return drop("a call without a way back");
    unsigned char reply[PGASI_NET_MESSAGE_MAX];
    size_t size = handlers[call.service](call.source, data, nbytes, reply);
    reply_copied(param, call.token, reply, size);
    return UCS_OK;
}

static ucs_status_t serve_message(void *arg, const void *header, size_t header_size, void *data,
                                  size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    pgasi_ucx_call_t call;
    if (open_call(header, header_size, nbytes, param, &call))
        handlers[call.service](call.source, data, nbytes, NULL);
    return UCS_OK;
}

/* Raising is a full fence: who sees the event sees the bytes. */
static ucs_status_t serve_signal(void *arg, const void *header, size_t header_size, void *data,
                                 size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    pgasi_ucx_signal_t signal;
    if (!pgasi_ucx_open(header, header_size, &signal, sizeof signal))
        return UCS_OK;
    if (!is_in_segment(signal.offset, nbytes) ||
        !is_in_segment(signal.event, sizeof(pgasi_event_t)) ||
        signal.event % _Alignof(pgasi_event_t) != 0 ||
        (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0)
        return drop("a signal to nowhere");
    if (nbytes > 0)
        memcpy(at(signal.offset), data, nbytes);
    pgasi_event_raise((pgasi_event_t *)(void *)at(signal.event), 1);
    return UCS_OK;
}

ucs_status_t pgasi_ucx_target_start(void)
{
    static const struct {
        unsigned id;
        ucp_am_recv_callback_t handler;
    } table[] = {
        {PGASI_UCX_PUT, serve_put},
        {PGASI_UCX_PUTS, serve_puts},
        {PGASI_UCX_SET, serve_set},
        {PGASI_UCX_GET, serve_get},
        {PGASI_UCX_GETS, serve_gets},
        {PGASI_UCX_ATOMIC, serve_atomic},
        {PGASI_UCX_CALL, serve_call},
        {PGASI_UCX_MESSAGE, serve_message},
        {PGASI_UCX_SIGNAL, serve_signal},
        {PGASI_UCX_LARGE_PUT, serve_large_put},
        {PGASI_UCX_COPY, serve_copy},
        {PGASI_UCX_FORWARD, serve_forward},
        {PGASI_UCX_DONE, pgasi_ucx_operation_take_done},
    };
    ucs_status_t status = UCS_OK;
    for (size_t i = 0; i < sizeof table / sizeof table[0] && status == UCS_OK; i++)
        status = pgasi_ucx_accept(pgasi_ucx_target, table[i].id, table[i].handler, NULL);
    return status;
}
