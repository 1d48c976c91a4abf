/**
 * Memory barriers and atomic operations of GASNet tools. Included by gasnet_tools.h.
 *
 * The weak names (gasnett_atomic_..., gasnett_weak_...) are plain operations in a program without
 * threads (GASNETT_THREAD_SAFE is not set); the strong ones are atomic always, between processes
 * and signal handlers too. gasnett_atomic_t has 32 bits.
 */
#ifndef GASNET_ATOMICS_H
#define GASNET_ATOMICS_H

#include <stdint.h>

#include <pgas/types.h>

PGAS_BEGIN_DECLS

/* On x86-64 every instruction with a lock is a full fence for normal loads and stores, which are
 * all that these barriers order. One on a line of the own cache takes a quarter of an mfence's
 * time. */
#if defined(__x86_64__)
#define GASNETI_FULL_FENCE() __asm__ volatile("lock; addl $0, -8(%%rsp)" ::: "memory", "cc")
#define GASNETI_READ_FENCE() __asm__ volatile("" ::: "memory")
#else
#define GASNETI_FULL_FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define GASNETI_READ_FENCE() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#endif

#define gasnett_compiler_fence() __asm__ volatile("" ::: "memory")

/** Stores before it are complete before any access after it: a full fence. */
#define gasnett_local_wmb() GASNETI_FULL_FENCE()
#define gasnett_local_rmb() GASNETI_READ_FENCE()
#define gasnett_local_mb() GASNETI_FULL_FENCE()
/** Its name in the releases that implement version 0.4. */
#define gasnett_local_membar() gasnett_local_mb()

#ifdef GASNETT_THREAD_SAFE
#define gasnett_weak_wmb() gasnett_local_wmb()
#define gasnett_weak_rmb() gasnett_local_rmb()
#define gasnett_weak_mb() gasnett_local_mb()
#else
#define gasnett_weak_wmb() ((void)0)
#define gasnett_weak_rmb() ((void)0)
#define gasnett_weak_mb() ((void)0)
#endif

#define GASNETT_ATOMIC_NONE 0
#define GASNETT_ATOMIC_RMB_PRE 0x01
#define GASNETT_ATOMIC_WMB_PRE 0x02
#define GASNETT_ATOMIC_MB_PRE (GASNETT_ATOMIC_RMB_PRE | GASNETT_ATOMIC_WMB_PRE)
#define GASNETT_ATOMIC_RMB_POST 0x04
#define GASNETT_ATOMIC_WMB_POST 0x08
#define GASNETT_ATOMIC_MB_POST (GASNETT_ATOMIC_RMB_POST | GASNETT_ATOMIC_WMB_POST)
#define GASNETT_ATOMIC_RMB_POST_IF_TRUE 0x10
#define GASNETT_ATOMIC_RMB_POST_IF_FALSE 0x20
#define GASNETT_ATOMIC_REL GASNETT_ATOMIC_WMB_PRE
#define GASNETT_ATOMIC_ACQ GASNETT_ATOMIC_RMB_POST
#define GASNETT_ATOMIC_ACQ_IF_TRUE GASNETT_ATOMIC_RMB_POST_IF_TRUE
#define GASNETT_ATOMIC_ACQ_IF_FALSE GASNETT_ATOMIC_RMB_POST_IF_FALSE

#define GASNETT_HAVE_ATOMIC_ADD_SUB 1
#define GASNETT_HAVE_ATOMIC_CAS 1
#define GASNETT_HAVE_ATOMIC_SWAP 1
#define GASNETT_HAVE_STRONGATOMIC_ADD_SUB 1
#define GASNETT_HAVE_STRONGATOMIC_CAS 1

static inline void gasneti_fence_before(int flags)
{
    if ((flags & GASNETT_ATOMIC_WMB_PRE) != 0)
        GASNETI_FULL_FENCE();
    else if ((flags & GASNETT_ATOMIC_RMB_PRE) != 0)
        GASNETI_READ_FENCE();
}

static inline void gasneti_fence_after(int flags)
{
    if ((flags & GASNETT_ATOMIC_WMB_POST) != 0)
        GASNETI_FULL_FENCE();
    else if ((flags & GASNETT_ATOMIC_RMB_POST) != 0)
        GASNETI_READ_FENCE();
}

static inline int gasneti_fence_after_test(int flags, int result)
{
    int conditional = result ? GASNETT_ATOMIC_RMB_POST_IF_TRUE : GASNETT_ATOMIC_RMB_POST_IF_FALSE;
    gasneti_fence_after((flags & conditional) != 0 ? flags | GASNETT_ATOMIC_RMB_POST : flags);
    return result;
}

/* How the two kinds read, write, add and swap, and which fences a read-modify-write still needs:
 * none where each, a compare-and-swap that fails too, is a full fence by itself. */
#ifdef __x86_64__
#define GASNETI_STRONG_NEEDS(flags) ((flags)&0)
#else
#define GASNETI_STRONG_NEEDS(flags) (flags)
#endif
#define GASNETI_PLAIN_NEEDS(flags) (flags)
#define GASNETI_STRONG_LOAD(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define GASNETI_STRONG_STORE(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define GASNETI_STRONG_ADD(p, v) __atomic_add_fetch(p, v, __ATOMIC_SEQ_CST)
#define GASNETI_STRONG_SWAP(p, v) __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)
#define GASNETI_STRONG_CAS(p, old, v) \
    __atomic_compare_exchange_n(p, &(old), v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define GASNETI_PLAIN_LOAD(p) (*(p))
#define GASNETI_PLAIN_STORE(p, v) (*(p) = (v))
#define GASNETI_PLAIN_ADD(p, v) (*(p) += (v))
#define GASNETI_PLAIN_SWAP(p, v) gasneti_plain_swap(p, v, sizeof *(p))
#define GASNETI_PLAIN_CAS(p, old, v) (*(p) == (old) ? (*(p) = (v), 1) : 0)
#ifdef GASNETT_THREAD_SAFE
#define GASNETI_WEAK(operation) GASNETI_STRONG_##operation
#else
#define GASNETI_WEAK(operation) GASNETI_PLAIN_##operation
#endif
#define GASNETI_STRONG(operation) GASNETI_STRONG_##operation

/* Words of 32 and 64 bits at the address of any type of that size. */
typedef uint32_t __attribute__((may_alias)) gasneti_word32_t;
typedef uint64_t __attribute__((may_alias)) gasneti_word64_t;

typedef struct {
    gasneti_word32_t gasneti_value;
} __attribute__((may_alias)) gasnett_atomic32_t;

typedef struct {
    gasneti_word64_t gasneti_value;
} __attribute__((may_alias)) gasnett_atomic64_t;

typedef gasnett_atomic32_t gasnett_strongatomic32_t;
typedef gasnett_atomic64_t gasnett_strongatomic64_t;
typedef gasnett_atomic32_t gasnett_atomic_t;
typedef gasnett_atomic32_t gasnett_strongatomic_t;
typedef uint32_t gasnett_atomic_val_t;
typedef int32_t gasnett_atomic_sval_t;
typedef uint32_t gasnett_strongatomic_val_t;
typedef int32_t gasnett_strongatomic_sval_t;

#define GASNETT_ATOMIC_MAX UINT32_MAX
#define GASNETT_ATOMIC_SIGNED_MIN INT32_MIN
#define GASNETT_ATOMIC_SIGNED_MAX INT32_MAX
#define GASNETT_STRONGATOMIC_MAX GASNETT_ATOMIC_MAX
#define GASNETT_STRONGATOMIC_SIGNED_MIN GASNETT_ATOMIC_SIGNED_MIN
#define GASNETT_STRONGATOMIC_SIGNED_MAX GASNETT_ATOMIC_SIGNED_MAX
/* Names of GASNet's inside by which its test of swaps asks. */
#define GASNETI_HAVE_ATOMIC_SWAP GASNETT_HAVE_ATOMIC_SWAP
#define GASNETI_ATOMIC_MAX GASNETT_ATOMIC_MAX
#define gasnett_atomic_signed(v) ((gasnett_atomic_sval_t)(v))
#define gasnett_strongatomic_signed(v) gasnett_atomic_signed(v)

/* Values wrap. */
#define GASNETI_ATOMIC_INITIALIZER(type, v) \
    { \
        (type)(v) \
    }
#define gasnett_atomic_init(v) GASNETI_ATOMIC_INITIALIZER(gasnett_atomic_val_t, v)
#define gasnett_atomic32_init(v) GASNETI_ATOMIC_INITIALIZER(uint32_t, v)
#define gasnett_atomic64_init(v) GASNETI_ATOMIC_INITIALIZER(uint64_t, v)
#define gasnett_strongatomic_init(v) GASNETI_ATOMIC_INITIALIZER(gasnett_atomic_val_t, v)
#define gasnett_strongatomic32_init(v) GASNETI_ATOMIC_INITIALIZER(uint32_t, v)
#define gasnett_strongatomic64_init(v) GASNETI_ATOMIC_INITIALIZER(uint64_t, v)

/** All operations of one name, on `value_t`, by `kind`, GASNETI_WEAK or GASNETI_STRONG. */
#define GASNETI_ATOMIC_OPERATIONS(name, value_t, word_t, kind) \
    static inline void name##_set(name##_t *p, value_t v, int flags) \
    { \
        gasneti_fence_before(flags); \
        kind(STORE)((volatile word_t *)&p->gasneti_value, v); \
        gasneti_fence_after(flags); \
    } \
    static inline value_t name##_read(name##_t *p, int flags) \
    { \
        gasneti_fence_before(flags); \
        value_t v = kind(LOAD)((volatile word_t *)&p->gasneti_value); \
        gasneti_fence_after(flags); \
        return v; \
    } \
    static inline value_t name##_add(name##_t *p, value_t v, int flags) \
    { \
        gasneti_fence_before(kind(NEEDS)(flags)); \
        value_t sum = kind(ADD)(&p->gasneti_value, v); \
        gasneti_fence_after(kind(NEEDS)(flags)); \
        return sum; \
    } \
    static inline value_t name##_subtract(name##_t *p, value_t v, int flags) \
    { \
        return name##_add(p, (value_t)(0 - v), flags); \
    } \
    static inline void name##_increment(name##_t *p, int flags) \
    { \
        name##_add(p, 1, flags); \
    } \
    static inline void name##_decrement(name##_t *p, int flags) \
    { \
        name##_add(p, (value_t)(0 - (value_t)1), flags); \
    } \
    static inline int name##_decrement_and_test(name##_t *p, int flags) \
    { \
        gasneti_fence_before(kind(NEEDS)(flags)); \
        value_t left = kind(ADD)(&p->gasneti_value, (value_t)(0 - (value_t)1)); \
        return gasneti_fence_after_test(kind(NEEDS)(flags), left == 0); \
    } \
    static inline value_t name##_swap(name##_t *p, value_t v, int flags) \
    { \
        gasneti_fence_before(kind(NEEDS)(flags)); \
        value_t old = (value_t)kind(SWAP)(&p->gasneti_value, v); \
        gasneti_fence_after(kind(NEEDS)(flags)); \
        return old; \
    } \
    static inline int name##_compare_and_swap(name##_t *p, value_t oldval, value_t newval, \
                                              int flags) \
    { \
        word_t expected = oldval; \
        gasneti_fence_before(kind(NEEDS)(flags)); \
        int swapped = kind(CAS)(&p->gasneti_value, expected, newval); \
        return gasneti_fence_after_test(kind(NEEDS)(flags), swapped); \
    }

static inline uint64_t gasneti_plain_swap(void *p, uint64_t v, unsigned long size)
{
    uint64_t old = size == 4 ? *(gasneti_word32_t *)p : *(gasneti_word64_t *)p;
    if (size == 4)
        *(gasneti_word32_t *)p = (uint32_t)v;
    else
        *(gasneti_word64_t *)p = v;
    return old;
}

GASNETI_ATOMIC_OPERATIONS(gasnett_atomic32, uint32_t, gasneti_word32_t, GASNETI_WEAK)
GASNETI_ATOMIC_OPERATIONS(gasnett_atomic64, uint64_t, gasneti_word64_t, GASNETI_WEAK)
GASNETI_ATOMIC_OPERATIONS(gasnett_atomic, uint32_t, gasneti_word32_t, GASNETI_WEAK)
GASNETI_ATOMIC_OPERATIONS(gasnett_strongatomic32, uint32_t, gasneti_word32_t, GASNETI_STRONG)
GASNETI_ATOMIC_OPERATIONS(gasnett_strongatomic64, uint64_t, gasneti_word64_t, GASNETI_STRONG)
GASNETI_ATOMIC_OPERATIONS(gasnett_strongatomic, uint32_t, gasneti_word32_t, GASNETI_STRONG)

PGAS_END_DECLS

#endif
