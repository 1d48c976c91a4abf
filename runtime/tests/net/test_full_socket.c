/* What has been sent arrives though a socket took only a part of it, whatever the sender does then:
 * its last message may lie in UCX's own buffer when it starts to wait for the answer, or to
 * compute. Sockets have small buffers here, and the receiver reads late.
 *
 * Orders: the last message is the one that did not fit; it was a signal with data, a signal alone,
 * an active message; the sender waits for the receiver, polls, or sleeps outside of the runtime
 * (with a progress thread). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "job_random.h"

enum {
    ROUNDS = 100,
    MOST_MESSAGES = 12,
    MOST_BYTES = 8000,
    LATE_US = 3000
};

static pgas_ptr_t room;
static pgas_ptr_t signals;
static unsigned char bytes[MOST_BYTES];
static pgas_am_t am;
static uint64_t handled;

static void take(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                 size_t nbytes)
{
    (void)token;
    CHECK(nargs == 1);
    for (size_t i = 0; i < nbytes; i++)
        CHECK(((unsigned char *)payload)[i] == (unsigned char)args[0]);
    handled++;
}

static void send_signal(int thread, uint64_t value, size_t nbytes)
{
    memset(bytes, (int)value, nbytes);
    pgas_put_signal(pgas_ptr_on(room, thread), bytes, nbytes, pgas_ptr_on(signals, thread),
                    PGAS_SIGNAL_SET, value);
}

static void send_message(int thread, uint64_t value, size_t nbytes)
{
    memset(bytes, (int)value, nbytes);
    pgas_am_request_medium(thread, am, PGAS_AM_ARGS((int32_t)value), bytes, nbytes);
}

/* Both sides draw the same numbers. */
static void one_round(uint64_t *random, uint64_t round, uint64_t *signalled, uint64_t *messages,
                      bool has_progress)
{
    pgas_signal_t *own = pgas_local(pgas_ptr_on(signals, pgas_mythread()));
    int last = pgas_threads() - 1;
    bool by_signal = random_below(random, 2) == 0;
    bool leaves = random_below(random, 4) == 0 && has_progress;
    uint64_t count = 1 + random_below(random, MOST_MESSAGES);
    uint64_t *sent = by_signal ? signalled : messages;
    for (uint64_t i = 0; i < count; i++) {
        size_t nbytes = random_below(random, 8) == 0 ? 0 : random_below(random, MOST_BYTES);
        ++*sent;
        if (pgas_mythread() == 0 && by_signal)
            send_signal(last, *sent, nbytes);
        else if (pgas_mythread() == 0)
            send_message(last, *sent, nbytes);
    }
    if (pgas_mythread() == 0) {
        if (leaves)
            usleep(2 * LATE_US);
        pgas_signal_wait(own, PGAS_GE, round);
        return;
    }
    usleep(LATE_US);
    if (by_signal)
        pgas_signal_wait(own, PGAS_GE, *sent);
    while (!by_signal && handled < *sent)
        pgas_poll();
    pgas_put_signal((pgas_ptr_t){0}, NULL, 0, pgas_ptr_on(signals, 0), PGAS_SIGNAL_SET, round);
}

int main(void)
{
    const char *progress = getenv("PGAS_PROGRESS");
    bool has_progress = progress == NULL || strcmp(progress, "poll") != 0;
    am = pgas_am_register("take", take, PGAS_AM_POLL);
    CHECK(pgas_init() == PGAS_OK);
    size_t threads = (size_t)pgas_threads();
    CHECK(pgas_all_alloc(threads, MOST_BYTES, &room) == PGAS_OK);
    CHECK(pgas_all_alloc(threads, sizeof(pgas_signal_t), &signals) == PGAS_OK);
    pgas_signal_set(pgas_local(pgas_ptr_on(signals, pgas_mythread())), 0);
    uint64_t random = random_seed_of_job();
    uint64_t signalled = 0;
    uint64_t messages = 0;
    pgas_barrier();
    bool takes_part = pgas_mythread() == 0 || pgas_mythread() == pgas_threads() - 1;
    for (uint64_t round = 1; round <= ROUNDS && takes_part; round++)
        one_round(&random, round, &signalled, &messages, has_progress);
    pgas_finalize();
    return 0;
}
