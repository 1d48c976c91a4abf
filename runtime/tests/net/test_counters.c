/**
 * Counters of jobs that have run for long: presets them to just before they wrap, at 32, 37 and 40
 * bits, and does some work across the wrap. What is in flight stays in flight, and what is complete
 * stays complete.
 */
#include <stdatomic.h>
#include <string.h>

#include "check.h"
#include "job_random.h"
#include "preset.h"

#include "net/net.h"
#include "net/ucx/pending.h"
#include "node/node.h"
#include "node/segment.h"

enum {
    PUTS = 400,
    PUT_SIZE = 3000,
    MOST_THREADS = 16
};

static uint64_t state;
static pgas_ptr_t rooms; /* in each segment, one for each thread */
static pgas_ptr_t board; /* words of thread 0, one for each thread */
static char source[PUTS * PUT_SIZE];

static pgas_ptr_t room_at(uint32_t thread, size_t offset)
{
    pgas_ptr_t ptr = rooms;
    ptr.thread = thread;
    ptr.offset += (uint64_t)pgas_mythread() * sizeof source + offset;
    return ptr;
}

static pgas_ptr_t word_of(int thread)
{
    pgas_ptr_t ptr = board;
    ptr.offset += (uint64_t)thread * sizeof(uint64_t);
    return ptr;
}

/* Waits until all threads are here: a barrier that uses none of the counters. */
static void meet(void)
{
    static uint64_t phase;
    phase++;
    PGAS_WRITE(uint64_t, word_of(pgas_mythread()), phase);
    for (int thread = 0; thread < pgas_threads(); thread++)
        while (PGAS_READ(uint64_t, word_of(thread)) < phase)
            pgas_fence();
    pgas_fence();
}

static void fill_source(void)
{
    for (size_t i = 0; i < sizeof source; i += sizeof(uint64_t)) {
        uint64_t word = random_next(&state);
        memcpy(source + i, &word, sizeof word);
    }
}

/* Puts in flight across the wrap, synchronised one by one in either order. */
static void put_across(uint32_t target, bool backwards)
{
    static char seen[PUT_SIZE];
    pgas_handle_t handles[PUTS];
    fill_source();
    for (size_t i = 0; i < PUTS; i++) {
        size_t nbytes = 1 + random_below(&state, PUT_SIZE);
        handles[i] =
            pgas_memput_async(room_at(target, i * PUT_SIZE), source + i * PUT_SIZE, nbytes);
        if (random_below(&state, 3) > 0 && pgas_trysync(handles[i]))
            handles[i] = PGAS_HANDLE_COMPLETE;
    }
    for (size_t k = 0; k < PUTS; k++) {
        size_t i = backwards ? PUTS - 1 - k : k;
        pgas_waitsync(handles[i]);
        pgas_memget(seen, room_at(target, i * PUT_SIZE), 1);
        CHECK(seen[0] == source[i * PUT_SIZE]);
    }
}

static void wrap_messages(void)
{
    static const uint64_t numbers[] = {
        (UINT64_C(1) << 32) - 100,
        (UINT64_C(1) << 40) - 100,
        (UINT64_C(1) << 40) - 1,
        (UINT64_C(5) << 40) - 3,
    };
    for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
        meet();
        meet(); /* no thread reads the words any more */
        preset_messages(numbers[n]);
        pgas_barrier();
        for (int thread = 0; thread < pgas_threads(); thread++)
            put_across((uint32_t)((pgas_mythread() + thread) % pgas_threads()), n % 2 == 0);
        pgas_barrier();
    }
}

/* A read that is a message, whatever way gets go. */
static pgasi_net_handle_t read_by_message(pgas_ptr_t at, uint64_t *value)
{
    const pgasi_net_atomic_t load = {.op = PGAS_LOAD, .type = PGAS_UINT64};
    return pgasi_net_atomic_nb(at, &load, value);
}

/* An old handle stays complete, however its entry has been used since. */
static void wrap_generations(void)
{
    uint32_t other = (uint32_t)(pgas_mythread() + 1) % pgasi_job.threads;
    if (!pgasi_net_is_up || pgasi_job.peers[other].base != NULL)
        return;
    uint64_t value;
    const uint64_t last = (UINT64_C(1) << 37) - 1;
    pgasi_net_handle_t first = read_by_message(room_at(other, 0), &value);
    pgasi_ucx_operation_t *entry = pgasi_ucx_operation_find(first.bits, false);
    CHECK(entry != NULL && !pgasi_net_is_done(first));
    pgasi_net_wait(first);
    uint64_t generation = atomic_load(&entry->generation);
    atomic_store(&entry->generation, generation - 1); /* as if it had wrapped once */
    CHECK(pgasi_net_is_done(first));
    atomic_store(&entry->generation, last);
    for (int i = 0; i < 5; i++) {
        uint64_t expected = random_next(&state);
        pgas_memput(room_at(other, 0), &expected, sizeof expected);
        pgasi_net_handle_t next = read_by_message(room_at(other, 0), &value);
        CHECK(!pgasi_net_is_done(next));
        pgasi_net_wait(next);
        CHECK(value == expected && pgasi_net_is_done(next));
    }
}

/* As if there had been that many barriers. */
static void preset_barriers(uint64_t phase)
{
    meet();
    if (pgasi_node_is_leader()) {
        pgasi_control_t *control = pgasi_node_memory.control;
        atomic_store(&control->barrier.generation.value, (uint32_t)phase);
        memset(&control->between.state, 0, sizeof control->between.state);
        control->between.state.phase = phase;
    }
    meet();
}

static void wrap_barriers(void)
{
    static uint64_t round;
    preset_barriers((UINT64_C(1) << 32) - 20);
    for (int i = 0; i < 50; i++) {
        round++;
        PGAS_WRITE(uint64_t, word_of(pgas_threads() + pgas_mythread()), round);
        pgas_barrier();
        for (int thread = 0; thread < pgas_threads(); thread++)
            CHECK(PGAS_READ(uint64_t, word_of(pgas_threads() + thread)) == round);
        pgas_barrier();
    }
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_threads() <= MOST_THREADS);
    state = random_seed_of_thread(random_seed_of_job());
    size_t threads = (size_t)pgas_threads();
    CHECK(pgas_all_alloc(threads, threads * sizeof source, &rooms) == PGAS_OK);
    CHECK(pgas_all_alloc(1, 2 * threads * sizeof(uint64_t), &board) == PGAS_OK);
    wrap_messages();
    wrap_generations();
    wrap_barriers();
    pgas_all_free(board);
    pgas_all_free(rooms);
    pgas_finalize();
    return 0;
}
