/* Jobs that break a rule of active messages, each in a way of its own: MODE CHOSEN. */
#include <pgas/pgas.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "am/mailbox.h"
#include "pause.h"

enum {
    POLLS = 200,
    ASKED = 20
};

static int chosen;
static pgas_am_t nothing;
static pgas_am_t special;
static const char *mode;
static pgas_ptr_t room;
static pgas_am_lock_t lock = PGAS_AM_LOCK_INITIALIZER;
static pgas_am_lock_t second = PGAS_AM_LOCK_INITIALIZER;
static pgas_am_token_t *kept;
static pgas_lock_t global_lock;
static int replies;

static bool is_mode(const char *name)
{
    return strcmp(mode, name) == 0;
}

static bool is_chosen(void)
{
    return pgas_mythread() == chosen;
}

static void take_nothing(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                         size_t nbytes)
{
    (void)args;
    (void)nargs;
    (void)payload;
    (void)nbytes;
    replies += !pgas_am_is_request(token);
    if (is_mode("reply_to_reply") && !pgas_am_is_request(token))
        pgas_am_reply_short(token, nothing, NULL, 0);
}

static void on_fault(int number)
{
    (void)number;
    pgas_fail(8, "no memory there"); /* NOLINT(bugprone-signal-handler): that is what is tested */
}

/* The last of many replies that travel together. */
static void reply_from_nowhere(pgas_am_token_t *token)
{
    static int count;
    static char somewhere[64];
    void *from = somewhere;
    if (++count == ASKED) {
        from = mmap(NULL, sizeof somewhere, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        signal(SIGSEGV, on_fault);
    }
    pgas_am_reply_medium(token, nothing, NULL, 0, from, sizeof somewhere);
}

static void in_handler(pgas_am_token_t *token)
{
    char bytes[8] = "";
    if (is_mode("reply_fault"))
        reply_from_nowhere(token);
    if (is_mode("handler_request"))
        pgas_am_request_short(0, nothing, NULL, 0);
    if (is_mode("handler_barrier"))
        pgas_barrier();
    if (is_mode("handler_poll"))
        pgas_poll();
    if (is_mode("handler_lock"))
        pgas_lock(global_lock);
    if (is_mode("handler_alloc"))
        pgas_alloc(8, &room);
    if (is_mode("handler_copy"))
        pgas_memput(room, bytes, 8);
    if (is_mode("handler_read")) {
        pgas_ptr_t remote = room;
        remote.thread = (uint32_t)(pgas_mythread() + 1) % (uint32_t)pgas_threads();
        PGAS_READ(uint64_t, remote);
    }
    if (is_mode("reply_twice")) {
        pgas_am_reply_short(token, nothing, NULL, 0);
        pgas_am_reply_medium(token, nothing, NULL, 0, bytes, 8);
    }
    if (is_mode("reply_to_reply") || is_mode("gone"))
        pgas_am_reply_short(token, nothing, NULL, 0);
    if (is_mode("reply_with_lock")) {
        pgas_am_lock(&lock);
        pgas_am_reply_short(token, nothing, NULL, 0);
    }
    if (is_mode("return_with_lock"))
        pgas_am_lock(&lock);
    if (is_mode("reply_elsewhere"))
        pgas_am_reply_long(
            token, nothing, NULL, 0, bytes, 8,
            (pgas_ptr_t){.thread = (uint32_t)pgas_am_source(token), .offset = 70000});
    if (is_mode("exit") || is_mode("exit_anywhere"))
        pgas_exit(7);
    kept = token;
}

static void take_special(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                         size_t nbytes)
{
    (void)args;
    (void)nargs;
    (void)payload;
    (void)nbytes;
    in_handler(token);
}

static void with_locks(void)
{
    if (is_mode("lock_twice")) {
        pgas_am_lock(&lock);
        pgas_am_lock(&lock);
    }
    if (is_mode("lock_order")) {
        pgas_am_lock(&lock);
        pgas_am_trylock(&second);
        pgas_am_unlock(&lock);
    }
    if (is_mode("unlock"))
        pgas_am_unlock(&lock);
    if (is_mode("request_with_lock")) {
        pgas_am_lock(&lock);
        pgas_am_request_short(0, nothing, NULL, 0);
    }
    if (is_mode("barrier_with_lock")) {
        pgas_am_lock(&lock);
        pgas_barrier();
    }
    if (is_mode("destroy_held")) {
        pgas_am_lock(&lock);
        pgas_am_lock_destroy(&lock);
    }
    if (is_mode("section_twice")) {
        pgas_am_hold_interrupts();
        pgas_am_hold_interrupts();
    }
    if (is_mode("section_end"))
        pgas_am_resume_interrupts();
    if (is_mode("section_poll")) {
        pgas_am_hold_interrupts();
        pgas_poll();
    }
}

static void *request_aside(void *unused)
{
    pgas_am_request_short((pgas_mythread() + 1) % pgas_threads(), nothing, NULL, 0);
    return unused;
}

static void with_messages(void)
{
    pthread_t aside;
    if (is_mode("aside") && pthread_create(&aside, NULL, request_aside, NULL) == 0)
        pthread_join(aside, NULL);
    int next = (pgas_mythread() + 1) % pgas_threads();
    char bytes[8] = "";
    static int32_t args[PGAS_AM_MAX_ARGS + 1];
    pgas_ptr_t elsewhere = room;
    elsewhere.thread = (uint32_t)next;
    if (is_mode("thread"))
        pgas_am_request_short(pgas_threads(), nothing, NULL, 0);
    if (is_mode("handler"))
        pgas_am_request_short(next, (pgas_am_t){77}, NULL, 0);
    if (is_mode("arguments"))
        pgas_am_request_short(next, nothing, args, PGAS_AM_MAX_ARGS + 1);
    if (is_mode("medium"))
        pgas_am_request_medium(next, nothing, NULL, 0, bytes, PGAS_AM_MAX_MEDIUM + 1);
    if (is_mode("no_arguments"))
        pgas_am_request_short(next, nothing, NULL, 3);
    if (is_mode("no_source"))
        pgas_am_request_medium(next, nothing, NULL, 0, NULL, 100);
    if (is_mode("long_thread"))
        pgas_am_request_long(next, nothing, NULL, 0, bytes, 8,
                             (pgas_ptr_t){.thread = (uint32_t)next + 1, .offset = room.offset});
    elsewhere.offset = UINT64_MAX - 7;
    if (is_mode("long_place"))
        pgas_am_request_long_async(next, nothing, NULL, 0, bytes, 8, elsewhere);
    if (is_mode("token"))
        pgas_am_reply_short(kept, nothing, NULL, 0);
}

static void with_names(void)
{
    static char name[PGAS_AM_MAX_ARGS * 8];
    memset(name, 'x', sizeof name - 1);
    if (is_mode("name_long"))
        pgas_am_register(name, take_nothing, PGAS_AM_POLL);
    if (is_mode("name_twice"))
        pgas_am_register("nothing", take_nothing, PGAS_AM_POLL);
    if (is_mode("no_function"))
        pgas_am_register("none", NULL, PGAS_AM_POLL);
}

/* A producer dies between reserving a slot of a ring and publishing it. */
static void die_with_slot(void)
{
    int next = (pgas_mythread() + 1) % pgas_threads();
    if (is_chosen() && pgasi_job.peers[next].base != NULL) {
        atomic_fetch_add(&pgasi_mailbox_of((uint32_t)next)->requests.tail, 1);
        raise(SIGKILL);
    }
    if (is_chosen())
        raise(SIGKILL);
    for (int i = 0;; i++)
        pgas_am_request_short((chosen + 1) % pgas_threads(), nothing, PGAS_AM_ARGS(i));
}

static void request_of_others(void)
{
    for (int i = 0; i < pgas_threads(); i++)
        if (i != pgas_mythread())
            pgas_am_request_short(i, special, NULL, 0);
}

/* A thread ends while the others reply to it. They have exchanged messages before: UCX 1.13 does
 * not cope with a thread that ends while it connects. */
static void leave_others_replying(void)
{
    enum {
        REQUESTS = 200
    };
    request_of_others();
    while (replies < pgas_threads() - 1)
        pgas_poll();
    pgas_barrier();
    for (int i = 0; i < REQUESTS && is_chosen(); i++)
        request_of_others();
    if (is_chosen())
        _exit(0);
    for (;;)
        pgas_poll();
}

int main(int argc, char **argv)
{
    mode = argc > 1 ? argv[1] : "";
    chosen = argc > 2 ? atoi(argv[2]) : 0;
    const char *rank = getenv("PMIX_RANK");
    bool is_here = rank != NULL && atoi(rank) == chosen;
    nothing = pgas_am_register("nothing", take_nothing, PGAS_AM_POLL);
    special = pgas_am_register(is_mode("names") && is_here ? "other" : "special", take_special,
                               (is_mode("where") && is_here) || is_mode("exit_anywhere")
                                   ? PGAS_AM_ANYWHERE
                                   : PGAS_AM_POLL);
    if (is_here)
        with_names();
    if (is_mode("early") && is_here)
        pgas_am_request_short(0, nothing, NULL, 0);
    if (pgas_init() != PGAS_OK)
        return 1;
    if (pgas_all_alloc((size_t)pgas_threads(), 64, &room) != PGAS_OK ||
        pgas_all_lock_alloc(&global_lock) != PGAS_OK)
        pgas_exit(2);
    if (is_mode("late"))
        pgas_am_register(is_chosen() ? "first" : "second", take_nothing, PGAS_AM_POLL);
    if (is_mode("killed"))
        die_with_slot();
    if (is_mode("gone"))
        leave_others_replying();
    if (is_chosen()) {
        with_locks();
        with_messages();
    }
    pgas_barrier();
    /* The chosen thread's handler does it. */
    int asked = is_mode("reply_fault") ? ASKED : 1;
    for (int i = 0; i < asked && (pgas_mythread() + 1) % pgas_threads() == chosen; i++)
        pgas_am_request_short(chosen, special, NULL, 0);
    if (is_mode("reply_fault") && is_chosen())
        sleep_microseconds(300000);
    if (is_mode("exit_anywhere")) /* where there is a progress thread, it runs the handler */
        sleep_microseconds(100000);
    for (int i = 0; i < POLLS; i++) {
        pgas_poll();
        sleep_microseconds(1000);
    }
    pgas_barrier();
    pgas_finalize();
    return 0;
}
