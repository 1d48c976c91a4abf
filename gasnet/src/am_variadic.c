/*
 * The messages whose number of arguments is an argument.
 */
#include <stdarg.h>
#include <stdbool.h>

#include <pgas/am.h>

#include "internal.h"

#define MOST PGAS_AM_MAX_ARGS

static bool take(int numargs, va_list *list, gasnet_handlerarg_t *args)
{
    if (numargs < 0 || numargs > MOST)
        return false;
    for (int i = 0; i < numargs; i++)
        /* The caller has started it. NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
        args[i] = va_arg(*list, gasnet_handlerarg_t);
    return true;
}

/* What follows the parameter `numargs`, in `args`; returns if that is too much. */
#define TAKE_ARGS() \
    gasnet_handlerarg_t args[MOST]; \
    va_list list; \
    va_start(list, numargs); \
    const bool is_legal = take(numargs, &list, args); \
    va_end(list); \
    if (!is_legal) \
    return GASNET_ERR_BAD_ARG

int gasnet_AMRequestShort(gasnet_node_t dest, gasnet_handler_t handler, int numargs, ...)
{
    TAKE_ARGS();
    return gasneti_request_short(dest, handler, args, (unsigned)numargs);
}

int gasnet_AMRequestMedium(gasnet_node_t dest, gasnet_handler_t handler, const void *source_addr,
                           size_t nbytes, int numargs, ...)
{
    TAKE_ARGS();
    return gasneti_request_medium(dest, handler, source_addr, nbytes, args, (unsigned)numargs);
}

int gasnet_AMRequestLong(gasnet_node_t dest, gasnet_handler_t handler, const void *source_addr,
                         size_t nbytes, void *dest_addr, int numargs, ...)
{
    TAKE_ARGS();
    return gasneti_request_long(dest, handler, source_addr, nbytes, dest_addr, args,
                                (unsigned)numargs);
}

int gasnet_AMRequestLongAsync(gasnet_node_t dest, gasnet_handler_t handler, const void *source_addr,
                              size_t nbytes, void *dest_addr, int numargs, ...)
{
    TAKE_ARGS();
    return gasneti_request_long_async(dest, handler, source_addr, nbytes, dest_addr, args,
                                      (unsigned)numargs);
}

int gasnet_AMReplyShort(gasnet_token_t token, gasnet_handler_t handler, int numargs, ...)
{
    TAKE_ARGS();
    return gasneti_reply_short(token, handler, args, (unsigned)numargs);
}

int gasnet_AMReplyMedium(gasnet_token_t token, gasnet_handler_t handler, const void *source_addr,
                         size_t nbytes, int numargs, ...)
{
    TAKE_ARGS();
    return gasneti_reply_medium(token, handler, source_addr, nbytes, args, (unsigned)numargs);
}

int gasnet_AMReplyLong(gasnet_token_t token, gasnet_handler_t handler, const void *source_addr,
                       size_t nbytes, void *dest_addr, int numargs, ...)
{
    TAKE_ARGS();
    return gasneti_reply_long(token, handler, source_addr, nbytes, dest_addr, args,
                              (unsigned)numargs);
}
