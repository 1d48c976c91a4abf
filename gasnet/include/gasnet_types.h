/**
 * Configuration, types and errors of GASNet-1. Included by gasnet.h.
 */
#ifndef GASNET_TYPES_H
#define GASNET_TYPES_H

#if defined(GASNET_SEQ) + defined(GASNET_PARSYNC) + defined(GASNET_PAR) != 1
#error "gasnet.h: define exactly one of GASNET_SEQ, GASNET_PARSYNC and GASNET_PAR"
#endif

#include <stddef.h>
#include <stdint.h>

#include <pgas/types.h>

#include <gasnet_mode.h>

PGAS_BEGIN_DECLS

/* ---- Configuration ---- */

#define GASNET_SPEC_VERSION_MAJOR 1
#define GASNET_SPEC_VERSION_MINOR 8
#define GASNET_VERSION GASNET_SPEC_VERSION_MAJOR

/** The release of GASNet-1 whose headers these follow; programs compare it. Fathom's own release is
 *  GASNET_CORE_VERSION. */
#define GASNET_RELEASE_VERSION_MAJOR 1
#define GASNET_RELEASE_VERSION_MINOR 14
#define GASNET_RELEASE_VERSION_PATCH 0

/** FAST, which is the default, and LARGE are the same here: a segment of any size that fits into
 * the heap. EVERYTHING: all memory of every node; the object that calls gasnet_init decides. */
#if defined(GASNET_SEGMENT_FAST) + defined(GASNET_SEGMENT_LARGE) + \
        defined(GASNET_SEGMENT_EVERYTHING) > \
    1
#error "gasnet.h: define at most one of GASNET_SEGMENT_FAST, _LARGE and _EVERYTHING"
#endif
#if defined(GASNET_SEGMENT_EVERYTHING)
#define GASNETI_SEGMENT_NAME "EVERYTHING"
#elif defined(GASNET_SEGMENT_LARGE)
#define GASNETI_SEGMENT_NAME "LARGE"
#else
#undef GASNET_SEGMENT_FAST
#define GASNET_SEGMENT_FAST 1
#define GASNETI_SEGMENT_NAME "FAST"
#endif

#if defined(GASNET_SEQ)
#define GASNETI_MODE SEQ
#define GASNETI_MODE_NAME "SEQ"
#elif defined(GASNET_PARSYNC)
#define GASNETI_MODE PARSYNC
#define GASNETI_MODE_NAME "PARSYNC"
#else
#define GASNETI_MODE PAR
#define GASNETI_MODE_NAME "PAR"
#endif

#define GASNET_CONDUIT_FATHOM 1
#define GASNET_CONDUIT_NAME FATHOM
#define GASNET_CONDUIT_NAME_STR "FATHOM"
#define GASNET_CORE_NAME FATHOM
#define GASNET_CORE_NAME_STR "FATHOM"
#define GASNET_CORE_VERSION 0.1
#define GASNET_CORE_VERSION_STR "0.1"
#define GASNET_EXTENDED_NAME FATHOM
#define GASNET_EXTENDED_NAME_STR "FATHOM"
#define GASNET_EXTENDED_VERSION 0.1
#define GASNET_EXTENDED_VERSION_STR "0.1"

/** Each object of a program has the same text after "$GASNetConfig: ". */
#define GASNET_CONFIG_STRING \
    "RELEASE=1.14.0,SPEC=1.8,CONDUIT=FATHOM(FATHOM-0.1/FATHOM-0.1),THREADMODEL=" GASNETI_MODE_NAME \
    ",SEGMENT=" GASNETI_SEGMENT_NAME ",PTR=64bit,noalign"

#define GASNET_MAXNODES 1048576
#define GASNET_ALIGNED_SEGMENTS 0

/** Segments of the same supernode are mapped into each other's processes: gasnet_nodeinfo_t. Where
 *  all memory is the segment, none is. */
#ifndef GASNET_SEGMENT_EVERYTHING
#define GASNET_PSHM 1
#endif

#if defined(__x86_64__)
#define GASNET_PAGESIZE 4096
#else
#define GASNET_PAGESIZE 65536
#endif

/* ---- Types ---- */

typedef uint32_t gasnet_node_t;
typedef uint8_t gasnet_handler_t;
typedef int32_t gasnet_handlerarg_t;
typedef void *gasnet_token_t;
typedef uint64_t gasnet_register_value_t;
#define SIZEOF_GASNET_REGISTER_VALUE_T 8

/** The names of version 0.4. */
typedef gasnet_register_value_t gasnet_register_t;
#define SIZEOF_GASNET_REGISTER_T 8

/** Of a copy in flight. Belongs to the client thread that started it. The invalid one is NULL, and
 *  all bits zero. */
typedef struct gasneti_handle *gasnet_handle_t;
#define GASNET_INVALID_HANDLE ((gasnet_handle_t)0)

/* The specification declares handlers without parameters, which C++ and C23 take for none; as later
 * releases of GASNet-1, by GASNET_USE_STRICT_PROTOTYPES. */
#ifndef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#endif
typedef struct {
    /** 128 to 255; 0: the lowest that is free when all others have theirs, in the table's order. */
    gasnet_handler_t index;
#ifdef GASNET_USE_STRICT_PROTOTYPES
    void *fnptr;
#else
    void (*fnptr)();
#endif
} gasnet_handlerentry_t;
#ifndef __cplusplus
#pragma GCC diagnostic pop
#endif

typedef struct {
    /** In the address space of the owner. */
    void *addr;
    uintptr_t size;
    /** The lowest node of the same supernode; not in the specification. */
    gasnet_node_t nodeinfo;
} gasnet_seginfo_t;

/** Where a node runs. Nodes of one supernode share memory; `host` is the supernode too, since
 *  emulated nodes of one host are as far from each other as hosts. */
typedef struct {
    gasnet_node_t host;
    gasnet_node_t supernode;
    /** Within the calling node's supernode: what to add to an address of that node's segment to get
     *  it where it is mapped here. */
    ptrdiff_t offset;
} gasnet_nodeinfo_t;

/* ---- Errors ---- */

#define GASNET_OK 0
#define GASNET_ERR_RESOURCE 101
#define GASNET_ERR_BAD_ARG 102
#define GASNET_ERR_NOT_INIT 103
#define GASNET_ERR_BARRIER_MISMATCH 104
#define GASNET_ERR_NOT_READY 105
/** The name of version 0.4. */
#define GASNET_ERR_RESOURCE_FAILURE GASNET_ERR_RESOURCE

PGAS_API char *gasnet_ErrorName(int error);
PGAS_API char *gasnet_ErrorDesc(int error);

#ifndef GASNETI_BUILDING
static const char gasneti_config[] __attribute__((used)) =
    "$GASNetConfig: (libfathom-gasnet) " GASNET_CONFIG_STRING " $";
#endif

/* ---- The mode, checked by the linker ---- */

/* An object refers to a variable that only the library of its mode defines. */
#define GASNETI_MODE_SYMBOL_(mode) gasneti_this_program_is_##mode
#define GASNETI_MODE_SYMBOL(mode) GASNETI_MODE_SYMBOL_(mode)
PGAS_API extern const char GASNETI_MODE_SYMBOL(GASNETI_MODE)[];
static const char *const gasneti_mode __attribute__((used)) = GASNETI_MODE_SYMBOL(GASNETI_MODE);

PGAS_END_DECLS

#endif
