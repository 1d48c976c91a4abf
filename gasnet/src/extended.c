#include "internal.h"

#include <stdlib.h>
#include <string.h>

#include <pgas/async.h>
#include <pgas/copy.h>
#include <pgas/detail.h>
#include <pgas/ptr.h>
#include <pgas/value.h>

#include "everything.h"
#include "held.h"

/*
 * What the inline functions leave over: memory of other supernodes, 0 bytes, and mistakes. Every
 * place is checked before the runtime is entered.
 */

void gasneti_check_value(const char *call, size_t nbytes)
{
    if (nbytes == 0 || nbytes > SIZEOF_GASNET_REGISTER_VALUE_T)
        gasneti_fatal(call, "a value of %zu bytes: 1 to %d are possible", nbytes,
                      SIZEOF_GASNET_REGISTER_VALUE_T);
}

/* The place of the remote side; there must be a private side, too. */
static pgas_ptr_t check_copy(const char *call, gasnet_node_t node, const void *addr,
                             const void *here, size_t nbytes)
{
    pgas_ptr_t place = gasneti_place(call, node, addr, nbytes);
    gasneti_require_private(call, here);
    return place;
}

/* Whether both sides are the same memory, which the runtime's copies exclude. Inline copies have
 * found that, but for a client thread's first call. */
static bool is_there(pgas_ptr_t place, const void *here)
{
    return !gasneti_everything && pgas_local(place) == here;
}

/* A source that the caller may change at once. `*memory` gets what is to be freed with the
 * operation. */
static const void *keep_source(const char *call, const void *src, size_t nbytes, void **memory)
{
    *memory = gasneti_held_allocate(call, nbytes);
    pgasi_copy(*memory, src, nbytes);
    return *memory;
}

/* Starts copies whose place may be an address. */
static pgas_handle_t start_bulk_put(const char *call, pgas_ptr_t place, const void *src,
                                    size_t nbytes)
{
    return gasneti_everything ? gasneti_everything_put(call, place, src, nbytes)
                              : pgas_memput_async(place, src, nbytes);
}

static pgas_handle_t start_get(const char *call, void *dest, pgas_ptr_t place, size_t nbytes)
{
    return gasneti_everything ? gasneti_everything_get(call, dest, place, nbytes)
                              : pgas_memget_async(dest, place, nbytes);
}

static pgas_handle_t start_set(const char *call, pgas_ptr_t place, int val, size_t nbytes)
{
    return gasneti_everything ? gasneti_everything_set(call, place, val, nbytes)
                              : pgas_memset_async(place, val, nbytes);
}

static pgas_handle_t start_value_put(pgas_ptr_t place, const void *src, size_t nbytes)
{
    uint64_t value = 0;
    memcpy(&value, src, nbytes);
    return pgas_put_val_async(place, value, nbytes);
}

/*
 * A blocking call waits as a blocking one of Fathom does. In PAR a wait is not spent in the
 * runtime: there, and where Fathom has no call, the operation is started and then waited for.
 */
#ifdef GASNET_PAR
#define STARTS_AND_WAITS true
#else
#define STARTS_AND_WAITS gasneti_everything
#endif
#define COMPLETE(start, blocking) \
    do { \
        gasneti_enter(); \
        if (STARTS_AND_WAITS) { \
            pgas_handle_t handle_ = start; \
            gasneti_leave(); \
            gasneti_wait_native(handle_); \
        } else { \
            blocking; \
            gasneti_leave(); \
        } \
    } while (0)

/* Puts of more bytes are complete on return in place of copied: new pages for the copies would take
 * longer to get than the bytes to arrive. Copies are bounded in all (gasneti_bound_memory). */
enum {
    COPIED_AT_MOST = 16384
};

static bool is_waited_for(pgas_ptr_t place, size_t nbytes)
{
    return !gasneti_everything && nbytes > COPIED_AT_MOST && pgas_local(place) == NULL;
}

/* Starts a put whose source may change when it has returned. */
static pgas_handle_t start_put(const char *call, pgas_ptr_t place, const void *src, size_t nbytes,
                               void **memory)
{
    *memory = NULL;
    if (gasneti_everything)
        return gasneti_everything_put(call, place, src, nbytes);
    if (nbytes <= sizeof(uint64_t))
        return start_value_put(place, src, nbytes);
    if (nbytes <= COPIED_AT_MOST)
        return pgas_memput_async(place, keep_source(call, src, nbytes, memory), nbytes);
    gasneti_leave();
    COMPLETE(start_bulk_put(call, place, src, nbytes), pgas_memput(place, src, nbytes));
    gasneti_enter();
    return PGAS_HANDLE_COMPLETE;
}

void gasneti_put(gasnet_node_t node, void *dest, const void *src, size_t nbytes)
{
    static const char call[] = "gasnet_put";
    if (nbytes == 0)
        return;
    pgas_ptr_t place = check_copy(call, node, dest, src, nbytes);
    if (is_there(place, src))
        return;
    COMPLETE(start_bulk_put(call, place, src, nbytes), pgas_memput(place, src, nbytes));
}

void gasneti_get(void *dest, gasnet_node_t node, const void *src, size_t nbytes)
{
    static const char call[] = "gasnet_get";
    if (nbytes == 0)
        return;
    pgas_ptr_t place = check_copy(call, node, src, dest, nbytes);
    if (is_there(place, dest))
        return;
    COMPLETE(start_get(call, dest, place, nbytes), pgas_memget(dest, place, nbytes));
}

void gasneti_set(gasnet_node_t node, void *dest, int val, size_t nbytes)
{
    static const char call[] = "gasnet_memset";
    if (nbytes == 0)
        return;
    pgas_ptr_t place = gasneti_place(call, node, dest, nbytes);
    COMPLETE(start_set(call, place, val, nbytes), pgas_memset(place, val, nbytes));
}

/* `here` is the private side. `start` starts the operation at `place`; that of an implicit one may
 * set `memory`. */
#define EXPLICIT(name, node, addr, here, nbytes, start) \
    do { \
        static const char call[] = name; \
        if ((nbytes) == 0) \
            return GASNET_INVALID_HANDLE; \
        pgas_ptr_t place = check_copy(call, node, addr, here, nbytes); \
        if (is_there(place, here)) \
            return GASNET_INVALID_HANDLE; \
        gasneti_enter(); \
        gasnet_handle_t handle = gasneti_handle_with(start, NULL); \
        gasneti_leave(); \
        return handle; \
    } while (0)

#define IMPLICIT(name, is_get, node, addr, here, nbytes, start) \
    do { \
        static const char call[] = name; \
        void *memory = NULL; \
        if ((nbytes) == 0) \
            return; \
        pgas_ptr_t place = check_copy(call, node, addr, here, nbytes); \
        if (is_there(place, here)) \
            return; \
        gasneti_enter(); \
        pgas_handle_t handle = start; \
        gasneti_implicit_add(is_get, handle, memory); \
        gasneti_leave(); \
    } while (0)

gasnet_handle_t gasneti_put_nb(gasnet_node_t node, void *dest, const void *src, size_t nbytes)
{
    if (nbytes == 0)
        return GASNET_INVALID_HANDLE;
    pgas_ptr_t place = check_copy("gasnet_put_nb", node, dest, src, nbytes);
    if (is_there(place, src))
        return GASNET_INVALID_HANDLE;
    void *memory;
    gasneti_bound_memory();
    gasneti_enter();
    pgas_handle_t started = start_put("gasnet_put_nb", place, src, nbytes, &memory);
    gasnet_handle_t handle = is_waited_for(place, nbytes) ? gasneti_handle_without()
                                                          : gasneti_handle_with(started, memory);
    gasneti_leave();
    return handle;
}

gasnet_handle_t gasneti_put_nb_bulk(gasnet_node_t node, void *dest, const void *src, size_t nbytes)
{
    EXPLICIT("gasnet_put_nb_bulk", node, dest, src, nbytes,
             start_bulk_put(call, place, src, nbytes));
}

gasnet_handle_t gasneti_get_nb(void *dest, gasnet_node_t node, const void *src, size_t nbytes)
{
    EXPLICIT("gasnet_get_nb", node, src, dest, nbytes, start_get(call, dest, place, nbytes));
}

gasnet_handle_t gasneti_set_nb(gasnet_node_t node, void *dest, int val, size_t nbytes)
{
    EXPLICIT("gasnet_memset_nb", node, dest, &val, nbytes, start_set(call, place, val, nbytes));
}

void gasneti_put_nbi(gasnet_node_t node, void *dest, const void *src, size_t nbytes)
{
    gasneti_bound_memory();
    IMPLICIT("gasnet_put_nbi", false, node, dest, src, nbytes,
             start_put(call, place, src, nbytes, &memory));
}

void gasneti_put_nbi_bulk(gasnet_node_t node, void *dest, const void *src, size_t nbytes)
{
    IMPLICIT("gasnet_put_nbi_bulk", false, node, dest, src, nbytes,
             start_bulk_put(call, place, src, nbytes));
}

void gasneti_get_nbi(void *dest, gasnet_node_t node, const void *src, size_t nbytes)
{
    IMPLICIT("gasnet_get_nbi", true, node, src, dest, nbytes, start_get(call, dest, place, nbytes));
}

void gasneti_set_nbi(gasnet_node_t node, void *dest, int val, size_t nbytes)
{
    IMPLICIT("gasnet_memset_nbi", false, node, dest, &val, nbytes,
             start_set(call, place, val, nbytes));
}

gasnet_valget_handle_t gasneti_get_nb_val(gasnet_node_t node, const void *src, size_t nbytes)
{
    gasnet_valget_handle_t get = {0, 0};
    if (gasneti_everything) {
        gasneti_get(&get.bits, node, src, nbytes);
        return get;
    }
    pgas_ptr_t place = gasneti_place("gasnet_get_nb_val", node, src, nbytes);
    gasneti_enter();
    get = pgas_get_val_async(place, nbytes);
    gasneti_leave();
    return get;
}

gasnet_register_value_t gasneti_wait_valget(gasnet_valget_handle_t handle)
{
    gasneti_enter();
    gasnet_register_value_t value = pgas_wait_val(handle);
    gasneti_leave();
    return value;
}
