/**
 * The barrier between nodes without a network: simulated nodes, and signals in random order, some
 * of them early.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "shm/dissemination.h"

enum {
    MOST_NODES = 33,
    MOST_SIGNALS = MOST_NODES * 2 * 6,
    PHASES = 60
};

typedef struct job {
    uint32_t nodes;
    pgasi_dissemination_t states[MOST_NODES];
    /** Signals on their way. */
    pgasi_signal_t signals[MOST_SIGNALS];
    size_t count;
    /** Phases in which two nodes disagree about the name. */
    bool has_conflicts;
    uint64_t most_ahead;
} job_t;

static uint64_t contribution_of(uint32_t node, uint64_t phase)
{
    return (node * UINT64_C(7919) + phase * 104729) % 1000;
}

/* Every third phase is anonymous; in the others some nodes give it a name, the same or not. */
static uint64_t name_of(const job_t *job, uint32_t node, uint64_t phase)
{
    if (phase % 3 == 0 || (node + phase) % 2 == 0)
        return 0;
    uint64_t variant = job->has_conflicts ? node * phase % 3 : 0;
    return (phase + variant) << 32 | (node + 1);
}

/* Every node is in a call; where there are conflicts, not all in the same. */
static pgasi_call_t call_of(const job_t *job, uint32_t node, uint64_t phase)
{
    uint64_t variant = job->has_conflicts ? node * phase % 4 / 2 : 0;
    return (pgasi_call_t){
        .thread = node + 1,
        .signature = (uint32_t)(phase % 5 + variant),
        .count = 1,
        .arguments = {node},
    };
}

/* The lowest node whose call differs from that of node 0, + 1; 0: none. */
static uint32_t lowest_other_call(const job_t *job, uint64_t phase)
{
    for (uint32_t node = 1; node < job->nodes; node++)
        if (call_of(job, node, phase).signature != call_of(job, 0, phase).signature)
            return node + 1;
    return 0;
}

static void check_calls(const job_t *job, const pgasi_dissemination_t *state)
{
    const pgasi_gathered_t *gathered = &state->gathered;
    assert_int_equal(gathered->call.thread, 1);
    assert_int_equal(gathered->call.signature, call_of(job, 0, state->phase).signature);
    assert_int_equal(gathered->other_call.thread, lowest_other_call(job, state->phase));
    if (gathered->other_call.thread != 0)
        assert_int_equal(gathered->other_call.arguments[0], gathered->other_call.thread - 1);
}

/* The lowest node's name, or the lowest one that differs from `name`. */
static uint64_t lowest_name(const job_t *job, uint64_t phase, uint64_t name)
{
    for (uint32_t node = 0; node < job->nodes; node++) {
        uint64_t candidate = name_of(job, node, phase);
        if (candidate != 0 && (name == 0 || candidate >> 32 != name >> 32))
            return candidate;
    }
    return 0;
}

/* No node leaves a phase before all have entered it, and each then knows everything. */
static void check_complete(const job_t *job, uint32_t node)
{
    const pgasi_dissemination_t *state = &job->states[node];
    uint64_t largest = 0;
    for (uint32_t other = 0; other < job->nodes; other++) {
        assert_true(job->states[other].phase >= state->phase);
        uint64_t contribution = contribution_of(other, state->phase);
        largest = contribution > largest ? contribution : largest;
    }
    assert_int_equal(state->gathered.maximum, largest);
    assert_int_equal(state->gathered.has_word, 1);
    assert_int_equal(state->gathered.word, state->phase * 3);
    uint64_t name = lowest_name(job, state->phase, 0);
    assert_int_equal(state->gathered.named, name);
    assert_int_equal(state->gathered.other, name != 0 ? lowest_name(job, state->phase, name) : 0);
    check_calls(job, state);
}

static void take(job_t *job, uint32_t node, const pgasi_step_t *step)
{
    for (uint32_t i = 0; i < step->count; i++) {
        assert_true(job->count < MOST_SIGNALS);
        assert_true(step->signals[i].node < job->nodes && step->signals[i].node != node);
        job->signals[job->count++] = step->signals[i];
    }
    assert_int_equal(step->is_complete, !job->states[node].is_running);
    if (step->is_complete)
        check_complete(job, node);
}

static void start(job_t *job, uint32_t node)
{
    pgasi_step_t step;
    uint64_t phase = job->states[node].phase + 1;
    pgasi_gathered_t gathered = {
        .maximum = contribution_of(node, phase),
        .word = node == 0 ? phase * 3 : 99999,
        .has_word = node == 0,
        .named = name_of(job, node, phase),
        .call = call_of(job, node, phase),
    };
    pgasi_dissemination_start(&job->states[node], node, job->nodes, &gathered, &step);
    take(job, node, &step);
}

static void deliver(job_t *job, size_t which)
{
    pgasi_step_t step;
    pgasi_signal_t signal = job->signals[which];
    pgasi_dissemination_t *state = &job->states[signal.node];
    job->signals[which] = job->signals[--job->count];
    if (signal.phase > state->phase && signal.phase - state->phase > job->most_ahead)
        job->most_ahead = signal.phase - state->phase;
    bool was_running = state->is_running;
    pgasi_dissemination_receive(state, signal.node, job->nodes, &signal, &step);
    if (was_running)
        take(job, signal.node, &step);
    else
        assert_true(step.count == 0 && !step.is_complete);
}

static void run(job_t *job, uint64_t *random)
{
    for (;;) {
        uint32_t node = (uint32_t)random_below(random, job->nodes);
        bool ready = !job->states[node].is_running && job->states[node].phase < PHASES;
        size_t choices = job->count + ready;
        if (choices == 0) {
            bool done = true;
            for (uint32_t i = 0; i < job->nodes; i++)
                done = done && job->states[i].phase == PHASES && !job->states[i].is_running;
            if (done)
                return;
            continue;
        }
        size_t choice = random_below(random, choices);
        if (choice < job->count)
            deliver(job, choice);
        else
            start(job, node);
    }
}

static void test_random_orders(void **state)
{
    (void)state;
    static job_t job;
    uint64_t random = random_seed();
    uint64_t most_ahead = 0;
    for (int round = 0; round < 200; round++) {
        memset(&job, 0, sizeof job);
        job.nodes = round < MOST_NODES ? (uint32_t)round + 1
                                       : 1 + (uint32_t)random_below(&random, MOST_NODES);
        job.has_conflicts = round % 4 == 3;
        run(&job, &random);
        assert_int_equal(job.count, 0);
        most_ahead = job.most_ahead > most_ahead ? job.most_ahead : most_ahead;
    }
    assert_int_equal(most_ahead, 1); /* some signals have been early */
}

static void test_source(void **state)
{
    (void)state;
    for (uint32_t nodes = 2; nodes < 40; nodes++)
        for (uint32_t round = 0; (UINT32_C(1) << round) < nodes; round++)
            for (uint32_t node = 0; node < nodes; node++)
                assert_int_equal(
                    (pgasi_dissemination_source(node, nodes, round) + (UINT32_C(1) << round)) %
                        nodes,
                    node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_orders),
        cmocka_unit_test(test_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
