#include "internal.h"

#include <gasnet_tools.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include <pgas/async.h>
#include <pgas/detail.h>
#include <pgas/heap.h>
#include <pgas/job.h>
#include <pgas/ptr.h>
#include <pgas/sync.h>

#include "am.h"
#include "real.h"

/*
 * A node that exits tells node 0, which decides when all have come: then every node knows the
 * job's status, and all leave together. What follows lies in Fathom's segments at the same offset
 * everywhere: at node 0 the word of each node, and in the last place of each node the decision.
 * A word is a status with HAS_COME.
 *
 * Only a thread of control that is outside the runtime can do this. From a handler, from a signal
 * handler that interrupts a call, or if some node does not come in time, the node ends the job as
 * it is.
 */
#define HAS_COME ((uint64_t)1 << 32)

enum {
    GRACE_MS = 1000,
    TIMEOUT_MOST_S = 1000000,
    /* How long another thread may hold a lock of the C library's, however busy the machine is. */
    LOCK_S = 10,
    /* More than a thread keeps for itself without a lock. */
    ALLOCATION = 100000
};

static pgas_ptr_t board;
static volatile sig_atomic_t is_ended_by_others;
/* In the thread that runs the client's handler of SIGQUIT because of that. */
static _Thread_local volatile sig_atomic_t is_in_handler;
/* The node, as opposed to processes that it has forked. */
static pid_t node_process;
static unsigned timeout_ms = 2000;

static uint64_t milliseconds(void)
{
    return gasnett_ticks_now() / 1000000;
}

static pgas_ptr_t word_of(gasnet_node_t owner, gasnet_node_t index)
{
    return (pgas_ptr_t){.thread = owner, .offset = board.offset + index * sizeof(uint64_t)};
}

/* ---- Signals ---- */

/* Others have ended the job, or somebody ends this process. The client's handler of SIGQUIT has
 * about a second, after which another signal ends the process, as the launcher does; without one
 * the signal does what it does by default. */
static void on_end(int number)
{
    static _Atomic uint64_t told;
    struct sigaction action;
    if (is_ended_by_others && milliseconds() - told < GRACE_MS)
        return;
    if (!is_ended_by_others && getpid() == node_process && sigaction(SIGQUIT, NULL, &action) == 0 &&
        action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
        told = milliseconds();
        is_ended_by_others = 1;
        is_in_handler = 1;
        raise(SIGQUIT);
        is_in_handler = 0;
        return;
    }
    is_ended_by_others = 1;
    signal(number, SIG_DFL);
    raise(number);
}

static void on_exit_of_process(int status, void *unused);

void gasneti_exit_prepare(void)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action;
        if (sigaction(numbers[i], NULL, &action) != 0 || action.sa_handler != SIG_DFL)
            continue;
        action = (struct sigaction){.sa_handler = on_end, .sa_flags = SA_NODEFER};
        sigemptyset(&action.sa_mask);
        sigaction(numbers[i], &action, NULL);
    }
    node_process = getpid();
    on_exit(on_exit_of_process, NULL);
}

static void read_timeout(void)
{
    const char *text = gasnet_getenv("GASNET_EXITTIMEOUT");
    if (text == NULL || text[0] == '\0')
        return;
    char *end;
    double seconds = gasneti_real(text, &end);
    if (end == text || *end != '\0' || !(seconds > 0 && seconds <= TIMEOUT_MOST_S))
        gasneti_fatal("gasnet_init",
                      "GASNET_EXITTIMEOUT='%s' is no number of seconds above 0, %d at most", text,
                      TIMEOUT_MOST_S);
    timeout_ms = (unsigned)(seconds * 1000);
}

void gasneti_exit_connect(void)
{
    read_timeout();
    gasnet_node_t nodes = gasnet_nodes();
    if (pgas_all_alloc(nodes, (nodes + 1) * sizeof(uint64_t), &board) != PGAS_OK)
        board = pgas_ptr_null();
    uint64_t *words = pgas_local(word_of(gasnet_mynode(), 0));
    for (gasnet_node_t i = 0; words != NULL && i <= nodes; i++)
        words[i] = 0;
    pgas_barrier();
}

/* ---- Leaving together ---- */

static uint64_t own_word(gasnet_node_t index)
{
    uint64_t *word = pgas_local(word_of(gasnet_mynode(), index));
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Another node may never be there to be written to. */
static bool write_word(gasnet_node_t owner, gasnet_node_t index, uint64_t value, uint64_t until)
{
    uint64_t *word = pgas_local(word_of(owner, index));
    if (word != NULL) {
        __atomic_store_n(word, value, __ATOMIC_RELEASE);
        return true;
    }
    pgas_handle_t handle = pgas_put_val_async(word_of(owner, index), value, sizeof value);
    while (!pgas_trysync(handle))
        if (milliseconds() > until)
            return false;
    return true;
}

/* The lowest node's status that is not 0. */
static bool have_all_come(uint64_t *decision)
{
    *decision = HAS_COME;
    for (gasnet_node_t i = gasnet_nodes(); i-- > 0;) {
        uint64_t word = own_word(i);
        if (word == 0)
            return false;
        if ((int)(uint32_t)word != 0)
            *decision = word;
    }
    return true;
}

static bool decide(uint64_t until)
{
    uint64_t decision;
    for (unsigned rounds = 0; !have_all_come(&decision); gasneti_pause(&rounds)) {
        if (milliseconds() > until)
            return false;
        pgas_fence();
    }
    for (gasnet_node_t node = 0; node < gasnet_nodes(); node++)
        if (!write_word(node, gasnet_nodes(), decision, until + timeout_ms))
            return false;
    return true;
}

/* True if all nodes exit; they have the same status then. To take part in the last meeting of the
 * job is not possible while others may have to come to an earlier one. */
static bool agree(int *status)
{
    uint64_t until = milliseconds() + timeout_ms;
    if (pgas_ptr_is_null(board) || gasneti_barrier_is_open() || gasneti_coll_is_in_flight() ||
        !write_word(0, gasnet_mynode(), HAS_COME | (uint32_t)*status, until))
        return false;
    if (gasnet_mynode() == 0 && !decide(until))
        return false;
    for (unsigned rounds = 0; own_word(gasnet_nodes()) == 0; gasneti_pause(&rounds)) {
        if (milliseconds() > until)
            return false;
        pgas_fence();
    }
    *status = (int)(uint32_t)own_word(gasnet_nodes());
    return true;
}

PGAS_NORETURN static void leave(int status)
{
    pgasi_flush_streams();
    _exit(status);
}

/* No node waits for this one any more: its output may take its time, but for what the launcher
 * leaves it where the status is not 0. */
PGAS_NORETURN static void leave_in_good_order(int status)
{
    pgasi_flush_streams_patiently();
    _exit(status);
}

/* Set in the thread of control that ends the process. */
static _Thread_local bool is_the_one;

/* The first thread of control that exits ends the process; others wait for that. */
static void become_the_one(void)
{
    static bool is_exiting;
    if (__atomic_exchange_n(&is_exiting, true, __ATOMIC_SEQ_CST) && !is_the_one)
        for (;;)
            pause();
    is_the_one = true;
}

bool gasneti_is_ended_elsewhere(void)
{
    return gasneti_stage == GASNETI_STAGE_EXITING && !is_the_one;
}

/* A thread that is in the runtime, and runs a handler there, must get out of it again. */
bool gasneti_is_attached(void)
{
    while (gasneti_is_ended_elsewhere() && !gasneti_is_inside())
        pause();
    return gasneti_stage >= GASNETI_STAGE_ATTACHED;
}

/* Both flush streams. */
PGAS_NORETURN static void end_job(int status)
{
    if (status == 0)
        pgas_exit(0);
    pgas_fail(status, "node %u: gasnet_exit(%d): the job is ended", gasnet_mynode(), status);
}

/* A system keeps eight bits of a status: one that is not 0 stays so. */
static int kept_of(int status)
{
    return status != 0 && (status & 0xff) == 0 ? 0xff : status & 0xff;
}

/* If a signal has interrupted malloc, and its handler exits, this thread holds malloc's lock, and
 * nothing that allocates would return: the process ends here. */
static void require_malloc(int status)
{
    void *volatile memory;
    pgasi_limit_ending(LOCK_S, status);
    memory = malloc(ALLOCATION);
    free(memory);
    pgasi_limit_ending(0, status);
}

PGAS_NORETURN static void end(int exitcode)
{
    int status = kept_of(exitcode);
    if (is_in_handler) /* streams may be held by what it has interrupted */
        _exit(status);
    if (is_ended_by_others)
        leave(status);
    if (node_process != 0 && getpid() != node_process)
        leave(status);
    become_the_one();
    bool is_inside = gasneti_is_inside() || gasneti_is_restricted();
    gasneti_stage_t stage = gasneti_stage;
    gasneti_stage = GASNETI_STAGE_EXITING;
    require_malloc(status);
    if (stage == GASNETI_STAGE_NEW)
        leave_in_good_order(status);
    if (is_inside || !gasneti_enter_within(timeout_ms) || !agree(&status))
        end_job(exitcode);
    int left = pgasi_finalize_in_place();
    leave_in_good_order(status == 0 ? left : status);
}

void gasnet_exit(int exitcode)
{
    end(exitcode);
}

/* The program has returned from main, or called exit. If another thread of control has called
 * gasnet_exit, it ends the process. */
static void on_exit_of_process(int status, void *unused)
{
    (void)unused;
    while (getpid() == node_process && gasneti_is_ended_elsewhere())
        pause();
    gasneti_stage_t stage = gasneti_stage;
    bool is_in_job = stage == GASNETI_STAGE_INITIALISED || stage == GASNETI_STAGE_ATTACHED;
    if (is_in_job && getpid() == node_process)
        end(status);
}
