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
#include "ucx_pair.h"

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

/* By slot; a header must stay as it is until its message has left. */
static place_t *places;
static size_t replies;
static bool ended;
/* This process's memory: where puts write and gets read, or where gets arrive. */
static char *memory;
static pgas_ptr_t shared_value;

static void post(unsigned id, const place_t *header, const void *bytes, size_t nbytes)
{
    ucx_pair_post(id, header, header == NULL ? 0 : sizeof *header, bytes, nbytes, 0);
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
    ucx_pair_check("ucp_am_recv_data_nbx", status);
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
        ucp_am_recv_data_nbx(ucx_pair_worker, data, memory + place.offset, nbytes, &how);
    if (UCS_PTR_IS_ERR(request))
        ucx_pair_fail("ucp_am_recv_data_nbx", UCS_PTR_STATUS(request));
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
            ucp_worker_progress(ucx_pair_worker);
        places[slot] = (place_t){slot * transfer->nbytes, transfer->nbytes};
        if (transfer->gets)
            post(GET, &places[slot], NULL, 0);
        else
            post(PUT, &places[slot], memory + places[slot].offset, transfer->nbytes);
    }
    while (replies < count)
        ucp_worker_progress(ucx_pair_worker);
}

/* The target polls all the time, as the paper's does. */
static void run(const bench_transfer_t *transfer, size_t count)
{
    if (pgas_mythread() == 0) {
        initiate(transfer, count);
        post(END, NULL, NULL, 0);
        ucx_pair_flush();
        return;
    }
    while (!ended)
        ucp_worker_progress(ucx_pair_worker);
    ended = false;
}

static void share(size_t *value)
{
    pgas_ptr_t place = pgas_ptr_on(shared_value, 1);
    if (pgas_mythread() == 0)
        PGAS_WRITE(uint64_t, place, *value);
    pgas_barrier();
    if (pgas_mythread() == 1)
        *value = PGAS_READ(uint64_t, place);
    pgas_barrier();
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
    ucx_pair_start();
    ucx_pair_serve(PUT, receive, NULL);
    ucx_pair_serve(GET, serve_get, NULL);
    ucx_pair_serve(REPLY, receive, &replies);
    ucx_pair_serve(END, end, NULL);
    ucx_pair_connect();
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
    ucx_pair_end();
    free(places);
    free(memory);
    pgas_finalize();
    return 0;
}
