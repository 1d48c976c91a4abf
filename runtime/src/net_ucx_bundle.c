#include "net_ucx_bundle.h"

#include <stdlib.h>
#include <string.h>

enum {
    BUNDLE_SIZE = 16384,
    PIECES_MAX = BUNDLE_SIZE / sizeof(pgasi_ucx_piece_t)
};

/* A bundle of gets: the request until it is sent, the places until it is answered. */
struct pgasi_ucx_places {
    pgasi_ucx_places_t *next;
    pgasi_ucx_parcel_t *request;
    uint64_t handle;
    uint64_t nbytes;
    uint32_t count;
    struct {
        void *dst;
        uint32_t nbytes;
    } place[PIECES_MAX];
};

static pgasi_ucx_pool_t requests = {.payload_size = BUNDLE_SIZE, .sending = &pgasi_ucx_awaited};
static pgasi_ucx_places_t *unused;

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

static void send_puts(uint32_t thread, uint64_t ack)
{
    pgasi_ucx_target_t *target = &pgasi_ucx_targets[thread];
    pgasi_ucx_parcel_t *puts = target->puts;
    target->puts = NULL;
    puts->header.put.ack = ack;
    pgasi_ucx_request(thread, PGASI_UCX_PUTS, puts, sizeof puts->header.put, puts->payload,
                      target->puts_size);
}

static pgasi_ucx_parcel_t *open_puts(uint32_t thread, uint64_t offset)
{
    pgasi_ucx_target_t *target = &pgasi_ucx_targets[thread];
    target->puts = pgasi_ucx_parcel(&requests, thread);
    target->puts->header.put =
        (pgasi_ucx_put_t){.offset = base_for(offset), .source = pgasi_job.thread};
    target->puts_size = 0;
    return target->puts;
}

void pgasi_ucx_send_puts(uint32_t thread)
{
    if (pgasi_ucx_targets[thread].puts != NULL)
        send_puts(thread, 0);
}

uint64_t pgasi_ucx_bundle_put(pgas_ptr_t dst, const void *src, size_t nbytes)
{
    pgasi_ucx_target_t *target = &pgasi_ucx_targets[dst.thread];
    size_t size = sizeof(pgasi_ucx_piece_t) + pgasi_ucx_padded(nbytes);
    pgasi_ucx_parcel_t *puts = target->puts;
    if (puts != NULL &&
        (target->puts_size + size > BUNDLE_SIZE || !reaches(puts->header.put.offset, dst.offset))) {
        send_puts(dst.thread, 0);
        puts = NULL;
    }
    if (puts == NULL)
        puts = open_puts(dst.thread, dst.offset);
    pgasi_ucx_put_t *header = &puts->header.put;
    pgasi_ucx_piece_t piece = {.distance = (uint32_t)(dst.offset - header->offset),
                               .nbytes = (uint32_t)nbytes};
    unsigned char *at = puts->payload + target->puts_size;
    memcpy(at, &piece, sizeof piece);
    memcpy(at + sizeof piece, src, nbytes);
    target->puts_size += size;
    header->counts++;
    target->sent++;
    return pgasi_ucx_put_handle(dst.thread);
}

void pgasi_ucx_ask(uint32_t thread)
{
    pgasi_ucx_target_t *target = &pgasi_ucx_targets[thread];
    if (target->puts == NULL)
        open_puts(thread, 0);
    pgasi_ucx_await_ack(thread);
    send_puts(thread, target->sent);
}

void pgasi_ucx_send_gets(uint32_t thread)
{
    pgasi_ucx_places_t *places = pgasi_ucx_targets[thread].gets;
    if (places == NULL)
        return;
    pgasi_ucx_targets[thread].gets = NULL;
    pgasi_ucx_parcel_t *request = places->request;
    request->header.get.nbytes = places->nbytes;
    pgasi_ucx_request(thread, PGASI_UCX_GETS, request, sizeof request->header.get, request->payload,
                      places->count * sizeof(pgasi_ucx_piece_t));
}

static pgasi_ucx_places_t *open_gets(uint32_t thread, uint64_t offset)
{
    pgasi_ucx_places_t *places = unused;
    if (places != NULL)
        unused = places->next;
    else
        places = malloc(sizeof *places);
    if (places == NULL)
        pgasi_fatal("network", "no memory for a message");
    places->request = pgasi_ucx_parcel(&requests, thread);
    places->handle = pgasi_ucx_pending(thread, NULL, 0, places);
    places->nbytes = 0;
    places->count = 0;
    places->request->header.get =
        (pgasi_ucx_get_t){.token = places->handle, .offset = base_for(offset)};
    pgasi_ucx_targets[thread].gets = places;
    return places;
}

uint64_t pgasi_ucx_bundle_get(void *dst, pgas_ptr_t src, size_t nbytes)
{
    pgasi_ucx_places_t *places = pgasi_ucx_targets[src.thread].gets;
    if (places != NULL &&
        (places->count == PIECES_MAX || places->nbytes + nbytes > PGASI_UCX_GATHERED_MAX ||
         !reaches(places->request->header.get.offset, src.offset))) {
        pgasi_ucx_send_gets(src.thread);
        places = NULL;
    }
    if (places == NULL)
        places = open_gets(src.thread, src.offset);
    pgasi_ucx_piece_t piece = {.distance =
                                   (uint32_t)(src.offset - places->request->header.get.offset),
                               .nbytes = (uint32_t)nbytes};
    memcpy(places->request->payload + places->count * sizeof piece, &piece, sizeof piece);
    places->place[places->count].dst = dst;
    places->place[places->count].nbytes = (uint32_t)nbytes;
    places->count++;
    places->nbytes += nbytes;
    return places->handle;
}

void pgasi_ucx_place(pgasi_ucx_places_t *places, const void *data)
{
    const char *next = data;
    for (uint32_t i = 0; i < places->count; i++) {
        memcpy(places->place[i].dst, next, places->place[i].nbytes);
        next += places->place[i].nbytes;
    }
    places->next = unused;
    unused = places;
}

/* What nobody has waited for was never sent. */
static void drop_open_bundles(pgasi_ucx_target_t *target)
{
    if (target->puts != NULL)
        pgasi_ucx_parcel_free(target->puts);
    if (target->gets != NULL) {
        pgasi_ucx_parcel_free(target->gets->request);
        target->gets->next = unused;
        unused = target->gets;
    }
}

void pgasi_ucx_bundles_free(void)
{
    for (uint32_t i = 0; i < pgasi_job.threads; i++)
        drop_open_bundles(&pgasi_ucx_targets[i]);
    pgasi_ucx_pool_free(&requests);
    while (unused != NULL) {
        pgasi_ucx_places_t *places = unused;
        unused = places->next;
        free(places);
    }
}
