#include "everything_pieces.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pgas/am.h>
#include <pgas/detail.h>

#include "internal.h"

/* What a message begins with: `count` of these. A put's bytes follow in the same order. */
typedef struct piece {
    uint64_t addr;
    uint64_t nbytes;
} piece_t;

/* Where the bytes of one message's gets go. */
typedef struct landing {
    gasneti_op_t *op;
    size_t count;
    struct iovec here[];
} landing_t;

enum {
    POINTER = 2 /* arguments of a message that hold one */
};

static pgas_am_t am_scatter;
static pgas_am_t am_scattered;
static pgas_am_t am_gather;
static pgas_am_t am_gathered;

static void split(int32_t *args, const void *pointer)
{
    uint64_t bits = (uintptr_t)pointer;
    memcpy(args, &bits, sizeof bits);
}

static void *join(const int32_t *args)
{
    uint64_t bits;
    memcpy(&bits, args, sizeof bits);
    return (void *)(uintptr_t)bits; // NOLINT(performance-no-int-to-ptr): it was one
}

void gasneti_pieces_begin(gasneti_pieces_t *pieces, const char *call, bool is_get)
{
    pieces->call = call;
    pieces->is_get = is_get;
    pieces->op = gasneti_op_begin();
    pieces->count = 0;
}

/* ---- Messages ---- */

static bool fits(size_t count, size_t nbytes)
{
    return count * sizeof(piece_t) + nbytes <= PGAS_AM_MAX_MEDIUM;
}

/* How many pieces from number `first` on one message carries, and their bytes. */
static size_t group(const gasneti_pieces_t *pieces, size_t first, size_t *nbytes)
{
    size_t count = 0;
    *nbytes = 0;
    while (first + count < pieces->count &&
           fits(count + 1, *nbytes + pieces->here[first + count].iov_len))
        *nbytes += pieces->here[first + count++].iov_len;
    return count;
}

static char *describe(const gasneti_pieces_t *pieces, size_t first, size_t count, char *to)
{
    for (size_t i = first; i < first + count; i++) {
        const piece_t piece = {(uintptr_t)pieces->there[i].iov_base, pieces->there[i].iov_len};
        memcpy(to, &piece, sizeof piece);
        to += sizeof piece;
    }
    return to;
}

static void put_group(const gasneti_pieces_t *pieces, size_t first, size_t count, char *message)
{
    int32_t args[POINTER + 1];
    char *to = describe(pieces, first, count, message);
    for (size_t i = first; i < first + count; i++) {
        pgasi_copy(to, pieces->here[i].iov_base, pieces->here[i].iov_len);
        to += pieces->here[i].iov_len;
    }
    split(args, pieces->op);
    args[POINTER] = (int32_t)count;
    gasneti_op_expect(pieces->op);
    pgas_am_request_medium((int)pieces->node, am_scatter, args, POINTER + 1, message,
                           (size_t)(to - message));
}

static void get_group(const gasneti_pieces_t *pieces, size_t first, size_t count, char *message)
{
    int32_t args[POINTER];
    landing_t *landing =
        gasneti_allocate(pieces->call, sizeof *landing + count * sizeof landing->here[0]);
    *landing = (landing_t){.op = pieces->op, .count = count};
    memcpy(landing->here, &pieces->here[first], count * sizeof landing->here[0]);
    const char *end = describe(pieces, first, count, message);
    split(args, landing);
    gasneti_op_expect(pieces->op);
    pgas_am_request_medium((int)pieces->node, am_gather, args, POINTER, message,
                           (size_t)(end - message));
}

static void copy_alone(const gasneti_pieces_t *pieces, size_t i)
{
    const pgas_ptr_t place = {.thread = pieces->node,
                              .offset = (uintptr_t)pieces->there[i].iov_base};
    if (pieces->is_get)
        gasneti_op_get(pieces->op, pieces->call, pieces->here[i].iov_base, place,
                       pieces->here[i].iov_len);
    else
        gasneti_op_put(pieces->op, pieces->call, place, pieces->here[i].iov_base,
                       pieces->here[i].iov_len);
}

static void send(const gasneti_pieces_t *pieces, size_t first)
{
    char *message = gasneti_allocate(pieces->call, PGAS_AM_MAX_MEDIUM);
    while (first < pieces->count) {
        size_t nbytes;
        size_t count = group(pieces, first, &nbytes);
        if (count <= 1)
            copy_alone(pieces, first);
        else if (pieces->is_get)
            get_group(pieces, first, count, message);
        else
            put_group(pieces, first, count, message);
        first += count > 0 ? count : 1;
    }
    free(message);
}

/* ---- Collecting ---- */

/* The first piece that has not been copied, without the bytes of it that have. */
static size_t skip(gasneti_pieces_t *pieces, size_t moved)
{
    size_t i = 0;
    for (; i < pieces->count && moved >= pieces->here[i].iov_len; i++)
        moved -= pieces->here[i].iov_len;
    if (i < pieces->count && moved > 0) {
        pieces->here[i].iov_base = (char *)pieces->here[i].iov_base + moved;
        pieces->there[i].iov_base = (char *)pieces->there[i].iov_base + moved;
        pieces->here[i].iov_len -= moved;
        pieces->there[i].iov_len -= moved;
    }
    return i;
}

static void flush(gasneti_pieces_t *pieces)
{
    if (pieces->count > 0 && pieces->node == gasnet_mynode()) {
        for (size_t i = 0; i < pieces->count; i++)
            copy_alone(pieces, i);
    } else if (pieces->count > 0) {
        size_t first =
            skip(pieces, gasneti_everything_move(pieces->call, pieces->is_get, pieces->node,
                                                 pieces->here, pieces->there, pieces->count));
        if (first < pieces->count)
            send(pieces, first);
    }
    pieces->count = 0;
}

void gasneti_pieces_add(gasneti_pieces_t *pieces, pgas_ptr_t remote, void *local, size_t nbytes)
{
    if (nbytes == 0)
        return;
    if (pieces->count == GASNETI_PIECES_MAX)
        flush(pieces);
    pieces->node = remote.thread;
    pieces->here[pieces->count] = (struct iovec){local, nbytes};
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): the offset is an address */
    pieces->there[pieces->count++] = (struct iovec){(void *)(uintptr_t)remote.offset, nbytes};
}

pgas_handle_t gasneti_pieces_end(gasneti_pieces_t *pieces)
{
    flush(pieces);
    return gasneti_op_end(pieces->op);
}

/* ---- Handlers; none of them enters the client's code ---- */

static piece_t piece_at(const char *pieces, size_t i)
{
    piece_t piece;
    memcpy(&piece, pieces + i * sizeof piece, sizeof piece);
    return piece;
}

static void on_scatter(pgas_am_token_t *message, const int32_t *args, unsigned nargs, void *payload,
                       size_t nbytes)
{
    (void)nargs;
    (void)nbytes;
    size_t count = (uint32_t)args[POINTER];
    const char *from = (const char *)payload + count * sizeof(piece_t);
    for (size_t i = 0; i < count; i++) {
        const piece_t piece = piece_at(payload, i);
        gasneti_everything_store((gasnet_node_t)pgas_am_source(message), piece.addr, from,
                                 piece.nbytes);
        from += piece.nbytes;
    }
    pgas_am_reply_short(message, am_scattered, args, POINTER);
}

static void on_scattered(pgas_am_token_t *message, const int32_t *args, unsigned nargs,
                         void *payload, size_t nbytes)
{
    (void)message;
    (void)nargs;
    (void)payload;
    (void)nbytes;
    gasneti_op_replied(join(args));
}

static void on_gather(pgas_am_token_t *message, const int32_t *args, unsigned nargs, void *payload,
                      size_t nbytes)
{
    (void)nargs;
    char *bytes = gasneti_allocate("gasnet", PGAS_AM_MAX_MEDIUM);
    size_t size = 0;
    for (size_t i = 0; i < nbytes / sizeof(piece_t); i++) {
        const piece_t piece = piece_at(payload, i);
        gasneti_everything_load((gasnet_node_t)pgas_am_source(message), bytes + size, piece.addr,
                                piece.nbytes);
        size += piece.nbytes;
    }
    pgas_am_reply_medium(message, am_gathered, args, POINTER, bytes, size);
    free(bytes);
}

static void on_gathered(pgas_am_token_t *message, const int32_t *args, unsigned nargs,
                        void *payload, size_t nbytes)
{
    (void)message;
    (void)nargs;
    (void)nbytes;
    landing_t *landing = join(args);
    const char *from = payload;
    for (size_t i = 0; i < landing->count; i++) {
        pgasi_copy(landing->here[i].iov_base, from, landing->here[i].iov_len);
        from += landing->here[i].iov_len;
    }
    gasneti_op_replied(landing->op);
    free(landing);
}

void gasneti_pieces_register(void)
{
    am_scatter = pgas_am_register("gasnet.scatter", on_scatter, PGAS_AM_ANYWHERE);
    am_scattered = pgas_am_register("gasnet.scattered", on_scattered, PGAS_AM_ANYWHERE);
    am_gather = pgas_am_register("gasnet.gather", on_gather, PGAS_AM_ANYWHERE);
    am_gathered = pgas_am_register("gasnet.gathered", on_gathered, PGAS_AM_ANYWHERE);
}
