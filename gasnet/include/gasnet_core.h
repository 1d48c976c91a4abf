/**
 * The core API of GASNet-1: active messages, handler-safe locks, no-interrupt sections. Included by
 * gasnet.h.
 *
 * Handlers run in the calls of GASNet and of Fathom that wait, send or poll, in the client thread
 * that makes the call, and nowhere else; where a node has several images (gasnet_coll.h), in the
 * library's own thread, too. The calls return GASNET_ERR_NOT_INIT before gasnet_attach
 * and GASNET_ERR_BAD_ARG for a node that does not exist, an index below 128, a payload that is too
 * large, bytes without a source (NULL), a reply without a token (NULL), or a destination outside
 * the segment; gasnet_AMGetMsgSource for a token that is not that of the handler that runs. With
 * GASNET_SEGMENT_EVERYTHING a long message has up to 65520 bytes, else 1 GiB. What handlers and
 * no-interrupt sections must not do ends the job with a line that names the call, or the one by
 * which it waits (pgas/am.h; puts and gets are found in PAR and in the debug build); so do replies
 * with a token of another message, and locks that are NULL.
 */
#ifndef GASNET_CORE_H
#define GASNET_CORE_H

#include <gasnet_extended.h>
#include <gasnet_types.h>

PGAS_BEGIN_DECLS

/* ---- Sizes ---- */

#define GASNETI_MAX_MEDIUM ((size_t)65536)

static inline size_t gasnet_AMMaxArgs(void)
{
    return 16;
}

static inline size_t gasnet_AMMaxMedium(void)
{
    return GASNETI_MAX_MEDIUM;
}

static inline size_t gasnet_AMMaxLongRequest(void)
{
    return gasneti_map.max_long;
}

static inline size_t gasnet_AMMaxLongReply(void)
{
    return gasneti_map.max_long;
}

/* ---- Messages ---- */

PGAS_API int gasneti_request_short(gasnet_node_t dest, gasnet_handler_t handler,
                                   const gasnet_handlerarg_t *args, unsigned nargs);
PGAS_API int gasneti_request_medium(gasnet_node_t dest, gasnet_handler_t handler, const void *src,
                                    size_t nbytes, const gasnet_handlerarg_t *args, unsigned nargs);
PGAS_API int gasneti_request_long(gasnet_node_t dest, gasnet_handler_t handler, const void *src,
                                  size_t nbytes, void *dest_addr, const gasnet_handlerarg_t *args,
                                  unsigned nargs);
PGAS_API int gasneti_request_long_async(gasnet_node_t dest, gasnet_handler_t handler,
                                        const void *src, size_t nbytes, void *dest_addr,
                                        const gasnet_handlerarg_t *args, unsigned nargs);
PGAS_API int gasneti_reply_short(gasnet_token_t token, gasnet_handler_t handler,
                                 const gasnet_handlerarg_t *args, unsigned nargs);
PGAS_API int gasneti_reply_medium(gasnet_token_t token, gasnet_handler_t handler, const void *src,
                                  size_t nbytes, const gasnet_handlerarg_t *args, unsigned nargs);
PGAS_API int gasneti_reply_long(gasnet_token_t token, gasnet_handler_t handler, const void *src,
                                size_t nbytes, void *dest_addr, const gasnet_handlerarg_t *args,
                                unsigned nargs);

/* Parameters and values of M arguments, each M from that before it. */
#define GASNETI_PARAMS_0
#define GASNETI_VALUES_0
#define GASNETI_PARAMS_1 GASNETI_PARAMS_0, gasnet_handlerarg_t a1
#define GASNETI_VALUES_1 GASNETI_VALUES_0 a1,
#define GASNETI_PARAMS_2 GASNETI_PARAMS_1, gasnet_handlerarg_t a2
#define GASNETI_VALUES_2 GASNETI_VALUES_1 a2,
#define GASNETI_PARAMS_3 GASNETI_PARAMS_2, gasnet_handlerarg_t a3
#define GASNETI_VALUES_3 GASNETI_VALUES_2 a3,
#define GASNETI_PARAMS_4 GASNETI_PARAMS_3, gasnet_handlerarg_t a4
#define GASNETI_VALUES_4 GASNETI_VALUES_3 a4,
#define GASNETI_PARAMS_5 GASNETI_PARAMS_4, gasnet_handlerarg_t a5
#define GASNETI_VALUES_5 GASNETI_VALUES_4 a5,
#define GASNETI_PARAMS_6 GASNETI_PARAMS_5, gasnet_handlerarg_t a6
#define GASNETI_VALUES_6 GASNETI_VALUES_5 a6,
#define GASNETI_PARAMS_7 GASNETI_PARAMS_6, gasnet_handlerarg_t a7
#define GASNETI_VALUES_7 GASNETI_VALUES_6 a7,
#define GASNETI_PARAMS_8 GASNETI_PARAMS_7, gasnet_handlerarg_t a8
#define GASNETI_VALUES_8 GASNETI_VALUES_7 a8,
#define GASNETI_PARAMS_9 GASNETI_PARAMS_8, gasnet_handlerarg_t a9
#define GASNETI_VALUES_9 GASNETI_VALUES_8 a9,
#define GASNETI_PARAMS_10 GASNETI_PARAMS_9, gasnet_handlerarg_t a10
#define GASNETI_VALUES_10 GASNETI_VALUES_9 a10,
#define GASNETI_PARAMS_11 GASNETI_PARAMS_10, gasnet_handlerarg_t a11
#define GASNETI_VALUES_11 GASNETI_VALUES_10 a11,
#define GASNETI_PARAMS_12 GASNETI_PARAMS_11, gasnet_handlerarg_t a12
#define GASNETI_VALUES_12 GASNETI_VALUES_11 a12,
#define GASNETI_PARAMS_13 GASNETI_PARAMS_12, gasnet_handlerarg_t a13
#define GASNETI_VALUES_13 GASNETI_VALUES_12 a13,
#define GASNETI_PARAMS_14 GASNETI_PARAMS_13, gasnet_handlerarg_t a14
#define GASNETI_VALUES_14 GASNETI_VALUES_13 a14,
#define GASNETI_PARAMS_15 GASNETI_PARAMS_14, gasnet_handlerarg_t a15
#define GASNETI_VALUES_15 GASNETI_VALUES_14 a15,
#define GASNETI_PARAMS_16 GASNETI_PARAMS_15, gasnet_handlerarg_t a16
#define GASNETI_VALUES_16 GASNETI_VALUES_15 a16,

/* The array has one element more, since it must have one. */
#define GASNETI_MESSAGES(M) \
    static inline int gasnet_AMRequestShort##M(gasnet_node_t dest, \
                                               gasnet_handler_t handler GASNETI_PARAMS_##M) \
    { \
        const gasnet_handlerarg_t args[] = {GASNETI_VALUES_##M 0}; \
        return gasneti_request_short(dest, handler, args, M); \
    } \
    static inline int gasnet_AMRequestMedium##M(gasnet_node_t dest, gasnet_handler_t handler, \
                                                const void *source_addr, \
                                                size_t nbytes GASNETI_PARAMS_##M) \
    { \
        const gasnet_handlerarg_t args[] = {GASNETI_VALUES_##M 0}; \
        return gasneti_request_medium(dest, handler, source_addr, nbytes, args, M); \
    } \
    static inline int gasnet_AMRequestLong##M(gasnet_node_t dest, gasnet_handler_t handler, \
                                              const void *source_addr, size_t nbytes, \
                                              void *dest_addr GASNETI_PARAMS_##M) \
    { \
        const gasnet_handlerarg_t args[] = {GASNETI_VALUES_##M 0}; \
        return gasneti_request_long(dest, handler, source_addr, nbytes, dest_addr, args, M); \
    } \
    static inline int gasnet_AMRequestLongAsync##M(gasnet_node_t dest, gasnet_handler_t handler, \
                                                   const void *source_addr, size_t nbytes, \
                                                   void *dest_addr GASNETI_PARAMS_##M) \
    { \
        const gasnet_handlerarg_t args[] = {GASNETI_VALUES_##M 0}; \
        return gasneti_request_long_async(dest, handler, source_addr, nbytes, dest_addr, args, M); \
    } \
    static inline int gasnet_AMReplyShort##M(gasnet_token_t token, \
                                             gasnet_handler_t handler GASNETI_PARAMS_##M) \
    { \
        const gasnet_handlerarg_t args[] = {GASNETI_VALUES_##M 0}; \
        return gasneti_reply_short(token, handler, args, M); \
    } \
    static inline int gasnet_AMReplyMedium##M(gasnet_token_t token, gasnet_handler_t handler, \
                                              const void *source_addr, \
                                              size_t nbytes GASNETI_PARAMS_##M) \
    { \
        const gasnet_handlerarg_t args[] = {GASNETI_VALUES_##M 0}; \
        return gasneti_reply_medium(token, handler, source_addr, nbytes, args, M); \
    } \
    static inline int gasnet_AMReplyLong##M(gasnet_token_t token, gasnet_handler_t handler, \
                                            const void *source_addr, size_t nbytes, \
                                            void *dest_addr GASNETI_PARAMS_##M) \
    { \
        const gasnet_handlerarg_t args[] = {GASNETI_VALUES_##M 0}; \
        return gasneti_reply_long(token, handler, source_addr, nbytes, dest_addr, args, M); \
    }

GASNETI_MESSAGES(0)
GASNETI_MESSAGES(1)
GASNETI_MESSAGES(2)
GASNETI_MESSAGES(3)
GASNETI_MESSAGES(4)
GASNETI_MESSAGES(5)
GASNETI_MESSAGES(6)
GASNETI_MESSAGES(7)
GASNETI_MESSAGES(8)
GASNETI_MESSAGES(9)
GASNETI_MESSAGES(10)
GASNETI_MESSAGES(11)
GASNETI_MESSAGES(12)
GASNETI_MESSAGES(13)
GASNETI_MESSAGES(14)
GASNETI_MESSAGES(15)
GASNETI_MESSAGES(16)

/**
 * The same with the number of arguments before them, which may be computed: as in the headers of
 * GASNet-1 from release 1.22 on. A number beyond 0 to 16 is GASNET_ERR_BAD_ARG.
 */
PGAS_API int gasnet_AMRequestShort(gasnet_node_t dest, gasnet_handler_t handler, int numargs, ...);
PGAS_API int gasnet_AMRequestMedium(gasnet_node_t dest, gasnet_handler_t handler,
                                    const void *source_addr, size_t nbytes, int numargs, ...);
PGAS_API int gasnet_AMRequestLong(gasnet_node_t dest, gasnet_handler_t handler,
                                  const void *source_addr, size_t nbytes, void *dest_addr,
                                  int numargs, ...);
PGAS_API int gasnet_AMRequestLongAsync(gasnet_node_t dest, gasnet_handler_t handler,
                                       const void *source_addr, size_t nbytes, void *dest_addr,
                                       int numargs, ...);
PGAS_API int gasnet_AMReplyShort(gasnet_token_t token, gasnet_handler_t handler, int numargs, ...);
PGAS_API int gasnet_AMReplyMedium(gasnet_token_t token, gasnet_handler_t handler,
                                  const void *source_addr, size_t nbytes, int numargs, ...);
PGAS_API int gasnet_AMReplyLong(gasnet_token_t token, gasnet_handler_t handler,
                                const void *source_addr, size_t nbytes, void *dest_addr,
                                int numargs, ...);

PGAS_API int gasnet_AMPoll(void);
PGAS_API int gasnet_AMGetMsgSource(gasnet_token_t token, gasnet_node_t *srcindex);

/** Polls; then, if nobody has come for some time, lets others have the processor, as the wait mode
 *  says. `*rounds` counts the calls of one wait. */
PGAS_API void gasneti_poll_in_wait(unsigned *rounds);

#define GASNET_BLOCKUNTIL(cond) \
    do { \
        unsigned gasneti_rounds = 0; \
        while (!(cond)) \
            gasneti_poll_in_wait(&gasneti_rounds); \
        GASNETI_ORDER(); \
    } while (0)

/* ---- Atomicity ---- */

PGAS_API void gasnet_hold_interrupts(void);
PGAS_API void gasnet_resume_interrupts(void);

/** A real lock in every mode. The tag says that it is initialised. */
typedef struct {
    uint64_t gasneti_state[8];
    uint64_t gasneti_tag;
} gasnet_hsl_t;

#define GASNETI_HSL_TAG UINT64_C(0x6c6f636b20697320)
#define GASNET_HSL_INITIALIZER \
    { \
        {0}, GASNETI_HSL_TAG \
    }

PGAS_API void gasnet_hsl_init(gasnet_hsl_t *hsl);
PGAS_API void gasnet_hsl_destroy(gasnet_hsl_t *hsl);
PGAS_API void gasnet_hsl_lock(gasnet_hsl_t *hsl);
PGAS_API int gasnet_hsl_trylock(gasnet_hsl_t *hsl);
PGAS_API void gasnet_hsl_unlock(gasnet_hsl_t *hsl);

/** Ends the program with a line unless the lock is initialised, or is not. Where GASNET_DEBUG is
 *  defined every call checks; memory that held an initialised lock must be destroyed before. */
PGAS_API gasnet_hsl_t *gasneti_hsl_check(const char *call, gasnet_hsl_t *hsl, int is_initialised);
#if defined(GASNET_DEBUG) && !defined(GASNETI_BUILDING)
#define gasnet_hsl_init(hsl) gasnet_hsl_init(gasneti_hsl_check("gasnet_hsl_init", hsl, 0))
#define gasnet_hsl_destroy(hsl) gasnet_hsl_destroy(gasneti_hsl_check("gasnet_hsl_destroy", hsl, 1))
#define gasnet_hsl_lock(hsl) gasnet_hsl_lock(gasneti_hsl_check("gasnet_hsl_lock", hsl, 1))
#define gasnet_hsl_trylock(hsl) gasnet_hsl_trylock(gasneti_hsl_check("gasnet_hsl_trylock", hsl, 1))
#define gasnet_hsl_unlock(hsl) gasnet_hsl_unlock(gasneti_hsl_check("gasnet_hsl_unlock", hsl, 1))
#endif

PGAS_END_DECLS

#endif
