/**
 * Atomic operations on words that several threads reach by different ways at once: a processor of
 * the owner, another one of its node, messages, and the network itself.
 *
 * Usage: runtime_atomic_paths [network]: the network executes the operations of the domain
 *
 * Every pair of two threads and of the ways they have is tried, then all threads together:
 *
 *   plain    C's own operations on the mapped word: the owner, and threads of its node
 *   call     pgas/atomic.h, blocking: a processor's on the node, a message from other nodes
 *   flight   pgas/atomic.h, in flight beside puts: pieces of messages from other nodes
 *   domain   an atomic domain: with `network` remote memory access from other nodes, and a message
 *            as long as there is no key; else as `call`
 *
 * Where the network is chosen, its operations are atomic with processors'. So `domain` beside the
 * other ways is tried too, which programs must not rely on (pgas/atomic_domain.h).
 *
 * What must hold: each number is drawn once (no update is lost, none is done twice); values that
 * are swapped in come out once; a counter by compare and swap counts all.
 *
 * ABA: a stack whose head is an index and a tag in one word, changed by compare and swap alone.
 * Threads take elements off and put them back in another order, so that between a thread's load of
 * the head and its compare and swap the same index often comes back on top with another below it.
 * Who compares less than all bits of the word, or not in the same instant as it stores, hands an
 * element to two threads. A second form has the tag in the low half.
 */
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "job_random.h"

enum {
    /* Operations of a thread: as many as those of another take that needs a message for each. */
    BY_PROCESSOR = 10000,
    BY_PROCESSOR_SHORT = 2000,
    REMOTE = 40,
    ELEMENTS = 5,
    MOST_HELD = 2,
    /* How often a thread yields in a round, about: on a crowded machine each takes milliseconds. */
    YIELDS = 64,
    PAUSE = 64,
    THREADS_MAX = 8
};

typedef enum way {
    PLAIN,
    CALL,
    FLIGHT,
    DOMAIN,
    WAYS
} way_t;

/* Of thread 0. Elements are numbered from 1, and 0 ends a stack. */
typedef struct board {
    uint64_t ready;
    uint64_t drawn;
    uint64_t counted;
    uint64_t swapped;
    uint64_t put;
    uint64_t head;
    uint64_t next[ELEMENTS + 1];
    uint64_t holder[ELEMENTS + 1];
} board_t;

/* Of every thread. */
typedef struct report {
    uint64_t count;
    uint64_t draws[BY_PROCESSOR];
    uint64_t swapped_in;
    uint64_t swapped_out;
} report_t;

static pgas_ptr_t board;
static pgas_ptr_t reports;
static pgas_atomic_domain_t *domain;
static uint64_t state;
static int me;
static int threads;
static size_t by_processor;

/* How the calling thread reaches the words in this round, and how often. */
static way_t way;
static size_t times;

static pgas_ptr_t word_at(size_t offset)
{
    return pgas_ptr_shift(board, (ptrdiff_t)offset);
}

static pgas_ptr_t element_at(size_t array, uint64_t element)
{
    return word_at(array + element * sizeof(uint64_t));
}

static bool has_way(int thread, way_t which)
{
    return which != PLAIN || pgas_node_of(thread) == pgas_node_of(0);
}

static uint64_t plain(pgas_atomic_op_t op, void *at, uint64_t operand, uint64_t compare)
{
    uint64_t *word = at;
    switch (op) {
    case PGAS_LOAD:
        return __atomic_load_n(word, __ATOMIC_ACQUIRE);
    case PGAS_ADD:
        return __atomic_fetch_add(word, operand, __ATOMIC_ACQ_REL);
    case PGAS_SWAP:
        return __atomic_exchange_n(word, operand, __ATOMIC_ACQ_REL);
    default:
        CHECK(op == PGAS_COMPARE_SWAP);
        __atomic_compare_exchange_n(word, &compare, operand, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE);
        return compare;
    }
}

/* The old value. */
static uint64_t apply(pgas_atomic_op_t op, pgas_ptr_t at, uint64_t operand, uint64_t compare)
{
    pgas_order_t order = op == PGAS_LOAD ? PGAS_ACQUIRE : PGAS_ACQ_REL;
    uint64_t old = 0;
    switch (way) {
    case PLAIN:
        return plain(op, pgas_local(at), operand, compare);
    case CALL:
        return pgas_atomic(op, PGAS_UINT64, at, operand, compare, order);
    case FLIGHT:
        pgas_put_val_asynci(word_at(offsetof(board_t, put)), operand, 8);
        pgas_waitsync(pgas_atomic_async(op, PGAS_UINT64, at, operand, compare, order, &old));
        return old;
    default:
        return pgas_atomic_domain_apply(domain, op, at, operand, compare, order);
    }
}

static uint64_t load(pgas_ptr_t at)
{
    return apply(PGAS_LOAD, at, 0, 0);
}

static void draw(report_t *report)
{
    pgas_ptr_t at = word_at(offsetof(board_t, drawn));
    for (size_t i = 0; i < times; i++) {
        report->draws[i] = apply(PGAS_ADD, at, 1, 0);
        CHECK(i == 0 || report->draws[i] > report->draws[i - 1]);
    }
}

/* In the upper half, so that compared bits are not only the low ones. */
static void count(void)
{
    pgas_ptr_t at = word_at(offsetof(board_t, counted));
    const uint64_t one = UINT64_C(1) << 32;
    for (size_t i = 0; i < times; i++) {
        uint64_t seen = load(at);
        for (uint64_t old; (old = apply(PGAS_COMPARE_SWAP, at, seen + one, seen)) != seen;)
            seen = old;
    }
}

static void swap(report_t *report)
{
    pgas_ptr_t at = word_at(offsetof(board_t, swapped));
    report->swapped_in = report->swapped_out = 0;
    for (size_t i = 0; i < times; i++) {
        uint64_t value = random_next(&state);
        report->swapped_in += value;
        report->swapped_out += apply(PGAS_SWAP, at, value, 0);
    }
}

/* ---- The stack ---- */

/* Which half of the head has the tag. */
static bool tag_is_low;

static uint64_t top_of(uint64_t head)
{
    return tag_is_low ? head >> 32 : (uint32_t)head;
}

/* The head with another element on top, and the next tag. */
static uint64_t head_with(uint64_t head, uint64_t top)
{
    uint64_t tag = (uint32_t)((tag_is_low ? head : head >> 32) + 1);
    return tag_is_low ? top << 32 | tag : tag << 32 | top;
}

/* So that the others change what has been seen. */
static void dawdle(void)
{
    if (random_below(&state, times / YIELDS + 4) == 0) {
        sched_yield();
    } else if (random_below(&state, 4) == 0) {
        for (volatile unsigned i = 0; i < PAUSE; i++)
            continue;
    }
}

/* 0: the stack is empty. */
static uint64_t pop(void)
{
    pgas_ptr_t at = word_at(offsetof(board_t, head));
    for (uint64_t head = load(at), old; top_of(head) != 0; head = old) {
        uint64_t top = top_of(head);
        CHECK(top <= ELEMENTS);
        uint64_t next = load(element_at(offsetof(board_t, next), top));
        dawdle();
        old = apply(PGAS_COMPARE_SWAP, at, head_with(head, next), head);
        if (old != head)
            continue;
        pgas_ptr_t holder = element_at(offsetof(board_t, holder), top);
        CHECK(apply(PGAS_SWAP, holder, (uint64_t)me + 1, 0) == 0);
        return top;
    }
    return 0;
}

static void push(uint64_t element)
{
    pgas_ptr_t at = word_at(offsetof(board_t, head));
    pgas_ptr_t holder = element_at(offsetof(board_t, holder), element);
    CHECK(apply(PGAS_SWAP, holder, 0, 0) == (uint64_t)me + 1);
    for (uint64_t head = load(at), old;; head = old) {
        apply(PGAS_SWAP, element_at(offsetof(board_t, next), element), top_of(head), 0);
        old = apply(PGAS_COMPARE_SWAP, at, head_with(head, element), head);
        if (old == head)
            return;
    }
}

static void use_stack(void)
{
    for (size_t i = 0; i < times; i++) {
        uint64_t held[MOST_HELD];
        size_t wanted = 1 + random_below(&state, MOST_HELD);
        size_t count = 0;
        while (count < wanted && (held[count] = pop()) != 0)
            count++;
        if (count == 2 && random_below(&state, 4) > 0) { /* the first one comes back on top */
            push(held[1]);
            push(held[0]);
        } else {
            while (count > 0)
                push(held[--count]);
        }
    }
}

/* ---- Rounds ---- */

static void clear(void)
{
    board_t *words = pgas_local(board);
    pgas_barrier();
    if (me == 0) {
        *words = (board_t){.head = tag_is_low ? UINT64_C(1) << 32 : 1};
        for (uint64_t i = 1; i < ELEMENTS; i++)
            words->next[i] = i + 1;
    }
    pgas_barrier();
}

static bool takes_part(int a, int b, int thread)
{
    return a < 0 || thread == a || thread == b;
}

static void check_stack(const board_t *words)
{
    bool is_there[ELEMENTS + 1] = {false};
    size_t found = 0;
    for (uint64_t i = top_of(words->head); i != 0; i = words->next[i]) {
        CHECK(i <= ELEMENTS && !is_there[i] && words->holder[i] == 0);
        is_there[i] = true;
        found++;
    }
    CHECK(found == ELEMENTS);
}

static void check_round(int a, int b)
{
    static bool is_drawn[THREADS_MAX * BY_PROCESSOR];
    static report_t report;
    const board_t *words = pgas_local(board);
    uint64_t all = 0;
    uint64_t in = 0;
    uint64_t out = words->swapped;
    memset(is_drawn, 0, sizeof is_drawn);
    for (int thread = 0; thread < threads; thread++) {
        if (!takes_part(a, b, thread))
            continue;
        pgas_memget(&report, pgas_ptr_on(reports, thread), sizeof report);
        for (size_t i = 0; i < report.count; i++) {
            CHECK(report.draws[i] < words->drawn && !is_drawn[report.draws[i]]);
            is_drawn[report.draws[i]] = true;
        }
        all += report.count;
        in += report.swapped_in;
        out += report.swapped_out;
    }
    CHECK(words->drawn == all);
    CHECK(words->counted == all << 32);
    CHECK(in == out);
    check_stack(words);
}

/* So that nobody is done before the others begin, and everybody serves the others until they are
 * done: a sleeping thread does that once a millisecond, without a progress thread. */
static void meet(uint64_t arrivals)
{
    pgas_ptr_t at = word_at(offsetof(board_t, ready));
    PGAS_ATOMIC_FETCH_INC(uint64_t, at, PGAS_ACQ_REL);
    while (PGAS_ATOMIC_LOAD(uint64_t, at, PGAS_ACQUIRE) < arrivals)
        pgas_poll(); /* which yields now and then */
}

/* Threads `a` and `b`, each in its way; all if `a` is negative, each by chance. */
static void run_round(int a, way_t way_of_a, int b, way_t way_of_b)
{
    report_t *report = pgas_local(pgas_ptr_on(reports, me));
    uint64_t users = a < 0 ? (uint64_t)threads : 2;
    clear();
    way = me == a ? way_of_a : me == b ? way_of_b : (way_t)random_below(&state, WAYS);
    if (!has_way(me, way))
        way = CALL;
    times = pgas_node_of(me) == pgas_node_of(0) ? by_processor : REMOTE;
    report->count = times;
    if (takes_part(a, b, me)) {
        meet(users);
        draw(report);
        count();
        swap(report);
        use_stack();
        pgas_waitsynci();
        meet(2 * users);
    }
    pgas_barrier();
    if (me == 0)
        check_round(a, b);
    tag_is_low = !tag_is_low;
}

static void run_pairs(void)
{
    for (int a = 0; a < threads; a++)
        for (int b = a + 1; b < threads; b++)
            for (unsigned i = 0; i < WAYS * WAYS; i++)
                if (has_way(a, (way_t)(i / WAYS)) && has_way(b, (way_t)(i % WAYS)))
                    run_round(a, (way_t)(i / WAYS), b, (way_t)(i % WAYS));
}

int main(int argc, char **argv)
{
    const uint32_t ops = PGAS_OP_SET(PGAS_LOAD) | PGAS_OP_SET(PGAS_ADD) | PGAS_OP_SET(PGAS_SWAP) |
                         PGAS_OP_SET(PGAS_COMPARE_SWAP);
    CHECK(pgas_init() == PGAS_OK);
    bool by_network = argc > 1 && strcmp(argv[1], "network") == 0;
    me = pgas_mythread();
    threads = pgas_threads();
    by_processor = getenv("FATHOM_TEST_SANITIZED") != NULL ? BY_PROCESSOR_SHORT : BY_PROCESSOR;
    CHECK(threads <= THREADS_MAX);
    state = random_seed_of_thread(random_seed_of_job());
    CHECK(pgas_all_alloc(1, sizeof(board_t), &board) == PGAS_OK);
    CHECK(pgas_all_alloc((size_t)threads, sizeof(report_t), &reports) == PGAS_OK);
    CHECK(pgas_atomic_domain_create(PGAS_UINT64, ops, &domain) == PGAS_OK);
    CHECK((pgas_atomic_domain_way(domain) == PGAS_BY_NETWORK) == by_network);
    run_pairs();
    for (int i = 0; i < 8; i++)
        run_round(-1, CALL, -1, CALL);
    pgas_atomic_domain_free(domain);
    pgas_all_free(reports);
    pgas_all_free(board);
    pgas_finalize();
    return 0;
}
