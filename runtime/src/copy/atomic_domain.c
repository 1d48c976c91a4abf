#include <pgas/atomic_domain.h>

#include <stdlib.h>

#include <pgas/sync.h>

#include "base/log.h"
#include "copy/async.h"
#include "copy/atomic.h"
#include "copy/transfer.h"
#include "shm/word.h"
#include "sync/barrier.h"
#include "sync/collective.h"

struct pgas_atomic_domain {
    pgas_type_t type;
    uint32_t ops;
    pgas_atomic_way_t way;
};

static bool has_all(pgas_type_t type, uint32_t ops)
{
    for (unsigned op = 0; op < 32; op++)
        if ((ops >> op & 1) != 0 && !pgasi_word_allows(op, type))
            return false;
    return ops != 0;
}

/* What a thread brings to the choice; the largest is what becomes of it. */
typedef enum vote {
    FOR_NETWORK,
    FOR_PROCESSOR,
    NO_MEMORY
} vote_t;

pgas_status_t pgas_atomic_domain_create(pgas_type_t type, uint32_t ops,
                                        pgas_atomic_domain_t **domain)
{
    PGASI_COLLECTIVE(PGASI_ATOMIC_DOMAIN_CREATE, type, ops);
    pgas_status_t status = PGAS_OK;
    if (!has_all(type, ops)) {
        pgasi_log_once("pgas_atomic_domain_create: type %u has not all operations of the set %#x",
                       type, ops);
        pgas_barrier();
        pgasi_collective_end();
        return PGAS_ERR_ARGUMENT;
    }
    pgas_atomic_domain_t *created = malloc(sizeof *created);
    vote_t vote = pgasi_net_has_atomics(type, ops) ? FOR_NETWORK : FOR_PROCESSOR;
    uint64_t outcome;
    pgasi_sync_exchange(created == NULL ? NO_MEMORY : vote, &outcome, 0, NULL);
    if (created == NULL || outcome == NO_MEMORY) {
        pgasi_log_once("pgas_atomic_domain_create: no memory");
        free(created);
        status = PGAS_ERR_NO_MEMORY;
    } else {
        *created = (pgas_atomic_domain_t){
            .type = type,
            .ops = ops,
            .way = outcome == FOR_NETWORK ? PGAS_BY_NETWORK : PGAS_BY_PROCESSOR,
        };
        *domain = created;
    }
    pgasi_collective_end();
    return status;
}

void pgas_atomic_domain_free(pgas_atomic_domain_t *domain)
{
    pgasi_collective_begin(PGASI_ATOMIC_DOMAIN_FREE, 0, NULL);
    pgas_barrier();
    free(domain);
    pgasi_collective_end();
}

pgas_atomic_way_t pgas_atomic_domain_way(const pgas_atomic_domain_t *domain)
{
    if (domain == NULL)
        pgasi_fatal(__func__, "there is no domain: the pointer is NULL");
    return domain->way;
}

static void check(const char *call, const pgas_atomic_domain_t *domain, pgas_atomic_op_t op,
                  pgas_ptr_t at, pgas_order_t order)
{
    if (domain == NULL)
        pgasi_fatal(call, "there is no domain: the pointer is NULL");
    if (op >= 32 || (domain->ops >> op & 1) == 0)
        pgasi_fatal(call, "operation %u: the domain was created with the set %#x", op, domain->ops);
    pgasi_check_word(call, op, domain->type, at, order);
}

uint64_t pgas_atomic_domain_apply(const pgas_atomic_domain_t *domain, pgas_atomic_op_t op,
                                  pgas_ptr_t at, uint64_t operand, uint64_t compare,
                                  pgas_order_t order)
{
    check(__func__, domain, op, at, order);
    pgasi_count_atomic(&pgasi_peers[at.thread], op != PGAS_STORE, pgasi_size_of_type(domain->type));
    return pgasi_atomic_apply(__func__, at,
                              &(pgasi_net_atomic_t){op, domain->type, operand, compare}, order,
                              domain->way == PGAS_BY_NETWORK);
}

static void start(pgasi_group_t *group, const char *call, const pgas_atomic_domain_t *domain,
                  pgas_atomic_op_t op, pgas_ptr_t at, uint64_t operand, uint64_t compare,
                  pgas_order_t order, void *old)
{
    check(call, domain, op, at, order);
    pgasi_atomic_start(group, call, at, &(pgasi_net_atomic_t){op, domain->type, operand, compare},
                       order, domain->way == PGAS_BY_NETWORK, old);
}

PGASI_ASYNC_FORMS(pgas_atomic_domain_apply,
                  (const pgas_atomic_domain_t *domain, pgas_atomic_op_t op, pgas_ptr_t at,
                   uint64_t operand, uint64_t compare, pgas_order_t order, void *old),
                  start(group, __func__, domain, op, at, operand, compare, order, old))
