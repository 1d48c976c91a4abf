/* A job in which every thread but the last waits for the last one: in a named barrier, in a
 * collective call, in a collective of a team, for a lock, or for a reply or in a barrier while the
 * last one is stopped, or computes after a wait of its own; or thread 0 waits in a barrier for a
 * thread that waits for a lock of the last one, or in a team's for one that waits in a barrier of
 * all. PGAS_WATCHDOG=1 must report it.
 *
 * Usage: runtime_hang MODE FILE|SECONDS. The last thread makes the others wait until the file
 * exists, if the argument has a '/', or for that many seconds.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pgas/am.h>
#include <pgas/pgas.h>

#include "check.h"

enum {
    MESSAGES = 5000
};

static const char *until;
static pgas_am_t message;
static atomic_int messages;

static void on_message(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                       size_t nbytes)
{
    (void)token;
    (void)args;
    (void)nargs;
    (void)payload;
    (void)nbytes;
    atomic_fetch_add(&messages, 1);
}

static void keep_waiting(void)
{
    if (strchr(until, '/') == NULL)
        sleep((unsigned)strtoul(until, NULL, 10));
    else
        while (access(until, F_OK) != 0)
            usleep(50000);
}

static bool is_last(void)
{
    return pgas_mythread() == pgas_threads() - 1;
}

static void hang_in_barrier(void)
{
    if (is_last())
        keep_waiting();
    pgas_notify(7);
    pgas_wait(7);
}

static void hang_in_collective(void)
{
    pgas_ptr_t ptr;
    if (is_last())
        keep_waiting();
    CHECK(pgas_all_alloc(10, 8, &ptr) == PGAS_OK);
}

/* The last thread is missing in a team that all but thread 0 belong to. */
static void hang_in_team(void)
{
    pgas_team_t *team;
    int colour = pgas_mythread() == 0 ? PGAS_NO_TEAM : 1;
    CHECK(pgas_team_split(PGAS_TEAM_ALL, colour, -pgas_mythread(), &team) == PGAS_OK);
    if (is_last())
        keep_waiting();
    if (team != NULL)
        pgas_allreduce_double(team, 1, PGAS_SUM);
}

/* The same with several in flight: the last one waits in a queue behind the one that is named. */
static void hang_in_flight(void)
{
    enum {
        COUNT = 6
    };
    pgas_team_t *team;
    double values[COUNT][COUNT] = {{0}};
    pgas_handle_t handles[COUNT];
    int colour = pgas_mythread() == 0 ? PGAS_NO_TEAM : 1;
    CHECK(pgas_team_split(PGAS_TEAM_ALL, colour, -pgas_mythread(), &team) == PGAS_OK);
    if (is_last())
        keep_waiting();
    for (size_t i = 0; i < COUNT && team != NULL; i++)
        handles[i] = pgas_allreduce_async(team, values[i], values[i], i, PGAS_DOUBLE, PGAS_SUM);
    for (size_t i = COUNT; i-- > 0 && team != NULL;)
        pgas_waitsync(handles[i]);
}

static void hang_behind_lock(void)
{
    pgas_lock_t lock;
    CHECK(pgas_all_lock_alloc(&lock) == PGAS_OK);
    if (is_last())
        pgas_lock(lock);
    pgas_barrier();
    if (is_last())
        keep_waiting();
    else if (pgas_mythread() != 0)
        pgas_lock(lock);
    if (pgas_mythread() != 0)
        pgas_unlock(lock);
    pgas_barrier();
}

static void hang_for_lock(void)
{
    pgas_lock_t lock;
    CHECK(pgas_all_lock_alloc(&lock) == PGAS_OK);
    if (is_last())
        pgas_lock(lock);
    pgas_barrier();
    if (is_last())
        keep_waiting();
    else
        pgas_lock(lock);
    pgas_unlock(lock);
    pgas_barrier();
}

/* A child wakes the last thread up again. */
static void stop_for_a_while(void)
{
    pid_t self = getpid();
    if (fork() == 0) {
        keep_waiting();
        kill(self, SIGCONT);
        _exit(0);
    }
    raise(SIGSTOP);
}

/* The last thread stops once thread 0 has left the barrier, which asks until the end, since it may
 * still be answered before. */
static void hang_for_answer(void)
{
    pgas_array_t x;
    CHECK(pgas_array_create((size_t)pgas_threads(), sizeof(int), 1, &x) == PGAS_OK);
    PGAS_PUT(int, &x, (size_t)pgas_mythread(), 0);
    pgas_barrier();
    if (pgas_mythread() == 0)
        PGAS_PUT(int, &x, x.count - 1, 1);
    if (is_last()) {
        while (PGAS_GET(int, &x, x.count - 1) == 0)
            pgas_poll();
        stop_for_a_while();
    } else {
        do
            CHECK(PGAS_GET(int, &x, x.count - 1) <= 1);
        while (access(until, F_OK) != 0);
    }
    pgas_array_free(&x);
}

/* The last thread has waited long for thread 0 to run messages, and does not wait any more, which
 * the file FILE.past says. */
static void hang_after_wait(void)
{
    char past[4096];
    snprintf(past, sizeof past, "%s.past", until);
    if (is_last()) {
        for (int32_t i = 0; i < MESSAGES; i++)
            pgas_am_request_short(0, message, PGAS_AM_ARGS(i));
        FILE *file = fopen(past, "w");
        CHECK(file != NULL && fclose(file) == 0);
        keep_waiting();
    } else {
        sleep(2);
        while (atomic_load(&messages) < MESSAGES || access(past, F_OK) != 0)
            pgas_poll();
    }
    pgas_notify(7);
    pgas_wait(7);
}

/* Of each thread one, at one offset, which is 0; returns the own one. */
static pgas_signal_t *make_signals(pgas_ptr_t *signals)
{
    CHECK(pgas_all_alloc((size_t)pgas_threads(), sizeof(pgas_signal_t), signals) == PGAS_OK);
    pgas_signal_t *own = pgas_local(pgas_ptr_on(*signals, pgas_mythread()));
    pgas_signal_set(own, 0);
    pgas_barrier();
    return own;
}

/* Each thread but the last waits for a signal of its own. */
static void hang_for_signals(void)
{
    pgas_ptr_t signals;
    pgas_signal_t *own = make_signals(&signals);
    if (is_last()) {
        keep_waiting();
        for (int t = 0; t < pgas_mythread(); t++)
            pgas_put_signal(signals, NULL, 0, pgas_ptr_on(signals, t), PGAS_SIGNAL_SET, 1);
    } else {
        pgas_signal_wait(own, PGAS_GE, 1);
    }
    pgas_barrier();
}

static void hang_for_stopped(void)
{
    if (is_last())
        stop_for_a_while();
    pgas_notify(7);
    pgas_wait(7);
}

/* The last thread waits for a signal of another one, and is stopped meanwhile. */
static void hang_for_frozen(void)
{
    pgas_ptr_t signals;
    pgas_signal_t *own = make_signals(&signals);
    pgas_ptr_t last = pgas_ptr_on(signals, pgas_threads() - 1);
    if (is_last()) {
        pid_t self = getpid();
        if (fork() == 0) {
            sleep(3); /* until it is seen to wait */
            kill(self, SIGSTOP);
            keep_waiting();
            kill(self, SIGCONT);
            _exit(0);
        }
        pgas_signal_wait(own, PGAS_GE, 1);
    } else if (pgas_mythread() != 0) {
        keep_waiting();
        pgas_put_signal(last, NULL, 0, last, PGAS_SIGNAL_SET, 1);
    }
    pgas_notify(7);
    pgas_wait(7);
}

/* Thread 0 has notified, and waits for the last one in a barrier of the two; the last one waits for
 * the others, of which thread 1 does not come to the barrier of all. */
static void hang_apart(void)
{
    pgas_team_t *team;
    int colour = pgas_mythread() == 1 ? PGAS_NO_TEAM : 1;
    CHECK(pgas_team_split(PGAS_TEAM_ALL, colour, pgas_mythread(), &team) == PGAS_OK);
    if (pgas_mythread() == 1)
        keep_waiting();
    pgas_notify(7);
    if (team != NULL && !is_last())
        pgas_team_barrier(team);
    pgas_wait(7);
    if (is_last())
        pgas_team_barrier(team);
}

static const struct {
    const char *name;
    void (*hang)(void);
} cases[] = {
    {"barrier", hang_in_barrier}, {"collective", hang_in_collective}, {"team", hang_in_team},
    {"flight", hang_in_flight},   {"behind", hang_behind_lock},       {"lock", hang_for_lock},
    {"past", hang_after_wait},    {"signals", hang_for_signals},      {"stopped", hang_for_stopped},
    {"answer", hang_for_answer},  {"frozen", hang_for_frozen},        {"apart", hang_apart},
};

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    until = argv[2];
    message = pgas_am_register("message", on_message, PGAS_AM_POLL);
    if (pgas_init() != PGAS_OK)
        return 1;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        if (strcmp(argv[1], cases[c].name) == 0)
            cases[c].hang();
    pgas_finalize();
    return 0;
}
