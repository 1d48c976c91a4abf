/**
 * What depends on the platform, and annotations for the compiler, of GASNet tools. Included by
 * gasnet_tools.h, and by gasnet.h, as in the releases, whose programs ask for the platform there.
 */
#ifndef GASNET_PLATFORM_H
#define GASNET_PLATFORM_H

#include <sched.h>

#include <gasnet_portable_platform.h>

/* As the releases' configuration says, for gasnett_mmap. */
#define HAVE_MMAP 1

/* Without it clients have one thread, as the weak atomics and the data of threads have it. */
#ifdef GASNETT_THREAD_SAFE
#define HAVE_PTHREAD_H 1
#endif

#if defined(PLATFORM_ARCH_X86_64)
#define GASNETT_SYSTEM_TUPLE "x86_64-linux"
#elif defined(PLATFORM_ARCH_AARCH64)
#define GASNETT_SYSTEM_TUPLE "aarch64-linux"
#else
#define GASNETT_SYSTEM_TUPLE "unknown-linux"
#endif
/* As GASNet's test programs name it. */
#define GASNETI_SYSTEM_TUPLE GASNETT_SYSTEM_TUPLE

#ifdef __cplusplus
#define GASNETT_EXTERNC extern "C"
#define GASNETT_BEGIN_EXTERNC extern "C" {
#define GASNETT_END_EXTERNC }
#else
#define GASNETT_EXTERNC
#define GASNETT_BEGIN_EXTERNC
#define GASNETT_END_EXTERNC
#endif

/* ---- Annotations ---- */

/* The client may say for each attribute whether the compiler knows it: 1 or 0. */
#ifndef GASNETT_USE_GCC_ATTRIBUTE_ALWAYSINLINE
#define GASNETT_USE_GCC_ATTRIBUTE_ALWAYSINLINE 1
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_NOINLINE
#define GASNETT_USE_GCC_ATTRIBUTE_NOINLINE 1
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_FORMAT
#define GASNETT_USE_GCC_ATTRIBUTE_FORMAT 1
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_FORMAT_FUNCPTR
#define GASNETT_USE_GCC_ATTRIBUTE_FORMAT_FUNCPTR 1
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_NORETURN
#define GASNETT_USE_GCC_ATTRIBUTE_NORETURN 1
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_MALLOC
#define GASNETT_USE_GCC_ATTRIBUTE_MALLOC 1
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_PURE
#define GASNETT_USE_GCC_ATTRIBUTE_PURE 1
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_CONST
#define GASNETT_USE_GCC_ATTRIBUTE_CONST 1
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_DEPRECATED
#define GASNETT_USE_GCC_ATTRIBUTE_DEPRECATED 1
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_WARNUNUSEDRESULT
#define GASNETT_USE_GCC_ATTRIBUTE_WARNUNUSEDRESULT 1
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_USED
#define GASNETT_USE_GCC_ATTRIBUTE_USED 1
#endif
#ifndef GASNETT_USE_GCC_ATTRIBUTE_UNUSED
#define GASNETT_USE_GCC_ATTRIBUTE_UNUSED 1
#endif

#define GASNETI_USE_0(attribute)
#define GASNETI_USE_1(attribute) __attribute__ attribute
#define GASNETI_USE_EXPANDED(use, attribute) GASNETI_USE_##use(attribute)
#define GASNETI_USE(use, attribute) GASNETI_USE_EXPANDED(use, attribute)
#define GASNETI_ATTRIBUTE(name, attribute) GASNETI_USE(GASNETT_USE_GCC_ATTRIBUTE_##name, attribute)

#define GASNETT_INLINE(fnname) static inline GASNETI_ATTRIBUTE(ALWAYSINLINE, ((__always_inline__)))
#ifdef GASNETT_USE_PLEASE_INLINE
#define GASNETT_PLEASE_INLINE(fnname) GASNETT_USE_PLEASE_INLINE(fnname)
#else
#define GASNETT_PLEASE_INLINE(fnname) static inline
#endif
#define GASNETT_NEVER_INLINE(fnname, ...) GASNETI_ATTRIBUTE(NOINLINE, ((__noinline__))) __VA_ARGS__
#ifdef GASNETT_USE_RESTRICT
#define GASNETT_RESTRICT GASNETT_USE_RESTRICT
#else
#define GASNETT_RESTRICT __restrict__
#endif
#define GASNETT_FORMAT_PRINTF(fnname, fmtarg, firstvararg, ...) \
    GASNETI_ATTRIBUTE(FORMAT, ((__format__(__printf__, fmtarg, firstvararg)))) __VA_ARGS__
#define GASNETT_FORMAT_PRINTF_FUNCPTR(fnname, fmtarg, firstvararg, ...) \
    GASNETI_ATTRIBUTE(FORMAT_FUNCPTR, ((__format__(__printf__, fmtarg, firstvararg)))) __VA_ARGS__
#define GASNETT_FORMAT_PRINTF_FUNCPTR_ARG(fnname, fmtarg, firstvararg, ...) __VA_ARGS__
#define GASNETT_NORETURN GASNETI_ATTRIBUTE(NORETURN, ((__noreturn__)))
#define GASNETT_NORETURNP(fnname)
#define GASNETT_MALLOC GASNETI_ATTRIBUTE(MALLOC, ((__malloc__)))
#define GASNETT_MALLOCP(fnname)
#define GASNETT_PURE GASNETI_ATTRIBUTE(PURE, ((__pure__)))
#define GASNETT_PUREP(fnname)
#define GASNETT_CONST GASNETI_ATTRIBUTE(CONST, ((__const__)))
#define GASNETT_CONSTP(fnname)
#define GASNETT_HOT __attribute__((__hot__))
#define GASNETT_COLD __attribute__((__cold__))
#define GASNETT_DEPRECATED GASNETI_ATTRIBUTE(DEPRECATED, ((__deprecated__)))
#define GASNETT_WARN_UNUSED_RESULT GASNETI_ATTRIBUTE(WARNUNUSEDRESULT, ((__warn_unused_result__)))
#define GASNETT_USED GASNETI_ATTRIBUTE(USED, ((__used__)))
#define GASNETT_UNUSED GASNETI_ATTRIBUTE(UNUSED, ((__unused__)))
#define GASNETI_UNUSED GASNETT_UNUSED
#define GASNETI_UNUSED_UNLESS_THREADS GASNETT_UNUSED

#define GASNETT_PREDICT_TRUE(expr) __builtin_expect(!!(expr), 1)
#define GASNETT_PREDICT_FALSE(expr) __builtin_expect(!!(expr), 0)
#define if_pf(cond) if (GASNETT_PREDICT_FALSE(cond))
#define if_pt(cond) if (GASNETT_PREDICT_TRUE(cond))
#define gasnett_constant_p(expr) __builtin_constant_p(expr)

/** A text that can be found in the program's file. */
#define GASNETT_IDENT(identName, identText) \
    extern char const identName[]; \
    char const identName[] __attribute__((used)) = identText; \
    extern int gasneti_unused_##identName

/* ---- Sizes ---- */

#define GASNETT_CACHE_LINE_BYTES 64
#if defined(__x86_64__)
#define GASNETT_PAGESHIFT 12
#else
#define GASNETT_PAGESHIFT 16
#endif
#define GASNETT_PAGESIZE (1 << GASNETT_PAGESHIFT)
#define GASNETT_MAX_THREADS GASNETI_MAX_THREADS

#if defined(__x86_64__)
#define gasnett_spinloop_hint() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define gasnett_spinloop_hint() __asm__ volatile("yield" ::: "memory")
#else
#define gasnett_spinloop_hint() __asm__ volatile("" ::: "memory")
#endif
#define gasnett_sched_yield() sched_yield()

#endif
