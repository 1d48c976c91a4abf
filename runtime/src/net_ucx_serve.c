#include "net_ucx.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* What has come from a thread: puts done, and up to which number it wants to hear of them. */
typedef struct source {
    uint64_t done;
    uint64_t wanted;
    ucp_ep_h reply_to;
} source_t;

static pgasi_ucx_pool_t pool = {.payload_size = PGASI_NET_MESSAGE_MAX};
static pgasi_ucx_pool_t messages = {.payload_size = PGASI_NET_MESSAGE_MAX,
                                    .sending = &pgasi_ucx_unsent};
static pgasi_ucx_pool_t gathered = {.payload_size = PGASI_UCX_BUNDLE_MAX};

uint32_t pgasi_ucx_unsent;

static source_t *sources;
static pgasi_net_handler_t *handlers[PGASI_SERVICES];

bool pgasi_ucx_serve_init(void)
{
    sources = calloc(pgasi_job.threads, sizeof *sources);
    return sources != NULL;
}

void pgasi_ucx_serve_finalize(void)
{
    pgasi_ucx_pool_free(&pool);
    pgasi_ucx_pool_free(&messages);
    pgasi_ucx_pool_free(&gathered);
    free(sources);
}

void pgasi_net_serve(pgasi_net_service_t service, pgasi_net_handler_t *handler)
{
    handlers[service] = handler;
}

static char *at(uint64_t offset)
{
    return pgasi_job.peers[pgasi_job.thread].base + offset;
}

/* Answers with what is computed here: it travels in the parcel. */
static void answer(const ucp_am_recv_param_t *param, uint64_t token, const void *payload,
                   size_t nbytes)
{
    pgasi_ucx_parcel_t *parcel = pgasi_ucx_parcel(&pool, PGASI_UCX_NOBODY);
    parcel->header.answer = (pgasi_ucx_answer_t){.token = token};
    memcpy(parcel->payload, payload, nbytes);
    pgasi_ucx_post(param->reply_ep, PGASI_UCX_ANSWER, parcel, sizeof parcel->header.answer,
                   parcel->payload, nbytes, 0);
}

static void acknowledge(source_t *source)
{
    pgasi_ucx_parcel_t *parcel = pgasi_ucx_parcel(&pool, (uint32_t)(source - sources));
    parcel->header.ack = (pgasi_ucx_ack_t){.done = source->wanted, .thread = pgasi_job.thread};
    source->wanted = 0;
    pgasi_ucx_post(source->reply_to, PGASI_UCX_ACK, parcel, sizeof parcel->header.ack, NULL, 0, 0);
}

/* UCX does not promise to deliver messages in order: an answer waits until as many puts have come
 * as the source had sent when it asked. */
static void count_puts(const pgasi_ucx_put_t *put, ucp_ep_h reply_to)
{
    source_t *source = &sources[put->source];
    source->done += put->counts;
    if (put->ack > source->wanted) {
        source->wanted = put->ack;
        source->reply_to = reply_to;
    }
    if (source->wanted != 0 && source->done >= source->wanted) {
        atomic_thread_fence(memory_order_seq_cst);
        acknowledge(source);
    }
}

/* A put whose bytes are still to come. */
typedef struct landing {
    pgasi_ucx_put_t put;
    ucp_ep_h reply_to;
} landing_t;

static void on_landed(void *request, ucs_status_t status, size_t nbytes, void *user_data)
{
    (void)nbytes;
    landing_t *landing = user_data;
    ucp_request_free(request);
    if (status != UCS_OK)
        pgasi_ucx_lost(landing->put.source, "receive", status);
    count_puts(&landing->put, landing->reply_to);
    free(landing);
}

static ucs_status_t land(const pgasi_ucx_put_t *put, ucp_ep_h reply_to, void *data, size_t nbytes)
{
    landing_t *landing = malloc(sizeof *landing);
    if (landing == NULL)
        pgasi_fatal("network", "no memory for a transfer");
    *landing = (landing_t){.put = *put, .reply_to = reply_to};
    if (pgasi_ucx_fetch(pgasi_ucx_serving, data, at(put->offset), nbytes, on_landed, landing)) {
        count_puts(put, reply_to);
        free(landing);
    }
    return UCS_INPROGRESS;
}

static ucs_status_t serve_put(void *arg, const void *header, size_t header_size, void *data,
                              size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)header_size;
    pgasi_ucx_put_t put;
    memcpy(&put, header, sizeof put);
    if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0)
        return land(&put, param->reply_ep, data, nbytes);
    memcpy(at(put.offset), data, nbytes);
    count_puts(&put, param->reply_ep);
    return UCS_OK;
}

/* Reads a piece of a bundle counted from `offset`: where it begins here, its chunks and, as their
 * `dst`, the bytes from one to the next. Returns the piece's end. */
static const char *read_piece(const char *next, uint64_t offset, char **begin,
                              pgasi_chunks_t *chunks)
{
    pgasi_ucx_piece_t piece;
    pgasi_ucx_run_t run = {.stride = 0, .count = 1};
    memcpy(&piece, next, sizeof piece);
    next += sizeof piece;
    if ((piece.nbytes & PGASI_UCX_IS_RUN) != 0) {
        memcpy(&run, next, sizeof run);
        next += sizeof run;
    }
    *begin = at(offset + piece.distance);
    size_t nbytes = piece.nbytes & ~PGASI_UCX_IS_RUN;
    *chunks = (pgasi_chunks_t){nbytes, run.count, run.stride, (ptrdiff_t)nbytes};
    return next;
}

static ucs_status_t serve_puts(void *arg, const void *header, size_t header_size, void *data,
                               size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)header_size;
    (void)nbytes;
    pgasi_ucx_put_t put;
    memcpy(&put, header, sizeof put);
    const char *next = data;
    for (uint32_t i = 0; i < put.counts; i++) {
        char *begin;
        pgasi_chunks_t chunks;
        next = read_piece(next, put.offset, &begin, &chunks);
        pgasi_chunks_copy(begin, next, &chunks);
        next += pgasi_ucx_padded(chunks.count * chunks.nbytes);
    }
    count_puts(&put, param->reply_ep);
    return UCS_OK;
}

static ucs_status_t serve_get(void *arg, const void *header, size_t header_size, void *data,
                              size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)header_size;
    (void)data;
    (void)nbytes;
    pgasi_ucx_get_t get;
    memcpy(&get, header, sizeof get);
    pgasi_ucx_parcel_t *parcel = pgasi_ucx_parcel(&pool, PGASI_UCX_NOBODY);
    parcel->header.answer = (pgasi_ucx_answer_t){.token = get.token, .at = get.at};
    pgasi_ucx_post(param->reply_ep, PGASI_UCX_ANSWER, parcel, sizeof parcel->header.answer,
                   at(get.offset), get.nbytes, 0);
    return UCS_OK;
}

/* Gathers in a parcel of its own pool. */
static ucs_status_t serve_gets(void *arg, const void *header, size_t header_size, void *data,
                               size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)header_size;
    pgasi_ucx_get_t gets;
    memcpy(&gets, header, sizeof gets);
    pgasi_ucx_parcel_t *parcel = pgasi_ucx_parcel(&gathered, PGASI_UCX_NOBODY);
    parcel->header.answer = (pgasi_ucx_answer_t){.token = gets.token};
    char *to = (char *)parcel->payload;
    for (const char *next = data, *end = next + nbytes; next < end;) {
        char *begin;
        pgasi_chunks_t chunks;
        next = read_piece(next, gets.offset, &begin, &chunks);
        pgasi_chunks_t packed = {chunks.nbytes, chunks.count, chunks.src, chunks.dst};
        pgasi_chunks_copy(to, begin, &packed);
        to += chunks.count * chunks.nbytes;
    }
    pgasi_ucx_post(param->reply_ep, PGASI_UCX_ANSWER, parcel, sizeof parcel->header.answer,
                   parcel->payload, gets.nbytes, 0);
    return UCS_OK;
}

/* What an atomic operation leaves behind. */
static uint64_t combine(const pgasi_ucx_atomic_t *request, uint64_t old)
{
    switch ((pgasi_net_atomic_t)request->atomic) {
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
    (void)header_size;
    (void)data;
    (void)nbytes;
    pgasi_ucx_atomic_t request;
    memcpy(&request, header, sizeof request);
    if (request.nbytes == 4)
        request.compare = (uint32_t)request.compare;
    void *word = at(request.offset);
    uint64_t old = request.nbytes == 4 ? apply_32(word, &request) : apply_64(word, &request);
    answer(param, request.token, &old, sizeof old);
    return UCS_OK;
}

static ucs_status_t serve_call(void *arg, const void *header, size_t header_size, void *data,
                               size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)header_size;
    pgasi_ucx_call_t call;
    memcpy(&call, header, sizeof call);
    unsigned char reply[PGASI_NET_MESSAGE_MAX];
    size_t size = handlers[call.service](call.source, data, nbytes, reply);
    answer(param, call.token, reply, size);
    return UCS_OK;
}

static ucs_status_t serve_message(void *arg, const void *header, size_t header_size, void *data,
                                  size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)header_size;
    (void)param;
    pgasi_ucx_call_t call;
    memcpy(&call, header, sizeof call);
    handlers[call.service](call.source, data, nbytes, NULL);
    return UCS_OK;
}

/* Raising is a full fence: who sees the event sees the bytes. */
static ucs_status_t serve_signal(void *arg, const void *header, size_t header_size, void *data,
                                 size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)header_size;
    (void)param;
    pgasi_ucx_signal_t signal;
    memcpy(&signal, header, sizeof signal);
    if (nbytes > 0)
        memcpy(at(signal.offset), data, nbytes);
    pgasi_event_raise((pgasi_event_t *)(void *)at(signal.event), 1);
    return UCS_OK;
}

ucs_status_t pgasi_ucx_serve_start(void)
{
    static const struct {
        unsigned id;
        ucp_am_recv_callback_t handler;
    } table[] = {{PGASI_UCX_PUT, serve_put},         {PGASI_UCX_PUTS, serve_puts},
                 {PGASI_UCX_GET, serve_get},         {PGASI_UCX_GETS, serve_gets},
                 {PGASI_UCX_ATOMIC, serve_atomic},   {PGASI_UCX_CALL, serve_call},
                 {PGASI_UCX_MESSAGE, serve_message}, {PGASI_UCX_SIGNAL, serve_signal}};
    ucs_status_t status = UCS_OK;
    for (size_t i = 0; i < sizeof table / sizeof table[0] && status == UCS_OK; i++)
        status = pgasi_ucx_accept(pgasi_ucx_serving, table[i].id, table[i].handler);
    return status;
}

void pgasi_ucx_send(uint32_t thread, unsigned service, const void *message, size_t nbytes)
{
    pgasi_ucx_parcel_t *parcel = pgasi_ucx_parcel(&messages, thread);
    parcel->header.call = (pgasi_ucx_call_t){.source = pgasi_job.thread, .service = service};
    memcpy(parcel->payload, message, nbytes);
    pgasi_ucx_post(pgasi_ucx_speaking_endpoint(thread), PGASI_UCX_MESSAGE, parcel,
                   sizeof parcel->header.call, parcel->payload, nbytes, 0);
}

/* In pieces that the receiver need not put together before it copies them. */
void pgasi_ucx_send_signal(pgas_ptr_t dst, const void *src, size_t nbytes, uint64_t event)
{
    size_t done = 0;
    do {
        size_t step =
            nbytes - done < PGASI_NET_SIGNAL_PIECE ? nbytes - done : PGASI_NET_SIGNAL_PIECE;
        pgasi_ucx_parcel_t *parcel = pgasi_ucx_parcel(&messages, dst.thread);
        parcel->header.signal = (pgasi_ucx_signal_t){.offset = dst.offset + done, .event = event};
        pgasi_ucx_post(pgasi_ucx_speaking_endpoint(dst.thread), PGASI_UCX_SIGNAL, parcel,
                       sizeof parcel->header.signal, step > 0 ? (const char *)src + done : NULL,
                       step, 0);
        done += step;
    } while (done < nbytes);
}
