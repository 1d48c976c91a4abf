#include <pgas/atomic.h>

#include <stdatomic.h>
#include <string.h>

#include "copy/async.h"
#include "copy/atomic.h"
#include "copy/domain_check.h"
#include "copy/transfer.h"
#include "shm/word.h"

static bool allows(pgas_atomic_op_t op, pgas_order_t order)
{
    switch (order) {
    case PGAS_RELAXED:
        return true;
    case PGAS_ACQUIRE:
        return op != PGAS_STORE;
    case PGAS_RELEASE:
        return op != PGAS_LOAD;
    case PGAS_ACQ_REL:
        return op != PGAS_LOAD && op != PGAS_STORE;
    }
    return false;
}

void pgasi_check_word(const char *call, pgas_atomic_op_t op, pgas_type_t type, pgas_ptr_t at,
                      pgas_order_t order)
{
    if (!pgasi_word_allows(op, type))
        pgasi_fatal(call, "operation %u on a word of type %u: there is none such (pgas/word.h)", op,
                    type);
    if (!allows(op, order))
        pgasi_fatal(call,
                    "memory order %u for operation %u: loads cannot release, stores cannot "
                    "acquire",
                    order, op);
    size_t nbytes = pgasi_size_of_type(type);
    pgasi_check_segment(call, at, nbytes);
    pgasi_check_allocated(call, at, nbytes);
    if (at.offset % nbytes != 0)
        pgasi_fatal(call, "a word of %zu bytes at offset %llu of thread %u, which is not aligned",
                    nbytes, (unsigned long long)at.offset, at.thread);
}

static void check(const char *call, pgas_atomic_op_t op, pgas_type_t type, pgas_ptr_t at,
                  pgas_order_t order)
{
    pgasi_check_word(call, op, type, at, order);
    pgasi_check_no_domain(call, at, pgasi_size_of_type(type));
}

void pgasi_check_atomic(pgas_atomic_op_t op, pgas_type_t type, pgas_ptr_t at, pgas_order_t order)
{
    check("pgas_atomic", op, type, at, order);
}

/* On a word of another node; `old` may be NULL if nobody wants it. */
static pgasi_net_handle_t start_remote(const char *call, pgas_ptr_t at,
                                       const pgasi_net_atomic_t *atomic, pgas_order_t order,
                                       bool by_network, void *old)
{
    pgasi_net_handle_t handle;
    pgasi_require_job(call);
    if (order == PGAS_RELEASE || order == PGAS_ACQ_REL)
        atomic_thread_fence(memory_order_release);
    if (by_network) {
        pgasi_domain_note(at, pgasi_size_of_type(atomic->type));
        if (pgasi_net_remote_atomic_nb(at, atomic, old, &handle))
            return handle;
    }
    return old == NULL ? pgasi_net_update_nb(at, atomic) : pgasi_net_atomic_nb(at, atomic, old);
}

static uint64_t apply_here(void *word, const pgasi_net_atomic_t *atomic)
{
    return pgasi_word_apply(atomic->op, atomic->type, word, atomic->operand, atomic->compare);
}

uint64_t pgasi_atomic_apply(const char *call, pgas_ptr_t at, const pgasi_net_atomic_t *atomic,
                            pgas_order_t order, bool by_network)
{
    void *word = pgas_local(at);
    if (word != NULL)
        return apply_here(word, atomic);
    uint64_t old = 0;
    void *wanted = atomic->op == PGAS_STORE ? NULL : &old;
    pgasi_net_wait(start_remote(call, at, atomic, order, by_network, wanted));
    atomic_thread_fence(memory_order_acquire);
    return old;
}

void pgasi_atomic_start(pgasi_group_t *group, const char *call, pgas_ptr_t at,
                        const pgasi_net_atomic_t *atomic, pgas_order_t order, bool by_network,
                        void *old)
{
    if (atomic->op == PGAS_STORE)
        old = NULL;
    else if (atomic->op == PGAS_LOAD || atomic->op == PGAS_COMPARE_SWAP)
        pgasi_check_private(call, old);
    size_t nbytes = pgasi_size_of_type(atomic->type);
    pgasi_count_atomic(&pgasi_peers[at.thread], old != NULL, nbytes);
    void *word = pgas_local(at);
    if (word == NULL) {
        pgasi_group_add(group, at.thread, start_remote(call, at, atomic, order, by_network, old));
        return;
    }
    uint64_t value = apply_here(word, atomic);
    if (old != NULL)
        memcpy(old, &value, nbytes);
}

/* The inline half has counted the operation. */
uint64_t pgasi_atomic_slow(pgas_atomic_op_t op, pgas_type_t type, pgas_ptr_t at, uint64_t operand,
                           uint64_t compare, pgas_order_t order)
{
    const char *call = "pgas_atomic";
    check(call, op, type, at, order);
    return pgasi_atomic_apply(call, at, &(pgasi_net_atomic_t){op, type, operand, compare}, order,
                              false);
}

static void start(pgasi_group_t *group, const char *call, pgas_atomic_op_t op, pgas_type_t type,
                  pgas_ptr_t at, uint64_t operand, uint64_t compare, pgas_order_t order, void *old)
{
    check(call, op, type, at, order);
    pgasi_atomic_start(group, call, at, &(pgasi_net_atomic_t){op, type, operand, compare}, order,
                       false, old);
}

PGASI_ASYNC_FORMS(pgas_atomic,
                  (pgas_atomic_op_t op, pgas_type_t type, pgas_ptr_t at, uint64_t operand,
                   uint64_t compare, pgas_order_t order, void *old),
                  start(group, __func__, op, type, at, operand, compare, order, old))
