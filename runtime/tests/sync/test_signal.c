/**
 * Puts with signals between all pairs of threads, and waits for them.
 *
 * Hostile orders:
 *   - a signal overtakes its own bytes, or writes in flight before it: sizes of every class mixed,
 *     with copies, strided ones, sets and atomic operations before; checked in the very
 *     instruction after the wait
 *   - a source that is overwritten as soon as it may be
 *   - signals of one sender to one word overtake each other: small ones behind large ones
 *   - all threads add to one word: one addition per put of any size, of 0 bytes too
 *   - a sender that computes after its first signal, and calls nothing
 *   - a signal that is under way across a barrier
 *   - two attached threads wait for one signal, and send
 *   - memory that changes by plain stores, remote puts and atomic operations
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "job_random.h"

enum {
    /* Writes to one thread in a round: those before the signal, and its own put. */
    WRITES = 4,
    SLOT = 300 << 10,
    SENDERS_MAX = 16
};

/* At every thread, by sender: bytes, a signal that they have come, one that they have been read. */
static pgas_ptr_t slots;
static pgas_ptr_t come;
static pgas_ptr_t seen;
/* At every thread, and never written again: bytes to copy from. */
static pgas_ptr_t constant;
static size_t threads;
static size_t me;
static bool is_short;

static pgas_ptr_t at(pgas_ptr_t base, size_t thread, size_t offset)
{
    base.thread = (uint32_t)thread;
    base.offset += offset;
    return base;
}

static pgas_ptr_t slot_of(size_t receiver, size_t sender, size_t write)
{
    return at(slots, receiver, (sender * WRITES + write) * SLOT);
}

static pgas_ptr_t signal_of(pgas_ptr_t signals, size_t thread, size_t other)
{
    return at(signals, thread, other * sizeof(pgas_signal_t));
}

static pgas_signal_t *own(pgas_ptr_t signals)
{
    return pgas_local(at(signals, me, 0));
}

static unsigned char byte_of(uint64_t key, size_t i)
{
    return (unsigned char)(key + i * 37 + (i >> 8));
}

/* One write of a round, which both sides derive from the seed. */
typedef enum kind {
    PUT,
    SET,
    ADD,
    COPY,
    /* Every second 8 bytes. */
    STRIDED,
    KINDS
} kind_t;

typedef struct write {
    kind_t kind;
    size_t nbytes;
    uint64_t key;
} write_t;

static size_t choose_size(uint64_t *state)
{
    static const size_t sizes[] = {1,     8,         255,   256,       257,  4000,
                                   16384, 16384 + 1, 98304, 98304 + 1, SLOT, 0};
    return sizes[random_below(state, sizeof sizes / sizeof sizes[0])];
}

static size_t plan_round(uint64_t seed, size_t sender, size_t receiver, uint64_t round,
                         write_t *writes)
{
    uint64_t state = seed + round * 1000003 + sender * 1009 + receiver;
    size_t count = 1 + random_below(&state, WRITES);
    for (size_t i = 0; i < count; i++) {
        writes[i].kind = i + 1 < count ? (kind_t)random_below(&state, KINDS) : PUT;
        writes[i].nbytes = writes[i].kind == ADD ? 8 : choose_size(&state);
        writes[i].key = random_next(&state);
        if (writes[i].kind == SET)
            writes[i].key &= 0xff;
    }
    return count;
}

static void start_write(const write_t *write, size_t receiver, size_t index, unsigned char *buffer)
{
    pgas_ptr_t dst = slot_of(receiver, me, index);
    for (size_t i = 0; i < write->nbytes && write->kind == PUT; i++)
        buffer[i] = byte_of(write->key, i);
    if (write->kind == PUT)
        pgas_memput_asynci(dst, buffer, write->nbytes);
    else if (write->kind == SET)
        pgas_memset_asynci(dst, (int)write->key, write->nbytes);
    else if (write->kind == COPY)
        pgas_memcpy_asynci(dst, at(constant, me, 0), write->nbytes);
    else if (write->kind == STRIDED)
        pgas_memput_fstrided_asynci(dst, 8, 16, write->nbytes / 16, pgas_local(at(constant, me, 0)),
                                    8, 16, write->nbytes / 16);
    else
        PGAS_ATOMIC_UPDATE_ASYNCI(uint64_t, PGAS_STORE, dst, write->key, PGAS_RELAXED);
}

/* The last write, with its signal; returns a handle that may be complete. */
static pgas_handle_t signal_write(const write_t *write, size_t receiver, size_t index,
                                  unsigned char *buffer, uint64_t round, unsigned form)
{
    pgas_ptr_t dst = slot_of(receiver, me, index);
    pgas_ptr_t signal = signal_of(come, receiver, me);
    pgas_signal_op_t op = form % 2 == 0 ? PGAS_SIGNAL_SET : PGAS_SIGNAL_ADD;
    uint64_t value = op == PGAS_SIGNAL_SET ? round : 1;
    pgas_handle_t handle = PGAS_HANDLE_COMPLETE;
    for (size_t i = 0; i < write->nbytes; i++)
        buffer[i] = byte_of(write->key, i);
    if (form / 2 == 0) {
        pgas_put_signal(dst, buffer, write->nbytes, signal, op, value);
        memset(buffer, 0xee, write->nbytes);
    } else if (form / 2 == 1) {
        handle = pgas_put_signal_async(dst, buffer, write->nbytes, signal, op, value);
    } else {
        pgas_put_signal_asynci(dst, buffer, write->nbytes, signal, op, value);
    }
    return handle;
}

static void check_writes(const write_t *writes, size_t count, size_t sender)
{
    const unsigned char *bytes = pgas_local(slot_of(me, sender, 0));
    const unsigned char *from = pgas_local(at(constant, me, 0));
    for (size_t w = count; w-- > 0;) {
        const unsigned char *slot = bytes + w * SLOT;
        uint64_t word;
        memcpy(&word, slot, sizeof word);
        if (writes[w].kind == ADD)
            CHECK(word == writes[w].key);
        else if (writes[w].kind == COPY)
            CHECK(memcmp(slot, from, writes[w].nbytes) == 0);
        for (size_t i = 0; i < writes[w].nbytes / 16 && writes[w].kind == STRIDED; i++)
            CHECK(memcmp(slot + 16 * i, from + 16 * i, 8) == 0);
        for (size_t i = writes[w].nbytes; i-- > 0 && writes[w].kind < ADD;)
            CHECK(slot[i] == (writes[w].kind == SET ? (unsigned char)writes[w].key
                                                    : byte_of(writes[w].key, i)));
    }
}

static void send_to(uint64_t seed, size_t receiver, uint64_t round, unsigned char *buffers,
                    uint64_t *state, pgas_handle_t *handle)
{
    write_t writes[WRITES] = {{PUT, 0, 0}};
    size_t count = plan_round(seed, me, receiver, round, writes);
    for (size_t w = 0; w + 1 < count; w++)
        start_write(&writes[w], receiver, w, buffers + w * SLOT);
    *handle = signal_write(&writes[count - 1], receiver, count - 1, buffers + (count - 1) * SLOT,
                           round, (unsigned)random_below(state, 6));
}

static void receive_from(uint64_t seed, size_t sender, uint64_t round)
{
    write_t writes[WRITES];
    size_t count = plan_round(seed, sender, me, round, writes);
    pgas_signal_wait(&own(come)[sender], PGAS_GE, round);
    check_writes(writes, count, sender);
    pgas_put_signal((pgas_ptr_t){0}, NULL, 0, signal_of(seen, sender, me), PGAS_SIGNAL_ADD, 1);
}

static void all_pairs(uint64_t seed)
{
    uint64_t state = random_seed_of_thread(seed);
    uint64_t rounds = is_short ? 5 : 20;
    unsigned char *buffers = malloc(threads * WRITES * SLOT);
    pgas_handle_t handles[SENDERS_MAX];
    CHECK(buffers != NULL);
    for (uint64_t round = 1; round <= rounds; round++) {
        size_t first = random_below(&state, threads);
        for (size_t i = 0; i < threads; i++) {
            size_t to = (first + i) % threads;
            send_to(seed, to, round, buffers + to * WRITES * SLOT, &state, &handles[to]);
        }
        first = random_below(&state, threads);
        for (size_t i = 0; i < threads; i++)
            receive_from(seed, (first + i) % threads, round);
        pgas_waitsync_all(handles, threads);
        pgas_waitsynci();
        pgas_signal_wait_all(own(seen), threads, NULL, PGAS_EQ, round);
    }
    free(buffers);
    pgas_barrier();
}

static void reset(void)
{
    pgas_barrier();
    for (size_t i = 0; i < threads; i++) {
        pgas_signal_set(&own(come)[i], 0);
        pgas_signal_set(&own(seen)[i], 0);
    }
    pgas_barrier();
}

/* The bytes of each message since `last`, which its sender does not write again before it hears. */
static uint64_t receive(size_t from, uint64_t last, uint64_t count)
{
    uint64_t now = pgas_signal_wait(&own(come)[from], PGAS_GT, last);
    CHECK(now > last && now <= count);
    while (last < now) {
        last++;
        const uint64_t *word = pgas_local(slot_of(me, from, last % WRITES));
        CHECK(*word == last);
    }
    pgas_put_signal(pgas_ptr_null(), NULL, 0, signal_of(seen, from, me), PGAS_SIGNAL_SET, now);
    return now;
}

/* Each thread sets a word of the next one to 1, 2, 3 ...: that one sees it grow, and with every
 * value the bytes of all up to it. */
static void in_order(uint64_t seed)
{
    uint64_t state = random_seed_of_thread(seed);
    uint64_t count = is_short ? 40 : 400;
    size_t to = (me + 1) % threads;
    size_t from = (me + threads - 1) % threads;
    unsigned char *buffer = calloc(1, SLOT);
    CHECK(buffer != NULL);
    uint64_t last = 0;
    for (uint64_t i = 1; i <= count; i++) {
        size_t nbytes = 8 + (random_below(&state, 8) == 0 ? SLOT - 8 : random_size(&state, 20000));
        while (pgas_signal_fetch(&own(seen)[to]) + WRITES < i)
            if (pgas_signal_test(&own(come)[from], PGAS_GT, last))
                last = receive(from, last, count);
        memcpy(buffer, &i, sizeof i);
        pgas_put_signal(slot_of(to, me, i % WRITES), buffer, nbytes, signal_of(come, to, me),
                        PGAS_SIGNAL_SET, i);
    }
    while (last < count)
        last = receive(from, last, count);
    CHECK(pgas_signal_wait(&own(seen)[to], PGAS_GE, count) == count);
    free(buffer);
}

static void add_up(uint64_t seed)
{
    uint64_t state = random_seed_of_thread(seed);
    uint64_t count = is_short ? 50 : 500;
    char byte[300] = {0};
    for (uint64_t i = 0; i < count; i++) {
        size_t nbytes = random_below(&state, 3) == 0 ? random_below(&state, sizeof byte) : 0;
        pgas_put_signal(slot_of(0, me, 0), byte, nbytes, signal_of(come, 0, 0), PGAS_SIGNAL_ADD,
                        me + 1);
    }
    uint64_t total = count * threads * (threads + 1) / 2;
    if (me == 0)
        CHECK(pgas_signal_wait(own(come), PGAS_GE, total) == total);
}

/* The first signal to a thread leaves though its sender calls nothing: it waits, by itself, until
 * the receiver has written to it. */
static void computing_sender(void)
{
    const char *progress = getenv("PGAS_PROGRESS");
    if (threads < 2 || (progress != NULL && strcmp(progress, "poll") == 0))
        return;
    uint64_t *flag = pgas_local(slot_of(me, 0, 0));
    __atomic_store_n(flag, 0, __ATOMIC_RELAXED);
    pgas_barrier();
    if (me == 0) {
        pgas_put_signal((pgas_ptr_t){0}, NULL, 0, signal_of(come, threads - 1, 0), PGAS_SIGNAL_SET,
                        1);
        while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0)
            continue;
    } else if (me == threads - 1) {
        uint64_t one = 1;
        pgas_signal_wait(own(come), PGAS_EQ, 1);
        pgas_memput(slot_of(0, 0, 0), &one, sizeof one);
    }
}

static void across_barrier(void)
{
    size_t to = (me + 1) % threads;
    size_t from = (me + threads - 1) % threads;
    for (uint64_t i = 1; i <= 20; i++) {
        pgas_put_signal((pgas_ptr_t){0}, NULL, 0, signal_of(come, to, me), PGAS_SIGNAL_SET, i);
        pgas_barrier();
        CHECK(pgas_signal_wait(&own(come)[from], PGAS_GE, i) == i);
        pgas_barrier();
    }
}

/* By what thread 0 does to the memory of each: stores where it can, and puts, adds and signals. */
static void memory_waits(void)
{
    int64_t *words = pgas_local(slot_of(me, 0, 0));
    double *numbers = (double *)(void *)(words + 2);
    memset(words, 0, 64);
    pgas_barrier();
    for (size_t i = 0; me == 0 && i < threads; i++) {
        const int64_t value = -3;
        volatile int64_t *mapped = pgas_local(slot_of(i, 0, 0));
        if (mapped != NULL)
            *mapped = value;
        else
            pgas_memput(slot_of(i, 0, 0), &value, sizeof value);
        PGAS_ATOMIC_UPDATE(int32_t, PGAS_ADD, at(slot_of(i, 0, 0), i, 8), -1, PGAS_RELAXED);
        PGAS_WRITE(double, at(slot_of(i, 0, 0), i, 16), 2.5);
    }
    PGAS_WAIT_UNTIL(int64_t, words, PGAS_LT, 0);
    CHECK(words[0] == -3);
    PGAS_WAIT_UNTIL(int32_t, (int32_t *)(words + 1), PGAS_LE, -1);
    PGAS_WAIT_UNTIL(uint32_t, (uint32_t *)(words + 1), PGAS_GT, 5);
    PGAS_WAIT_UNTIL(double, numbers, PGAS_GE, 2.5);
    PGAS_WAIT_UNTIL(uint64_t, (uint64_t *)words, PGAS_GT, 5);
    PGAS_WAIT_UNTIL(double, numbers, PGAS_NE, 2.0);
    PGAS_WAIT_UNTIL(double, numbers, PGAS_EQ, 2.5);
}

/* Attached threads: both wait for the same signal, and each sends to the next process. */
static void *wait_and_send(void *argument)
{
    uint64_t rounds = is_short ? 20 : 100;
    size_t to = (me + 1) % threads;
    size_t from = (me + threads - 1) % threads;
    CHECK(pgas_attach_thread() == PGAS_OK);
    for (uint64_t round = 1; round <= rounds; round++) {
        pgas_put_signal((pgas_ptr_t){0}, NULL, 0, signal_of(come, to, me), PGAS_SIGNAL_ADD, 1);
        pgas_signal_wait(&own(come)[from], PGAS_GE, 2 * round);
    }
    pgas_detach_thread();
    return argument;
}

static void attached(void)
{
    pthread_t second;
    CHECK(pgas_attach_thread() == PGAS_OK);
    CHECK(pthread_create(&second, NULL, wait_and_send, NULL) == 0);
    uint64_t rounds = is_short ? 20 : 100;
    size_t to = (me + 1) % threads;
    size_t from = (me + threads - 1) % threads;
    for (uint64_t round = 1; round <= rounds; round++) {
        pgas_put_signal((pgas_ptr_t){0}, NULL, 0, signal_of(come, to, me), PGAS_SIGNAL_ADD, 1);
        pgas_signal_wait(&own(come)[from], PGAS_GE, 2 * round);
    }
    CHECK(pthread_join(second, NULL) == 0);
    pgas_detach_thread();
}

static void counted(void)
{
    char bytes[100] = {0};
    size_t to = threads - 1;
    pgas_barrier();
    pgas_stats_reset();
    pgas_put_signal(slot_of(to, me, 0), bytes, sizeof bytes, signal_of(come, to, me),
                    PGAS_SIGNAL_ADD, 1);
    pgas_put_signal_asynci((pgas_ptr_t){0}, NULL, 0, signal_of(come, to, me), PGAS_SIGNAL_ADD, 1);
    pgas_waitsynci();
    pgas_traffic_t signals = pgas_stats_with((int)to, PGAS_MODE_SIGNAL, PGAS_TO);
    pgas_traffic_t puts = pgas_stats_with((int)to, PGAS_CONTIGUOUS, PGAS_TO);
    CHECK(signals.operations == 2 && signals.bytes == 16);
    CHECK(puts.operations == 1 && puts.bytes == sizeof bytes);
    CHECK(pgas_stats_with((int)to, PGAS_MODE_SIGNAL, PGAS_FROM).operations == 0);
    pgas_stats_reset();
    CHECK(pgas_stats_with((int)to, PGAS_MODE_SIGNAL, PGAS_TO).operations == 0);
}

static void allocate(void)
{
    size_t signals = threads * sizeof(pgas_signal_t);
    CHECK(threads <= SENDERS_MAX);
    CHECK(pgas_all_alloc(threads, threads * WRITES * SLOT, &slots) == PGAS_OK);
    CHECK(pgas_all_alloc(threads, signals, &come) == PGAS_OK);
    CHECK(pgas_all_alloc(threads, signals, &seen) == PGAS_OK);
    CHECK(pgas_all_alloc(threads, SLOT, &constant) == PGAS_OK);
    unsigned char *bytes = pgas_local(at(constant, me, 0));
    for (size_t i = 0; i < SLOT; i++)
        bytes[i] = byte_of(5, i);
    reset();
}

/* A loop of tests for a signal that comes when a collective is complete continues that: a long
 * reduction, of which every member has a part to do. */
static void tests_continue_collectives(void)
{
    enum {
        COUNT = 60000
    };
    static double given[COUNT];
    static double sums[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        given[i] = (double)(me + i);
    pgas_handle_t sum =
        pgas_allreduce_async(PGAS_TEAM_ALL, given, sums, COUNT, PGAS_DOUBLE, PGAS_SUM);
    if (me == 0)
        while (threads > 1 && !pgas_signal_test(own(come) + threads - 1, PGAS_NE, 0))
            ;
    pgas_waitsync(sum);
    if (me == threads - 1 && me > 0)
        pgas_put_signal(slots, given, 8, signal_of(come, 0, me), PGAS_SIGNAL_SET, 1);
    size_t all = threads * (threads - 1) / 2;
    for (size_t i = 0; i < COUNT; i++)
        CHECK(sums[i] == (double)(all + threads * i));
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    threads = (size_t)pgas_threads();
    me = (size_t)pgas_mythread();
    is_short = getenv("FATHOM_TEST_SANITIZED") != NULL;
    uint64_t seed = random_seed_of_job();
    allocate();
    computing_sender();
    reset();
    all_pairs(seed);
    reset();
    in_order(seed);
    reset();
    add_up(seed);
    reset();
    across_barrier();
    reset();
    memory_waits();
    reset();
    counted();
    reset();
    tests_continue_collectives();
    reset();
    attached();
    pgas_barrier();
    pgas_all_free(constant);
    pgas_all_free(seen);
    pgas_all_free(come);
    pgas_all_free(slots);
    pgas_finalize();
    return 0;
}
