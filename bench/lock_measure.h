/**
 * Shared by lock.c and lock_mpi.c: the same loops in the same order, timed alike.
 */
#ifndef BENCH_LOCK_MEASURE_H
#define BENCH_LOCK_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    BENCH_FREE_TURNS = 1000,
    BENCH_WANTED_TURNS = 300
};

/** A loop of `turns` operations. */
typedef struct bench_lock_loop {
    /** Of the printed line. */
    const char *name;
    void (*run)(size_t turns);
    size_t turns;
    /** Whether all processes run it at once; else the first one alone does. */
    bool is_common;
} bench_lock_loop_t;

/** One library. */
typedef struct bench_lock {
    int process;
    int processes;
    void (*barrier)(void);
    const bench_lock_loop_t *loops;
    size_t count;
} bench_lock_t;

/** Measures all loops by turns and prints one line each (measure.h): nanoseconds of an operation,
 *  by all processes together if it is common. Called by all. Ends the process if there is no
 *  memory. */
void bench_lock_run(const bench_lock_t *lock, size_t batches);

#endif
