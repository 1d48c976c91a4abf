#include "net/ucx/ucx.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/config.h"
#include "base/log.h"
#include "net/spin.h"
#include "shm/event.h"

/*
 * The serving and the background worker have one driver at a time, the one that has set `driver`.
 * Both at once would be slow even if it were allowed: the two threads wake each other for every
 * message (docs/decisions.md, 20).
 *
 * The progress thread therefore leaves when it finds the main thread driving, or wanting to. It
 * parks, and comes back when the main thread has not driven for a while, or goes to sleep on an
 * event and says so. A main thread that waits for the network goes on driving in its sleep: it
 * sleeps on the workers' descriptors. All sleeps in poll() are bounded, since UCX before 1.14 may
 * miss a wake-up.
 */
enum {
    NOBODY,
    MAIN_THREAD,
    PROGRESS_THREAD
};

enum {
    TICK_MS = 1,
    SHORTEST_PARK_US = 16,
    LONGEST_PARK_US = 1000,
    /* While the main thread drives in its sleep, and wakes the progress thread when it stops. */
    LONG_PARK_US = 1000 * PGASI_NET_INTERVAL_MS,
    /* Some milliseconds. */
    MOST_TURNS = 10000
};

static atomic_uint driver;
/* The main thread wants to be the driver, at once. */
static atomic_bool main_wants;
/* Whether the main thread sleeps on an event, so that its core is free. */
static atomic_bool main_sleeps;
/* Whether it drives in its sleep. */
static atomic_bool main_sleeps_driving;
/* Times the main thread has given the serving worker back. */
static atomic_uint drives;
/* Changed, and woken, when the parked progress thread shall look at once. */
static pgasi_event_t handed_over;
static atomic_bool stopping;
/* The progress thread sleeps, or is about to, and does not hear of the background worker. */
static atomic_bool watches_serving_only;
static bool has_progress_thread;
static pthread_t progress_thread;
/* The cores of the main thread, if it is bound to some, and those of the whole machine. */
static bool is_bound;
static cpu_set_t main_cores;
static cpu_set_t all_cores;
static int wake_fd = -1;
static int serving_fd = -1;
static int initiating_fd = -1;

static void (*every_nap)(void);
/* The progress thread has found the main thread driving when it was time for `every_nap`. */
static atomic_bool is_due;

/* Whether the calling OS thread drives the serving worker. */
static _Thread_local bool drives_serving;
/* Whether it is below ucp_worker_progress: in a handler, or in a callback. */
static _Thread_local bool is_in_progress;
static _Thread_local bool is_main_thread;

static unsigned progress(ucp_worker_h worker)
{
    is_in_progress = true;
    unsigned count = ucp_worker_progress(worker);
    is_in_progress = false;
    return count;
}

/* What the main thread wants posted while another is the driver: the last first. */
typedef struct job {
    struct job *next;
    void (*post)(const void *what);
    unsigned char what[];
} job_t;

static job_t *_Atomic jobs;

/* The driver posts what waits for it, in the order in which it came. */
static unsigned post_jobs(void)
{
    job_t *last = atomic_exchange(&jobs, NULL);
    job_t *first = NULL;
    unsigned count = 0;
    while (last != NULL) {
        job_t *before = last->next;
        last->next = first;
        first = last;
        last = before;
    }
    while (first != NULL) {
        job_t *job = first;
        first = job->next;
        job->post(job->what);
        free(job);
        count++;
    }
    return count;
}

static unsigned progress_background(void)
{
    unsigned count = 0;
    if (atomic_load_explicit(&jobs, memory_order_relaxed) != NULL)
        count = post_jobs();
    return pgasi_ucx_background_awaited == 0 ? count : count + progress(pgasi_ucx_background);
}

bool pgasi_net_may_call(void)
{
    return pgasi_net_is_up && is_main_thread && !is_in_progress;
}

void pgasi_ucx_stay_out(void)
{
    is_in_progress = true;
}

void pgasi_net_every_interval(void (*tick)(void))
{
    every_nap = tick;
}

static bool try_take(unsigned who)
{
    unsigned nobody = NOBODY;
    drives_serving = atomic_compare_exchange_strong(&driver, &nobody, who);
    return drives_serving;
}

static void release(void)
{
    drives_serving = false;
    atomic_store(&driver, NOBODY);
}

/* Becomes the driver, however long the progress thread takes to give way. */
static void take(void)
{
    atomic_store(&main_wants, true);
    for (unsigned turn = 1; !drives_serving && !try_take(MAIN_THREAD); turn++)
        if (turn % 64 == 0)
            sched_yield();
    atomic_store(&main_wants, false);
}

/* The progress thread. */

/* Prepares the driver for sleep; false if there is something to do. poll() leaves a descriptor of
 * -1 out. */
static bool arm(int *background_fd)
{
    *background_fd = -1;
    if (atomic_load(&jobs) != NULL)
        return false;
    if (pgasi_ucx_background_awaited > 0 &&
        (ucp_worker_get_efd(pgasi_ucx_background, background_fd) != UCS_OK ||
         ucp_worker_arm(pgasi_ucx_background) != UCS_OK))
        return false;
    return ucp_worker_arm(pgasi_ucx_target) == UCS_OK;
}

/* A connection that is being made may have its descriptor ready although there is nothing to do
 * until the other side has answered (UCX 1.13, over TCP). Who then looks again and again keeps the
 * other side from the processor: after looks without effect the pauses grow. */
static unsigned pause_after(unsigned looks)
{
    return looks < 6 ? (unsigned)SHORTEST_PARK_US << looks : (unsigned)LONGEST_PARK_US;
}

/* True if a worker's descriptor is ready. */
static bool sleep_until_something_comes(int background_fd)
{
    struct pollfd fds[] = {{.fd = serving_fd, .events = POLLIN},
                           {.fd = background_fd, .events = POLLIN},
                           {.fd = wake_fd, .events = POLLIN}};
    uint64_t count;
    if (poll(fds, 3, PGASI_NET_INTERVAL_MS) <= 0)
        return false;
    if (fds[2].revents != 0 && read(wake_fd, &count, sizeof count) < 0 && errno != EAGAIN)
        pgasi_fatal("network", "the progress thread: %s", strerror(errno));
    return fds[0].revents != 0 || fds[1].revents != 0;
}

/* The parked progress thread shall look at once. */
static void hand_over(void)
{
    pgasi_event_set(&handed_over, atomic_load(&handed_over.value) + 1);
}

/* It may be asleep, too, and wait for what comes in only. */
static void wake_progress_thread(void)
{
    uint64_t one = 1;
    hand_over();
    if (write(wake_fd, &one, sizeof one) < 0)
        pgasi_fatal("network", "waking the progress thread: %s", strerror(errno));
}

/* The main thread may be driving all the time: then it does what is due itself. */
static void do_what_is_due(void)
{
    static uint64_t last;
    uint64_t now = pgasi_milliseconds();
    if (now - last < PGASI_NET_INTERVAL_MS)
        return;
    last = now;
    pgasi_ucx_log_held(2 * PGASI_UCX_GRACE_MS);
    if (every_nap == NULL)
        return;
    if (!try_take(PROGRESS_THREAD)) {
        atomic_store(&is_due, true);
        return;
    }
    every_nap();
    release();
}

/* Until the main thread has not driven for a while: about as long as it drove before, so that a
 * thread that computes after a short exchange soon answers again, and one that communicates all the
 * time is seldom disturbed. */
static void park(void)
{
    unsigned before;
    unsigned pause = SHORTEST_PARK_US / 2;
    do {
        if (pause < LONGEST_PARK_US)
            pause *= 2;
        do_what_is_due();
        before = atomic_load(&drives);
        uint32_t old = atomic_load(&handed_over.value);
        unsigned longest = atomic_load(&main_sleeps_driving) ? LONG_PARK_US : pause;
        if (atomic_load(&stopping) || pgasi_event_sleep(&handed_over, old, longest))
            return;
    } while (atomic_load(&drives) != before || atomic_load(&driver) == MAIN_THREAD);
}

/* Until nothing comes any more; for a while longer if the main thread has no use for the core,
 * since waking up for every message would double its time. Not for ever where something always
 * comes: what is due must be done. True if something has come. */
static bool serve_what_comes(void)
{
    bool has_come = false;
    unsigned idle = 0;
    for (unsigned turn = 0; idle < pgasi_net_spins && turn < MOST_TURNS; turn++, idle++) {
        if (atomic_load_explicit(&main_wants, memory_order_relaxed))
            break;
        if (progress(pgasi_ucx_target) + progress_background() != 0) {
            idle = 0;
            has_come = true;
        } else if (!atomic_load(&main_sleeps)) {
            break;
        } else if (idle % PGASI_NET_SPINS_PER_YIELD == 0) {
            sched_yield();
        }
    }
    return has_come;
}

/* Little work, but at once: a thread that computes on the same core is to be interrupted.
 * Linux 6.12 and later let a thread do that which asks for short turns; to others this means
 * nothing. */
static void ask_for_short_turns(void)
{
    struct {
        uint32_t size;
        uint32_t policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime;
        uint64_t deadline;
        uint64_t period;
    } attributes = {.size = sizeof attributes, .policy = SCHED_OTHER, .runtime = 100000};
    attributes.nice = getpriority(PRIO_PROCESS, 0);
    syscall(SYS_sched_setattr, 0, &attributes, 0);
    /* Its pauses are shorter than the 50 us by which the kernel may prolong a sleep. */
    prctl(PR_SET_TIMERSLACK, 1000);
}

/* While the main thread sleeps, its own core is the free one: elsewhere the progress thread would
 * share a core with another thread of the job, perhaps with the very one that waits for it. */
static void use_core_of_main(bool yes)
{
    static bool used;
    if (!is_bound || used == yes)
        return;
    used = yes;
    sched_setaffinity(0, sizeof all_cores, yes ? &main_cores : &all_cores);
}

static void *serve(void *arg)
{
    (void)arg;
    bool is_ready = false;
    unsigned fruitless = 0; /* times that something was ready, and nothing came of it */
    ask_for_short_turns();
    while (!atomic_load(&stopping)) {
        do_what_is_due();
        uint32_t old = atomic_load(&handed_over.value);
        if (!try_take(PROGRESS_THREAD)) {
            park();
            continue;
        }
        use_core_of_main(atomic_load(&main_sleeps));
        bool has_come = serve_what_comes();
        int background_fd;
        bool armed = arm(&background_fd);
        atomic_store(&watches_serving_only, armed && background_fd < 0);
        release();
        fruitless = is_ready && !has_come ? fruitless + 1 : 0;
        is_ready = false;
        if (atomic_load(&main_wants))
            sched_yield();
        else if (fruitless > 0)
            pgasi_event_sleep(&handed_over, old, pause_after(fruitless));
        if (armed && atomic_load(&jobs) == NULL) /* who has found it driving left it a job */
            is_ready = sleep_until_something_comes(background_fd);
        atomic_store(&watches_serving_only, false);
    }
    return NULL;
}

static int start_thread(void)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0)
        return error;
    /* Not only on the core that the main thread may be bound to. */
    memset(&all_cores, 0xff, sizeof all_cores);
    pthread_attr_setaffinity_np(&attributes, sizeof all_cores, &all_cores);
    pthread_attr_setstacksize(&attributes, (size_t)256 << 10);
    /* Signals are the main thread's. */
    sigset_t everything;
    sigset_t before;
    sigfillset(&everything);
    pthread_sigmask(SIG_SETMASK, &everything, &before);
    error = pthread_create(&progress_thread, &attributes, serve, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

pgas_status_t pgasi_ucx_progress_start(void)
{
    if (ucp_worker_get_efd(pgasi_ucx_target, &serving_fd) != UCS_OK ||
        ucp_worker_get_efd(pgasi_ucx_initiator, &initiating_fd) != UCS_OK) {
        pgasi_log("UCX offers nothing to sleep on; UCX_TLS chooses the network");
        return PGAS_ERR_UNSUPPORTED;
    }
    is_main_thread = true;
    is_bound = sched_getaffinity(0, sizeof main_cores, &main_cores) == 0 &&
               CPU_COUNT(&main_cores) < sysconf(_SC_NPROCESSORS_ONLN);
    has_progress_thread = strcmp(pgasi_settings.progress, "poll") != 0;
    if (!has_progress_thread)
        return PGAS_OK;
    wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int error = wake_fd < 0 ? errno : start_thread();
    if (error == 0)
        return PGAS_OK;
    pgasi_log("no progress thread: %s; PGAS_PROGRESS=poll does without", strerror(error));
    return PGAS_ERR_SYSTEM;
}

void pgasi_ucx_progress_stop(void)
{
    if (!has_progress_thread)
        return;
    atomic_store(&stopping, true);
    wake_progress_thread();
    pthread_join(progress_thread, NULL);
    close(wake_fd);
}

/* The main thread. */

bool pgasi_net_progress_begin(void)
{
    if (!pgasi_net_is_up || drives_serving)
        return false;
    try_take(MAIN_THREAD);
    return true;
}

/* A look at a worker's sockets takes a system call. So the initiating worker gets one only while
 * something is to come, or now and then, to hear of lost connections; and the serving one gets one
 * less often while this thread waits for the others. */
unsigned pgasi_net_progress(void)
{
    static unsigned turn;
    unsigned count = 0;
    turn++;
    if (drives_serving && atomic_load_explicit(&is_due, memory_order_relaxed)) {
        atomic_store(&is_due, false);
        every_nap();
    }
    bool waits = pgasi_ucx_awaited > 0;
    if (drives_serving || ((!waits || turn % 3 == 0) && try_take(MAIN_THREAD))) {
        waits = waits || pgasi_ucx_background_awaited > 0;
        count = progress_background();
        if (!waits || turn % 3 == 0)
            count += progress(pgasi_ucx_target);
    }
    if (pgasi_ucx_awaited > 0 || turn % 64 == 0)
        count += progress(pgasi_ucx_initiator);
    return count;
}

/* What the background worker has under way, the progress thread brings on while the main thread
 * computes. One that has parked comes back by itself. */
static void leave_to_progress_thread(void)
{
    if (has_progress_thread && atomic_load(&watches_serving_only))
        wake_progress_thread();
}

void pgasi_net_progress_end(bool going_to_sleep)
{
    if (going_to_sleep)
        atomic_store(&main_sleeps, true);
    if (!drives_serving)
        return;
    atomic_fetch_add(&drives, 1);
    bool is_under_way = pgasi_ucx_background_awaited > 0;
    release();
    if (is_under_way)
        leave_to_progress_thread();
    if (going_to_sleep && has_progress_thread)
        hand_over();
}

unsigned pgasi_net_interval(void)
{
    return pgasi_net_is_up && !has_progress_thread ? TICK_MS : 0;
}

/* Of the main thread, which drives. True if a worker's descriptor is ready. */
static bool sleep_driving(void)
{
    int background_fd;
    if (ucp_worker_arm(pgasi_ucx_initiator) != UCS_OK || !arm(&background_fd))
        return false;
    struct pollfd fds[] = {{.fd = initiating_fd, .events = POLLIN},
                           {.fd = serving_fd, .events = POLLIN},
                           {.fd = background_fd, .events = POLLIN}};
    atomic_store(&main_sleeps_driving, true);
    bool is_ready = poll(fds, 3, PGASI_NET_INTERVAL_MS) > 0;
    atomic_store(&main_sleeps_driving, false);
    return is_ready;
}

/* Everything that has come; true if something has. */
static bool drive_all(void)
{
    bool has_come = false;
    while (pgasi_net_progress() + progress(pgasi_ucx_initiator) + progress(pgasi_ucx_target) != 0)
        has_come = true;
    return has_come;
}

bool pgasi_ucx_wait(bool (*is_done)(const void *argument), const void *argument,
                    unsigned milliseconds, pgasi_describe_t *describe)
{
    pgasi_watch_t watch = {0};
    uint64_t limit = milliseconds > 0 ? pgasi_milliseconds() + milliseconds : UINT64_MAX;
    bool driving = pgasi_net_progress_begin();
    bool done = pgasi_net_spin(is_done, argument);
    bool has_slept = !done;
    if (!done && !drives_serving) {
        take();
        driving = true;
    }
    for (unsigned fruitless = 0; !done && pgasi_milliseconds() < limit;) {
        bool is_ready = sleep_driving();
        pgasi_watch(&watch, describe);
        fruitless = drive_all() || !is_ready ? 0 : fruitless + 1;
        done = is_done(argument);
        if (!done && fruitless > 0)
            usleep(pause_after(fruitless));
    }
    if (driving)
        pgasi_net_progress_end(false);
    if (has_slept && has_progress_thread)
        hand_over(); /* it may have parked for long */
    return done;
}

void pgasi_net_awake(void)
{
    atomic_store(&main_sleeps, false);
}

static void leave_job(void (*post)(const void *what), const void *what, size_t size)
{
    job_t *job = malloc(sizeof *job + size);
    if (job == NULL)
        pgasi_fatal("network", "no memory for a message");
    job->post = post;
    memcpy(job->what, what, size);
    job_t *first = atomic_load(&jobs);
    do
        job->next = first;
    while (!atomic_compare_exchange_weak(&jobs, &first, job));
}

/* Nothing is left behind: who leaves a job tries once more to become the driver, and who stops
 * driving looks for jobs once more before he sleeps, all sequentially consistent. One of the two
 * sees the other. */
void pgasi_ucx_background_do(void (*post)(const void *what), const void *what, size_t size)
{
    if (drives_serving) { /* and goes on driving: sees to what is not done yet */
        post_jobs();
        post(what);
        return;
    }
    bool taken = try_take(MAIN_THREAD);
    if (!taken) {
        leave_job(post, what, size);
        if (!try_take(MAIN_THREAD))
            return;
    }
    post_jobs();
    if (taken)
        post(what);
    bool is_under_way = pgasi_ucx_background_awaited > 0;
    release();
    if (is_under_way)
        leave_to_progress_thread();
}
