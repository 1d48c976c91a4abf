/**
 * Types and marks that every header of the runtime shares.
 */
#ifndef PGAS_TYPES_H
#define PGAS_TYPES_H

#include <stddef.h>
#include <stdint.h>

/** Marks what the library exports. */
#define PGAS_API __attribute__((visibility("default")))

/** Marks functions that do not return. */
#define PGAS_NORETURN __attribute__((noreturn))

#ifdef __cplusplus
#define PGAS_BEGIN_DECLS extern "C" {
#define PGAS_END_DECLS }
#else
#define PGAS_BEGIN_DECLS
#define PGAS_END_DECLS
#endif

/** The result of a set-up or resource call. The callee has logged any value but PGAS_OK. */
typedef enum pgas_status {
    PGAS_OK = 0,
    /** An argument or a setting is invalid. */
    PGAS_ERR_ARGUMENT,
    /** Not enough memory in the heap or on the machine. */
    PGAS_ERR_NO_MEMORY,
    /** The launcher or the operating system refused something. */
    PGAS_ERR_SYSTEM,
    /** The call needs what this build or this job lacks. */
    PGAS_ERR_UNSUPPORTED
} pgas_status_t;

/**
 * A pointer into the global address space: 16 bytes, the same bits on every thread, never a raw
 * address. All bits zero is the null pointer. Compare with pgas_ptr_equal (ptr.h).
 */
typedef struct pgas_ptr {
    /** The owner, 0-based. */
    uint32_t thread;
    /** Elements from the start of the block it points into; 0 for pointers without blocks. */
    uint32_t phase;
    /** Bytes from the start of the owner's segment; never 0 in a pointer that is not null. */
    uint64_t offset;
} pgas_ptr_t;

/** Where memory lies, as seen from the calling thread. */
typedef enum pgas_place {
    /** The calling thread's own segment. */
    PGAS_OWN = 0,
    /** The segment of another thread of the same node. */
    PGAS_LOCAL,
    /** The segment of a thread of another node. */
    PGAS_REMOTE,
    PGAS_PLACES
} pgas_place_t;

#endif
