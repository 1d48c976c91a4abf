/* The layer under Fathom's network by itself: gets and puts as active messages of UCX, as a client
 * of it would write them. A put is a message with the bytes and a reply, a get a message and a
 * reply with the bytes. The processes meet by Fathom, which then does nothing until the end. */
#include <pgas/pgas.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>

#include "measure.h"
#include "transfers_measure.h"

enum {
    ADDRESS_BYTES = 4096
};

enum {
    PUT = 1,
    GET,
    REPLY,
    END
};

/* What the header of a message says: where the bytes belong, and how many a get wants. */
typedef struct place {
    uint64_t offset;
    uint64_t nbytes;
} place_t;

static ucp_context_h context;
static ucp_worker_h worker;
static ucp_ep_h endpoint;
/* By slot; a header must stay as it is until its message has left. */
static place_t *places;
static size_t replies;
static bool ended;
/* This process's memory: where puts write and gets read, or where gets arrive. */
static char *memory;
static pgas_ptr_t shared_value;

_Noreturn static void fail(const char *call, ucs_status_t status)
{
    pgas_fail(1, "%s: %s", call, ucs_status_string(status));
}

static void check(const char *call, ucs_status_t status)
{
    if (status != UCS_OK)
        fail(call, status);
}

/* Sends without waiting; what is sent stays as it is until its reply has come. */
static void post(unsigned id, const place_t *header, const void *bytes, size_t nbytes)
{
    const ucp_request_param_t parameters = {.op_attr_mask = 0};
    ucs_status_ptr_t request = ucp_am_send_nbx(
        endpoint, id, header, header == NULL ? 0 : sizeof *header, bytes, nbytes, &parameters);
    if (UCS_PTR_IS_ERR(request))
        fail("ucp_am_send_nbx", UCS_PTR_STATUS(request));
    if (request != NULL)
        ucp_request_free(request);
}

/* The bytes of a put are there: replies. Those of a get: counts it. */
static void finish(bool initiates)
{
    if (initiates)
        replies++;
    else
        post(REPLY, NULL, NULL, 0);
}

static void on_received(void *request, ucs_status_t status, size_t nbytes, void *initiates)
{
    (void)nbytes;
    check("ucp_am_recv_data_nbx", status);
    ucp_request_free(request);
    finish(initiates != NULL);
}

/* Puts the bytes of a message where its header says. `initiates`: not NULL in the initiator. */
static ucs_status_t receive(void *initiates, const void *header, size_t header_length, void *data,
                            size_t nbytes, const ucp_am_recv_param_t *parameters)
{
    place_t place = {0, 0};
    if (header_length == sizeof place)
        memcpy(&place, header, sizeof place);
    if ((parameters->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
        if (nbytes > 0)
            memcpy(memory + place.offset, data, nbytes);
        finish(initiates != NULL);
        return UCS_OK;
    }
    const ucp_request_param_t how = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb.recv_am = on_received,
        .user_data = initiates,
    };
    ucs_status_ptr_t request =
        ucp_am_recv_data_nbx(worker, data, memory + place.offset, nbytes, &how);
    if (UCS_PTR_IS_ERR(request))
        fail("ucp_am_recv_data_nbx", UCS_PTR_STATUS(request));
    if (request == NULL) {
        finish(initiates != NULL);
        return UCS_OK;
    }
    return UCS_INPROGRESS;
}

static ucs_status_t serve_get(void *unused, const void *header, size_t header_length, void *data,
                              size_t nbytes, const ucp_am_recv_param_t *parameters)
{
    (void)unused, (void)data, (void)nbytes, (void)parameters;
    place_t place;
    if (header_length != sizeof place)
        pgas_fail(1, "a get of %zu bytes of header", header_length);
    memcpy(&place, header, sizeof place);
    place_t *kept = &places[place.offset / place.nbytes];
    *kept = place;
    post(REPLY, kept, memory + place.offset, place.nbytes);
    return UCS_OK;
}

static ucs_status_t end(void *unused, const void *header, size_t header_length, void *data,
                        size_t nbytes, const ucp_am_recv_param_t *parameters)
{
    (void)unused, (void)header, (void)header_length, (void)data, (void)nbytes, (void)parameters;
    ended = true;
    return UCS_OK;
}

static void initiate(const bench_transfer_t *transfer, size_t count)
{
    replies = 0;
    for (size_t i = 0, slot = 0; i < count; i++, slot = slot + 1 < transfer->depth ? slot + 1 : 0) {
        while (i - replies >= transfer->depth)
            ucp_worker_progress(worker);
        places[slot] = (place_t){slot * transfer->nbytes, transfer->nbytes};
        if (transfer->gets)
            post(GET, &places[slot], NULL, 0);
        else
            post(PUT, &places[slot], memory + places[slot].offset, transfer->nbytes);
    }
    while (replies < count)
        ucp_worker_progress(worker);
}

/* Sends all that has been posted. */
static void flush(void)
{
    const ucp_request_param_t parameters = {.op_attr_mask = 0};
    ucs_status_ptr_t request = ucp_worker_flush_nbx(worker, &parameters);
    if (UCS_PTR_IS_ERR(request))
        fail("ucp_worker_flush_nbx", UCS_PTR_STATUS(request));
    if (request == NULL)
        return;
    while (ucp_request_check_status(request) == UCS_INPROGRESS)
        ucp_worker_progress(worker);
    ucp_request_free(request);
}

/* The target polls all the time, as the paper's does. */
static void run(const bench_transfer_t *transfer, size_t count)
{
    if (pgas_mythread() == 0) {
        initiate(transfer, count);
        post(END, NULL, NULL, 0);
        flush();
        return;
    }
    while (!ended)
        ucp_worker_progress(worker);
    ended = false;
}

static void share(size_t *value)
{
    pgas_ptr_t place = shared_value;
    place.thread = 1;
    if (pgas_mythread() == 0)
        PGAS_WRITE(uint64_t, place, *value);
    pgas_barrier();
    if (pgas_mythread() == 1)
        *value = PGAS_READ(uint64_t, place);
    pgas_barrier();
}

static void set_handler(unsigned id, ucp_am_recv_callback_t handler, void *argument)
{
    const ucp_am_handler_param_t parameters = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                      UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG,
        .id = id,
        .flags = UCP_AM_FLAG_WHOLE_MSG,
        .cb = handler,
        .arg = argument,
    };
    check("ucp_worker_set_am_recv_handler", ucp_worker_set_am_recv_handler(worker, &parameters));
}

static void create_worker(void)
{
    ucp_config_t *config;
    check("ucp_config_read", ucp_config_read(NULL, NULL, &config));
    const ucp_params_t parameters = {
        .field_mask = UCP_PARAM_FIELD_FEATURES,
        .features = UCP_FEATURE_AM,
    };
    check("ucp_init", ucp_init(&parameters, config, &context));
    ucp_config_release(config);
    const ucp_worker_params_t how = {
        .field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
        .thread_mode = UCS_THREAD_MODE_SINGLE,
    };
    check("ucp_worker_create", ucp_worker_create(context, &how, &worker));
    set_handler(PUT, receive, NULL);
    set_handler(GET, serve_get, NULL);
    set_handler(REPLY, receive, &replies);
    set_handler(END, end, NULL);
}

/* Tells the other process this one's address. */
static void connect_workers(void)
{
    pgas_ptr_t addresses;
    ucp_address_t *address;
    size_t length;
    check("ucp_worker_get_address", ucp_worker_get_address(worker, &address, &length));
    if (length > ADDRESS_BYTES)
        pgas_fail(1, "an address of %zu bytes", length);
    if (pgas_all_alloc(2, ADDRESS_BYTES, &addresses) != PGAS_OK)
        pgas_exit(1);
    pgas_ptr_t place = addresses;
    place.thread = (uint32_t)pgas_mythread();
    pgas_memput(place, address, length);
    ucp_worker_release_address(worker, address);
    pgas_barrier();
    char other[ADDRESS_BYTES];
    place.thread = 1 - place.thread;
    pgas_memget(other, place, sizeof other);
    const ucp_ep_params_t parameters = {
        .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
        .address = (const ucp_address_t *)(const void *)other,
    };
    check("ucp_ep_create", ucp_ep_create(worker, &parameters, &endpoint));
    pgas_all_free(addresses);
}

int main(int argc, char **argv)
{
    bench_transfers_options_t options = bench_transfers_options(argc, argv);
    if (pgas_init() != PGAS_OK)
        return 1;
    if (pgas_threads() != 2)
        pgas_fail(2, "two threads are needed, not %d", pgas_threads());
    if (pgas_all_alloc(2, sizeof(uint64_t), &shared_value) != PGAS_OK)
        pgas_exit(1);
    memory = bench_allocate(options.nbytes, 0);
    places = bench_allocate(options.depth * sizeof *places, 0);
    create_worker();
    connect_workers();
    const bench_transfers_t way = {
        .mode = "ucp_am",
        .process = pgas_mythread(),
        .buffer = memory,
        .shared = memory,
        .share = share,
        .run = run,
    };
    if (!bench_transfers_run(&way, 1, &options, "bench-transfers-ucx"))
        pgas_exit(1);
    ucp_worker_destroy(worker);
    ucp_cleanup(context);
    free(places);
    free(memory);
    pgas_finalize();
    return 0;
}
