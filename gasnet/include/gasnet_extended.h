/**
 * The extended API of GASNet-1: puts and gets, their syncs, barriers. Included by gasnet.h.
 *
 * Memory of the own supernode is reached by the inline functions here, a comparison or two and a
 * copy; everything else, and every mistake, goes to the library. Destinations of puts and sources
 * of gets lie in the segment of their node, whole: an error otherwise, in every build. With
 * GASNET_SEGMENT_EVERYTHING the segment is all memory; its own is the only one that a node reaches
 * inline then. Errors print one line and abort. Source and destination may be the same bytes.
 *
 * The specification leaves undefined what is without a private side (NULL), or syncs what is not in
 * flight. Here it is an error wherever that costs nothing: NULL in what goes to another supernode,
 * a list of handles that is NULL, a second sync of a handle of a list, of an access region, or of
 * put_nb of more than 8 bytes, and with GASNET_SEGMENT_EVERYTHING of any. Compiled with
 * GASNET_DEBUG, or on the debug build of Fathom, also NULL within a supernode; the debug build
 * finds other handles that are none, as pgas/async.h says. Otherwise they crash, or complete at
 * once.
 *
 * Any number of operations may be in flight. put_nb and put_nbi (not _bulk) of more than some bytes
 * to another supernode copy the source first, into memory that their sync frees. A put of some
 * bytes to another supernode never has GASNET_INVALID_HANDLE, however soon it is complete: clients
 * conclude from that handle that the place is local.
 */
#ifndef GASNET_EXTENDED_H
#define GASNET_EXTENDED_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <pgas/async.h>
#include <pgas/detail.h>
#include <pgas/job.h>
#include <pgas/value.h>

#include <gasnet_count.h>
#include <gasnet_types.h>

PGAS_BEGIN_DECLS

/* ---- Memory that is mapped here ---- */

/** The segment of a node. */
typedef struct gasneti_segment {
    /** Where it begins, in its owner's address space. */
    uintptr_t addr;
    /** How many of its bytes are mapped here: all or none. */
    uintptr_t reach;
    /** Where it is mapped here. */
    char *mapped;
    uintptr_t size;
    /** Where it begins in Fathom's segment of the thread. */
    uint64_t offset;
} __attribute__((aligned(64))) gasneti_segment_t;

/** The segments of all nodes; none before gasnet_attach. */
typedef struct gasneti_map {
    gasneti_segment_t *segments;
    gasnet_node_t nodes;
    /** In SEQ: not 0 if implicit operations are in flight, or an access region is open. */
    uint32_t implicit;
    /** The most bytes of a long message. */
    size_t max_long;
} gasneti_map_t;

PGAS_API extern gasneti_map_t gasneti_map;

/* A put that has returned comes before later puts and messages for other processors, too; on x86-64
 * stores are seen in their order. */
#if defined(__x86_64__)
#define GASNETI_ORDER() __asm__ volatile("" ::: "memory")
#else
#define GASNETI_ORDER() __atomic_thread_fence(__ATOMIC_ACQ_REL)
#endif

/* Before its first call a client thread has no counters. */
#ifdef GASNET_SEQ
#define GASNETI_MAY_COUNT() 1
#else
#define GASNETI_MAY_COUNT() (pgasi_peers != PGASI_NO_PEERS)
#endif

/** Where bytes of a node's segment are mapped here, or NULL; NULL for 0 bytes. */
static inline char *gasneti_mapped(gasnet_node_t node, const void *addr, size_t nbytes)
{
    if (__builtin_expect(node >= gasneti_map.nodes || !GASNETI_MAY_COUNT(), 0))
        return NULL;
    const gasneti_segment_t *segment = &gasneti_map.segments[node];
    const uintptr_t offset = (uintptr_t)addr - segment->addr;
    if (__builtin_expect(offset < segment->reach && nbytes - 1 < segment->reach - offset, 1))
        return segment->mapped + offset;
    return NULL;
}

/* Whether there is a private side. The debug builds of program and library leave it to the library
 * to find that there is none. */
#if defined(GASNET_DEBUG) || defined(PGAS_DEBUG)
#define GASNETI_IS_PRIVATE(ptr) ((ptr) != NULL)
#else
#define GASNETI_IS_PRIVATE(ptr) 1
#endif

static inline void gasneti_copy(void *dest, const void *src, size_t nbytes)
{
    GASNETI_ORDER();
    if (__builtin_constant_p(nbytes) && nbytes <= 16)
        memcpy(dest, src, nbytes);
    else if (dest != src)
        pgasi_copy(dest, src, nbytes);
    GASNETI_ORDER();
}

/*
 * Each copy counts itself: the operation before it and its bytes after it, since both together are
 * one vector to the compiler, which takes longer.
 */
#define GASNETI_COUNT_OPERATION(node, kind) \
    pgasi_counter_add(&pgasi_peers[node].bulk_##kind.operations, 1)
#define GASNETI_COUNT_BYTES(node, kind, nbytes) \
    pgasi_counter_add(&pgasi_peers[node].bulk_##kind.bytes, nbytes)

/** Puts and gets at once, if the memory is mapped here. */
static inline int gasneti_has_put(gasnet_node_t node, void *dest, const void *src, size_t nbytes)
{
    char *to = gasneti_mapped(node, dest, nbytes);
    if (__builtin_expect(to == NULL || !GASNETI_IS_PRIVATE(src), 0))
        return 0;
    GASNETI_COUNT_OPERATION(node, puts);
    gasneti_copy(to, src, nbytes);
    GASNETI_COUNT_BYTES(node, puts, nbytes);
    return 1;
}

static inline int gasneti_has_got(void *dest, gasnet_node_t node, const void *src, size_t nbytes)
{
    const char *from = gasneti_mapped(node, src, nbytes);
    if (__builtin_expect(from == NULL || !GASNETI_IS_PRIVATE(dest), 0))
        return 0;
    GASNETI_COUNT_OPERATION(node, gets);
    gasneti_copy(dest, from, nbytes);
    GASNETI_COUNT_BYTES(node, gets, nbytes);
    return 1;
}

static inline int gasneti_has_set(gasnet_node_t node, void *dest, int val, size_t nbytes)
{
    char *to = gasneti_mapped(node, dest, nbytes);
    if (__builtin_expect(to == NULL, 0))
        return 0;
    GASNETI_COUNT_OPERATION(node, puts);
    GASNETI_ORDER();
    memset(to, val, nbytes);
    GASNETI_ORDER();
    GASNETI_COUNT_BYTES(node, puts, nbytes);
    return 1;
}

/* ---- Everything else ---- */

PGAS_API void gasneti_put(gasnet_node_t node, void *dest, const void *src, size_t nbytes);
PGAS_API void gasneti_get(void *dest, gasnet_node_t node, const void *src, size_t nbytes);
PGAS_API void gasneti_set(gasnet_node_t node, void *dest, int val, size_t nbytes);
PGAS_API gasnet_handle_t gasneti_put_nb(gasnet_node_t node, void *dest, const void *src,
                                        size_t nbytes);
PGAS_API gasnet_handle_t gasneti_put_nb_bulk(gasnet_node_t node, void *dest, const void *src,
                                             size_t nbytes);
PGAS_API gasnet_handle_t gasneti_get_nb(void *dest, gasnet_node_t node, const void *src,
                                        size_t nbytes);
PGAS_API gasnet_handle_t gasneti_set_nb(gasnet_node_t node, void *dest, int val, size_t nbytes);
PGAS_API void gasneti_put_nbi(gasnet_node_t node, void *dest, const void *src, size_t nbytes);
PGAS_API void gasneti_put_nbi_bulk(gasnet_node_t node, void *dest, const void *src, size_t nbytes);
PGAS_API void gasneti_get_nbi(void *dest, gasnet_node_t node, const void *src, size_t nbytes);
PGAS_API void gasneti_set_nbi(gasnet_node_t node, void *dest, int val, size_t nbytes);

/* ---- Blocking ---- */

static inline void gasnet_put(gasnet_node_t node, void *dest, const void *src, size_t nbytes)
{
    if (!gasneti_has_put(node, dest, src, nbytes))
        gasneti_put(node, dest, src, nbytes);
}

static inline void gasnet_get(void *dest, gasnet_node_t node, const void *src, size_t nbytes)
{
    if (!gasneti_has_got(dest, node, src, nbytes))
        gasneti_get(dest, node, src, nbytes);
}

static inline void gasnet_put_bulk(gasnet_node_t node, void *dest, const void *src, size_t nbytes)
{
    gasnet_put(node, dest, src, nbytes);
}

static inline void gasnet_get_bulk(void *dest, gasnet_node_t node, const void *src, size_t nbytes)
{
    gasnet_get(dest, node, src, nbytes);
}

static inline void gasnet_memset(gasnet_node_t node, void *dest, int val, size_t nbytes)
{
    if (!gasneti_has_set(node, dest, val, nbytes))
        gasneti_set(node, dest, val, nbytes);
}

/* ---- Explicit handles ---- */

static inline gasnet_handle_t gasnet_put_nb(gasnet_node_t node, void *dest, const void *src,
                                            size_t nbytes)
{
    if (gasneti_has_put(node, dest, src, nbytes))
        return GASNET_INVALID_HANDLE;
    return gasneti_put_nb(node, dest, src, nbytes);
}

static inline gasnet_handle_t gasnet_put_nb_bulk(gasnet_node_t node, void *dest, const void *src,
                                                 size_t nbytes)
{
    if (gasneti_has_put(node, dest, src, nbytes))
        return GASNET_INVALID_HANDLE;
    return gasneti_put_nb_bulk(node, dest, src, nbytes);
}

static inline gasnet_handle_t gasnet_get_nb(void *dest, gasnet_node_t node, const void *src,
                                            size_t nbytes)
{
    if (gasneti_has_got(dest, node, src, nbytes))
        return GASNET_INVALID_HANDLE;
    return gasneti_get_nb(dest, node, src, nbytes);
}

static inline gasnet_handle_t gasnet_get_nb_bulk(void *dest, gasnet_node_t node, const void *src,
                                                 size_t nbytes)
{
    return gasnet_get_nb(dest, node, src, nbytes);
}

static inline gasnet_handle_t gasnet_memset_nb(gasnet_node_t node, void *dest, int val,
                                               size_t nbytes)
{
    if (gasneti_has_set(node, dest, val, nbytes))
        return GASNET_INVALID_HANDLE;
    return gasneti_set_nb(node, dest, val, nbytes);
}

PGAS_API void gasneti_wait(gasnet_handle_t handle);
PGAS_API int gasneti_try(gasnet_handle_t handle);

static inline void gasnet_wait_syncnb(gasnet_handle_t handle)
{
    if (handle != GASNET_INVALID_HANDLE)
        gasneti_wait(handle);
}

static inline int gasnet_try_syncnb(gasnet_handle_t handle)
{
    return handle == GASNET_INVALID_HANDLE ? GASNET_OK : gasneti_try(handle);
}

/** Of later releases: tries that run no handlers and do not poll, for those who call them where a
 *  handler must not run; who only tries by them polls elsewhere. */
PGAS_API int gasneti_try_nopoll(gasnet_handle_t handle);

static inline int gasnet_try_syncnb_nopoll(gasnet_handle_t handle)
{
    return handle == GASNET_INVALID_HANDLE ? GASNET_OK : gasneti_try_nopoll(handle);
}

PGAS_API int gasnet_try_syncnb_all_nopoll(gasnet_handle_t *handles, size_t numhandles);
PGAS_API int gasnet_try_syncnb_some_nopoll(gasnet_handle_t *handles, size_t numhandles);

/** As test programs of GASNet-1 name it. */
#define gasnete_try_syncnb_nopoll(handle) gasnet_try_syncnb_nopoll(handle)

PGAS_API void gasnet_wait_syncnb_all(gasnet_handle_t *handles, size_t numhandles);
PGAS_API int gasnet_try_syncnb_all(gasnet_handle_t *handles, size_t numhandles);
PGAS_API void gasnet_wait_syncnb_some(gasnet_handle_t *handles, size_t numhandles);
PGAS_API int gasnet_try_syncnb_some(gasnet_handle_t *handles, size_t numhandles);

/* ---- Implicit ---- */

static inline void gasnet_put_nbi(gasnet_node_t node, void *dest, const void *src, size_t nbytes)
{
    if (!gasneti_has_put(node, dest, src, nbytes))
        gasneti_put_nbi(node, dest, src, nbytes);
}

static inline void gasnet_put_nbi_bulk(gasnet_node_t node, void *dest, const void *src,
                                       size_t nbytes)
{
    if (!gasneti_has_put(node, dest, src, nbytes))
        gasneti_put_nbi_bulk(node, dest, src, nbytes);
}

static inline void gasnet_get_nbi(void *dest, gasnet_node_t node, const void *src, size_t nbytes)
{
    if (!gasneti_has_got(dest, node, src, nbytes))
        gasneti_get_nbi(dest, node, src, nbytes);
}

static inline void gasnet_get_nbi_bulk(void *dest, gasnet_node_t node, const void *src,
                                       size_t nbytes)
{
    gasnet_get_nbi(dest, node, src, nbytes);
}

static inline void gasnet_memset_nbi(gasnet_node_t node, void *dest, int val, size_t nbytes)
{
    if (!gasneti_has_set(node, dest, val, nbytes))
        gasneti_set_nbi(node, dest, val, nbytes);
}

PGAS_API void gasneti_wait_implicit(const char *call, int gets, int puts);
PGAS_API int gasneti_try_implicit(const char *call, int gets, int puts);

#ifdef GASNET_SEQ
#define GASNETI_MAY_BE_IMPLICIT() (gasneti_map.implicit != 0)
#else
#define GASNETI_MAY_BE_IMPLICIT() 1
#endif

#define GASNETI_IMPLICIT_SYNCS(set, gets, puts) \
    static inline void gasnet_wait_syncnbi_##set(void) \
    { \
        if (GASNETI_MAY_BE_IMPLICIT()) \
            gasneti_wait_implicit("gasnet_wait_syncnbi_" #set, gets, puts); \
    } \
    static inline int gasnet_try_syncnbi_##set(void) \
    { \
        return gasneti_try_implicit("gasnet_try_syncnbi_" #set, gets, puts); \
    }

GASNETI_IMPLICIT_SYNCS(gets, 1, 0)
GASNETI_IMPLICIT_SYNCS(puts, 0, 1)
GASNETI_IMPLICIT_SYNCS(all, 1, 1)

PGAS_API void gasnet_begin_nbi_accessregion(void);
PGAS_API gasnet_handle_t gasnet_end_nbi_accessregion(void);

/* ---- Values ---- */

PGAS_API void gasneti_check_value(const char *call, size_t nbytes);

/** Stores of 1, 2, 4 and 8 bytes are one instruction. */
static inline void gasneti_store_value(void *to, gasnet_register_value_t value, size_t nbytes)
{
    switch (nbytes) {
    case 1:
        memcpy(to, &value, 1);
        break;
    case 2:
        memcpy(to, &value, 2);
        break;
    case 4:
        memcpy(to, &value, 4);
        break;
    case 8:
        memcpy(to, &value, 8);
        break;
    default:
        memcpy(to, &value, nbytes);
    }
}

static inline gasnet_register_value_t gasneti_load_value(const void *from, size_t nbytes)
{
    gasnet_register_value_t got = 0;
    switch (nbytes) {
    case 1:
        got = *(const uint8_t *)from;
        break;
    case 2: {
        uint16_t two;
        memcpy(&two, from, 2);
        got = two;
        break;
    }
    case 4: {
        uint32_t four;
        memcpy(&four, from, 4);
        got = four;
        break;
    }
    case 8:
        memcpy(&got, from, 8);
        break;
    default:
        memcpy(&got, from, nbytes);
    }
    return got;
}

/* Programs use these two, which no document has: stores a value, and returns one. */
#define GASNETT_VALUE_ASSIGN(dst, value, nbytes) gasneti_store_value(dst, value, nbytes)
#define GASNETT_VALUE_RETURN(src, nbytes) return gasneti_load_value(src, nbytes)

/** Without a check: 1 to 8 bytes. */
static inline int gasneti_has_put_val(gasnet_node_t node, void *dest, gasnet_register_value_t value,
                                      size_t nbytes)
{
    char *to = gasneti_mapped(node, dest, nbytes);
    if (__builtin_expect(to == NULL || nbytes > sizeof value, 0))
        return 0;
    GASNETI_COUNT_OPERATION(node, puts);
    GASNETI_ORDER();
    gasneti_store_value(to, value, nbytes);
    GASNETI_ORDER();
    GASNETI_COUNT_BYTES(node, puts, nbytes);
    return 1;
}

static inline int gasneti_has_got_val(gasnet_node_t node, const void *src, size_t nbytes,
                                      gasnet_register_value_t *value)
{
    const char *from = gasneti_mapped(node, src, nbytes);
    if (__builtin_expect(from == NULL || nbytes > sizeof *value, 0))
        return 0;
    GASNETI_COUNT_OPERATION(node, gets);
    GASNETI_ORDER();
    gasnet_register_value_t got = gasneti_load_value(from, nbytes);
    GASNETI_ORDER();
    GASNETI_COUNT_BYTES(node, gets, nbytes);
    *value = got; /* at once: a load of bytes that two stores have written takes 3 ns */
    return 1;
}

static inline void gasnet_put_val(gasnet_node_t node, void *dest, gasnet_register_value_t value,
                                  size_t nbytes)
{
    if (gasneti_has_put_val(node, dest, value, nbytes))
        return;
    gasneti_check_value("gasnet_put_val", nbytes);
    gasneti_put(node, dest, &value, nbytes);
}

static inline gasnet_handle_t gasnet_put_nb_val(gasnet_node_t node, void *dest,
                                                gasnet_register_value_t value, size_t nbytes)
{
    if (gasneti_has_put_val(node, dest, value, nbytes))
        return GASNET_INVALID_HANDLE;
    gasneti_check_value("gasnet_put_nb_val", nbytes);
    return gasneti_put_nb(node, dest, &value, nbytes);
}

static inline void gasnet_put_nbi_val(gasnet_node_t node, void *dest, gasnet_register_value_t value,
                                      size_t nbytes)
{
    if (gasneti_has_put_val(node, dest, value, nbytes))
        return;
    gasneti_check_value("gasnet_put_nbi_val", nbytes);
    gasneti_put_nbi(node, dest, &value, nbytes);
}

static inline gasnet_register_value_t gasnet_get_val(gasnet_node_t node, const void *src,
                                                     size_t nbytes)
{
    gasnet_register_value_t value = 0;
    if (gasneti_has_got_val(node, src, nbytes, &value))
        return value;
    gasneti_check_value("gasnet_get_val", nbytes);
    gasneti_get(&value, node, src, nbytes);
    return value;
}

/** A read in flight: the value, or where it will be. */
typedef pgas_valget_t gasnet_valget_handle_t;

PGAS_API gasnet_valget_handle_t gasneti_get_nb_val(gasnet_node_t node, const void *src,
                                                   size_t nbytes);
PGAS_API gasnet_register_value_t gasneti_wait_valget(gasnet_valget_handle_t handle);

static inline gasnet_valget_handle_t gasnet_get_nb_val(gasnet_node_t node, const void *src,
                                                       size_t nbytes)
{
    gasnet_valget_handle_t handle = {0, 0};
    if (gasneti_has_got_val(node, src, nbytes, &handle.bits))
        return handle;
    gasneti_check_value("gasnet_get_nb_val", nbytes);
    return gasneti_get_nb_val(node, src, nbytes);
}

static inline gasnet_register_value_t gasnet_wait_syncnb_valget(gasnet_valget_handle_t handle)
{
    return handle.pending == 0 ? handle.bits : gasneti_wait_valget(handle);
}

/* ---- Barriers ---- */

#define GASNET_BARRIERFLAG_ANONYMOUS 1
#define GASNET_BARRIERFLAG_MISMATCH 2
/** Of later releases, for barriers that no node names; here the same as an anonymous one. */
#define GASNET_BARRIERFLAG_UNNAMED GASNET_BARRIERFLAG_ANONYMOUS

/** The id of an anonymous barrier of version 0.4, for the forms without flags; an id as any other
 *  for those with flags. */
#define GASNET_ANONYMOUS_BARRIER INT_MIN

/** Each is (id, flags), or, as in version 0.4, (id). */
#define gasnet_barrier_notify(...) GASNETI_SELECT(gasneti_barrier_notify, __VA_ARGS__)
#define gasnet_barrier_wait(...) GASNETI_SELECT(gasneti_barrier_wait, __VA_ARGS__)
#define gasnet_barrier_try(...) GASNETI_SELECT(gasneti_barrier_try, __VA_ARGS__)
PGAS_API void gasneti_barrier_notify1(int id);
PGAS_API void gasneti_barrier_notify2(int id, int flags);
PGAS_API int gasneti_barrier_wait1(int id);
PGAS_API int gasneti_barrier_wait2(int id, int flags);
PGAS_API int gasneti_barrier_try1(int id);
PGAS_API int gasneti_barrier_try2(int id, int flags);

/** A notify and the wait for it. Of later releases, as gasnet_barrier_result. */
PGAS_API int gasnet_barrier(int id, int flags);

/**
 * Of GASNet 1.20 and later releases: 0, and the name in `*id`, if the last barrier has matched and
 * a node had named it; else not 0. Not between notify and wait.
 *
 * By the specification 1.8 a wait whose flags are not those of its notify is a mismatch. In these
 * later releases it is not: a wait with GASNET_BARRIERFLAG_ANONYMOUS accepts every name, one
 * without compares its id with the barrier's name, if it has one. Fathom has the later rule for
 * programs that call this, or gasnet_barrier, in any object of theirs, shared libraries apart: it
 * leaves a mark in the program, for gasnet_init. Both are macros, which C++ calls without `::`.
 */
#define gasnet_barrier_result(id) \
    (__extension__({ \
        GASNETI_LATER_BARRIERS(); \
        gasneti_barrier_result(id); \
    }))
#define gasnet_barrier(id, flags) \
    (__extension__({ \
        GASNETI_LATER_BARRIERS(); \
        (gasnet_barrier)(id, flags); \
    }))
/* The mark. What looks for it does not keep it where linkers drop sections that nobody uses: where
 * the assembler knows it, a flag does. */
#if defined __has_attribute
#if __has_attribute(retain)
#define GASNETI_RETAINED "aR"
#endif
#endif
#ifndef GASNETI_RETAINED
#define GASNETI_RETAINED "a"
#endif
#define GASNETI_LATER_BARRIERS() \
    __asm__(".pushsection gasneti_later_barriers,\"" GASNETI_RETAINED \
            "\"\n\t.byte 1\n\t.popsection")
PGAS_API int gasneti_barrier_result(int *id);
PGAS_API void gasneti_barrier_allow_flags(const void *mark);
/** The linker's: where the section of the marks begins, if the program has one. */
extern const char __start_gasneti_later_barriers[] __attribute__((weak));

PGAS_END_DECLS

#endif
