/**
 * A thread that has slept since before the job had handlers runs them, too, while the main thread
 * computes. Without the watchdog, which would wake the sleeper: if it does not wake up, the test
 * hangs.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"
#include "pause.h"

static pgas_signal_t *own;
static atomic_bool is_waiting;

static void take(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                 size_t nbytes)
{
    (void)token;
    (void)args;
    (void)nargs;
    (void)payload;
    (void)nbytes;
    pgas_signal_set(own, 1);
}

static void *wait_aside(void *unused)
{
    (void)unused;
    CHECK(pgas_attach_thread() == PGAS_OK);
    is_waiting = true;
    CHECK(pgas_signal_wait(own, PGAS_GE, 1) == 1);
    pgas_detach_thread();
    return NULL;
}

int main(void)
{
    pthread_t other;
    pgas_ptr_t signals;
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), sizeof *own, &signals) == PGAS_OK);
    own = pgas_local(pgas_ptr_on(signals, pgas_mythread()));
    pgas_signal_set(own, 0);
    CHECK(pgas_attach_thread() == PGAS_OK);
    CHECK(pthread_create(&other, NULL, wait_aside, NULL) == 0);
    while (!is_waiting)
        sleep_microseconds(1000);
    sleep_microseconds(300000); /* until it sleeps */
    pgas_am_t am = pgas_am_register("late", take, PGAS_AM_POLL);
    pgas_am_request_short((pgas_mythread() + 1) % pgas_threads(), am, NULL, 0);
    CHECK(pthread_join(other, NULL) == 0);
    pgas_detach_thread();
    pgas_finalize();
    return 0;
}
