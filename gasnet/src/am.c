#include "am.h"

#include <stdio.h>
#include <stdlib.h>

#include <pgas/am.h>
#include <pgas/detail.h>
#include <pgas/sync.h>

#include "everything.h"
#include "handler_table.h"
#include "internal.h"

/*
 * Each index of the client has two handlers of Fathom, for messages without and with a payload,
 * since the client's functions take different arguments. A table leads back from the number of
 * Fathom's handler to the index.
 */
typedef struct handler {
    pgas_am_t short_message;
    pgas_am_t with_payload;
} handler_t;

static handler_t handlers[GASNETI_HANDLERS];
/* What stands for a long message with GASNET_SEGMENT_EVERYTHING, and for one of 0 bytes, whose
 * handler gets its address all the same. */
static pgas_am_t placed_message;
static uint8_t index_of_number[PGAS_AM_MAX_HANDLERS];

_Static_assert(sizeof(gasnet_hsl_t) >= sizeof(pgas_am_lock_t), "a lock fits");
/* NOLINTNEXTLINE(misc-redundant-expression): they are the same now */
_Static_assert(GASNETI_MAX_MEDIUM <= PGAS_AM_MAX_MEDIUM && GASNETI_MAX_LONG <= PGAS_AM_MAX_LONG,
               "payloads fit");

/* What keeps the calling thread from entering the runtime. */
static _Thread_local struct {
    unsigned locks;
    bool is_uninterrupted;
    /* Since the last pause. */
    bool has_run_handlers;
    /* Of the handler that runs, or NULL. */
    pgas_am_token_t *token;
} mine;

bool gasneti_am_has_run(void)
{
    bool has_run = mine.has_run_handlers;
    mine.has_run_handlers = false;
    return has_run;
}

bool gasneti_is_restricted(void)
{
    return mine.locks > 0 || mine.is_uninterrupted;
}

void gasneti_require_unrestricted(const char *call)
{
    if (gasneti_is_inside())
        gasneti_fatal(call, "called in a handler");
    if (mine.locks > 0)
        gasneti_fatal(call, "called while a handler-safe lock is held");
    if (mine.is_uninterrupted)
        gasneti_fatal(call, "called in a no-interrupt section");
}

static void begin_handler(pgas_am_token_t *token)
{
    gasneti_enter();
    mine.token = token;
    mine.has_run_handlers = true;
}

static void end_handler(void)
{
    mine.token = NULL;
    gasneti_leave();
}

/* ---- Handlers ---- */

#define ARGS_0
#define ARGS_1 ARGS_0, args[0]
#define ARGS_2 ARGS_1, args[1]
#define ARGS_3 ARGS_2, args[2]
#define ARGS_4 ARGS_3, args[3]
#define ARGS_5 ARGS_4, args[4]
#define ARGS_6 ARGS_5, args[5]
#define ARGS_7 ARGS_6, args[6]
#define ARGS_8 ARGS_7, args[7]
#define ARGS_9 ARGS_8, args[8]
#define ARGS_10 ARGS_9, args[9]
#define ARGS_11 ARGS_10, args[10]
#define ARGS_12 ARGS_11, args[11]
#define ARGS_13 ARGS_12, args[12]
#define ARGS_14 ARGS_13, args[13]
#define ARGS_15 ARGS_14, args[14]
#define ARGS_16 ARGS_15, args[15]

/* The client's functions, whose type is without parameters, are called as what they are. */
#define CASE_SHORT(M) \
    case M: \
        ((void (*)(gasnet_token_t GASNETI_PARAMS_##M))entry->fnptr)(token ARGS_##M); \
        break;
#define CASE_PAYLOAD(M) \
    case M: \
        ((void (*)(gasnet_token_t, void *, size_t GASNETI_PARAMS_##M))entry->fnptr)( \
            token, payload, nbytes ARGS_##M); \
        break;
#define CASES(CASE) \
    CASE(0) \
    CASE(1) \
    CASE(2) \
    CASE(3) \
    CASE(4) \
    CASE(5) \
    CASE(6) \
    CASE(7) \
    CASE(8) \
    CASE(9) \
    CASE(10) \
    CASE(11) \
    CASE(12) \
    CASE(13) \
    CASE(14) \
    CASE(15) \
    CASE(16)

static unsigned index_of(pgas_am_token_t *token)
{
    return index_of_number[pgas_am_handler(token).number];
}

static const gasnet_handlerentry_t *entry_of(pgas_am_token_t *token, unsigned index)
{
    const gasnet_handlerentry_t *entry = gasneti_handler_table_entry(index);
    if (entry->fnptr == NULL)
        gasneti_fatal("active message", "node %d sends to handler %u, which is not registered here",
                      pgas_am_source(token), index);
    return entry;
}

static void run_short(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                      size_t nbytes)
{
    (void)payload;
    (void)nbytes;
    const gasnet_handlerentry_t *entry = entry_of(token, index_of(token));
    begin_handler(token);
    switch (nargs) {
        CASES(CASE_SHORT)
    }
    end_handler();
}

static void call_with_payload(pgas_am_token_t *token, unsigned index, const int32_t *args,
                              unsigned nargs, void *payload, size_t nbytes)
{
    const gasnet_handlerentry_t *entry = entry_of(token, index);
    begin_handler(token);
    switch (nargs) {
        CASES(CASE_PAYLOAD)
    }
    end_handler();
}

static void run_with_payload(pgas_am_token_t *token, const int32_t *args, unsigned nargs,
                             void *payload, size_t nbytes)
{
    call_with_payload(token, index_of(token), args, nargs, payload, nbytes);
}

static void run_placed(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                       size_t nbytes)
{
    const gasneti_placed_t *placed = payload;
    gasneti_everything_place((gasnet_node_t)pgas_am_source(token), placed, nbytes);
    call_with_payload(token, placed->handler, args, nargs, (void *)(uintptr_t)placed->addr,
                      placed->nbytes);
}

static pgas_am_t register_one(unsigned index, const char *kind, pgas_am_handler_t *run)
{
    char name[32];
    snprintf(name, sizeof name, "gasnet.%u.%s", index, kind);
    pgas_am_t am = pgas_am_register(name, run, PGAS_AM_POLL);
    index_of_number[am.number] = (uint8_t)index;
    return am;
}

void gasneti_am_register(void)
{
    for (unsigned i = 0; i < GASNETI_HANDLERS; i++) {
        handlers[i].short_message = register_one(GASNETI_FIRST_HANDLER + i, "short", run_short);
        handlers[i].with_payload =
            register_one(GASNETI_FIRST_HANDLER + i, "payload", run_with_payload);
    }
    placed_message = pgas_am_register("gasnet.placed", run_placed, PGAS_AM_POLL);
}

/* ---- Messages ---- */

/* Between nodes the network sends zeros for NULL. The source of 0 bytes is ignored. */
static int check_source(const void *src, size_t nbytes)
{
    return src == NULL && nbytes > 0 ? GASNET_ERR_BAD_ARG : GASNET_OK;
}

/* What a message must have, whatever it carries. */
static int check(gasnet_handler_t handler, size_t nbytes, size_t limit)
{
    if (!gasneti_is_attached())
        return GASNET_ERR_NOT_INIT;
    return handler < GASNETI_FIRST_HANDLER || nbytes > limit ? GASNET_ERR_BAD_ARG : GASNET_OK;
}

static int check_request(gasnet_node_t dest, gasnet_handler_t handler, size_t nbytes, size_t limit)
{
    int status = check(handler, nbytes, limit);
    return status == GASNET_OK && dest >= gasneti_map.nodes ? GASNET_ERR_BAD_ARG : status;
}

/* A long message of 0 bytes may name any place. */
static int find_destination(gasnet_node_t node, const void *addr, size_t nbytes, pgas_ptr_t *place)
{
    const gasneti_segment_t *segment = &gasneti_map.segments[node];
    *place = (pgas_ptr_t){.thread = node, .offset = segment->offset};
    if (nbytes == 0 || gasneti_find_place(node, addr, nbytes, place))
        return GASNET_OK;
    return GASNET_ERR_BAD_ARG;
}

static const handler_t *handler_at(gasnet_handler_t handler)
{
    return &handlers[handler - GASNETI_FIRST_HANDLER];
}

/* A request to oneself is run at once: those who wait for what its handler does may not poll. */
static void leave_after_request(gasnet_node_t dest)
{
    if (dest == gasnet_mynode())
        pgasi_poll_in_turn();
    gasneti_leave();
}

int gasneti_request_short(gasnet_node_t dest, gasnet_handler_t handler,
                          const gasnet_handlerarg_t *args, unsigned nargs)
{
    int status = check_request(dest, handler, 0, 0);
    if (status != GASNET_OK)
        return status;
    gasneti_enter();
    pgas_am_request_short((int)dest, handler_at(handler)->short_message, args, nargs);
    leave_after_request(dest);
    return GASNET_OK;
}

int gasneti_request_medium(gasnet_node_t dest, gasnet_handler_t handler, const void *src,
                           size_t nbytes, const gasnet_handlerarg_t *args, unsigned nargs)
{
    int status = check_request(dest, handler, nbytes, GASNETI_MAX_MEDIUM);
    if (status == GASNET_OK)
        status = check_source(src, nbytes);
    if (status != GASNET_OK)
        return status;
    gasneti_enter();
    pgas_am_request_medium((int)dest, handler_at(handler)->with_payload, args, nargs, src, nbytes);
    leave_after_request(dest);
    return GASNET_OK;
}

typedef void request_long_t(int thread, pgas_am_t am, const int32_t *args, unsigned nargs,
                            const void *src, size_t nbytes, pgas_ptr_t dst);

static int request_long(request_long_t *request, gasnet_node_t dest, gasnet_handler_t handler,
                        const void *src, size_t nbytes, const void *dest_addr,
                        const gasnet_handlerarg_t *args, unsigned nargs)
{
    pgas_ptr_t place;
    int status = check_request(dest, handler, nbytes, gasneti_map.max_long);
    if (status == GASNET_OK)
        status = check_source(src, nbytes);
    if (status == GASNET_OK)
        status = find_destination(dest, dest_addr, nbytes, &place);
    if (status != GASNET_OK)
        return status;
    gasneti_enter();
    if (gasneti_everything || nbytes == 0) {
        size_t size;
        gasneti_placed_t *placed = gasneti_everything_pack("gasnet_AMRequestLong", dest, handler,
                                                           src, nbytes, dest_addr, &size);
        pgas_am_request_medium((int)dest, placed_message, args, nargs, placed, size);
        free(placed);
    } else {
        request((int)dest, handler_at(handler)->with_payload, args, nargs, src, nbytes, place);
    }
    leave_after_request(dest);
    return GASNET_OK;
}

int gasneti_request_long(gasnet_node_t dest, gasnet_handler_t handler, const void *src,
                         size_t nbytes, void *dest_addr, const gasnet_handlerarg_t *args,
                         unsigned nargs)
{
    return request_long(pgas_am_request_long, dest, handler, src, nbytes, dest_addr, args, nargs);
}

int gasneti_request_long_async(gasnet_node_t dest, gasnet_handler_t handler, const void *src,
                               size_t nbytes, void *dest_addr, const gasnet_handlerarg_t *args,
                               unsigned nargs)
{
    return request_long(pgas_am_request_long_async, dest, handler, src, nbytes, dest_addr, args,
                        nargs);
}

/* Other tokens than that of the handler that runs may be of messages that are gone. */
static int check_reply(const char *call, gasnet_token_t token, gasnet_handler_t handler,
                       size_t nbytes, size_t limit)
{
    if (token != NULL && token != mine.token)
        gasneti_fatal(call, "the token is not that of the handler that runs");
    int status = check(handler, nbytes, limit);
    return status == GASNET_OK && token == NULL ? GASNET_ERR_BAD_ARG : status;
}

int gasneti_reply_short(gasnet_token_t token, gasnet_handler_t handler,
                        const gasnet_handlerarg_t *args, unsigned nargs)
{
    int status = check_reply("gasnet_AMReplyShort", token, handler, 0, 0);
    if (status != GASNET_OK)
        return status;
    gasneti_enter();
    pgas_am_reply_short(token, handler_at(handler)->short_message, args, nargs);
    gasneti_leave();
    return GASNET_OK;
}

int gasneti_reply_medium(gasnet_token_t token, gasnet_handler_t handler, const void *src,
                         size_t nbytes, const gasnet_handlerarg_t *args, unsigned nargs)
{
    int status = check_reply("gasnet_AMReplyMedium", token, handler, nbytes, GASNETI_MAX_MEDIUM);
    if (status == GASNET_OK)
        status = check_source(src, nbytes);
    if (status != GASNET_OK)
        return status;
    gasneti_enter();
    pgas_am_reply_medium(token, handler_at(handler)->with_payload, args, nargs, src, nbytes);
    gasneti_leave();
    return GASNET_OK;
}

int gasneti_reply_long(gasnet_token_t token, gasnet_handler_t handler, const void *src,
                       size_t nbytes, void *dest_addr, const gasnet_handlerarg_t *args,
                       unsigned nargs)
{
    pgas_ptr_t place;
    int status = check_reply("gasnet_AMReplyLong", token, handler, nbytes, gasneti_map.max_long);
    if (status == GASNET_OK)
        status = check_source(src, nbytes);
    if (status != GASNET_OK)
        return status;
    gasnet_node_t dest = (gasnet_node_t)pgas_am_source(token);
    status = find_destination(dest, dest_addr, nbytes, &place);
    if (status != GASNET_OK)
        return status;
    gasneti_enter();
    if (gasneti_everything || nbytes == 0) {
        size_t size;
        gasneti_placed_t *placed = gasneti_everything_pack("gasnet_AMReplyLong", dest, handler, src,
                                                           nbytes, dest_addr, &size);
        pgas_am_reply_medium(token, placed_message, args, nargs, placed, size);
        free(placed);
    } else {
        pgas_am_reply_long(token, handler_at(handler)->with_payload, args, nargs, src, nbytes,
                           place);
    }
    gasneti_leave();
    return GASNET_OK;
}

int gasnet_AMPoll(void)
{
    if (!gasneti_is_attached())
        return GASNET_ERR_NOT_INIT;
    gasneti_enter();
    pgas_poll();
    gasneti_coll_advance();
    gasneti_leave();
    return GASNET_OK;
}

void gasneti_poll_in_wait(unsigned *rounds)
{
    gasnet_AMPoll();
    gasneti_pause(rounds);
}

int gasnet_AMGetMsgSource(gasnet_token_t token, gasnet_node_t *srcindex)
{
    if (token == NULL || token != mine.token || srcindex == NULL)
        return GASNET_ERR_BAD_ARG;
    *srcindex = (gasnet_node_t)pgas_am_source(token);
    return GASNET_OK;
}

/* ---- Atomicity: no entry into the runtime, since a handler that holds it may need the lock ----
 */

/* Where hold and resume are not ignored. */
static void note_section(bool is_begin)
{
    if (mine.token == NULL && mine.locks == 0)
        mine.is_uninterrupted = is_begin;
}

void gasnet_hold_interrupts(void)
{
    pgas_am_hold_interrupts();
    note_section(true);
}

void gasnet_resume_interrupts(void)
{
    pgas_am_resume_interrupts();
    note_section(false);
}

/* Ends the program with a line if there is no lock. */
static pgas_am_lock_t *require(const char *call, gasnet_hsl_t *hsl)
{
    if (hsl == NULL)
        gasneti_fatal(call, "the lock is NULL");
    return (pgas_am_lock_t *)(void *)hsl;
}

gasnet_hsl_t *gasneti_hsl_check(const char *call, gasnet_hsl_t *hsl, int is_initialised)
{
    require(call, hsl);
    if ((hsl->gasneti_tag == GASNETI_HSL_TAG) != (is_initialised != 0))
        gasneti_fatal(call, is_initialised ? "the lock is not initialised"
                                           : "the lock is initialised already");
    return hsl;
}

void gasnet_hsl_init(gasnet_hsl_t *hsl)
{
    pgas_am_lock_init(require(__func__, hsl));
    hsl->gasneti_tag = GASNETI_HSL_TAG;
}

void gasnet_hsl_destroy(gasnet_hsl_t *hsl)
{
    pgas_am_lock_destroy(require(__func__, hsl));
    hsl->gasneti_tag = 0;
}

void gasnet_hsl_lock(gasnet_hsl_t *hsl)
{
    pgas_am_lock(require(__func__, hsl));
    mine.locks++;
}

int gasnet_hsl_trylock(gasnet_hsl_t *hsl)
{
    if (!pgas_am_trylock(require(__func__, hsl)))
        return GASNET_ERR_NOT_READY;
    mine.locks++;
    return GASNET_OK;
}

void gasnet_hsl_unlock(gasnet_hsl_t *hsl)
{
    pgas_am_unlock(require(__func__, hsl));
    mine.locks--;
}
