/**
 * GASNet tools, specification 1.9 of the tools: what GASNet programs use beside communication.
 *
 * README-tools of GASNet says what each call does; this header says only what it leaves open.
 * Included after gasnet.h, or without it; in both cases libfathom-gasnet-seq, -parsync or -par has
 * the functions. gasnet_mode.h says when GASNETT_THREAD_SAFE is set.
 */
#ifndef GASNET_TOOLS_H
#define GASNET_TOOLS_H

#include <gasnet_mode.h> /* looks for an earlier <pthread.h> */

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <pgas/types.h>

#include <gasnet_atomics.h>
#include <gasnet_platform.h>
#include <gasnet_threads.h>

PGAS_BEGIN_DECLS

#define _INCLUDED_GASNET_TOOLS_H 1

#define GASNETT_SPEC_VERSION_MAJOR 1
#define GASNETT_SPEC_VERSION_MINOR 9
#define GASNETT_RELEASE_VERSION_MAJOR 1
#define GASNETT_RELEASE_VERSION_MINOR 14
#define GASNETT_RELEASE_VERSION_PATCH 0
#ifdef GASNET_DEBUG
#define GASNETI_DEBUG_NAME "debug"
#else
#define GASNETI_DEBUG_NAME "nodebug"
#endif
#ifdef GASNETT_THREAD_SAFE
#define GASNETT_CONFIG_STRING "RELEASE=1.14.0,SPEC=1.9,PTR=64bit,par," GASNETI_DEBUG_NAME
#else
#define GASNETT_CONFIG_STRING "RELEASE=1.14.0,SPEC=1.9,PTR=64bit,seq," GASNETI_DEBUG_NAME
#endif

/* ---- Timers ---- */

/** A tick is a nanosecond of CLOCK_MONOTONIC. */
typedef uint64_t gasnett_tick_t;
#define GASNETT_TICK_MIN ((gasnett_tick_t)0)
#define GASNETT_TICK_MAX ((gasnett_tick_t)-1)

PGAS_API gasnett_tick_t gasnett_ticks_now(void);

static inline uint64_t gasnett_ticks_to_ns(gasnett_tick_t ticks)
{
    return ticks;
}

static inline uint64_t gasnett_ticks_to_us(gasnett_tick_t ticks)
{
    return ticks / 1000;
}

PGAS_API double gasnett_tick_granularityus(void);
PGAS_API double gasnett_tick_overheadus(void);
PGAS_API uint64_t gasnett_gettimeofday_us(void);
/** Returns 0. */
PGAS_API int gasnett_nsleep(uint64_t nanoseconds);

/* ---- Environment ---- */

PGAS_API char *gasnett_getenv(const char *keyname);
PGAS_API char *gasnett_getenv_withdefault(const char *keyname, const char *defaultval);
/** A value that is none of the ten ends the program with one line, and so does what is no number in
 *  the three below. */
PGAS_API int gasnett_getenv_yesno_withdefault(const char *keyname, int defaultval);
PGAS_API int64_t gasnett_getenv_int_withdefault(const char *keyname, int64_t defaultval,
                                                uint64_t mem_size_multiplier);
PGAS_API double gasnett_getenv_dbl_withdefault(const char *keyname, double defaultval);
PGAS_API void gasnett_setenv(const char *key, const char *value);
PGAS_API void gasnett_unsetenv(const char *key);

/** GASNET_VERBOSEENV is set, on node 0. Lines go to standard error. */
PGAS_API int gasnett_verboseenv(void);
PGAS_API void gasnett_envint_display(const char *key, int64_t val, int is_dflt, int is_mem_size);
PGAS_API void gasnett_envstr_display(const char *key, const char *val, int is_dflt);
PGAS_API void gasnett_envdbl_display(const char *key, double val, int is_dflt);

/** Writes to `buf` and returns it. Memory sizes in the largest unit that leaves no rest. */
PGAS_API char *gasnett_format_number(int64_t val, char *buf, size_t bufsz, int is_mem_size);
/** NULL and a blank text are 0; what else is no number ends the program. */
PGAS_API int64_t gasnett_parse_int(const char *str, uint64_t mem_size_multiplier);

/* ---- Errors, backtraces ---- */

PGAS_API void gasnett_fatalerror(const char *msg, ...) PGAS_NORETURN
    __attribute__((format(printf, 1, 2)));
PGAS_API void gasnett_killmyprocess(int exitcode) PGAS_NORETURN;
/** Sets the flag to 1, says so in a line, and waits until a debugger sets it to 0 or SIGCONT comes.
 */
PGAS_API void gasnett_freezeForDebuggerNow(volatile int *flag, const char *flagsymname);
PGAS_API void gasnett_freezeForDebuggerErr(void);
/** The flag of gasnett_freezeForDebuggerErr. */
PGAS_API extern volatile int gasnet_frozen;

typedef struct {
    const char *name;
    int (*fnp)(int fd);
    int threadsupport;
} gasnett_backtrace_type_t;

/** A program may define it; its mechanism is then tried first. */
PGAS_API extern gasnett_backtrace_type_t gasnett_backtrace_user __attribute__((weak));

PGAS_API void gasnett_backtrace_init(const char *exename);
/** Returns 0. Where GASNET_BACKTRACE_TYPE is set, a list of names with commas between them, the
 *  program's own mechanism is tried only if its name is in it; the C library's is the last resort
 *  whatever the list says. */
PGAS_API int gasnett_print_backtrace(int fd);
/** Only if GASNET_BACKTRACE begins with 1, y or Y; returns 1 otherwise. */
PGAS_API extern int (*gasnett_print_backtrace_ifenabled)(int fd);

/** A text of the caller's, to be freed. */
PGAS_API char *gasneti_location(const char *function, const char *file, int line);
#define GASNETT_CURRENT_FUNCTION __func__
#define gasnett_current_loc gasneti_location(GASNETT_CURRENT_FUNCTION, __FILE__, __LINE__)

/* ---- The system ---- */

PGAS_API const char *gasnett_gethostname(void);
PGAS_API int gasnett_cpu_count(void);
PGAS_API uint64_t gasnett_getPhysMemSz(int failureIsFatal);
PGAS_API void gasnett_set_affinity(int rank);
/** Standard output and error, but for one that another thread keeps for longer than a second. Other
 *  streams the program flushes itself. Waits for who reads them. */
PGAS_API void gasnett_flush_streams(void);
/** The standard ones, but for those that another thread keeps so long. */
PGAS_API void gasnett_close_streams(void);
PGAS_API int gasnett_maximize_rlimits(void);
PGAS_API int gasnett_maximize_rlimit(int res, const char *lim_desc);

typedef void (*gasnett_sighandlerfn_t)(int);
PGAS_API gasnett_sighandlerfn_t gasnett_reghandler(int sigtocatch, gasnett_sighandlerfn_t fp);

static inline int gasnett_isLittleEndian(void)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

/** A warning of what slows this build down; empty if nothing does. */
PGAS_API const char *gasnett_performance_warning_str(void);

/* ---- Data ---- */

/* Programs use these three, which no document has. */
#define GASNETT_FAST_ALIGNED_MEMCPY(dest, src, nbytes) memcpy(dest, src, nbytes)
#define GASNETT_FAST_UNALIGNED_MEMCPY(dest, src, nbytes) memcpy(dest, src, nbytes)

/** New pages, aligned to GASNETT_PAGESIZE, all zeros, to read and to write; MAP_FAILED if there are
 *  none. */
PGAS_API void *gasnett_mmap(uintptr_t size);

PGAS_API uint64_t gasnett_checksum(const void *p, int numbytes);
PGAS_API size_t gasnett_count0s(const void *p, size_t numbytes);
PGAS_API size_t gasnett_count0s_copy(void *GASNETT_RESTRICT dst, const void *GASNETT_RESTRICT src,
                                     size_t numbytes);

/* A byte is 0 if its seven low bits carry no further than themselves, and the high bit is 0. */
static inline int gasnett_count0s_uint64_t(uint64_t x)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    return __builtin_popcountll(~(((x & low) + low) | x | low));
}

static inline int gasnett_count0s_uint32_t(uint32_t x)
{
    return gasnett_count0s_uint64_t(UINT64_C(0xffffffff00000000) | x);
}

static inline int gasnett_count0s_uintptr_t(uintptr_t x)
{
    return sizeof x == 8 ? gasnett_count0s_uint64_t(x) : gasnett_count0s_uint32_t((uint32_t)x);
}

/* ---- Memory of debug builds ---- */

/** What the calls below have allocated and freed; the last is what they need themselves. */
typedef struct {
    uint64_t allocated_bytes;
    uint64_t freed_bytes;
    uint64_t live_bytes;
    uint64_t live_bytes_max;
    uint64_t allocated_objects;
    uint64_t freed_objects;
    uint64_t live_objects;
    uint64_t live_objects_max;
    uint64_t overhead_bytes;
} gasnett_heapstats_t;

/**
 * malloc and its relatives with checks, where GASNET_DEBUG or GASNET_DEBUGMALLOC is defined. A free
 * or a check of memory that was not allocated by them, was freed already, or was written beyond its
 * ends, ends the program with a line that has the place of the call and that of the allocation.
 * There is always memory, or the program ends; 0 bytes are NULL. memcheck_one checks some object,
 * memcheck_all all.
 */
PGAS_API void *gasneti_debug_malloc(size_t size, const char *place);
PGAS_API void *gasneti_debug_calloc(size_t count, size_t size, const char *place);
PGAS_API void *gasneti_debug_realloc(void *memory, size_t size, const char *place);
PGAS_API void gasneti_debug_free(void *memory, const char *place);
PGAS_API char *gasneti_debug_strndup(const char *text, size_t most, const char *place);
PGAS_API void gasneti_debug_memcheck(void *memory, const char *place);
PGAS_API void gasneti_debug_memcheck_all(size_t most, const char *place);
PGAS_API int gasneti_getheapstats(gasnett_heapstats_t *stats);

#ifdef GASNET_DEBUGMALLOC
#define GASNETI_HERE __FILE__ ":" _STRINGIFY(__LINE__)
#define gasnett_debug_malloc(size) gasneti_debug_malloc(size, GASNETI_HERE)
#define gasnett_debug_calloc(count, size) gasneti_debug_calloc(count, size, GASNETI_HERE)
#define gasnett_debug_realloc(memory, size) gasneti_debug_realloc(memory, size, GASNETI_HERE)
#define gasnett_debug_free(memory) gasneti_debug_free(memory, GASNETI_HERE)
#define gasnett_debug_strdup(text) gasneti_debug_strndup(text, SIZE_MAX, GASNETI_HERE)
#define gasnett_debug_strndup(text, most) gasneti_debug_strndup(text, most, GASNETI_HERE)
#define gasnett_debug_memcheck(memory) gasneti_debug_memcheck(memory, GASNETI_HERE)
#define gasnett_debug_memcheck_one() gasneti_debug_memcheck_all(1, GASNETI_HERE)
#define gasnett_debug_memcheck_all() gasneti_debug_memcheck_all(SIZE_MAX, GASNETI_HERE)
#define gasnett_getheapstats(stats) gasneti_getheapstats(stats)
#endif

/* ---- Tracing, which this implementation does not have ---- */

#define GASNETT_TRACE_ENABLED 0
/** The arguments are evaluated, and fit the format. */
static inline __attribute__((unused, format(printf, 1, 2))) void
_gasnett_trace_printf_noop(const char *format, ...)
{
    (void)format;
}
#define GASNETT_TRACE_PRINTF _gasnett_trace_printf_noop
#define GASNETT_TRACE_PRINTF_FORCE _gasnett_trace_printf_noop
#define GASNETT_TRACE_SETSOURCELINE(file, line) ((void)(file), (void)(line))
#define GASNETT_TRACE_GETSOURCELINE(pfile, pline) (*(pfile) = "", *(pline) = 0, (void)0)
#define GASNETT_TRACE_FREEZESOURCELINE() ((void)0)
#define GASNETT_TRACE_UNFREEZESOURCELINE() ((void)0)
#define GASNETT_TRACE_GETMASK() ""
#define GASNETT_TRACE_SETMASK(mask) ((void)(mask))
/** The function is never called. */
#define GASNETT_STATS_INIT(callback) \
    (__extension__({ \
        (void)(callback); \
        0; \
    }))
#define GASNETT_STATS_GETMASK() ""
#define GASNETT_STATS_SETMASK(mask) ((void)(mask))
#define GASNETT_TRACE_GET_TRACELOCAL() 0
#define GASNETT_TRACE_SET_TRACELOCAL(val) ((void)(val))

PGAS_END_DECLS

#endif
