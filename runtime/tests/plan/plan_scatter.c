#include "plan_task.h"

#include <string.h>

#include "random.h"

static void max_int64(void *into, const void *value)
{
    if (*(const int64_t *)value > *(int64_t *)into)
        *(int64_t *)into = *(const int64_t *)value;
}

/* x -> ax + b modulo 7, as 7a + b: first one and then the other, which is associative and not
 * commutative. */
static int64_t compose(int64_t first, int64_t second)
{
    int64_t a = first / 7 % 7;
    int64_t b = first % 7;
    int64_t c = second / 7 % 7;
    int64_t d = second % 7;
    return c * a % 7 * 7 + (c * b + d) % 7;
}

static void compose_int64(void *into, const void *value)
{
    *(int64_t *)into = compose(*(int64_t *)into, *(const int64_t *)value);
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

static double model_compose(double into, double value)
{
    return (double)compose((int64_t)into, (int64_t)value);
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
    {compose_int64, sizeof(int64_t), model_compose},
};

_Static_assert(sizeof ways / sizeof ways[0] == SCATTER_WAYS, "each way has a number");

size_t scatter_elem_size(size_t way)
{
    return ways[way].elem_size;
}

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

/* The value that thread `thread` gives in place `i` of its list; small, and never the same twice in
 * a row. */
static double given(uint64_t seed, uint64_t version, size_t thread, size_t i)
{
    uint64_t state = seed + version * 1000003 + thread * 7919 + i;
    return (double)(random_next(&state) % 100);
}

/* Computes the whole array after each thread has scattered, in the documented order. */
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

/* The values to scatter: as they are, or combined and in arrival order, as the program must give
 * them. */
static void give(task_t *task, const way_t *way, uint64_t version)
{
    bool in_arrival_order = (task->options & PGAS_PLAN_IN_ARRIVAL_ORDER) != 0;
    size_t me = (size_t)pgas_mythread();
    double *combined = allocate(task->index_count * sizeof *combined);
    char *seen = allocate(task->index_count);
    for (size_t i = 0; i < task->index_count; i++) {
        size_t at = in_arrival_order ? task->positions[i] : i;
        double number = given(task->seed, version, me, i);
        combined[at] = seen[at] ? way->model(combined[at], number) : number;
        seen[at] = 1;
        encode(way, combined[at], task->values + at * task->elem_size);
    }
    free(seen);
    free(combined);
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

void check_scatter(task_t *task, size_t number, uint64_t *random)
{
    const way_t *way = &ways[number];
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
