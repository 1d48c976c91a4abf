#include "net_ucx_bundle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Bytes of a request for gets. */
    REQUEST_MAX = 16384,
    PLACES_MAX = REQUEST_MAX / sizeof(pgasi_ucx_piece_t),
    /* Bundles that are not sent, or not answered: a longer copy waits, so that its bytes do not
     * all lie in messages at a time, here or at the target. Fewer were slower. */
    UNDER_WAY_MAX = 64
};

/* A bundle of gets: the request until it is sent, the places until it is answered. */
struct pgasi_ucx_places {
    pgasi_ucx_places_t *next;
    pgasi_ucx_parcel_t *request;
    size_t request_size;
    uint64_t handle;
    uint64_t nbytes;
    uint32_t count;
    struct {
        char *dst;
        ptrdiff_t stride;
        uint32_t nbytes;
        uint32_t count;
    } place[PLACES_MAX];
};

static pgasi_ucx_pool_t requests = {.payload_size = PGASI_UCX_BUNDLE_MAX,
                                    .sending = &pgasi_ucx_awaited};
static pgasi_ucx_places_t *unused;
/* Bundles that may still grow, and bundles of gets that are not answered. */
static uint32_t growing;
static uint32_t unanswered;

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

/* How many of some chunks go into `room` bytes. */
static size_t count_in(size_t room, const pgasi_chunks_t *chunks)
{
    if (chunks->count == 1)
        return 1;
    size_t count = room / chunks->nbytes;
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

static bool is_little_under_way(const void *unused_argument)
{
    (void)unused_argument;
    return requests.in_use - growing <= UNDER_WAY_MAX && unanswered <= UNDER_WAY_MAX;
}

static void describe_room(char *text, size_t size)
{
    snprintf(text, size, "room for more copies under way");
}

static void bound_memory(void)
{
    if (!is_little_under_way(NULL))
        pgasi_ucx_wait(is_little_under_way, NULL, 0, describe_room);
}

static void send_puts(uint32_t thread, uint64_t ack)
{
    pgasi_ucx_target_t *target = &pgasi_ucx_targets[thread];
    pgasi_ucx_parcel_t *puts = target->puts;
    target->puts = NULL;
    puts->header.put.ack = ack;
    pgasi_ucx_request(thread, PGASI_UCX_PUTS, puts, sizeof puts->header.put, puts->payload,
                      target->puts_size);
    growing--;
    bound_memory();
}

static pgasi_ucx_parcel_t *open_puts(uint32_t thread, uint64_t offset)
{
    pgasi_ucx_target_t *target = &pgasi_ucx_targets[thread];
    target->puts = pgasi_ucx_parcel(&requests, thread);
    growing++;
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

size_t pgasi_ucx_bundle_put(pgas_ptr_t dst, const char *src, const pgasi_chunks_t *chunks,
                            uint64_t *bits)
{
    pgasi_ucx_target_t *target = &pgasi_ucx_targets[dst.thread];
    size_t least = size_of_piece(chunks) + pgasi_ucx_padded(chunks->nbytes);
    pgasi_ucx_parcel_t *puts = target->puts;
    if (puts != NULL && (target->puts_size + least > PGASI_UCX_BUNDLE_MAX ||
                         !reaches(puts->header.put.offset, dst.offset))) {
        send_puts(dst.thread, 0);
        puts = NULL;
    }
    if (puts == NULL)
        puts = open_puts(dst.thread, dst.offset);
    size_t count =
        count_in(PGASI_UCX_BUNDLE_MAX - target->puts_size - size_of_piece(chunks), chunks);
    size_t nbytes = count * chunks->nbytes;
    pgasi_ucx_put_t *header = &puts->header.put;
    unsigned char *begin = puts->payload + target->puts_size;
    unsigned char *at = write_piece(begin, dst.offset - header->offset, chunks, count, chunks->dst);
    if (count == 1) {
        memcpy(at, src, nbytes);
    } else {
        pgasi_chunks_t packed = {chunks->nbytes, count, (ptrdiff_t)chunks->nbytes, chunks->src};
        pgasi_chunks_copy((char *)at, src, &packed);
    }
    target->puts_size += (size_t)(at - begin) + pgasi_ucx_padded(nbytes);
    header->counts++;
    target->sent++;
    *bits = pgasi_ucx_put_handle(dst.thread);
    return count;
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
                      places->request_size);
    growing--;
    unanswered++;
    bound_memory();
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
    growing++;
    places->handle = pgasi_ucx_pending(thread, NULL, 0, places);
    places->request_size = 0;
    places->nbytes = 0;
    places->count = 0;
    places->request->header.get =
        (pgasi_ucx_get_t){.token = places->handle, .offset = base_for(offset)};
    pgasi_ucx_targets[thread].gets = places;
    return places;
}

size_t pgasi_ucx_bundle_get(char *dst, pgas_ptr_t src, const pgasi_chunks_t *chunks, uint64_t *bits)
{
    pgasi_ucx_places_t *places = pgasi_ucx_targets[src.thread].gets;
    if (places != NULL && (places->request_size + size_of_piece(chunks) > REQUEST_MAX ||
                           places->nbytes + chunks->nbytes > PGASI_UCX_BUNDLE_MAX ||
                           !reaches(places->request->header.get.offset, src.offset))) {
        pgasi_ucx_send_gets(src.thread);
        places = NULL;
    }
    if (places == NULL)
        places = open_gets(src.thread, src.offset);
    size_t count = count_in(PGASI_UCX_BUNDLE_MAX - places->nbytes, chunks);
    unsigned char *payload = places->request->payload;
    unsigned char *end =
        write_piece(payload + places->request_size, src.offset - places->request->header.get.offset,
                    chunks, count, chunks->src);
    places->request_size = (size_t)(end - payload);
    places->place[places->count].dst = dst;
    places->place[places->count].stride = chunks->dst;
    places->place[places->count].nbytes = (uint32_t)chunks->nbytes;
    places->place[places->count].count = (uint32_t)count;
    places->count++;
    places->nbytes += count * chunks->nbytes;
    *bits = places->handle;
    return count;
}

void pgasi_ucx_place(pgasi_ucx_places_t *places, const void *data)
{
    const char *next = data;
    for (uint32_t i = 0; i < places->count; i++) {
        size_t nbytes = places->place[i].nbytes;
        size_t count = places->place[i].count;
        if (count == 1) {
            memcpy(places->place[i].dst, next, nbytes);
        } else {
            pgasi_chunks_t chunks = {nbytes, count, places->place[i].stride, (ptrdiff_t)nbytes};
            pgasi_chunks_copy(places->place[i].dst, next, &chunks);
        }
        next += count * nbytes;
    }
    places->next = unused;
    unused = places;
    unanswered--;
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
