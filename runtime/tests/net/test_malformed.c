/**
 * Messages that no thread of a correct job sends: with another secret, cut off, too long, with
 * places beyond the segment, numbers that were never assigned, tokens of nothing. All of them are
 * dropped, and memory and the job's own transfers are as if they had never arrived. Each thread
 * logs one line about it.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "job_random.h"

#include "net/net.h"
#include "net/ucx/endpoint.h"
#include "net/ucx/numbered.h"
#include "net/ucx/post.h"
#include "net/ucx/rma_memory.h"
#include "net/ucx/wire.h"
#include "net/ucx/worker.h"
#include "node/segment.h"

enum {
    BYTES = 4096,
    RANDOM_MESSAGES = 3000,
    LONGEST = 4096
};

static uint64_t state;
static uint32_t target;
static pgas_ptr_t canary;
static pgasi_ucx_pool_t pool = {.payload_size = LONGEST};

/* Sends any header of any length to the target, and a copy of the payload. */
static void send_raw(unsigned id, const void *header, size_t header_size, const void *payload,
                     size_t nbytes)
{
    pool.pending = &pgasi_ucx_me->awaited;
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&pool, target);
    CHECK(nbytes <= LONGEST);
    memcpy(&desc->header, header, header_size);
    if (payload != NULL)
        memcpy(desc->payload, payload, nbytes);
    pgasi_ucx_post_request(pgasi_ucx_endpoint(target), id, desc, header_size, desc->payload,
                           nbytes);
}

/* The job still works, and nothing was written where nothing should be. */
static void check_job(void)
{
    unsigned char seen[BYTES];
    uint64_t word = random_next(&state);
    pgas_ptr_t place = canary;
    pgas_memget(seen, canary, BYTES);
    for (size_t i = sizeof word; i < BYTES; i++)
        CHECK(seen[i] == (unsigned char)(i * 7));
    pgas_memput(place, &word, sizeof word);
    CHECK(PGAS_READ(uint64_t, place) == word);
}

static pgasi_ucx_numbered_t numbered(void)
{
    /* A number that has not been assigned yet, so that only the rest is wrong. */
    return (pgasi_ucx_numbered_t){
        .secret = pgasi_ucx_secret,
        .number = pgasi_ucx_me->targets[target].sent + 100,
        .source = pgasi_job.thread,
    };
}

static void bad_puts(void)
{
    static const uint64_t offsets[] = {UINT64_MAX, UINT64_MAX - 3, INT64_MAX, (uint64_t)1 << 62};
    char bytes[64] = "forged";
    for (size_t i = 0; i < 5; i++) {
        pgasi_ucx_put_t put = {numbered(), i < 4 ? offsets[i] : pgasi_node_memory.stride - 63};
        send_raw(PGASI_UCX_PUT, &put, sizeof put, bytes, sizeof bytes);
        pgasi_ucx_set_t set = {numbered(), put.offset, sizeof bytes, 1};
        send_raw(PGASI_UCX_SET, &set, sizeof set, NULL, 0);
        pgasi_ucx_large_put_t large = {
            .secret = pgasi_ucx_secret, .token = 1, .offset = put.offset};
        send_raw(PGASI_UCX_LARGE_PUT, &large, sizeof large, bytes, sizeof bytes);
        send_raw(PGASI_UCX_FORWARD, &large, sizeof large, bytes, sizeof bytes);
    }
    pgasi_ucx_put_t put = {numbered(), canary.offset};
    put.numbered.source = pgasi_job.threads;
    send_raw(PGASI_UCX_PUT, &put, sizeof put, bytes, sizeof bytes);
    put.numbered = numbered();
    put.numbered.secret++;
    send_raw(PGASI_UCX_PUT, &put, sizeof put, bytes, sizeof bytes);
    send_raw(PGASI_UCX_PUT, &put, 3, bytes, sizeof bytes);
    send_raw(PGASI_UCX_PUT, &put, sizeof put - 1, bytes, sizeof bytes);
    pgasi_ucx_set_t set = {numbered(), canary.offset, UINT64_MAX, 1};
    send_raw(PGASI_UCX_SET, &set, sizeof set, NULL, 0);
}

/* Bundles of signals that end too early, claim too much, or have a wrong one. */
static void bad_signal_bundles(void)
{
    const pgasi_net_signal_t good = {canary.offset, 1, PGAS_SIGNAL_ADD};
    const pgasi_ucx_put_signal_t put = {numbered(), canary.offset, good};
    const uint64_t claims[] = {1, 8, 512, 513, 4096, UINT64_MAX - 7, UINT64_MAX};
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++) {
        const pgasi_ucx_signal_item_t item = {put, claims[i]};
        send_raw(PGASI_UCX_PUT_SIGNALS, &pgasi_ucx_secret, 8, &item, sizeof item);
    }
    pgasi_ucx_signal_item_t item = {put, 0};
    send_raw(PGASI_UCX_PUT_SIGNALS, &pgasi_ucx_secret, 8, &item, sizeof item - 8);
    send_raw(PGASI_UCX_PUT_SIGNALS, &pgasi_ucx_secret, 7, &item, sizeof item);
    item.put.signal.offset++;
    send_raw(PGASI_UCX_PUT_SIGNALS, &pgasi_ucx_secret, 8, &item, sizeof item);
}

/* Signals of wrong words, operations, places and senders. */
static void bad_signals(void)
{
    static const char bytes[64] = "forged";
    const pgasi_net_signal_t good = {canary.offset, 1, PGAS_SIGNAL_ADD};
    const pgasi_net_signal_t wrong[] = {
        {canary.offset + 4, 1, PGAS_SIGNAL_ADD},
        {UINT64_MAX - 7, 1, PGAS_SIGNAL_SET},
        {pgasi_node_memory.stride, 1, PGAS_SIGNAL_SET},
        {canary.offset, 1, PGAS_SIGNAL_ADD + 1},
        {canary.offset, 1, UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        pgasi_ucx_put_signal_t put = {numbered(), canary.offset, wrong[i]};
        send_raw(PGASI_UCX_PUT_SIGNAL, &put, sizeof put, NULL, 0);
    }
    pgasi_ucx_put_signal_t put = {numbered(), UINT64_MAX - 63, good};
    send_raw(PGASI_UCX_PUT_SIGNAL, &put, sizeof put, bytes, sizeof bytes);
    put.offset = canary.offset;
    put.numbered.wants_ack = 1;
    send_raw(PGASI_UCX_PUT_SIGNAL, &put, sizeof put, bytes, sizeof bytes);
    put.numbered = numbered();
    put.numbered.source = pgasi_job.threads;
    send_raw(PGASI_UCX_PUT_SIGNAL, &put, sizeof put, bytes, sizeof bytes);
    put.numbered = numbered();
    put.numbered.agent = UINT16_MAX;
    send_raw(PGASI_UCX_PUT_SIGNAL, &put, sizeof put, bytes, sizeof bytes);
    put.numbered = numbered();
    put.numbered.secret++;
    send_raw(PGASI_UCX_PUT_SIGNAL, &put, sizeof put, bytes, sizeof bytes);
    send_raw(PGASI_UCX_PUT_SIGNAL, &put, sizeof put - 1, bytes, sizeof bytes);
    pgasi_ucx_large_put_t large = {
        .secret = pgasi_ucx_secret, .token = 1, .offset = canary.offset, .agent = UINT32_MAX};
    send_raw(PGASI_UCX_LARGE_PUT, &large, sizeof large, bytes, sizeof bytes);
}

static void bad_pieces(void)
{
    struct {
        pgasi_ucx_piece_t piece;
        pgasi_ucx_run_t run;
        char bytes[32];
    } message = {0};
    static const pgasi_ucx_run_t runs[] = {
        {INT64_MAX, 3}, {INT64_MIN, 3},           {8, UINT64_MAX},
        {8, 0},         {-((int64_t)1 << 50), 4}, {(int64_t)1 << 50, 4},
    };
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        message.piece = (pgasi_ucx_piece_t){0, 8 | PGASI_UCX_IS_RUN};
        message.run = runs[i];
        pgasi_ucx_puts_t puts = {numbered(), canary.offset, 1};
        send_raw(PGASI_UCX_PUTS, &puts, sizeof puts, &message, sizeof message);
        pgasi_ucx_get_t gets = {pgasi_ucx_secret, 1, 0, canary.offset, 64, 0};
        send_raw(PGASI_UCX_GETS, &gets, sizeof gets, &message, 24);
    }
    message.piece = (pgasi_ucx_piece_t){0, 4096}; /* more than the message has */
    pgasi_ucx_puts_t puts = {numbered(), canary.offset, 1};
    send_raw(PGASI_UCX_PUTS, &puts, sizeof puts, &message, sizeof message);
    puts = (pgasi_ucx_puts_t){numbered(), canary.offset, 1000};
    send_raw(PGASI_UCX_PUTS, &puts, sizeof puts, &message, 4);
    pgasi_ucx_get_t gets = {pgasi_ucx_secret, 1, 0, canary.offset, 8, 0};
    send_raw(PGASI_UCX_GETS, &gets, sizeof gets, &message, sizeof message.piece);
    gets.nbytes = UINT64_MAX;
    send_raw(PGASI_UCX_GETS, &gets, sizeof gets, &message, sizeof message.piece);
}

static uint32_t atomic_of(uint32_t op, uint32_t type)
{
    return PGASI_UCX_IS_ATOMIC | op << PGASI_UCX_OP_SHIFT | type;
}

/* Among puts and among gets. */
static void send_atomic(const void *message, size_t nbytes, uint64_t offset)
{
    pgasi_ucx_puts_t puts = {numbered(), offset, 1};
    send_raw(PGASI_UCX_PUTS, &puts, sizeof puts, message, nbytes);
    pgasi_ucx_get_t gets = {pgasi_ucx_secret, 1, 0, offset, 8, 0};
    send_raw(PGASI_UCX_GETS, &gets, sizeof gets, message, nbytes);
}

static void bad_atomics(void)
{
    struct {
        pgasi_ucx_piece_t piece;
        pgasi_ucx_operands_t operands;
    } message = {.operands = {1, 0}};
    const uint64_t inside = canary.offset + 64;
    const pgasi_ucx_piece_t pieces[] = {
        {4, atomic_of(PGAS_INC, PGAS_UINT64)}, /* not aligned */
        {0, atomic_of(PGAS_ATOMIC_OPS, PGAS_UINT64)},
        {0, atomic_of(PGAS_INC, PGAS_TYPES)},
        {0, atomic_of(PGAS_XOR, PGAS_DOUBLE)},
    };
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        message.piece = pieces[i];
        send_atomic(&message, sizeof message, inside);
    }
    message.piece = (pgasi_ucx_piece_t){0, atomic_of(PGAS_INC, PGAS_UINT64)};
    send_atomic(&message, sizeof message.piece + 4, inside);
    send_atomic(&message, sizeof message, UINT64_MAX - 7);
    message.piece = (pgasi_ucx_piece_t){UINT32_MAX - 7, atomic_of(PGAS_INC, PGAS_UINT64)};
    send_atomic(&message, sizeof message, UINT64_MAX - 7);
    message.piece = (pgasi_ucx_piece_t){0, atomic_of(PGAS_COMPARE_SWAP, PGAS_UINT64)};
    send_atomic(&message, sizeof message - 8, inside);
}

static void bad_requests(void)
{
    pgasi_ucx_get_t get = {pgasi_ucx_secret, 1, 0, 64, UINT64_MAX, 0};
    send_raw(PGASI_UCX_GET, &get, sizeof get, NULL, 0);
    get = (pgasi_ucx_get_t){pgasi_ucx_secret, 1, 0, UINT64_MAX - 7, 8, 0};
    send_raw(PGASI_UCX_GET, &get, sizeof get, NULL, 0);
    get = (pgasi_ucx_get_t){pgasi_ucx_secret, 1, 0, PGASI_NET_IS_LENT, 8, 0}; /* nothing is lent */
    send_raw(PGASI_UCX_GET, &get, sizeof get, NULL, 0);
    get = (pgasi_ucx_get_t){pgasi_ucx_secret, 1, 0, 0, pgasi_node_memory.stride, 1};
    send_raw(PGASI_UCX_GET, &get, sizeof get, NULL, 0); /* would be answered for years */
    pgasi_ucx_call_t call = {pgasi_ucx_secret, 1, 0, PGASI_SERVICES};
    send_raw(PGASI_UCX_CALL, &call, sizeof call, "x", 1);
    send_raw(PGASI_UCX_MESSAGE, &call, sizeof call, "x", 1);
    static const char long_message[PGASI_NET_MESSAGE_MAX + 1];
    call = (pgasi_ucx_call_t){pgasi_ucx_secret, 1, UINT32_MAX, PGASI_SERVICE_HEAP};
    send_raw(PGASI_UCX_CALL, &call, sizeof call, "x", 1);
    for (uint32_t service = 0; service < PGASI_SERVICES; service++) {
        call = (pgasi_ucx_call_t){pgasi_ucx_secret, 1, pgasi_job.thread, service};
        send_raw(PGASI_UCX_MESSAGE, &call, sizeof call, long_message, sizeof long_message);
        if (service != PGASI_SERVICE_ENDING)
            send_raw(PGASI_UCX_CALL, &call, sizeof call, long_message, 3);
    }
    const pgasi_ucx_key_request_t keys[] = {
        {canary.offset, UINT32_MAX, PGASI_RMA_SHARED},
        {canary.offset, pgasi_job.threads, PGASI_RMA_SHARED},
        {canary.offset, pgasi_job.thread, PGASI_RMA_SHARED},
        {UINT64_MAX, target, PGASI_RMA_SHARED},
        {pgasi_node_memory.stride, target, PGASI_RMA_SHARED},
        {0, target, PGASI_RMA_SHARED},
        {canary.offset, target, PGASI_RMA_CARD},
        {canary.offset, target, PGASI_RMA_NONE},
    };
    call = (pgasi_ucx_call_t){pgasi_ucx_secret, 1, pgasi_job.thread, PGASI_SERVICE_KEY};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        send_raw(PGASI_UCX_CALL, &call, sizeof call, &keys[i], sizeof keys[i]);
        send_raw(PGASI_UCX_MESSAGE, &call, sizeof call, &keys[i], sizeof keys[i]);
    }
    const pgasi_ucx_event_t events[] = {
        {pgasi_ucx_secret, canary.offset, canary.offset + 2, pgasi_job.thread},
        {pgasi_ucx_secret, canary.offset, UINT64_MAX - 7, pgasi_job.thread},
        {pgasi_ucx_secret, canary.offset, canary.offset, pgasi_job.threads},
        {pgasi_ucx_secret, canary.offset, canary.offset, UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        send_raw(PGASI_UCX_EVENT, &events[i], sizeof events[i], NULL, 0);
    pgasi_ucx_message_put_t put = {
        pgasi_ucx_secret, UINT64_MAX - 7, 0, PGASI_SERVICE_BARRIER, 8, {0}};
    send_raw(PGASI_UCX_MESSAGE_PUT, &put, sizeof put, long_message, 64);
    put.offset = pgasi_node_memory.stride - 32;
    send_raw(PGASI_UCX_MESSAGE_PUT, &put, sizeof put, long_message, 64);
    put = (pgasi_ucx_message_put_t){pgasi_ucx_secret, canary.offset, 0, PGASI_SERVICES, 8, {0}};
    send_raw(PGASI_UCX_MESSAGE_PUT, &put, sizeof put, long_message, 64);
    put.service = PGASI_SERVICE_TEAM;
    put.nbytes = PGASI_NET_PUT_MESSAGE_MAX + 1;
    send_raw(PGASI_UCX_MESSAGE_PUT, &put, sizeof put, long_message, 64);
    put.nbytes = 8;
    put.source = pgasi_job.threads;
    send_raw(PGASI_UCX_MESSAGE_PUT, &put, sizeof put, long_message, 64);
    send_raw(PGASI_UCX_MESSAGE_PUT, &put, sizeof put - 1, long_message, 64);
    pgasi_ucx_copy_t copy = {pgasi_ucx_secret, 1, 64, 64, 8, 0, pgasi_job.threads};
    send_raw(PGASI_UCX_COPY, &copy, sizeof copy, NULL, 0);
    copy = (pgasi_ucx_copy_t){pgasi_ucx_secret, 1, 64, UINT64_MAX - 64, 100, 0, 0};
    send_raw(PGASI_UCX_COPY, &copy, sizeof copy, NULL, 0);
    pgasi_ucx_reply_t done = {pgasi_ucx_secret, PGASI_UCX_IS_OPERATION | 0xffffff, 0};
    send_raw(PGASI_UCX_DONE, &done, sizeof done, NULL, 0);
    done.token = 5;
    send_raw(PGASI_UCX_DONE, &done, sizeof done, NULL, 0);
}

static size_t header_size(unsigned nargs)
{
    const unsigned most = PGASI_NET_AM_ARGS;
    return pgasi_ucx_am_size(nargs < most ? nargs : most);
}

/* Active messages that nobody sends; the only handler is number 1, and no request is under way. */
static void bad_messages(void)
{
    enum {
        SHORT,
        MEDIUM,
        BUFFERED,
        LONG,
        CREDIT
    };
    static const char bytes[64] = "forged";
    const uint64_t inside = canary.offset;
    const uint64_t beyond = pgasi_node_memory.stride - 63;
    const pgasi_net_am_t messages[] = {
        {.kind = SHORT, .handler = 0, .credits = 1},
        {.kind = SHORT, .handler = 2, .credits = 1},
        {.kind = SHORT, .handler = UINT16_MAX, .credits = 1},
        {.kind = SHORT, .handler = 1, .credits = 1, .nargs = 17},
        {.kind = SHORT, .handler = 1, .credits = 1}, /* with a payload */
        {.kind = SHORT, .handler = 1, .credits = 1, .is_placed = 1, .offset = inside},
        {.kind = MEDIUM, .handler = 1, .credits = 1, .is_placed = 1, .offset = inside},
        {.kind = MEDIUM, .handler = 1, .credits = 0},
        {.kind = MEDIUM, .handler = 1, .credits = 2},
        {.kind = BUFFERED, .handler = 1, .credits = 1},
        {.kind = CREDIT, .credits = 1},
        {.kind = CREDIT, .is_reply = 1, .credits = 1},
        {.kind = CREDIT + 1, .handler = 1, .credits = 1},
        {.kind = LONG, .handler = 1, .credits = 1},
        {.kind = LONG, .handler = 1, .credits = 1, .is_placed = 1, .offset = 0},
        {.kind = LONG, .handler = 1, .credits = 1, .is_placed = 1, .offset = PGASI_MAILBOX_BEGIN},
        {.kind = LONG, .handler = 1, .credits = 1, .is_placed = 1, .offset = UINT64_MAX - 7},
        {.kind = LONG, .handler = 1, .credits = 1, .is_placed = 1, .offset = beyond},
        {.kind = MEDIUM, .handler = 1, .is_reply = 1},
        {.kind = MEDIUM, .handler = 1, .is_reply = 1, .credits = 1},
        {.kind = MEDIUM, .handler = 1, .credits = 1, .source = UINT32_MAX},
        {.kind = MEDIUM, .handler = 1, .credits = 1, .source = target},
    };
    const size_t count = sizeof messages / sizeof messages[0];
    for (size_t i = 0; i < count; i++) {
        pgasi_ucx_am_t message = {pgasi_ucx_secret, messages[i]};
        if (i + 2 < count) /* the last two have wrong ones */
            message.am.source = pgasi_job.thread;
        send_raw(PGASI_UCX_AM, &message, header_size(message.am.nargs), bytes, sizeof bytes);
    }
    pgasi_ucx_am_t message = {
        pgasi_ucx_secret, {.kind = SHORT, .handler = 1, .credits = 1, .source = pgasi_job.thread}};
    const size_t size = header_size(0);
    send_raw(PGASI_UCX_AM, &message, size - 1, NULL, 0);
    send_raw(PGASI_UCX_AM, &message, size + 4, NULL, 0);
    message.am.nargs = 2;
    send_raw(PGASI_UCX_AM, &message, size, NULL, 0);
    send_raw(PGASI_UCX_AM, &message, size + 4, NULL, 0);
    message.am.nargs = 0;
    message.secret++;
    send_raw(PGASI_UCX_AM, &message, size, NULL, 0);
}

/* Brief ones that are cut off, too long, of another job, or say what is not so. */
static void bad_brief_messages(void)
{
    static const char bytes[64] = "forged";
    const pgasi_net_am_t messages[] = {
        {.handler = 0, .credits = 1},
        {.handler = 2, .credits = 1},
        {.handler = 2047, .credits = 1},
        {.handler = 1, .credits = 0},
        {.handler = 1, .credits = 15},
        {.handler = 1, .is_reply = 1},
        {.handler = 1, .is_reply = 1, .credits = 1},
        {.handler = 1, .credits = 1, .source = UINT16_MAX},
        {.handler = 1, .credits = 1, .source = target},
    };
    const size_t count = sizeof messages / sizeof messages[0];
    pgasi_ucx_am_brief_t brief;
    size_t size;
    for (size_t i = 0; i < count; i++) {
        pgasi_net_am_t am = messages[i];
        if (i + 2 < count) /* the last two have wrong ones */
            am.source = pgasi_job.thread;
        size = pgasi_ucx_am_shorten(&am, &brief);
        CHECK(size > 0);
        send_raw(PGASI_UCX_AM_BRIEF, &brief, size, NULL, 0);
    }
    const pgasi_net_am_t good = {
        .handler = 1, .credits = 1, .nargs = 2, .source = pgasi_job.thread};
    size = pgasi_ucx_am_shorten(&good, &brief);
    send_raw(PGASI_UCX_AM_BRIEF, &brief, size, bytes, sizeof bytes);
    send_raw(PGASI_UCX_AM_BRIEF, &brief, sizeof brief.secret, NULL, 0);
    send_raw(PGASI_UCX_AM_BRIEF, &brief, size - 1, NULL, 0);
    send_raw(PGASI_UCX_AM_BRIEF, &brief, sizeof brief, NULL, 0); /* 17 arguments */
    brief.secret++;
    send_raw(PGASI_UCX_AM_BRIEF, &brief, size, NULL, 0);
}

/* Bundles that are cut off, or have messages that no thread sends. */
static void bad_bundles(void)
{
    const uint64_t secret = pgasi_ucx_secret;
    const uint64_t wrong = secret + 1;
    const size_t size = offsetof(pgasi_net_am_t, args);
    const pgasi_net_am_t good = {
        .handler = 1, .credits = 1, .nargs = 3, .source = pgasi_job.thread};
    pgasi_net_am_t am = good;
    send_raw(PGASI_UCX_AMS, &secret, sizeof secret, &am, size - 1);
    send_raw(PGASI_UCX_AMS, &secret, sizeof secret, &am, size);
    send_raw(PGASI_UCX_AMS, &secret, sizeof secret, &am, size + 12); /* 16 with its padding */
    am.nargs = 17;
    send_raw(PGASI_UCX_AMS, &secret, sizeof secret, &am, sizeof am);
    am.nargs = 255;
    send_raw(PGASI_UCX_AMS, &secret, sizeof secret, &am, sizeof am);
    am = good;
    am.source = pgasi_job.threads;
    send_raw(PGASI_UCX_AMS, &secret, sizeof secret, &am, size + 16);
    am = good;
    am.is_reply = 1;
    send_raw(PGASI_UCX_AMS, &secret, sizeof secret, &am, size + 16);
    static const uint16_t behind[] = {4, 5, 5, UINT16_MAX, UINT16_MAX}; /* a short one; too many */
    static const uint8_t kinds[] = {0, 1, 3, 1, 3};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        am = good;
        am.kind = kinds[i];
        am.is_placed = kinds[i] == 3;
        am.offset = canary.offset;
        am.payload_behind = behind[i];
        send_raw(PGASI_UCX_AMS, &secret, sizeof secret, &am, size + 16);
    }
    const uint64_t outside[] = {0, PGASI_MAILBOX_BEGIN, pgasi_node_memory.stride - 3,
                                UINT64_MAX - 1};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        am = good;
        am.kind = 3;
        am.is_placed = 1;
        am.offset = outside[i];
        am.payload_behind = 4;
        send_raw(PGASI_UCX_AMS, &secret, sizeof secret, &am, size + 16);
    }
    send_raw(PGASI_UCX_AMS, &secret, sizeof secret - 1, &good, size + 16);
    send_raw(PGASI_UCX_AMS, &wrong, sizeof wrong, &good, size + 16);
}

static void run_forged(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                       size_t nbytes)
{
    (void)token;
    (void)args;
    (void)nargs;
    (void)payload;
    (void)nbytes;
    CHECK(false);
}

/* Requests of the right length to heaps, locks and teams, for things that do not exist. */
static void bad_services(void)
{
    static const uint64_t heap[][4] = {
        {99, 64, 0, 0},
        {1, 64, UINT64_MAX - 63, 0}, /* pages returned outside the segment */
        {1, UINT64_MAX, 4096, 0},
        {4, 0, UINT64_MAX - 63, 0}, /* a block freed outside */
        {4, 0, 0, 0},
        {5, 0, 4096, UINT32_MAX}, /* freed by a thread that does not exist */
        {3, 0, UINT64_MAX - 63, 0},
    };
    /* Locks outside of the heap and not aligned, and the releases of a thread of no other node. */
    static const uint64_t locks[][3] = {
        {99, 4096}, {0, UINT64_MAX - 63}, {1, 0},    {2, 4097},
        {3, 0},     {3, UINT32_MAX},      {5, 4097}, {5, UINT64_MAX - 63}};
    /* Parts of teams: behind the segment, not aligned, before any part, and of another team. */
    static const uint64_t teams[][2] = {
        {UINT64_MAX - 63, 0}, {PGASI_TEAMS_BEGIN + 1, 0}, {64, 0}, {PGASI_TEAMS_BEGIN, 77}};
    pgasi_ucx_call_t call = {pgasi_ucx_secret, 1, pgasi_job.thread, PGASI_SERVICE_HEAP};
    for (size_t i = 0; i < sizeof heap / sizeof heap[0]; i++)
        send_raw(PGASI_UCX_CALL, &call, sizeof call, heap[i], sizeof heap[i]);
    call.service = PGASI_SERVICE_LOCK;
    for (size_t i = 0; i < sizeof locks / sizeof locks[0]; i++)
        for (int id = 0; id < 2; id++)
            send_raw(id == 0 ? PGASI_UCX_CALL : PGASI_UCX_MESSAGE, &call, sizeof call, locks[i],
                     sizeof locks[i]);
    call.service = PGASI_SERVICE_TEAM;
    for (size_t i = 0; i < sizeof teams / sizeof teams[0]; i++)
        send_raw(PGASI_UCX_CALL, &call, sizeof call, teams[i], sizeof teams[i]);
}

static ucs_status_t take_last(void *arg, const void *header, size_t header_size, void *data,
                              size_t nbytes, const ucp_am_recv_param_t *param)
{
    (void)header, (void)header_size, (void)data, (void)nbytes, (void)param;
    *(bool *)arg = true;
    return UCS_OK;
}

static void finish(ucp_worker_h worker, void *request)
{
    while (UCS_PTR_IS_PTR(request) && ucp_request_check_status(request) == UCS_INPROGRESS) {
        ucp_worker_progress(pgasi_ucx_me->worker);
        ucp_worker_progress(worker);
    }
    if (UCS_PTR_IS_PTR(request))
        ucp_request_free(request);
}

/* A worker that takes messages of the last kind alone gets one of each. What UCX finds beside that
 * handler is what the allocator left there (MALLOC_PERTURB_). */
static void bad_kinds(void)
{
    bool is_last = false;
    ucp_worker_h worker;
    ucp_address_t *address;
    size_t length;
    ucp_ep_h ep;
    CHECK(pgasi_ucx_worker_create(UCS_THREAD_MODE_SINGLE, &worker) == UCS_OK);
    CHECK(pgasi_ucx_accept(worker, PGASI_UCX_MESSAGES - 1, take_last, &is_last) == UCS_OK);
    CHECK(ucp_worker_get_address(worker, &address, &length) == UCS_OK);
    const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                                    .address = address};
    const ucp_request_param_t none = {.op_attr_mask = 0};
    CHECK(ucp_ep_create(pgasi_ucx_me->worker, &params, &ep) == UCS_OK);
    for (unsigned id = 0; id < PGASI_UCX_MESSAGES; id++)
        finish(worker, ucp_am_send_nbx(ep, id, "header", 6, "payload", 7, &none));
    while (!is_last) {
        ucp_worker_progress(pgasi_ucx_me->worker);
        ucp_worker_progress(worker);
    }
    finish(worker, ucp_ep_close_nbx(ep, &none));
    ucp_worker_release_address(worker, address);
    ucp_worker_destroy(worker);
}

/* Any bytes, with and without the secret. */
static void random_message(void)
{
    static unsigned char payload[2000];
    pgasi_ucx_header_t header;
    unsigned char *bytes = (unsigned char *)&header;
    for (size_t i = 0; i < sizeof header; i++)
        bytes[i] = (unsigned char)(random_next(&state) >> random_below(&state, 8));
    for (size_t i = 0; i < sizeof payload; i++)
        payload[i] = (unsigned char)random_next(&state);
    /* Messages that have a valid form must not hit the canary by chance: their offsets are
     * arbitrary. */
    unsigned id = (unsigned)random_below(&state, (size_t)2 * PGASI_UCX_MESSAGES);
    size_t size = random_below(&state, sizeof header + 1);
    send_raw(id, &header, size, payload, random_below(&state, sizeof payload));
}

int main(void)
{
    pgas_am_register("forged", run_forged, PGAS_AM_ANYWHERE);
    CHECK(pgas_init() == PGAS_OK);
    state = random_seed_of_thread(random_seed_of_job());
    CHECK(pgas_all_alloc((size_t)pgas_threads(), BYTES, &canary) == PGAS_OK);
    canary.thread = pgasi_job.thread;
    unsigned char *mine = pgas_local(canary);
    for (size_t i = 0; i < BYTES; i++)
        mine[i] = (unsigned char)(i * 7);
    size_t used = pgas_heap_used();
    pgas_barrier();
    target = (uint32_t)(pgas_mythread() + 1) % pgasi_job.threads;
    canary.thread = target;
    if (pgasi_net_is_up && pgasi_job.peers[target].base == NULL) {
        bad_puts();
        bad_signals();
        bad_signal_bundles();
        check_job();
        bad_pieces();
        check_job();
        bad_atomics();
        bad_requests();
        check_job();
        bad_services();
        check_job();
        bad_messages();
        bad_brief_messages();
        bad_bundles();
        check_job();
        bad_kinds();
        for (int i = 0; i < RANDOM_MESSAGES; i++)
            random_message();
        check_job();
    }
    pgas_barrier();
    CHECK(pgas_heap_used() == used);
    canary.thread = 0;
    pgas_all_free(canary);
    pgas_finalize();
    return 0;
}
