#include "internal.h"

#include <gasnet_tools.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <pgas/detail.h>

enum {
    SPIN_ROUNDS = 2000, /* before a wait yields */
    NAP_NS = 50000 /* between the looks of a wait that blocks */
};

static int wait_mode = GASNET_WAIT_SPINBLOCK;

int gasnet_set_waitmode(int mode)
{
    if (mode != GASNET_WAIT_SPIN && mode != GASNET_WAIT_BLOCK && mode != GASNET_WAIT_SPINBLOCK)
        return GASNET_ERR_BAD_ARG;
    __atomic_store_n(&wait_mode, mode, __ATOMIC_RELAXED);
    return GASNET_OK;
}

gasnet_threadinfo_t gasneti_threadinfo(void)
{
    static _Thread_local char here;
    return &here;
}

/* Fathom takes each client thread for a main thread. */
static inline void register_thread(void)
{
#ifndef GASNET_SEQ
    static _Thread_local bool is_registered;
    if (!is_registered)
        pgasi_main_thread_add();
    is_registered = true;
#endif
}

#ifdef GASNET_PAR

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned waiting;
static _Thread_local unsigned depth;

void gasneti_enter(void)
{
    if (depth++ > 0)
        return;
    if (pthread_mutex_trylock(&lock) != 0) {
        __atomic_fetch_add(&waiting, 1, __ATOMIC_RELAXED);
        pthread_mutex_lock(&lock);
        __atomic_fetch_sub(&waiting, 1, __ATOMIC_RELAXED);
    }
    register_thread();
}

/* A thread that takes the lock again at once would keep it from those that wait for it. */
static bool others_want_it(void)
{
    return __atomic_load_n(&waiting, __ATOMIC_RELAXED) > 0;
}

void gasneti_leave(void)
{
    if (--depth > 0)
        return;
    pthread_mutex_unlock(&lock);
    if (others_want_it())
        sched_yield();
}

bool gasneti_enter_within(unsigned milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += milliseconds / 1000;
    until.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (depth++ > 0)
        return true;
    __atomic_fetch_add(&waiting, 1, __ATOMIC_RELAXED);
    bool is_in = pthread_mutex_timedlock(&lock, &until) == 0;
    __atomic_fetch_sub(&waiting, 1, __ATOMIC_RELAXED);
    if (is_in)
        register_thread();
    else
        depth--;
    return is_in;
}

#else

/* In PARSYNC the client sees to it that one thread at a time calls. */
static unsigned depth;

void gasneti_enter(void)
{
    register_thread();
    depth++;
}

void gasneti_leave(void)
{
    depth--;
}

bool gasneti_enter_within(unsigned milliseconds)
{
    (void)milliseconds;
    gasneti_enter();
    return true;
}

static bool others_want_it(void)
{
    return false;
}

#endif

bool gasneti_is_inside(void)
{
    return depth > 0;
}

void gasneti_pause(unsigned *rounds)
{
    int mode = __atomic_load_n(&wait_mode, __ATOMIC_RELAXED);
    (*rounds)++;
    bool spins =
        mode == GASNET_WAIT_SPIN || (mode == GASNET_WAIT_SPINBLOCK && *rounds < SPIN_ROUNDS);
    bool others_wait = others_want_it();
    if (spins && !others_wait)
        gasnett_spinloop_hint();
    else if (others_wait || *rounds % 64 != 0)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}
