/* Jobs that break a rule of signals, each in a way of its own: MODE CHOSEN. */
#include <pgas/pgas.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *mode;
static int chosen;
static pgas_ptr_t signals;
static pgas_am_t handler;

static bool is_mode(const char *name)
{
    return strcmp(mode, name) == 0;
}

static pgas_ptr_t signal_at(int thread, uint64_t offset)
{
    pgas_ptr_t ptr = signals;
    ptr.thread = (uint32_t)thread;
    ptr.offset += offset;
    return ptr;
}

static pgas_signal_t *own(void)
{
    return pgas_local(signal_at(pgas_mythread(), 0));
}

static void in_handler(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                       size_t nbytes)
{
    (void)token;
    (void)args;
    (void)nargs;
    (void)payload;
    (void)nbytes;
    if (is_mode("handler_put"))
        pgas_put_signal((pgas_ptr_t){0}, NULL, 0, signal_at(0, 0), PGAS_SIGNAL_ADD, 1);
    if (is_mode("handler_wait"))
        pgas_signal_wait(own(), PGAS_EQ, 5);
    if (is_mode("handler_until"))
        PGAS_WAIT_UNTIL(uint64_t, &own()->value, PGAS_EQ, 5);
    pgas_signal_set(own(), 1);
}

static void break_rule(int other)
{
    static const char bytes[8] = "";
    const pgas_ptr_t none = {0};
    pgas_ptr_t far = signal_at(other, 0);
    far.offset = (uint64_t)1 << 50;
    if (is_mode("unaligned"))
        pgas_put_signal(none, NULL, 0, signal_at(other, 4), PGAS_SIGNAL_ADD, 1);
    if (is_mode("null"))
        pgas_put_signal(none, NULL, 0, none, PGAS_SIGNAL_ADD, 1);
    if (is_mode("outside"))
        pgas_put_signal(none, NULL, 0, far, PGAS_SIGNAL_ADD, 1);
    if (is_mode("place"))
        pgas_put_signal(far, bytes, 8, signal_at(other, 0), PGAS_SIGNAL_ADD, 1);
    if (is_mode("threads"))
        pgas_put_signal_async(signal_at(chosen, 0), bytes, 8, signal_at(other, 0), PGAS_SIGNAL_SET,
                              1);
    if (is_mode("operation"))
        pgas_put_signal(none, NULL, 0, signal_at(other, 0), (pgas_signal_op_t)2, 1);
    if (is_mode("comparison"))
        pgas_signal_test(own(), (pgas_compare_t)6, 1);
    if (is_mode("private"))
        pgas_signal_wait((const pgas_signal_t *)(const void *)bytes, PGAS_EQ, 0);
    if (is_mode("several"))
        pgas_signal_wait_any(own(), (size_t)1 << 40, NULL, PGAS_EQ, 0);
    if (is_mode("until"))
        pgas_wait_until(bytes + 1, PGAS_INT64, PGAS_EQ, 0);
    if (is_mode("killed"))
        raise(SIGKILL);
}

int main(int argc, char **argv)
{
    mode = argc > 2 ? argv[1] : "";
    chosen = argc > 2 ? atoi(argv[2]) : 0;
    const char *rank = getenv("PMIX_RANK");
    if (is_mode("early") && rank != NULL && atoi(rank) == chosen)
        pgas_signal_wait(NULL, PGAS_EQ, 0);
    handler = pgas_am_register("handler", in_handler, PGAS_AM_POLL);
    if (pgas_init() != PGAS_OK || pgas_all_alloc((size_t)pgas_threads(), 64, &signals) != PGAS_OK)
        return 2;
    int other = (chosen + 1) % pgas_threads();
    pgas_signal_set(own(), 0);
    pgas_barrier();
    if (strncmp(mode, "handler_", 8) == 0 && pgas_mythread() == other)
        pgas_am_request_short(chosen, handler, NULL, 0);
    if (pgas_mythread() == chosen)
        break_rule(other);
    if (!is_mode("none"))
        pgas_signal_wait(own(), PGAS_EQ, 77); /* which nobody sends */
    pgas_finalize();
    return 0;
}
