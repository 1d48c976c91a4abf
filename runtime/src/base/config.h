/**
 * Settings: one table declares every environment variable of the runtime.
 */
#ifndef PGASI_BASE_CONFIG_H
#define PGASI_BASE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include <pgas/types.h>

/**
 * X(member, kind, variable, default, help). Kinds: BYTES (a whole number with an optional suffix K,
 * M, G or T), COUNT (a whole number of 32 bits), SWITCH (0 or 1), TEXT (any text). A default of 0
 * or "" means "not set".
 */
#define PGASI_SETTINGS(X) \
    X(heap_size, BYTES, "PGAS_HEAP_SIZE", 0, "heap of each thread, in bytes") \
    X(nodes, COUNT, "PGAS_NODES", 0, "emulated nodes") \
    X(threads_per_node, COUNT, "PGAS_THREADS_PER_NODE", 0, "threads of an emulated node") \
    X(stats, TEXT, "PGAS_STATS", "", "1: print counted traffic at the end; NAME.json: write it") \
    X(segment, TEXT, "PGAS_SEGMENT", "auto", "memfd, posix, ucx or auto") \
    X(coll, TEXT, "PGAS_COLL", "", "algorithms of collectives: broadcast=linear,...; show") \
    X(rma, TEXT, "PGAS_RMA", "auto", "on, off or auto: remote memory access by the network") \
    X(huge_pages, SWITCH, "PGAS_HUGE_PAGES", 1, "1: 2 MiB pages for large allocations; 0: none") \
    X(core_segments, SWITCH, "PGAS_CORE_SEGMENTS", 0, \
      "1: core dumps have the node's shared segments; 0: private memory only") \
    X(progress, TEXT, "PGAS_PROGRESS", "auto", "thread, poll or auto: who serves other nodes") \
    X(watchdog, COUNT, "PGAS_WATCHDOG", 60, \
      "seconds after which a thread reports what it waits for; 0: never") \
    X(peer_timeout, COUNT, "PGAS_PEER_TIMEOUT", 20, \
      "seconds without a sign of life from another host before the job ends; 0: never") \
    X(gate, SWITCH, "PGAS_GATE", 1, \
      "1: UCX hears over TCP only from threads of the job; 0: as UCX does it") \
    X(spin, COUNT, "PGAS_SPIN", PGASI_SPIN_AUTO, \
      "iterations of the spin before a waiting thread yields") \
    X(sleep, TEXT, "PGAS_SLEEP", "auto", \
      "bounded: waiting threads do not use the system call futex_waitv; auto: if the kernel has " \
      "it")

/** PGAS_SPIN is not set: threads and cores decide. */
#define PGASI_SPIN_AUTO ((size_t)-1)

#define PGASI_KIND_BYTES size_t
#define PGASI_KIND_COUNT size_t
#define PGASI_KIND_SWITCH size_t
#define PGASI_KIND_TEXT const char *

typedef struct pgasi_settings {
#define PGASI_MEMBER(member, kind, variable, initial, help) PGASI_KIND_##kind member;
    PGASI_SETTINGS(PGASI_MEMBER)
#undef PGASI_MEMBER
} pgasi_settings_t;

/** The settings of this process; defaults until pgasi_config_load. */
extern pgasi_settings_t pgasi_settings;

/** Reads the environment, which may change afterwards. Thread 0 names variables that look like
 *  settings and are none, with the nearest name. Logs every value that makes no sense, of which
 *  pgas_init shows the first (pgasi_log_hold), and returns PGAS_ERR_ARGUMENT; PGAS_ERR_NO_MEMORY if
 *  a text cannot be kept. */
pgas_status_t pgasi_config_load(void);

/** Whether PGAS_STATS is the name of a file. */
bool pgasi_stats_is_file(void);

#endif
