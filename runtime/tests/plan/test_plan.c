/**
 * Plans: gathers and scatters of random elements, with random options and random delays, against a
 * plain model.
 *
 * Every thread can compute every thread's list of indexes and every value from the job's seed, so
 * each checks its own values.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "job_random.h"
#include "plan_task.h"

enum {
    MOST_PLANS = 3,
    MOST_ELEMENTS = 3000,
    ROUNDS = 14
};

/* Positions are dense, equal for equal indexes, and in order of owner and index. */
static void check_positions(const task_t *task)
{
    size_t length = pgas_plan_length(task->plan);
    size_t *at = allocate(length * sizeof *at);
    for (size_t p = 0; p < length; p++)
        at[p] = task->count;
    for (size_t i = 0; i < task->index_count; i++) {
        size_t position = task->positions[i];
        CHECK(position < length);
        CHECK(at[position] == task->count || at[position] == task->indices[i]);
        at[position] = task->indices[i];
    }
    for (size_t p = 0; p < length; p++) {
        CHECK(at[p] < task->count);
        if (p == 0)
            continue;
        int before = pgas_array_owner(&task->arrays[0], at[p - 1]);
        int owner = pgas_array_owner(&task->arrays[0], at[p]);
        CHECK(before < owner || (before == owner && at[p - 1] < at[p]));
    }
    free(at);
}

static void check_values(const task_t *task, const char *values, uint64_t version)
{
    bool in_arrival_order = (task->options & PGAS_PLAN_IN_ARRIVAL_ORDER) != 0;
    char value[MOST_ELEM_SIZE];
    for (size_t i = 0; i < task->index_count; i++) {
        size_t at = in_arrival_order ? task->positions[i] : i;
        value_of(task, task->indices[i], version, value);
        CHECK(memcmp(values + at * task->elem_size, value, task->elem_size) == 0);
    }
}

/* Gathers of all tasks, nested in each other; the arrays change as soon as they may. */
static void gather(task_t *tasks, size_t task_count, uint64_t version, uint64_t *random)
{
    for (size_t t = 0; t < task_count; t++) {
        task_t *task = &tasks[t];
        bool in_arrival_order = (task->options & PGAS_PLAN_IN_ARRIVAL_ORDER) != 0;
        pgas_array_t *array = &task->arrays[version % 2];
        fill_own(task, array, version);
        pause_randomly(random);
        pgas_array_t copy = *array;
        pgas_plan_begin(task->plan, &copy, in_arrival_order ? NULL : task->values);
        memset(&copy, 0x5a, sizeof copy); /* not needed after the call */
        fill_own(task, array, version + 1000000);
    }
    for (size_t t = 0; t < task_count; t++) {
        pause_randomly(random);
        const char *values = pgas_plan_finish(tasks[t].plan);
        CHECK((tasks[t].options & PGAS_PLAN_IN_ARRIVAL_ORDER) != 0 || values == tasks[t].values);
        pause_randomly(random);
        check_values(&tasks[t], values, version);
        tasks[t].executions++;
    }
}

static void check_traffic(const task_t *tasks, size_t task_count)
{
    pgas_stats_t stats;
    pgas_stats_get(&stats);
    for (int place = 0; place < PGAS_PLACES; place++) {
        pgas_traffic_t *traffic = stats.traffic[place][PGAS_CONDENSED];
        uint64_t operations = 0;
        uint64_t nbytes = 0;
        bool by_node = false;
        for (size_t t = 0; t < task_count; t++) {
            by_node |= (tasks[t].options & PGAS_PLAN_BY_NODE) != 0;
            operations += tasks[t].executions * tasks[t].expected.messages[place][PGAS_TO];
            nbytes += tasks[t].executions * tasks[t].expected.bytes[place][PGAS_TO];
        }
        CHECK(traffic[PGAS_FROM].operations == 0);
        CHECK(traffic[PGAS_TO].operations == operations);
        /* Between nodes the leader counts what others have packed. */
        if (place == PGAS_LOCAL || (place == PGAS_REMOTE && !by_node))
            CHECK(traffic[PGAS_TO].bytes == nbytes);
    }
}

/* Random plans, all of the same kind but with lists and layouts of their own. */
static void check_round(uint64_t *common, uint64_t *own)
{
    task_t tasks[MOST_PLANS];
    memset(tasks, 0, sizeof tasks);
    size_t task_count = 1 + random_below(common, MOST_PLANS);
    size_t used = pgas_heap_used();
    for (size_t t = 0; t < task_count; t++) {
        tasks[t].count = 1 + random_size(common, MOST_ELEMENTS - 1);
        tasks[t].block = 1 + random_size(common, tasks[t].count);
        tasks[t].elem_size = 1 + random_below(common, MOST_ELEM_SIZE);
        tasks[t].options = (unsigned)random_below(common, 8);
        tasks[t].seed = random_next(common);
        create(&tasks[t]);
        if ((tasks[t].options & PGAS_PLAN_IN_ARRIVAL_ORDER) != 0)
            check_positions(&tasks[t]);
    }
    pgas_stats_reset();
    for (uint64_t version = 0; version < EXECUTIONS; version++)
        gather(tasks, task_count, version, own);
    check_traffic(tasks, task_count);
    for (size_t t = 0; t < task_count; t++)
        destroy(&tasks[t]);
    pgas_barrier(); /* thread 0 frees arrays after it */
    CHECK(pgas_mythread() != 0 || pgas_heap_used() == used);
}

static void check_scatter_round(uint64_t *common, uint64_t *own)
{
    size_t way = random_below(common, SCATTER_WAYS);
    task_t task;
    memset(&task, 0, sizeof task);
    task.count = 1 + random_size(common, MOST_ELEMENTS - 1);
    task.block = 1 + random_size(common, task.count);
    task.elem_size = scatter_elem_size(way);
    task.options = PGAS_PLAN_SCATTER | (unsigned)random_below(common, 8);
    task.seed = random_next(common);
    create(&task);
    pgas_stats_reset();
    for (int round = 0; round < 2; round++) {
        uint64_t before = task.executions;
        gather(&task, 1, before, own);
        CHECK(task.executions == before + 1);
        check_scatter(&task, way, own);
    }
    destroy(&task);
}

/* Messages of many segments, and in one direction only: thread 0 sends, and runs ahead if it
 * can. */
static void check_large(uint64_t *own)
{
    size_t count = 200000;
    size_t threads = (size_t)pgas_threads();
    for (unsigned options = 0; options < 8; options++) {
        pgas_array_t array;
        CHECK(pgas_array_create(count * threads, sizeof(uint64_t), count, &array) == PGAS_OK);
        size_t *indices = allocate(count * sizeof *indices);
        size_t *positions = allocate(count * sizeof *positions);
        uint64_t *values = allocate(count * sizeof *values);
        size_t mine = pgas_mythread() == 0 ? 0 : count / 2;
        for (size_t i = 0; i < mine; i++)
            indices[i] = 2 * (mine - 1 - i);
        pgas_plan_t *plan;
        CHECK(pgas_plan_create(&array, indices, mine, options, positions, &plan) == PGAS_OK);
        bool in_arrival_order = (options & PGAS_PLAN_IN_ARRIVAL_ORDER) != 0;
        for (uint64_t version = 1; version < 8; version++) {
            uint64_t *part = pgas_array_mine(&array);
            for (size_t i = 0; i < count; i++)
                part[i] = version * count + i;
            if (pgas_mythread() != 0)
                pause_randomly(own);
            const uint64_t *got = pgas_plan_execute(plan, &array, in_arrival_order ? NULL : values);
            for (size_t i = 0; i < mine; i++)
                CHECK(got[in_arrival_order ? positions[i] : i] == version * count + indices[i]);
        }
        pgas_plan_free(plan);
        free(values);
        free(positions);
        free(indices);
        pgas_array_free(&array);
    }
}

static void check_refusals(void)
{
    pgas_array_t array;
    pgas_plan_t *plan = NULL;
    size_t used = pgas_heap_used();
    CHECK(pgas_array_create(10, sizeof(double), 3, &array) == PGAS_OK);
    size_t indices[] = {0, 9, 3};
    if (pgas_mythread() == pgas_threads() - 1)
        indices[2] = 10;
    CHECK(pgas_plan_create(&array, indices, 3, PGAS_PLAN_BY_NODE, NULL, &plan) ==
          PGAS_ERR_ARGUMENT);
    CHECK(plan == NULL);
    CHECK(pgas_plan_create(&array, indices, 2, 0, NULL, &plan) == PGAS_OK);
    pgas_plan_free(plan); /* never executed */
    pgas_plan_free(NULL);
    pgas_array_free(&array);
    pgas_barrier();
    CHECK(pgas_mythread() != 0 || pgas_heap_used() == used);
}

enum {
    LINE = 64
};

static size_t misaligned;

static void look_at_places(void *into, const void *value)
{
    if ((uintptr_t)into % LINE != 0 || (uintptr_t)value % LINE != 0)
        misaligned++;
}

/* Elements of a cache line are lines wherever the function that combines them finds them: those
 * that a thread gives itself, names several times, or has from others. So many that memory of the
 * C library's would not be aligned. */
static void check_alignment(void)
{
    enum {
        COUNT = 6000
    };
    pgas_array_t array;
    pgas_plan_t *plan;
    size_t *indexes = allocate(2 * (size_t)COUNT * sizeof *indexes);
    void *values = NULL;
    CHECK(posix_memalign(&values, LINE, 2 * (size_t)COUNT * LINE) == 0);
    memset(values, 0, 2 * (size_t)COUNT * LINE);
    for (size_t i = 0; i < 2 * (size_t)COUNT; i++)
        indexes[i] = i * 7 % COUNT;
    CHECK(pgas_array_create(COUNT, LINE, 1, &array) == PGAS_OK);
    CHECK(pgas_plan_create(&array, indexes, 2 * (size_t)COUNT, PGAS_PLAN_SCATTER, NULL, &plan) ==
          PGAS_OK);
    pgas_plan_scatter(plan, &array, values, look_at_places);
    CHECK(misaligned == 0);
    pgas_plan_free(plan);
    pgas_array_free(&array);
    free(values);
    free(indexes);
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    uint64_t seed = random_seed_of_job();
    uint64_t own = random_seed_of_thread(seed);
    check_refusals();
    check_alignment();
    for (int round = 0; round < ROUNDS; round++) {
        check_round(&seed, &own);
        check_scatter_round(&seed, &own);
    }
    check_large(&own);
    pgas_finalize();
    return 0;
}
