/**
 * Two operating-system threads of a process connect at the same time over a network that does not
 * tell of lost connections, and neither knows that yet.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include <ucp/api/ucp.h>

#include <pgas/attach.h>

#include "check.h"

/* From then on, no connection that is to be told of is made. */
static atomic_bool tells_of_none;
static atomic_int refused;
static atomic_int connected;

static void wait_for(atomic_int *count, int least)
{
    while (atomic_load(count) < least)
        sched_yield();
}

/* Stands in the place of UCX's own. Both threads are refused before either tries again, and one of
 * them goes on when the other is connected. */
ucs_status_t ucp_ep_create(ucp_worker_h worker, const ucp_ep_params_t *params, ucp_ep_h *ep_p)
{
    ucs_status_t (*create)(ucp_worker_h, const ucp_ep_params_t *, ucp_ep_h *);
    *(void **)&create = dlsym(RTLD_NEXT, "ucp_ep_create");
    if (!atomic_load(&tells_of_none))
        return create(worker, params, ep_p);
    if (params->err_mode == UCP_ERR_HANDLING_MODE_PEER) {
        bool is_first = atomic_fetch_add(&refused, 1) == 0;
        wait_for(is_first ? &refused : &connected, is_first ? 2 : 1);
        return UCS_ERR_UNREACHABLE;
    }
    ucs_status_t status = create(worker, params, ep_p);
    atomic_fetch_add(&connected, 1);
    return status;
}

static pgas_ptr_t words;

static void *read_word(void *unused)
{
    uint64_t word = 0;
    CHECK(pgas_attach_thread() == PGAS_OK);
    int next = (pgas_mythread() + 1) % pgas_threads();
    pgas_memget(&word, pgas_ptr_on(words, next), sizeof word);
    CHECK(word == (uint64_t)next + 1);
    pgas_detach_thread();
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    if (pgas_init() != PGAS_OK)
        return 1;
    CHECK(pgas_all_alloc((size_t)pgas_threads(), sizeof(uint64_t), &words) == PGAS_OK);
    PGAS_WRITE(uint64_t, pgas_ptr_on(words, pgas_mythread()), (uint64_t)pgas_mythread() + 1);
    pgas_barrier();
    CHECK(pgas_attach_thread() == PGAS_OK);
    atomic_store(&tells_of_none, true);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&threads[i], NULL, read_word, NULL) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(atomic_load(&refused) == 2);
    pgas_detach_thread();
    pgas_all_free(words);
    pgas_finalize();
    return 0;
}
