/**
 * UCX makes no more workers, or no more endpoints, in one thread, as where its shared memory is
 * full. See refused.sh.
 *
 * usage: refused worker|endpoint THREAD CALL: from the CALLth one of THREAD on
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ucp/api/ucp.h>

#include <pgas/coll_async.h>

#include "check.h"

/* 0: never. */
static int first_worker;
static int first_endpoint;

/* These stand in the place of UCX's own. */

ucs_status_t ucp_worker_create(ucp_context_h context, const ucp_worker_params_t *params,
                               ucp_worker_h *worker_p)
{
    static int calls;
    ucs_status_t (*create)(ucp_context_h, const ucp_worker_params_t *, ucp_worker_h *);
    *(void **)&create = dlsym(RTLD_NEXT, "ucp_worker_create");
    calls++;
    return first_worker != 0 && calls >= first_worker ? UCS_ERR_NO_RESOURCE
                                                      : create(context, params, worker_p);
}

ucs_status_t ucp_ep_create(ucp_worker_h worker, const ucp_ep_params_t *params, ucp_ep_h *ep_p)
{
    static int calls;
    ucs_status_t (*create)(ucp_worker_h, const ucp_ep_params_t *, ucp_ep_h *);
    *(void **)&create = dlsym(RTLD_NEXT, "ucp_ep_create");
    calls++;
    return first_endpoint != 0 && calls >= first_endpoint ? UCS_ERR_NO_RESOURCE
                                                          : create(worker, params, ep_p);
}

/* Who ends the job waits for nobody else to do it. */
int clock_nanosleep(clockid_t clock_id, int flags, const struct timespec *req, struct timespec *rem)
{
    enum {
        SECONDS_FOR_OTHERS = 9
    };
    static int (*sleep_until)(clockid_t, int, const struct timespec *, struct timespec *);
    struct timespec now = {0};
    *(void **)&sleep_until = dlsym(RTLD_NEXT, "clock_nanosleep");
    if (flags == TIMER_ABSTIME)
        clock_gettime(clock_id, &now);
    if (first_worker + first_endpoint > 0 && req->tv_sec - now.tv_sec >= SECONDS_FOR_OTHERS)
        dprintf(STDERR_FILENO, "FAILED: the thread that ends the job sleeps\n");
    return sleep_until(clock_id, flags, req, rem);
}

int main(int argc, char **argv)
{
    const char *rank = getenv("PMIX_RANK");
    CHECK(argc > 3);
    if (rank != NULL && atoi(rank) == atoi(argv[2]))
        *(strcmp(argv[1], "worker") == 0 ? &first_worker : &first_endpoint) = atoi(argv[3]);
    if (pgas_init() != PGAS_OK)
        return 1;
    uint64_t ones[2] = {1, 1};
    pgas_handle_t sum =
        pgas_allreduce_async(PGAS_TEAM_ALL, &ones[0], &ones[1], 1, PGAS_UINT64, PGAS_SUM);
    pgas_waitsync(sum);
    CHECK(ones[1] == (uint64_t)pgas_threads());
    pgas_ptr_t words;
    CHECK(pgas_all_alloc((size_t)pgas_threads(), sizeof(uint64_t), &words) == PGAS_OK);
    int next = (pgas_mythread() + 1) % pgas_threads();
    pgas_memput(pgas_ptr_on(words, next), &ones[1], sizeof ones[1]);
    pgas_all_free(words);
    pgas_finalize();
    return 0;
}
