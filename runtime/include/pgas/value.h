/**
 * Values of 1 to 8 bytes, passed by value.
 *
 * A value is the low `nbytes` bytes of a uint64_t, in memory the least significant first: machines
 * are little-endian. Any alignment; an access that is aligned to its size is seen whole or not at
 * all, of 4 and 8 bytes everywhere where the compiler loads and stores words of any alignment (not
 * on RISC-V), of 2 bytes on x86-64. Not collective. Each counts as one individual access.
 *
 * Checked in every build: `nbytes` outside 1 to 8, a null pointer, a thread that does not exist or
 * a place outside the owner's heap ends the job.
 *
 * After gasnet_get_val, gasnet_put_val and their non-blocking forms of GASNet 1.
 */
#ifndef PGAS_VALUE_H
#define PGAS_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include <pgas/async.h>
#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** Reads a value; the bytes that it does not have are zero. */
PGAS_API uint64_t pgas_get_val(pgas_ptr_t src, size_t nbytes);

/** Writes the low `nbytes` bytes of `value`; complete when it returns. */
PGAS_API void pgas_put_val(pgas_ptr_t dst, uint64_t value, size_t nbytes);

/** Starts writing, as the copies of async.h do: completed by the handle. */
PGAS_API pgas_handle_t pgas_put_val_async(pgas_ptr_t dst, uint64_t value, size_t nbytes);

/** Starts writing: completed by pgas_waitsynci or by the access region. */
PGAS_API void pgas_put_val_asynci(pgas_ptr_t dst, uint64_t value, size_t nbytes);

/** A read in flight. Belongs to the thread that started it. */
typedef struct pgas_valget {
    /** The value itself, if it has arrived; else where it will be. */
    uint64_t bits;
    /** 0 if the value has arrived. */
    uint64_t pending;
} pgas_valget_t;

/** Starts reading. Any number may be in flight. Each is waited for once, by pgas_wait_val; nothing
 *  else completes it. */
PGAS_API pgas_valget_t pgas_get_val_async(pgas_ptr_t src, size_t nbytes);

/** Waits for the value and returns it, as pgas_get_val does. A second wait for the same read ends
 *  the job, unless the value lay on this node. */
PGAS_API uint64_t pgas_wait_val(pgas_valget_t get);

PGAS_END_DECLS

#if defined(PGAS_DEBUG) && !defined(PGASI_BUILDING)
#define pgas_put_val_async(...) PGASI_NOTED(pgas_put_val_async, __VA_ARGS__)
#define pgas_put_val_asynci(...) PGASI_NOTED(pgas_put_val_asynci, __VA_ARGS__)
#define pgas_get_val_async(...) PGASI_NOTED(pgas_get_val_async, __VA_ARGS__)
#endif

#endif
