/**
 * A random plan and its expected values: every thread can compute every thread's list of indexes
 * and every value from the task's seed.
 */
#ifndef RUNTIME_TESTS_PLAN_PLAN_TASK_H
#define RUNTIME_TESTS_PLAN_PLAN_TASK_H

#include <stdlib.h>

#include "check.h"

enum {
    MOST_ELEM_SIZE = 24,
    EXECUTIONS = 12,
    SCATTER_WAYS = 9
};

/** What all threads agree on. */
typedef struct task {
    size_t count;
    size_t block;
    size_t elem_size;
    unsigned options;
    /** Lists are random, from this and the thread's number. */
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

/** Zeros; never NULL. The caller frees them. */
void *allocate(size_t nbytes);

/** The list of any thread; the caller frees it. */
size_t *draw_list(const task_t *task, size_t thread, size_t *count);

/** The value of element `index` of an array at a time. */
void value_of(const task_t *task, size_t index, uint64_t version, char *value);

/** Sets the calling thread's elements to their values at a time. */
void fill_own(const task_t *task, const pgas_array_t *array, uint64_t version);

/** Sleeps up to 3 ms, but rarely. */
void pause_randomly(uint64_t *random);

/** Creates the arrays and the plan that `task` describes, and checks pgas_plan_info. Collective. */
void create(task_t *task);

/** Collective. */
void destroy(task_t *task);

/** Bytes of an element that is scattered in way `way`, below SCATTER_WAYS. */
size_t scatter_elem_size(size_t way);

/** Scatters several times in way `number`, against a model. Collective. */
void check_scatter(task_t *task, size_t number, uint64_t *random);

#endif
