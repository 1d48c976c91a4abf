/**
 * Atomic domains: who executes atomic operations, the processor or the network, is chosen once for
 * a type of word and a set of operations.
 *
 * The operations of pgas/atomic.h are executed by a processor of the word's node. A network can
 * execute some of them itself, without that processor: they are then done while the owner computes
 * or sleeps. A domain is created with all operations that it will be used for, since a network that
 * has not all of them can be used for none. Then its way is:
 *
 *   PGAS_BY_NETWORK    words of other nodes by the network, those of the own node by the calling
 *                      processor; where puts and gets go by remote memory access (PGAS_RMA, job.h),
 *                      the network has all operations of the set on the type, and they are atomic
 *                      with those of processors, as UCX's over shared memory are and those of most
 *                      network cards are not. A word whose memory cannot be reached so yet is left
 *                      to the owner's node.
 *   PGAS_BY_PROCESSOR  as the operations of pgas/atomic.h, everywhere else. Networks have no
 *                      PGAS_MUL, PGAS_MIN and PGAS_MAX, and no arithmetic on floating-point
 *                      numbers; UCX's shared memory has no PGAS_AND, PGAS_OR and PGAS_XOR that can
 *                      be relied on.
 *
 * A program that is to be right on either way touches a word through one domain alone while others
 * may: not through another domain, not by pgas/atomic.h, not by copies, value accesses or plain
 * loads and stores. A barrier stands between two uses of different kinds. The debug build finds
 * where a thread itself breaks this: an operation of pgas/atomic.h, a copy or a value access on a
 * part of a word, one of the last 64, that the thread has reached by the network since its last
 * barrier, fence or free ends the job with one line. It does not see strided copies and sections,
 * nor plain loads and stores.
 *
 * Operations, memory orders, results and completion are as in pgas/atomic.h, and so is counting.
 *
 * Ends the job: an operation or order that the type does not have, an operation that the domain was
 * not created with, a null pointer, a place outside the owner's segment, a word that is not
 * aligned.
 *
 * After UPC++ 1.0 revision 2021.3.0, chapter 13.
 */
#ifndef PGAS_ATOMIC_DOMAIN_H
#define PGAS_ATOMIC_DOMAIN_H

#include <stdint.h>

#include <pgas/async.h>
#include <pgas/atomic.h>
#include <pgas/types.h>
#include <pgas/word.h>

PGAS_BEGIN_DECLS

/** A domain; opaque. */
typedef struct pgas_atomic_domain pgas_atomic_domain_t;

/** Who executes the operations of a domain on words of other nodes. */
typedef enum pgas_atomic_way {
    PGAS_BY_PROCESSOR = 0,
    PGAS_BY_NETWORK
} pgas_atomic_way_t;

/** The set of one operation, for pgas_atomic_domain_create: sets are joined by |. */
#define PGAS_OP_SET(op) ((uint32_t)1 << (op))

/**
 * Creates a domain of all threads. Collective; contains barriers; `type` and `ops`, at least one
 * operation, are the same on all threads. `*domain` is private to the thread, which frees it.
 *
 * Returns PGAS_OK; PGAS_ERR_ARGUMENT if the type does not have all operations of the set;
 * PGAS_ERR_NO_MEMORY, on all threads, if one of them has no memory.
 */
PGAS_API pgas_status_t pgas_atomic_domain_create(pgas_type_t type, uint32_t ops,
                                                 pgas_atomic_domain_t **domain);

/** Frees a domain, all of whose operations are complete. Collective; includes a barrier. NULL is
 *  allowed, on all threads. */
PGAS_API void pgas_atomic_domain_free(pgas_atomic_domain_t *domain);

/** The way that was chosen, the same on all threads. Not collective. */
PGAS_API pgas_atomic_way_t pgas_atomic_domain_way(const pgas_atomic_domain_t *domain);

/** An operation, complete when it returns: as pgas_atomic. Returns the old value with zeros above;
 *  PGAS_STORE returns 0. Not collective. */
PGAS_API uint64_t pgas_atomic_domain_apply(const pgas_atomic_domain_t *domain, pgas_atomic_op_t op,
                                           pgas_ptr_t at, uint64_t operand, uint64_t compare,
                                           pgas_order_t order);

/** Operations in flight: as pgas_atomic_async and pgas_atomic_asynci. `old` is private memory of
 * the word's size, undefined until the operation is complete, or NULL. Not collective. */
PGAS_API pgas_handle_t pgas_atomic_domain_apply_async(const pgas_atomic_domain_t *domain,
                                                      pgas_atomic_op_t op, pgas_ptr_t at,
                                                      uint64_t operand, uint64_t compare,
                                                      pgas_order_t order, void *old);
PGAS_API void pgas_atomic_domain_apply_asynci(const pgas_atomic_domain_t *domain,
                                              pgas_atomic_op_t op, pgas_ptr_t at, uint64_t operand,
                                              uint64_t compare, pgas_order_t order, void *old);

PGAS_END_DECLS

#if defined(PGAS_DEBUG) && !defined(PGASI_BUILDING)
#define pgas_atomic_domain_apply_async(...) PGASI_NOTED(pgas_atomic_domain_apply_async, __VA_ARGS__)
#define pgas_atomic_domain_apply_asynci(...) \
    PGASI_NOTED(pgas_atomic_domain_apply_asynci, __VA_ARGS__)
#endif

#endif
