#include "net/ucx/target.h"

#include <stdatomic.h>

#include <pgas/detail.h>

#include "net/net.h"
#include "net/ucx/am.h"
#include "net/ucx/failure.h"
#include "net/ucx/lent.h"
#include "net/ucx/packed.h"
#include "net/ucx/post.h"
#include "net/ucx/request.h"
#include "net/ucx/target_large.h"
#include "net/ucx/target_put.h"
#include "net/ucx/worker.h"
#include "shm/event.h"

/* Replies to aggregated gets. */
static pgasi_ucx_pool_t gathered = {.payload_size = PGASI_UCX_EAGER_MAX,
                                    .pending = &pgasi_ucx_target_sending};

/* Replies that have their value with them. */
static pgasi_ucx_pool_t values = {.payload_size = sizeof(uint64_t),
                                  .pending = &pgasi_ucx_target_sending};

static pgasi_net_handler_t *handlers[PGASI_SERVICES];

bool pgasi_ucx_target_init(void)
{
    return pgasi_ucx_target_put_init();
}

void pgasi_ucx_target_finalize(void)
{
    pgasi_ucx_replies_finalize();
    pgasi_ucx_pool_free(&gathered);
    pgasi_ucx_pool_free(&values);
    pgasi_ucx_target_large_finalize();
    pgasi_ucx_target_put_finalize();
}

void pgasi_net_serve(pgasi_net_service_t service, pgasi_net_handler_t *handler)
{
    handlers[service] = handler;
}

/* Gets. */

/* In the segment, or in memory that is lent; NULL: nowhere. */
static const char *source_of(const pgasi_ucx_get_t *get)
{
    if (pgasi_net_is_lent(get->offset))
        return pgasi_ucx_lent_find(get->offset, get->nbytes);
    return pgasi_ucx_is_in_segment(get->offset, get->nbytes) ? pgasi_ucx_segment_at(get->offset)
                                                             : NULL;
}

/* A value is loaded at once; UCX would load some of its bytes twice. */
static void reply_value(const ucp_am_recv_param_t *param, const pgasi_ucx_get_t *get,
                        const char *from)
{
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&values, PGASI_UCX_NOBODY);
    pgasi_copy(desc->payload, from, get->nbytes);
    pgasi_ucx_reply(param, get->token, get->at, desc, desc->payload, get->nbytes);
}

static ucs_status_t serve_get(void *arg, const void *header, size_t header_size, void *data,
                              size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    (void)data;
    (void)nbytes;
    pgasi_ucx_get_t get;
    if (!pgasi_ucx_open(header, header_size, &get, sizeof get))
        return UCS_OK;
    const char *from = source_of(&get);
    if (!pgasi_ucx_wants_reply(param) || from == NULL ||
        (get.part != 0 && get.nbytes / get.part >= PGASI_UCX_REPLIES_MAX))
        return pgasi_ucx_drop("a get from nowhere");
    if (get.nbytes <= sizeof(uint64_t)) {
        reply_value(param, &get, from);
        return UCS_OK;
    }
    size_t part = get.part != 0 && get.part < get.nbytes ? get.part : get.nbytes;
    size_t at = 0;
    do {
        size_t left = get.nbytes - at;
        pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&pgasi_ucx_replies, PGASI_UCX_NOBODY);
        pgasi_ucx_reply(param, get.token, get.at + at, desc, from + at, left < part ? left : part);
        at += part;
    } while (at < get.nbytes);
    return UCS_OK;
}

static ucs_status_t serve_gets(void *arg, const void *header, size_t header_size, void *data,
                               size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    pgasi_ucx_get_t gets;
    if (!pgasi_ucx_open(header, header_size, &gets, sizeof gets))
        return UCS_OK;
    if (!pgasi_ucx_wants_reply(param) || gets.nbytes > PGASI_UCX_EAGER_MAX ||
        pgasi_ucx_is_announced(param))
        return pgasi_ucx_drop("gets from nowhere");
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&gathered, PGASI_UCX_NOBODY);
    pgasi_ucx_packed_t packed = {data, nbytes};
    char *to = (char *)desc->payload;
    size_t left = gets.nbytes;
    bool good = true;
    while (good && packed.left > 0)
        good = pgasi_ucx_packed_get(&packed, gets.offset, &to, &left);
    if (good && left == 0) {
        pgasi_ucx_reply(param, gets.token, 0, desc, desc->payload, gets.nbytes);
        return UCS_OK;
    }
    pgasi_ucx_desc_free(desc);
    return pgasi_ucx_drop("gets from nowhere");
}

/* Calls and messages. */

static bool open_call(const void *header, size_t header_size, size_t nbytes,
                      const ucp_am_recv_param_t *param, pgasi_ucx_call_t *call)
{
    if (!pgasi_ucx_open(header, header_size, call, sizeof *call))
        return false;
    if (call->source < pgasi_job.threads && call->service < PGASI_SERVICES &&
        handlers[call->service] != NULL && nbytes <= PGASI_NET_MESSAGE_MAX &&
        !pgasi_ucx_is_announced(param))
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
    if (!pgasi_ucx_wants_reply(param))
        return pgasi_ucx_drop("a call without a way back");
    unsigned char reply[PGASI_NET_MESSAGE_MAX];
    size_t size = handlers[call.service](call.source, data, nbytes, reply);
    pgasi_ucx_reply_copied(param, call.token, reply, size);
    return UCS_OK;
}

static ucs_status_t serve_message(void *arg, const void *header, size_t header_size, void *data,
                                  size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    pgasi_ucx_call_t call;
    if (!open_call(header, header_size, nbytes, param, &call))
        return UCS_OK;
    pgasi_ucx_note_way_back(call.source, param);
    handlers[call.service](call.source, data, nbytes, NULL);
    return UCS_OK;
}

static bool is_of_service(const pgasi_ucx_message_put_t *put, size_t nbytes,
                          const ucp_am_recv_param_t *param)
{
    return put->source < pgasi_job.threads && put->service < PGASI_SERVICES &&
           handlers[put->service] != NULL && put->nbytes <= sizeof put->message &&
           pgasi_ucx_is_in_segment(put->offset, nbytes) && !pgasi_ucx_is_announced(param);
}

static ucs_status_t serve_message_put(void *arg, const void *header, size_t header_size, void *data,
                                      size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    pgasi_ucx_message_put_t put;
    if (!pgasi_ucx_open(header, header_size, &put, sizeof put))
        return UCS_OK;
    if (!is_of_service(&put, nbytes, param))
        return pgasi_ucx_drop("a message with a put of no service");
    pgasi_ucx_note_way_back(put.source, param);
    pgasi_copy(pgasi_ucx_segment_at(put.offset), data, nbytes);
    handlers[put.service](put.source, put.message, put.nbytes, NULL);
    return UCS_OK;
}

/* Raising is a full fence: who sees the event sees the bytes. */
static ucs_status_t serve_event(void *arg, const void *header, size_t header_size, void *data,
                                size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)arg;
    pgasi_ucx_event_t event;
    if (!pgasi_ucx_open(header, header_size, &event, sizeof event))
        return UCS_OK;
    if (!pgasi_ucx_is_in_segment(event.offset, nbytes) ||
        !pgasi_ucx_is_in_segment(event.event, sizeof(pgasi_event_t)) ||
        event.event % _Alignof(pgasi_event_t) != 0 || event.source >= pgasi_job.threads ||
        pgasi_ucx_is_announced(param))
        return pgasi_ucx_drop("an event of nowhere");
    pgasi_ucx_note_way_back((uint32_t)event.source, param);
    if (nbytes > 0)
        pgasi_copy(pgasi_ucx_segment_at(event.offset), data, nbytes);
    pgasi_event_raise((pgasi_event_t *)(void *)pgasi_ucx_segment_at(event.event), 1);
    return UCS_OK;
}

ucs_status_t pgasi_ucx_target_start(void)
{
    static const struct {
        unsigned id;
        ucp_am_recv_callback_t handler;
    } table[] = {
        {PGASI_UCX_GET, serve_get},     {PGASI_UCX_GETS, serve_gets},
        {PGASI_UCX_CALL, serve_call},   {PGASI_UCX_MESSAGE, serve_message},
        {PGASI_UCX_EVENT, serve_event}, {PGASI_UCX_MESSAGE_PUT, serve_message_put},
    };
    ucs_status_t status = pgasi_ucx_target_put_start();
    if (status == UCS_OK)
        status = pgasi_ucx_target_large_start();
    if (status == UCS_OK)
        status = pgasi_ucx_am_start();
    for (size_t i = 0; i < sizeof table / sizeof table[0] && status == UCS_OK; i++)
        status = pgasi_ucx_accept(pgasi_ucx_target, table[i].id, table[i].handler, NULL);
    return status;
}
