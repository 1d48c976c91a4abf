/**
 * Plans: gathers and scatters of random elements, in random options and at random paces, against a
 * plain model.
 *
 * Every thread can compute every thread's list of indexes and every value from the job's seed, so
 * each checks what it has without asking anybody.
 */
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "job_random.h"

enum {
    MOST_PLANS = 3,
    MOST_ELEM_SIZE = 24,
    MOST_ELEMENTS = 3000,
    EXECUTIONS = 12,
    ROUNDS = 14
};

/* What all threads agree on. */
typedef struct task {
    size_t count;
    size_t block;
    size_t elem_size;
    unsigned options;
    /** Lists are drawn from this and the thread's number. */
    uint64_t seed;
    pgas_array_t arrays[2];
    /** The calling thread's list. */
    size_t *indices;
    size_t index_count;
    size_t *positions;
    char *values;
    pgas_plan_t *plan;
    pgas_plan_info_t expected;
    uint64_t executions;
} task_t;

static void *allocate(size_t nbytes)
{
    void *memory = calloc(nbytes + 1, 1);
    CHECK(memory != NULL);
    return memory;
}

static size_t draw_from(const task_t *task, size_t owner, uint64_t *random)
{
    size_t threads = (size_t)pgas_threads();
    size_t index = random_below(random, task->count);
    for (size_t tries = 0; tries < 50 * threads; tries++) {
        if ((size_t)pgas_array_owner(&task->arrays[0], index) == owner)
            return index;
        index = random_below(random, task->count);
    }
    return index; /* that owner has hardly any */
}

/* The list of any thread; the caller frees it. */
static size_t *draw_list(const task_t *task, size_t thread, size_t *count)
{
    enum {
        NOTHING,
        OF_ONE,
        OWN,
        RUN,
        WHOLE,
        SCATTERED
    };
    CHECK(task->count > 0 && pgas_threads() > 0);
    uint64_t random = task->seed + thread * UINT64_C(0x2545f4914f6cdd1d);
    size_t kind = random_below(&random, SCATTERED + 3);
    size_t owner = kind == OWN ? thread : random_below(&random, (size_t)pgas_threads());
    size_t begin = random_below(&random, task->count);
    size_t run = 1 + random_below(&random, task->count - begin);
    *count = kind == NOTHING ? 0
             : kind == RUN   ? run
             : kind == WHOLE ? task->count
                             : 1 + random_below(&random, 2 * task->count);
    size_t *list = allocate(*count * sizeof *list);
    for (size_t i = 0; i < *count; i++)
        list[i] = kind == RUN                     ? begin + i
                  : kind == WHOLE                 ? task->count - 1 - i
                  : kind == OF_ONE || kind == OWN ? draw_from(task, owner, &random)
                                                  : random_below(&random, task->count);
    return list;
}

/* What element `index` of an array holds at a time. */
static void value_of(const task_t *task, size_t index, uint64_t version, char *value)
{
    uint64_t state = task->seed ^ (index * UINT64_C(0x9e3779b97f4a7c15) + version);
    uint64_t bits = random_next(&state);
    for (size_t b = 0; b < task->elem_size; b++)
        value[b] = (char)(bits >> (b % 8 * 8));
}

static void pause_randomly(uint64_t *random)
{
    if (random_below(random, 6) == 0)
        usleep((useconds_t)random_below(random, 3000));
}

static void fill_own(const task_t *task, const pgas_array_t *array, uint64_t version)
{
    for (size_t i = 0; i < task->count; i++)
        if (pgas_array_owner(array, i) == pgas_mythread())
            value_of(task, i, version, pgas_local(pgas_array_at(array, i)));
}

/* Marks which elements `list` names; returns marks by index. */
static char *mark(const task_t *task, const size_t *list, size_t count)
{
    char *marks = allocate(task->count);
    for (size_t i = 0; i < count; i++)
        marks[list[i]] = 1;
    return marks;
}

static size_t count_marks(const task_t *task, const char *marks, int owner)
{
    size_t count = 0;
    for (size_t i = 0; i < task->count; i++)
        count += marks[i] && pgas_array_owner(&task->arrays[0], i) == owner;
    return count;
}

static int leader_of(int thread)
{
    int leader = 0;
    while (pgas_node_of(leader) != pgas_node_of(thread))
        leader++;
    return leader;
}

static void expect_message(task_t *task, bool *between, int from, int to, size_t values)
{
    pgas_plan_info_t *info = &task->expected;
    int me = pgas_mythread();
    bool by_node = (task->options & PGAS_PLAN_BY_NODE) != 0;
    bool consolidated = by_node && pgas_node_of(from) != pgas_node_of(to);
    if (values == 0)
        return;
    if (from == me) {
        info->values[pgas_place_of(to)][PGAS_TO] += values;
        info->messages[pgas_place_of(to)][PGAS_TO] += from != to && !consolidated;
    }
    if (to == me) {
        info->values[pgas_place_of(from)][PGAS_FROM] += values;
        info->messages[pgas_place_of(from)][PGAS_FROM] += from != to && !consolidated;
    }
    size_t pair = (size_t)leader_of(from) * (size_t)pgas_threads() + (size_t)leader_of(to);
    if (!consolidated || between[pair])
        return;
    between[pair] = true;
    info->messages[PGAS_OTHER_NODE][PGAS_TO] += leader_of(from) == me;
    info->messages[PGAS_OTHER_NODE][PGAS_FROM] += leader_of(to) == me;
}

/* What pgas_plan_info must say, from everybody's lists. */
static void expect_info(task_t *task)
{
    size_t threads = (size_t)pgas_threads();
    bool *between = allocate(threads * threads * sizeof *between);
    for (size_t to = 0; to < threads; to++) {
        size_t count;
        size_t *list = draw_list(task, to, &count);
        char *marks = mark(task, list, count);
        for (int from = 0; from < pgas_threads(); from++)
            expect_message(task, between, from, (int)to, count_marks(task, marks, from));
        free(marks);
        free(list);
    }
    free(between);
    for (int place = 0; place < PGAS_PLACES; place++)
        for (int direction = 0; direction < PGAS_DIRECTIONS; direction++)
            task->expected.bytes[place][direction] =
                task->expected.values[place][direction] * task->elem_size;
}

static void create(task_t *task)
{
    pgas_plan_info_t info;
    for (int a = 0; a < 2; a++)
        CHECK(pgas_array_create(task->count, task->elem_size, task->block, &task->arrays[a]) ==
              PGAS_OK);
    task->indices = draw_list(task, (size_t)pgas_mythread(), &task->index_count);
    task->values = allocate(task->index_count * task->elem_size);
    task->positions = allocate(task->index_count * sizeof *task->positions);
    bool in_arrival_order = (task->options & PGAS_PLAN_IN_ARRIVAL_ORDER) != 0;
    CHECK(pgas_plan_create(&task->arrays[0], task->indices, task->index_count, task->options,
                           in_arrival_order ? task->positions : NULL, &task->plan) == PGAS_OK);
    task->executions = 0;
    memset(&task->expected, 0, sizeof task->expected);
    expect_info(task);
    pgas_plan_info(task->plan, &info);
    CHECK(info.setup_seconds > 0.0 && info.memory_bytes > 0);
    CHECK(memcmp(info.messages, task->expected.messages, sizeof info.messages) == 0);
    CHECK(memcmp(info.values, task->expected.values, sizeof info.values) == 0);
    CHECK(memcmp(info.bytes, task->expected.bytes, sizeof info.bytes) == 0);
}

static void destroy(task_t *task)
{
    pgas_plan_free(task->plan);
    free(task->positions);
    free(task->values);
    free(task->indices);
    pgas_array_free(&task->arrays[1]);
    pgas_array_free(&task->arrays[0]);
}

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

/* Gathers of all tasks, nested in one another: the parts change as soon as they may. */
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
        if (place == PGAS_SAME_NODE || (place == PGAS_OTHER_NODE && !by_node))
            CHECK(traffic[PGAS_TO].bytes == nbytes);
    }
}

static void max_int64(void *into, const void *value)
{
    if (*(const int64_t *)value > *(int64_t *)into)
        *(int64_t *)into = *(const int64_t *)value;
}

/* The ways to scatter, with a model of each on numbers that every type holds exactly. */
typedef struct way {
    pgas_combine_t *combine;
    size_t elem_size;
    double (*model)(double into, double value);
} way_t;

static double model_replace(double into, double value)
{
    (void)into;
    return value;
}

static double model_add(double into, double value)
{
    return into + value;
}

static double model_max(double into, double value)
{
    return value > into ? value : into;
}

static const way_t ways[] = {
    {NULL, sizeof(double), model_replace},
    {NULL, 4, model_replace},
    {NULL, 1, model_replace},
    {pgas_add_double, sizeof(double), model_add},
    {pgas_add_float, sizeof(float), model_add},
    {pgas_add_int32, sizeof(int32_t), model_add},
    {pgas_add_int64, sizeof(int64_t), model_add},
    {max_int64, sizeof(int64_t), model_max},
};

enum {
    WAYS = sizeof ways / sizeof ways[0]
};

static void encode(const way_t *way, double number, char *value)
{
    float f = (float)number;
    int32_t i32 = (int32_t)number;
    int64_t i64 = (int64_t)number;
    const void *source = way->combine == pgas_add_float                          ? (void *)&f
                         : way->combine == pgas_add_double                       ? (void *)&number
                         : way->combine == pgas_add_int32 || way->elem_size <= 4 ? (void *)&i32
                                                                                 : (void *)&i64;
    memcpy(value, source, way->elem_size);
}

/* What thread `thread` gives in place `i` of its list; small, and never the same twice in a row. */
static double given(uint64_t seed, uint64_t version, size_t thread, size_t i)
{
    uint64_t state = seed + version * 1000003 + thread * 7919 + i;
    return (double)(random_next(&state) % 100);
}

/* The whole array after each thread has scattered, by the documented order. */
static void model_scatter(const task_t *task, const way_t *way, uint64_t version, double *numbers)
{
    for (size_t thread = 0; thread < (size_t)pgas_threads(); thread++) {
        size_t count;
        size_t *list = draw_list(task, thread, &count);
        for (size_t i = 0; i < count; i++)
            numbers[list[i]] = way->model(numbers[list[i]], given(task->seed, version, thread, i));
        free(list);
    }
}

/* The values to scatter: as they are, or joined and in arrival order, as the program must give
 * them. */
static void give(task_t *task, const way_t *way, uint64_t version)
{
    bool in_arrival_order = (task->options & PGAS_PLAN_IN_ARRIVAL_ORDER) != 0;
    size_t me = (size_t)pgas_mythread();
    double *joined = allocate(task->index_count * sizeof *joined);
    char *seen = allocate(task->index_count);
    for (size_t i = 0; i < task->index_count; i++) {
        size_t at = in_arrival_order ? task->positions[i] : i;
        double number = given(task->seed, version, me, i);
        joined[at] = seen[at] ? way->model(joined[at], number) : number;
        seen[at] = 1;
        encode(way, joined[at], task->values + at * task->elem_size);
    }
    free(seen);
    free(joined);
}

static void check_part(const task_t *task, const way_t *way, const double *numbers)
{
    char value[MOST_ELEM_SIZE];
    for (size_t i = 0; i < task->count; i++) {
        if (pgas_array_owner(&task->arrays[0], i) != pgas_mythread())
            continue;
        encode(way, numbers[i], value);
        CHECK(memcmp(pgas_local(pgas_array_at(&task->arrays[0], i)), value, way->elem_size) == 0);
    }
}

static void check_scatter(task_t *task, const way_t *way, uint64_t *random)
{
    double *numbers = allocate(task->count * sizeof *numbers);
    for (size_t i = 0; i < task->count; i++) {
        numbers[i] = (double)(i % 50);
        if (pgas_array_owner(&task->arrays[0], i) == pgas_mythread())
            encode(way, numbers[i], pgas_local(pgas_array_at(&task->arrays[0], i)));
    }
    for (uint64_t version = 0; version < EXECUTIONS / 2; version++) {
        give(task, way, version);
        pause_randomly(random);
        pgas_array_t copy = task->arrays[0];
        pgas_plan_scatter_begin(task->plan, &copy, task->values, way->combine);
        memset(&copy, 0x5a, sizeof copy); /* not needed after the call */
        memset(task->values, 0x5a, task->index_count * task->elem_size);
        pause_randomly(random);
        CHECK(pgas_plan_finish(task->plan) == NULL);
        task->executions++;
        model_scatter(task, way, version, numbers);
        if (version % 3 == 0)
            check_part(task, way, numbers);
    }
    check_part(task, way, numbers);
    free(numbers);
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
    const way_t *way = &ways[random_below(common, WAYS)];
    task_t task;
    memset(&task, 0, sizeof task);
    task.count = 1 + random_size(common, MOST_ELEMENTS - 1);
    task.block = 1 + random_size(common, task.count);
    task.elem_size = way->elem_size;
    task.options = PGAS_PLAN_SCATTER | (unsigned)random_below(common, 8);
    task.seed = random_next(common);
    create(&task);
    pgas_stats_reset();
    for (int turn = 0; turn < 2; turn++) {
        uint64_t before = task.executions;
        gather(&task, 1, before, own);
        CHECK(task.executions == before + 1);
        check_scatter(&task, way, own);
    }
    destroy(&task);
}

/* Messages of many pieces, and one direction only: thread 0 gives, and runs ahead if it can. */
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

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    uint64_t seed = random_seed_of_job();
    uint64_t own = random_seed_of_thread(seed);
    check_refusals();
    for (int round = 0; round < ROUNDS; round++) {
        check_round(&seed, &own);
        check_scatter_round(&seed, &own);
    }
    check_large(&own);
    pgas_finalize();
    return 0;
}
