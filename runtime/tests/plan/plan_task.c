#include "plan_task.h"

#include <string.h>
#include <unistd.h>

#include "random.h"

void *allocate(size_t nbytes)
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
    return index; /* that owner has few */
}

/* The list of any thread; the caller frees it. */
size_t *draw_list(const task_t *task, size_t thread, size_t *count)
{
    enum {
        NOTHING,
        OF_ONE,
        OWN,
        CONTIGUOUS,
        WHOLE,
        SCATTERED
    };
    CHECK(task->count > 0 && pgas_threads() > 0);
    uint64_t random = task->seed + thread * UINT64_C(0x2545f4914f6cdd1d);
    size_t kind = random_below(&random, SCATTERED + 3);
    size_t owner = kind == OWN ? thread : random_below(&random, (size_t)pgas_threads());
    size_t begin = random_below(&random, task->count);
    size_t length = 1 + random_below(&random, task->count - begin);
    *count = kind == NOTHING      ? 0
             : kind == CONTIGUOUS ? length
             : kind == WHOLE      ? task->count
                                  : 1 + random_below(&random, 2 * task->count);
    size_t *list = allocate(*count * sizeof *list);
    for (size_t i = 0; i < *count; i++)
        list[i] = kind == CONTIGUOUS              ? begin + i
                  : kind == WHOLE                 ? task->count - 1 - i
                  : kind == OF_ONE || kind == OWN ? draw_from(task, owner, &random)
                                                  : random_below(&random, task->count);
    return list;
}

/* The value of element `index` of an array at a time. */
void value_of(const task_t *task, size_t index, uint64_t version, char *value)
{
    uint64_t state = task->seed ^ (index * UINT64_C(0x9e3779b97f4a7c15) + version);
    uint64_t bits = random_next(&state);
    for (size_t b = 0; b < task->elem_size; b++)
        value[b] = (char)(bits >> (b % 8 * 8));
}

void pause_randomly(uint64_t *random)
{
    if (random_below(random, 6) == 0)
        usleep((useconds_t)random_below(random, 3000));
}

void fill_own(const task_t *task, const pgas_array_t *array, uint64_t version)
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
    info->messages[PGAS_REMOTE][PGAS_TO] += leader_of(from) == me;
    info->messages[PGAS_REMOTE][PGAS_FROM] += leader_of(to) == me;
}

/* What pgas_plan_info must report, from the lists of all threads. */
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

void create(task_t *task)
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

void destroy(task_t *task)
{
    pgas_plan_free(task->plan);
    free(task->positions);
    free(task->values);
    free(task->indices);
    pgas_array_free(&task->arrays[1]);
    pgas_array_free(&task->arrays[0]);
}
