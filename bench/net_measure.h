/**
 * Shared by net.c, net_mpi.c and net_shmem.c: the same transfers in the same order, timed and
 * checked alike. Each library supplies the loops.
 */
#ifndef BENCH_NET_MEASURE_H
#define BENCH_NET_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    BENCH_WORD = 8,
    BENCH_BLOCK = 1 << 20,
    BENCH_NET_BATCHES = 15
};

/** A loop of `count` transfers from the measuring process (the first) to or from the target (the
 *  last), or of `count` barriers by all. */
typedef void (*bench_net_loop_t)(size_t count);

/** One library. Puts read `buffer` and write the target's `shared` memory; in the loops in flight,
 *  transfer i of words has its own place at i times its size, up to BENCH_BLOCK bytes. When a loop
 *  returns, all its puts are visible at the target. */
typedef struct bench_net {
    int process;
    int processes;
    /** BENCH_BLOCK bytes of private memory. */
    char *buffer;
    /** BENCH_BLOCK bytes of this process that the others can reach. */
    char *shared;
    bench_net_loop_t barrier;
    /** One word at a time into the start of `buffer`, from the start of the shared memory. */
    bench_net_loop_t get_words;
    /** One word at a time, each visible at the target before the next. */
    bench_net_loop_t put_words;
    /** Blocks of BENCH_BLOCK bytes, likewise. */
    bench_net_loop_t put_blocks;
    /** The same two with all transfers in flight together, completed by one wait at the end. */
    bench_net_loop_t stream_words;
    bench_net_loop_t stream_blocks;
} bench_net_t;

/**
 * Measures and prints one line each (measure.h): get_8_us, put_8_us, put_1m_gb_per_s,
 * stream_1m_gb_per_s, stream_8_per_us with two processes, and barrier_us with any number. Called by
 * all. False, with a line on standard error, if bytes have not arrived.
 */
bool bench_net_run(const bench_net_t *net, size_t batches);

#endif
