/**
 * UCX makes no more workers in one thread, as where its shared memory is full. See no_worker.sh.
 *
 * usage: no_worker THREAD CALL: the CALLth worker of THREAD is refused
 */
#include <dlfcn.h>
#include <stdlib.h>

#include <ucp/api/ucp.h>

#include <pgas/coll_async.h>

#include "check.h"

static int refused;

typedef ucs_status_t create_t(ucp_context_h context, const ucp_worker_params_t *params,
                              ucp_worker_h *worker);

/* In the place of UCX's own. */
ucs_status_t ucp_worker_create(ucp_context_h context, const ucp_worker_params_t *params,
                               ucp_worker_h *worker)
{
    static int calls;
    create_t *create;
    *(void **)&create = dlsym(RTLD_NEXT, "ucp_worker_create");
    calls++;
    return refused != 0 && calls >= refused ? UCS_ERR_NO_RESOURCE : create(context, params, worker);
}

int main(int argc, char **argv)
{
    const char *rank = getenv("PMIX_RANK");
    CHECK(argc > 2 && rank != NULL);
    if (atoi(rank) == atoi(argv[1]))
        refused = atoi(argv[2]);
    if (pgas_init() != PGAS_OK)
        return 1;
    uint64_t ones[2] = {1, 1};
    pgas_handle_t sum =
        pgas_allreduce_async(PGAS_TEAM_ALL, &ones[0], &ones[1], 1, PGAS_UINT64, PGAS_SUM);
    pgas_waitsync(sum);
    CHECK(ones[1] == (uint64_t)pgas_threads());
    pgas_finalize();
    return 0;
}
