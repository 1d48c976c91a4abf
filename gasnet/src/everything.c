#include "everything.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <gasnet_tools.h>

#include <pgas/copy.h>
#include <pgas/detail.h>
#include <pgas/heap.h>
#include <pgas/ptr.h>
#include <pgas/sync.h>

#include "internal.h"

bool gasneti_everything;

/* What a node tells those of its supernode, in its own segment of Fathom. */
typedef struct card {
    uint64_t is_everything;
    uint64_t process;
    /* Where `token` is, and what it holds: another process of that number has something else. */
    uint64_t addr;
    uint64_t token;
} card_t;

static uint64_t token;

/* By node: its process, or 0 if it is to be reached by messages. */
static pid_t *processes;

/* ---- Copies without messages ---- */

static bool can_read(const card_t *card)
{
    uint64_t found = 0;
    struct iovec here = {&found, sizeof found};
    struct iovec there = {(void *)(uintptr_t)card->addr, sizeof found};
    return process_vm_readv((pid_t)card->process, &here, 1, &there, 1, 0) ==
               (ssize_t)sizeof found &&
           found == card->token;
}

static bool is_beside(gasnet_node_t node)
{
    return node != gasnet_mynode() && pgas_node_of((int)node) == pgas_node_of((int)gasnet_mynode());
}

static void compare_cards(pgas_ptr_t cards)
{
    bool is_wanted = gasnett_getenv_yesno_withdefault("GASNET_PROCESS_VM", 1);
    for (gasnet_node_t node = 0; node < gasnet_nodes(); node++) {
        card_t card;
        pgas_memget(&card, (pgas_ptr_t){.thread = node, .offset = cards.offset}, sizeof card);
        if (gasnet_mynode() == 0 && card.is_everything != gasneti_everything)
            gasneti_fatal("gasnet_init", "node %u has %sGASNET_SEGMENT_EVERYTHING, node 0 has %s",
                          node, card.is_everything ? "" : "not ",
                          gasneti_everything ? "it" : "not");
        if (gasneti_everything && is_wanted && is_beside(node) && can_read(&card))
            processes[node] = (pid_t)card.process;
    }
}

typedef ssize_t transfer_t(pid_t process, const struct iovec *here, unsigned long here_count,
                           const struct iovec *there, unsigned long there_count,
                           unsigned long flags);

/* What the kernel cannot access there its owner may. One that has ended does not answer, and the
 * job ends with it. */
static bool goes_by_messages(int error)
{
    return error == EFAULT || error == ESRCH;
}

/* The bytes that could be moved: all but those from the first page on that the kernel cannot
 * access. The owner may be able to, by a handler of SIGSEGV. */
// NOLINTNEXTLINE(readability-non-const-parameter): process_vm_readv writes there
static size_t transfer(const char *call, transfer_t *move, gasnet_node_t node, char *here,
                       uintptr_t there, size_t nbytes)
{
    size_t done = 0;
    while (done < nbytes && processes[node] != 0) {
        struct iovec local = {here + done, nbytes - done};
        struct iovec remote = {(void *)(there + done), nbytes - done};
        ssize_t moved = move(processes[node], &local, 1, &remote, 1, 0);
        if (moved < 0 && !goes_by_messages(errno))
            gasneti_fatal(call, "%zu bytes at %#" PRIxPTR " of node %u: %s", nbytes, there, node,
                          strerror(errno));
        if (moved <= 0)
            break;
        done += (size_t)moved;
    }
    return done;
}

size_t gasneti_everything_move(const char *call, bool is_get, gasnet_node_t node,
                               const struct iovec *here, const struct iovec *there, size_t count)
{
    transfer_t *move = is_get ? process_vm_readv : process_vm_writev;
    if (processes[node] == 0)
        return 0;
    ssize_t moved = move(processes[node], here, count, there, count, 0);
    if (moved < 0 && !goes_by_messages(errno))
        gasneti_fatal(call, "%zu pieces of memory of node %u: %s", count, node, strerror(errno));
    return moved > 0 ? (size_t)moved : 0;
}

/* ---- Access to memory here, for others ---- */

/* What the calling thread does for another node at this moment. */
static _Thread_local volatile struct {
    bool is_on;
    bool is_store;
    gasnet_node_t source;
    uintptr_t addr;
    size_t nbytes;
} access_now;

static const int faults[] = {SIGSEGV, SIGBUS};
static struct sigaction before[2];
static bool is_default[2];

/* Which of the two an address belongs to is not looked at: whatever faults while memory is accessed
 * for another node is that node's. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    const struct sigaction *next = &before[number == SIGBUS];
    if (access_now.is_on && info->si_code > 0) {
        access_now.is_on = false;
        signal(number, SIG_DFL);
        gasneti_fatal(access_now.is_store ? "store for another node" : "load for another node",
                      "node %u has named %zu bytes at %#" PRIxPTR " of this node, which it cannot "
                      "access at %p",
                      access_now.source, access_now.nbytes, access_now.addr, info->si_addr);
    }
    if ((next->sa_flags & SA_SIGINFO) != 0) {
        next->sa_sigaction(number, info, context);
        return;
    }
    signal(number, SIG_DFL);
    if (info->si_code <= 0)
        raise(number);
}

static void begin_access(bool is_store, gasnet_node_t source, uintptr_t addr, size_t nbytes)
{
    access_now.is_store = is_store;
    access_now.source = source;
    access_now.addr = addr;
    access_now.nbytes = nbytes;
    access_now.is_on = true;
    atomic_signal_fence(memory_order_seq_cst);
}

static void end_access(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    access_now.is_on = false;
}

void gasneti_everything_store(gasnet_node_t source, uint64_t addr, const void *src, size_t nbytes)
{
    begin_access(true, source, addr, nbytes);
    pgasi_copy((void *)(uintptr_t)addr, src, nbytes);
    end_access();
}

void gasneti_everything_load(gasnet_node_t source, void *dst, uint64_t addr, size_t nbytes)
{
    begin_access(false, source, addr, nbytes);
    pgasi_copy(dst, (const void *)(uintptr_t)addr, nbytes);
    end_access();
}

/* Where the program had no handlers; Fathom's own are called for all other faults. */
static void catch_faults(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < 2; i++)
        if (is_default[i])
            sigaction(faults[i], &action, &before[i]);
}

/* ---- Start ---- */

/* Processes that are not our children may have to be allowed to reach us. */
void gasneti_everything_start(void)
{
    pgas_ptr_t cards;
    processes = calloc(gasnet_nodes(), sizeof *processes);
    if (processes == NULL || pgas_all_alloc(gasnet_nodes(), sizeof(card_t), &cards) != PGAS_OK)
        gasneti_fatal("gasnet_init", "no memory for what nodes know of each other");
    if (gasneti_everything) {
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
        catch_faults();
    }
    token = gasnett_ticks_now() ^ ((uint64_t)getpid() << 40);
    card_t *mine = pgas_local((pgas_ptr_t){.thread = gasnet_mynode(), .offset = cards.offset});
    *mine = (card_t){gasneti_everything, (uint64_t)getpid(), (uintptr_t)&token, token};
    pgas_barrier();
    compare_cards(cards);
    pgas_all_free(cards);
}

/* ---- Operations ---- */

struct gasneti_op {
    /* The messages whose replies have not come, and 1 until its end. */
    _Atomic uint32_t pending;
    /* It has messages, so its handle is not the complete one, however soon their replies come:
     * clients take that one as the word that no other process has to do anything. */
    bool is_sent;
};

/* Handles of GASNet's own have bits 61 and 62 (handle.c); these have bit 60 too. */
#define OP ((uint64_t)7 << 60)

enum {
    MOST_GETS = 64, /* whose replies may wait here, each of a medium message */
    /* Where among the arguments of a message the words of 64 bits are that follow the operation,
     * and what follows them. */
    FIRST = 2,
    SECOND = 4,
    THIRD = 6
};

static pgas_am_t am_put;
static pgas_am_t am_get;
static pgas_am_t am_got;
static pgas_am_t am_set;
static pgas_am_t am_done;

gasneti_op_t *gasneti_op_begin(void)
{
    gasneti_op_t *op = gasneti_allocate("gasnet", sizeof *op);
    op->pending = 1;
    op->is_sent = false;
    return op;
}

static bool is_done(gasneti_op_t *op, uint32_t most)
{
    return atomic_load_explicit(&op->pending, memory_order_acquire) <= most;
}

pgas_handle_t gasneti_op_end(gasneti_op_t *op)
{
    if (!op->is_sent) {
        free(op);
        return PGAS_HANDLE_COMPLETE;
    }
    gasneti_op_replied(op);
    return (pgas_handle_t){(uint64_t)(uintptr_t)op | OP};
}

bool gasneti_is_op(pgas_handle_t handle)
{
    return (handle.bits & OP) == OP;
}

bool gasneti_op_test(pgas_handle_t handle, bool polls)
{
    gasneti_op_t *op = (gasneti_op_t *)(uintptr_t)(handle.bits & ~OP);
    if (polls && !is_done(op, 0))
        pgas_poll();
    if (!is_done(op, 0))
        return false;
    free(op);
    return true;
}

/* One more message will be replied to. */
static void count_message(gasneti_op_t *op)
{
    op->is_sent = true;
    atomic_fetch_add(&op->pending, 1);
}

void gasneti_op_expect(gasneti_op_t *op)
{
    for (unsigned rounds = 0; !is_done(op, MOST_GETS); gasneti_pause(&rounds))
        pgas_poll();
    count_message(op);
}

/* The operation may be gone when its last reply has been counted. */
void gasneti_op_replied(gasneti_op_t *op)
{
    atomic_fetch_sub_explicit(&op->pending, 1, memory_order_release);
}

static size_t part(size_t nbytes)
{
    return nbytes < PGAS_AM_MAX_MEDIUM ? nbytes : PGAS_AM_MAX_MEDIUM;
}

void gasneti_op_put(gasneti_op_t *op, const char *call, pgas_ptr_t dst, const void *src,
                    size_t nbytes)
{
    if (dst.thread == gasnet_mynode()) {
        pgasi_copy((void *)(uintptr_t)dst.offset, src, nbytes);
        return;
    }
    size_t done = transfer(call, process_vm_writev, dst.thread, (char *)(uintptr_t)src,
                           (uintptr_t)dst.offset, nbytes);
    for (; done < nbytes; done += part(nbytes - done)) {
        count_message(op);
        pgas_am_request_medium(
            (int)dst.thread, am_put,
            PGAS_AM_ARGS(PGAS_AM_64((uintptr_t)op), PGAS_AM_64(dst.offset + done)),
            (const char *)src + done, part(nbytes - done));
    }
}

void gasneti_op_get(gasneti_op_t *op, const char *call, void *dst, pgas_ptr_t src, size_t nbytes)
{
    if (src.thread == gasnet_mynode()) {
        pgasi_copy(dst, (const void *)(uintptr_t)src.offset, nbytes);
        return;
    }
    size_t done = transfer(call, process_vm_readv, src.thread, dst, (uintptr_t)src.offset, nbytes);
    for (; done < nbytes; done += part(nbytes - done)) {
        gasneti_op_expect(op);
        pgas_am_request_short(
            (int)src.thread, am_get,
            PGAS_AM_ARGS(PGAS_AM_64((uintptr_t)op), PGAS_AM_64((uintptr_t)dst + done),
                         PGAS_AM_64(src.offset + done), (int32_t)part(nbytes - done)));
    }
}

static void op_set(gasneti_op_t *op, pgas_ptr_t dst, int value, size_t nbytes)
{
    count_message(op);
    pgas_am_request_short(
        (int)dst.thread, am_set,
        PGAS_AM_ARGS(PGAS_AM_64((uintptr_t)op), PGAS_AM_64(dst.offset), PGAS_AM_64(nbytes), value));
}

pgas_handle_t gasneti_everything_put(const char *call, pgas_ptr_t dst, const void *src,
                                     size_t nbytes)
{
    gasneti_op_t *op = gasneti_op_begin();
    gasneti_op_put(op, call, dst, src, nbytes);
    return gasneti_op_end(op);
}

pgas_handle_t gasneti_everything_get(const char *call, void *dst, pgas_ptr_t src, size_t nbytes)
{
    gasneti_op_t *op = gasneti_op_begin();
    gasneti_op_get(op, call, dst, src, nbytes);
    return gasneti_op_end(op);
}

static void set_by_copies(gasneti_op_t *op, const char *call, pgas_ptr_t dst, int value,
                          size_t nbytes)
{
    char bytes[4096];
    memset(bytes, value, nbytes < sizeof bytes ? nbytes : sizeof bytes);
    for (size_t done = 0; done < nbytes; done += sizeof bytes) {
        size_t left = nbytes - done;
        gasneti_op_put(op, call, dst, bytes, left < sizeof bytes ? left : sizeof bytes);
        dst.offset += sizeof bytes;
    }
}

pgas_handle_t gasneti_everything_set(const char *call, pgas_ptr_t dst, int value, size_t nbytes)
{
    gasneti_op_t *op = gasneti_op_begin();
    if (dst.thread == gasnet_mynode())
        memset((void *)(uintptr_t)dst.offset, value, nbytes);
    else if (processes[dst.thread] != 0)
        set_by_copies(op, call, dst, value, nbytes);
    else
        op_set(op, dst, value, nbytes);
    return gasneti_op_end(op);
}

/* ---- Handlers; none of them enters the client's code ---- */

static void on_put(pgas_am_token_t *message, const int32_t *args, unsigned nargs, void *payload,
                   size_t nbytes)
{
    (void)nargs;
    gasneti_everything_store((gasnet_node_t)pgas_am_source(message), pgas_am_64(args + FIRST),
                             payload, nbytes);
    pgas_am_reply_short(message, am_done, args, FIRST);
}

static void on_get(pgas_am_token_t *message, const int32_t *args, unsigned nargs, void *payload,
                   size_t nbytes)
{
    (void)nargs;
    (void)payload;
    (void)nbytes;
    uintptr_t addr = (uintptr_t)pgas_am_64(args + SECOND);
    size_t size = (uint32_t)args[THIRD];
    begin_access(false, (gasnet_node_t)pgas_am_source(message), addr, size);
    pgas_am_reply_medium(message, am_got, args, SECOND, (const void *)addr, size);
    end_access();
}

static void on_set(pgas_am_token_t *message, const int32_t *args, unsigned nargs, void *payload,
                   size_t nbytes)
{
    (void)nargs;
    (void)payload;
    (void)nbytes;
    uintptr_t addr = (uintptr_t)pgas_am_64(args + FIRST);
    size_t size = (size_t)pgas_am_64(args + SECOND);
    begin_access(true, (gasnet_node_t)pgas_am_source(message), addr, size);
    memset((void *)addr, args[THIRD], size);
    end_access();
    pgas_am_reply_short(message, am_done, args, FIRST);
}

static void on_done(pgas_am_token_t *message, const int32_t *args, unsigned nargs, void *payload,
                    size_t nbytes)
{
    (void)message;
    (void)nargs;
    (void)payload;
    (void)nbytes;
    gasneti_op_replied((gasneti_op_t *)(uintptr_t)pgas_am_64(args));
}

static void on_got(pgas_am_token_t *message, const int32_t *args, unsigned nargs, void *payload,
                   size_t nbytes)
{
    pgasi_copy((void *)(uintptr_t)pgas_am_64(args + FIRST), payload, nbytes);
    on_done(message, args, nargs, NULL, 0);
}

void gasneti_everything_register(void)
{
    am_put = pgas_am_register("gasnet.put", on_put, PGAS_AM_ANYWHERE);
    am_get = pgas_am_register("gasnet.get", on_get, PGAS_AM_ANYWHERE);
    am_got = pgas_am_register("gasnet.got", on_got, PGAS_AM_ANYWHERE);
    am_set = pgas_am_register("gasnet.set", on_set, PGAS_AM_ANYWHERE);
    am_done = pgas_am_register("gasnet.done", on_done, PGAS_AM_ANYWHERE);
    for (int i = 0; i < 2; i++)
        is_default[i] = sigaction(faults[i], NULL, &before[i]) == 0 &&
                        (before[i].sa_flags & SA_SIGINFO) == 0 && before[i].sa_handler == SIG_DFL;
}

/* ---- Long messages ---- */

gasneti_placed_t *gasneti_everything_pack(const char *call, gasnet_node_t node,
                                          gasnet_handler_t handler, const void *src, size_t nbytes,
                                          const void *dest, size_t *size)
{
    bool is_there = transfer(call, process_vm_writev, node, (char *)(uintptr_t)src, (uintptr_t)dest,
                             nbytes) == nbytes;
    *size = sizeof(gasneti_placed_t) + (is_there ? 0 : nbytes);
    gasneti_placed_t *placed = gasneti_allocate(call, *size);
    *placed = (gasneti_placed_t){(uintptr_t)dest, handler, (uint32_t)nbytes};
    if (!is_there)
        pgasi_copy(placed + 1, src, nbytes);
    return placed;
}

void gasneti_everything_place(gasnet_node_t source, const gasneti_placed_t *placed, size_t size)
{
    if (size > sizeof *placed)
        gasneti_everything_store(source, placed->addr, placed + 1, size - sizeof *placed);
}
