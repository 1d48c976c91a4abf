/*
 * The operations of a node with several images.
 *
 * Image i's k-th initiation is part of the k-th operation. The ring has the operations that some
 * image has initiated and not all have: number k lies in slot k modulo the size. Since each image
 * initiates in order, `begin` <= next of any image <= `end` holds: slots in between are taken, and
 * an operation leaves the ring when all behind it have an image missing. The last image hands it to
 * the driver, so these come to the driver in order, the same on all nodes, as coll_flight.c wants.
 * The driver alone calls the runtime's collectives.
 *
 * The hostile order: image 0 initiates thousands, image 1 none; the ring grows, and nobody waits.
 * Image 0 then waits for its last, image 1 initiates all, does not synchronise any, and computes or
 * blocks: the driver needs neither to go on. Image 1 has not read the results when image 0 has
 * synchronised, or ended: the operation lasts until the last image of the node has departed.
 *
 * Arguments are written under the lock, and read by the driver, which takes the list under it; what
 * the driver has written to the images' memory is seen by who sees `is_done`. An operation is done
 * only when the driver has nothing of it in flight, or it would be found in flight by an image that
 * ends the job at once, or comes to a barrier.
 */
#include "coll_meet.h"

#ifdef GASNET_PAR

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pgas/sync.h>

#include "am.h"
#include "coll_images.h"

struct gasneti_coll_meeting {
    /* Behind it, of those that all have initiated. */
    gasneti_coll_meeting_t *next;
    /* As the image has said that came first. */
    const char *call;
    gasneti_coll_move_t move;
    int flags;
    gasnet_image_t first;
    /* How many have not initiated, under the lock, and how many have not departed. */
    gasnet_image_t missing;
    _Atomic gasnet_image_t staying;
    _Atomic bool is_done;
    /* The node's, in flight. */
    gasnet_coll_handle_t handle;
    /* Of the node's images. */
    gasneti_coll_side_t sides[];
};

typedef gasneti_coll_meeting_t meeting_t;

/* A list; `end` is not used while it is empty. */
typedef struct list {
    meeting_t *first;
    meeting_t **end;
} list_t;

enum {
    /* Of an image, before it sleeps between its looks. Requests wait for these. */
    SPIN_ROUNDS = 24,
    NAP_NS = 50000,
    LONGEST_NAP_NS = 500000,
    /* Of bytes of operations in flight, before another one starts. */
    MOST_HELD = 8 << 20
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t has_come;
    /* For the images, and how many sleep. */
    pthread_cond_t is_done;
    unsigned sleepers;
    meeting_t **slots;
    size_t size;
    uint64_t begin;
    uint64_t end;
    /* All have initiated these. */
    list_t met;
} ring = {.lock = PTHREAD_MUTEX_INITIALIZER, .has_come = PTHREAD_COND_INITIALIZER};

/* The number of the calling image's next operation. */
static _Thread_local uint64_t next_number;

static void append(list_t *list, meeting_t *meeting)
{
    if (list->first == NULL)
        list->end = &list->first;
    *list->end = meeting;
    list->end = &meeting->next;
}

/* ---- Images ---- */

static void grow(const char *call)
{
    size_t size = ring.size == 0 ? 16 : 2 * ring.size;
    meeting_t **slots = gasneti_allocate(call, size * sizeof(meeting_t *));
    for (uint64_t number = ring.begin; number < ring.end; number++)
        slots[number % size] = ring.slots[number % ring.size];
    free(ring.slots);
    ring.slots = slots;
    ring.size = size;
}

static meeting_t *create(const char *call, const gasneti_coll_move_t *move, int flags)
{
    const gasnet_image_t count = gasneti_coll_images_of(gasnet_mynode());
    meeting_t *meeting = gasneti_allocate(call, sizeof *meeting + count * sizeof *meeting->sides);
    memset(meeting, 0, sizeof *meeting);
    meeting->call = call;
    meeting->move = *move;
    meeting->flags = flags;
    meeting->first = gasneti_coll_own_image();
    meeting->missing = count;
    meeting->staying = count;
    return meeting;
}

static void require_same(const char *call, const meeting_t *meeting,
                         const gasneti_coll_move_t *move, int flags)
{
    const gasneti_coll_move_t *other = &meeting->move;
    const char *what = NULL;
    if (move->kind != other->kind)
        what = "another operation";
    else if (flags != meeting->flags)
        what = "other flags";
    else if (move->nbytes != other->nbytes)
        what = "another size";
    else if (move->root != other->root)
        what = "another root";
    else if (move->computation != NULL &&
             !gasneti_coll_is_same_computation(move->computation, other->computation))
        what = "another array or function";
    if (what != NULL)
        gasneti_fatal(call, "image %u of this node has begun %s here: %s", meeting->first, what,
                      meeting->call);
}

/* The operation of the caller's next number; of which it is the first, or not. */
static meeting_t *find(const char *call, const gasneti_coll_move_t *move, int flags)
{
    if (next_number == ring.end) {
        if (ring.end - ring.begin == ring.size)
            grow(call);
        meeting_t *meeting = create(call, move, flags);
        ring.slots[ring.end++ % ring.size] = meeting;
        return meeting;
    }
    meeting_t *meeting = ring.slots[next_number % ring.size];
    require_same(call, meeting, move, flags);
    free(move->computation);
    return meeting;
}

meeting_t *gasneti_coll_arrive(const char *call, const gasneti_coll_move_t *move, int flags)
{
    const gasnet_image_t place = gasneti_coll_own_image() - gasneti_coll_first_of(gasnet_mynode());
    pthread_mutex_lock(&ring.lock);
    meeting_t *meeting = find(call, move, flags);
    next_number++;
    meeting->sides[place] = (gasneti_coll_side_t){move->dst, move->src};
    if (--meeting->missing == 0) {
        ring.begin++;
        append(&ring.met, meeting);
        pthread_cond_signal(&ring.has_come);
    }
    pthread_mutex_unlock(&ring.lock);
    return meeting;
}

bool gasneti_coll_is_met(meeting_t *meeting)
{
    if (!atomic_load_explicit(&meeting->is_done, memory_order_acquire))
        pgas_poll();
    return atomic_load_explicit(&meeting->is_done, memory_order_acquire);
}

static struct timespec after(long ns)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_nsec += ns;
    if (time.tv_nsec >= 1000000000) {
        time.tv_sec++;
        time.tv_nsec -= 1000000000;
    }
    return time;
}

void gasneti_coll_pause(meeting_t *meeting, unsigned *rounds)
{
    if (*rounds < SPIN_ROUNDS || gasneti_wait_spins()) {
        gasneti_pause(rounds);
        return;
    }
    if (gasneti_am_has_run()) {
        *rounds = 0;
        return;
    }
    long ns = (long)(++*rounds - SPIN_ROUNDS) * NAP_NS;
    const struct timespec end = after(ns < LONGEST_NAP_NS ? ns : LONGEST_NAP_NS);
    pthread_mutex_lock(&ring.lock);
    ring.sleepers++;
    if (!atomic_load_explicit(&meeting->is_done, memory_order_relaxed))
        pthread_cond_timedwait(&ring.is_done, &ring.lock, &end);
    ring.sleepers--;
    pthread_mutex_unlock(&ring.lock);
}

void gasneti_coll_depart(meeting_t *meeting)
{
    if (atomic_fetch_sub(&meeting->staying, 1) == 1)
        free(meeting);
}

/* ---- The driver ---- */

/* Takes what all images have initiated; if `waits`, sleeps until there is something. */
static meeting_t *take_met(bool waits)
{
    pthread_mutex_lock(&ring.lock);
    while (waits && ring.met.first == NULL)
        pthread_cond_wait(&ring.has_come, &ring.lock);
    meeting_t *first = ring.met.first;
    ring.met.first = NULL;
    pthread_mutex_unlock(&ring.lock);
    return first;
}

static void start(meeting_t *meeting)
{
    const gasneti_coll_move_t move = gasneti_coll_spread(&meeting->move, meeting->sides);
    meeting->handle =
        gasneti_coll_start_node(meeting->call, &move, meeting->flags & ~GASNET_COLL_AGGREGATE);
}

/* The images may free it when it is done. */
static void tell(meeting_t *meeting)
{
    pthread_mutex_lock(&ring.lock);
    atomic_store_explicit(&meeting->is_done, true, memory_order_release);
    if (ring.sleepers > 0)
        pthread_cond_broadcast(&ring.is_done);
    pthread_mutex_unlock(&ring.lock);
}

/* Moves what all images have initiated to the end of a list; see take_met. */
static void collect_met(list_t *list, bool waits)
{
    meeting_t *next;
    for (meeting_t *at = take_met(waits); at != NULL; at = next) {
        next = at->next;
        at->next = NULL;
        append(list, at);
    }
}

static meeting_t *remove_first(list_t *list)
{
    meeting_t *first = list->first;
    list->first = first->next;
    first->next = NULL;
    return first;
}

/* Those that it has in flight are complete in order. The next one waits as long as they hold much
 * memory. No node waits for one that waits for it by that: the first that is not complete on all
 * nodes is the first on each, and started there. */
static void drive(void)
{
    list_t waiting = {.first = NULL};
    list_t started = {.first = NULL};
    size_t held = 0;
    for (unsigned rounds = 0;;) {
        collect_met(&waiting, waiting.first == NULL && started.first == NULL);
        while (waiting.first != NULL &&
               (started.first == NULL ||
                held + gasneti_coll_copied(&waiting.first->move) <= MOST_HELD)) {
            meeting_t *meeting = remove_first(&waiting);
            held += gasneti_coll_copied(&meeting->move);
            start(meeting);
            append(&started, meeting);
            rounds = 0;
        }
        if (started.first == NULL || gasnet_coll_try_sync(started.first->handle) != GASNET_OK) {
            gasneti_pause(&rounds);
            continue;
        }
        meeting_t *done = remove_first(&started);
        held -= gasneti_coll_copied(&done->move);
        rounds = 0;
        tell(done);
    }
}

static _Atomic bool is_driven;

static void *run_driver(void *call)
{
    gasneti_coll_open(call);
    atomic_store(&is_driven, true);
    drive();
    return NULL;
}

bool gasneti_coll_is_driven(void)
{
    return atomic_load(&is_driven);
}

/* Signals are the program's threads', but for those of faults. */
void gasneti_coll_drive(const char *call)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    pthread_t thread;
    pthread_condattr_t attributes;
    sigset_t mask;
    sigset_t before;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&ring.is_done, &attributes);
    pthread_condattr_destroy(&attributes);
    sigfillset(&mask);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&mask, faults[i]);
    pthread_sigmask(SIG_SETMASK, &mask, &before);
    if (pthread_create(&thread, NULL, run_driver, (void *)(uintptr_t)call) != 0)
        gasneti_fatal(call, "no thread for the operations of several images");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_detach(thread);
}

#else

void gasneti_coll_drive(const char *call)
{
    (void)call;
}

bool gasneti_coll_is_driven(void)
{
    return false;
}

gasneti_coll_meeting_t *gasneti_coll_arrive(const char *call, const gasneti_coll_move_t *move,
                                            int flags)
{
    (void)move;
    (void)flags;
    gasneti_fatal(call, "there is one image per node");
}

bool gasneti_coll_is_met(gasneti_coll_meeting_t *meeting)
{
    return meeting == NULL;
}

void gasneti_coll_pause(gasneti_coll_meeting_t *meeting, unsigned *rounds)
{
    (void)meeting;
    gasneti_pause(rounds);
}

void gasneti_coll_depart(gasneti_coll_meeting_t *meeting)
{
    (void)meeting;
}

#endif
