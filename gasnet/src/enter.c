#include "internal.h"

#include <gasnet_tools.h>

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <pgas/attach.h>
#include <pgas/detail.h>
#include <pgas/sync.h>
#include <pgas/team.h>

#include "am.h"
#include "held.h"

enum {
    SPIN_ROUNDS = 2000, /* before a wait yields */
    SPIN_ROUNDS_CROWDED = 32,
    ROUNDS_PER_YIELD = 16, /* if there are several client threads */
    YIELD_ROUNDS = 64, /* before a wait that does not spin any more naps between its looks */
    NAP_NS = 10000,
    LONGEST_NAP_NS = 500000
};

static int wait_mode = GASNET_WAIT_SPINBLOCK;

/* Nodes of this supernode. A wait looks at it outside the runtime, perhaps after the job's end. */
static int supernode_size = 1;

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

#ifdef GASNET_SEQ

static unsigned depth;

void gasneti_enter(void)
{
    GASNETI_ORDER();
    depth++;
}

void gasneti_leave(void)
{
    depth--;
    GASNETI_ORDER();
}

/* The one thread of control that makes calls. Another one may exit. */
static _Thread_local bool is_main;

bool gasneti_enter_within(unsigned milliseconds)
{
    (void)milliseconds;
    if (is_main)
        gasneti_enter();
    return is_main;
}

void gasneti_attach_main(void)
{
    is_main = true;
}

static unsigned own_clients(void)
{
    return 1;
}

#else

/* A client thread. In PARSYNC the client sees to it that one of them at a time calls, but it may
 * end while another one calls. */
typedef struct client {
    struct client *next;
    _Atomic bool is_inside;
    /* By the library, which detaches it. */
    bool is_attached_here;
} client_t;

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static client_t *clients;
static _Atomic unsigned clients_count;
static pthread_key_t key;
static _Thread_local client_t *mine;
static _Thread_local unsigned depth;

static void add_client(void)
{
    mine = gasneti_allocate("gasnet", sizeof *mine);
    *mine = (client_t){.next = NULL};
    pthread_mutex_lock(&guard);
    mine->next = clients;
    clients = mine;
    clients_count++;
    pthread_mutex_unlock(&guard);
    pthread_setspecific(key, mine);
}

static void remove_client(void)
{
    pthread_mutex_lock(&guard);
    client_t **at = &clients;
    while (*at != mine)
        at = &(*at)->next;
    *at = mine->next;
    clients_count--;
    pthread_mutex_unlock(&guard);
    free(mine);
    mine = NULL;
}

/* A client thread ends, after its first call. What it has not synchronised completes. The main
 * thread stays attached until the process ends. */
static void on_end_of_thread(void *unused)
{
    (void)unused;
    gasneti_coll_release();
    gasneti_enter();
    gasneti_implicit_release();
    gasneti_held_end();
    if (mine->is_attached_here)
        pgas_detach_thread();
    gasneti_leave();
    remove_client();
}

static void attach(void)
{
    if (pgas_attach_thread() != PGAS_OK)
        gasneti_fatal("gasnet", "the calling thread cannot communicate");
}

void gasneti_attach_main(void)
{
    if (pthread_key_create(&key, on_end_of_thread) != 0)
        gasneti_fatal("gasnet", "no key for the data of threads");
    supernode_size = pgas_team_size(PGAS_TEAM_NODE);
    add_client();
    attach();
}

/* Whoever ends the job tells so before it looks who is inside, and the others say that they are
 * inside before they look whether somebody ends it: both are sequentially consistent. To attach is
 * to be inside. In PARSYNC the client may attach a thread itself, and detach it. */
void gasneti_enter(void)
{
    GASNETI_ORDER();
    if (depth++ > 0)
        return;
    if (mine == NULL)
        add_client();
    atomic_store(&mine->is_inside, true);
    if (gasneti_is_ended_elsewhere()) {
        atomic_store(&mine->is_inside, false);
        for (;;)
            pause();
    }
    if (pgasi_peers == PGASI_NO_PEERS) {
        attach();
        mine->is_attached_here = true;
    }
}

void gasneti_leave(void)
{
    if (--depth == 0)
        atomic_store_explicit(&mine->is_inside, false, memory_order_release);
    GASNETI_ORDER();
}

static bool is_another_inside(void)
{
    bool found = false;
    pthread_mutex_lock(&guard);
    for (const client_t *client = clients; client != NULL; client = client->next)
        found = found || (client != mine && atomic_load(&client->is_inside));
    pthread_mutex_unlock(&guard);
    return found;
}

/* The others may need what comes here to get out of the runtime. */
bool gasneti_enter_within(unsigned milliseconds)
{
    gasnett_tick_t start = gasnett_ticks_now();
    gasneti_enter();
    while (is_another_inside()) {
        if ((gasnett_ticks_now() - start) / 1000000 > milliseconds) {
            gasneti_leave();
            return false;
        }
        pgas_fence();
        sched_yield();
    }
    return true;
}

static unsigned own_clients(void)
{
    return atomic_load_explicit(&clients_count, memory_order_relaxed);
}

#endif

bool gasneti_is_inside(void)
{
    return depth > 0;
}

/* Naps get longer with the wait, so that a long one takes no processor and none ends late by more
 * than a part of itself. The sleep itself is outside, so that this thread may be interrupted by a
 * signal whose handler ends the job, or another one may end it. */
static void yield_or_nap(unsigned round)
{
    if (round < YIELD_ROUNDS && pgasi_yield())
        return;
    long naps = round < YIELD_ROUNDS ? 1 : (long)round - YIELD_ROUNDS + 1;
    long ns = naps * NAP_NS;
    gasneti_enter();
    pgasi_nap_begin();
    gasneti_leave();
    nanosleep(&(struct timespec){.tv_nsec = ns < LONGEST_NAP_NS ? ns : LONGEST_NAP_NS}, NULL);
    gasneti_enter();
    pgasi_nap_end();
    gasneti_leave();
}

/* Several client threads leave the cores to each other soon if those of the supernode outnumber its
 * processors, where other nodes have as many. */
static unsigned spin_rounds(int mode, unsigned own)
{
    static _Atomic long processors;
    if (mode != GASNET_WAIT_SPINBLOCK)
        return mode == GASNET_WAIT_SPIN ? UINT_MAX : 1;
    if (own == 1)
        return SPIN_ROUNDS;
    if (processors == 0)
        processors = sysconf(_SC_NPROCESSORS_ONLN);
    bool is_crowded = (long)own * supernode_size > processors;
    return is_crowded ? SPIN_ROUNDS_CROWDED : SPIN_ROUNDS;
}

bool gasneti_wait_spins(void)
{
    return __atomic_load_n(&wait_mode, __ATOMIC_RELAXED) == GASNET_WAIT_SPIN;
}

/* Where messages come, the next one is likely to come soon, and its sender may wait for a reply. A
 * core that others keep busy is left to them. */
void gasneti_pause(unsigned *rounds)
{
    int mode = __atomic_load_n(&wait_mode, __ATOMIC_RELAXED);
    if (gasneti_am_has_run()) {
        *rounds = 0;
        return;
    }
    unsigned own = own_clients();
    unsigned most = spin_rounds(mode, own);
    if (++*rounds >= most)
        yield_or_nap(*rounds - most);
    else if (own == 1 || *rounds % ROUNDS_PER_YIELD != 0)
        gasnett_spinloop_hint();
    else if (!pgasi_yield() && mode == GASNET_WAIT_SPINBLOCK)
        *rounds = most;
}
