/**
 * Shared by transfers_ucx.c and transfers_mpi.c: gets and puts of many sizes between two processes,
 * one at a time or several in flight, timed and checked as fathom-stream's latency and flood are.
 * Each library supplies a loop.
 */
#ifndef BENCH_TRANSFERS_MEASURE_H
#define BENCH_TRANSFERS_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    BENCH_LIST_MAX = 32
};

typedef struct bench_list {
    size_t values[BENCH_LIST_MAX];
    size_t count;
} bench_list_t;

/** What to measure. */
typedef struct bench_transfers_options {
    bench_list_t sizes;
    /** In flight; 1: each transfer is complete before the next one starts. */
    bench_list_t depths;
    /** Of a measurement; fewer where they would take longer than `seconds`. */
    size_t operations;
    double seconds;
    size_t repetitions;
    /** The largest depth, and the bytes in flight at most. */
    size_t depth;
    size_t nbytes;
} bench_transfers_options_t;

/** One kind of transfer. */
typedef struct bench_transfer {
    /** A put otherwise. */
    bool gets;
    size_t nbytes;
    size_t depth;
} bench_transfer_t;

/** One way of a library to transfer. Slot s of a transfer of n bytes is at s * n of `buffer` and of
 *  `shared`, s below its depth; transfer i has slot i modulo depth. */
typedef struct bench_transfers {
    /** Its name in the output. */
    const char *mode;
    /** 0 initiates, 1 is the target. */
    int process;
    /** `nbytes` of process 0, and of process 1. */
    char *buffer;
    char *shared;
    /** Gives process 0's value to process 1 and waits for it. Called by both. */
    void (*share)(size_t *value);
    /** Called by both. Process 0 returns when all `count` transfers are complete and puts are in
     * the target's memory, process 1 when it is no longer needed for that. */
    void (*run)(const bench_transfer_t *transfer, size_t count);
} bench_transfers_t;

/** The options of a command line: REPETITIONS OPERATIONS SECONDS SIZES DEPTHS, lists with commas,
 *  all optional. Ends the process with one line and status 2 if one is wrong. */
bench_transfers_options_t bench_transfers_options(int argc, char **argv);

/**
 * Measures gets and puts of all sizes and depths in `count` ways, in alternation, and prints them
 * in process 0 as JSON: {"program", "check": "ok", "results": rows of "operation", "mode",
 * "nbytes", "depth", "operations" and "seconds" of one transfer: {"median", "min", "max"}}. Called
 * by both. False, with a line on standard error, if bytes have not arrived in this process.
 */
bool bench_transfers_run(const bench_transfers_t *ways, size_t count,
                         const bench_transfers_options_t *options, const char *program);

#endif
