/**
 * How long the communication of a program takes, by the traffic that it has counted.
 *
 * The traffic is what a run with PGAS_STATS=NAME.json has written (pgas/stats.h): the operations
 * of every thread with every other one by mode and direction. Each has a price from the machine
 * file, by the place of the other thread. Counts do not tell whether a thread waits for each
 * operation before it begins the next one, has many in flight, or waits for what others send. So
 * there are three numbers: the least, with everything in flight together; the most, where every
 * operation waits for the one before it, signals and active messages for those received too, and
 * memory of the node is in no cache, or changed by all threads at once; and between them the
 * prediction:
 *
 * - Values, copies and atomic operations that return the old value are waited for one by one.
 * - Atomic operations that return nothing are in flight together.
 * - Every thread sends its signals and active messages while it waits for as many from others.
 * - Memory of the node is in a cache: that of the thread alone, unless several threads of a node
 *   make atomic operations on memory of one owner, whose words are then taken to be shared.
 *
 * A thread with `in_flight` operations between two waits pays the flood's price for each, and once
 * per wait what a latency is above that. A put whose signal goes to the same thread is part of the
 * signal: its bytes cost what a long put with a signal takes beyond a short one. Bytes of other
 * copies within a node are copied at private_copy_bandwidth; those between nodes share the link of
 * their node, at remote_bandwidth_shared, else at remote_bandwidth. Where a price of a value or a
 * copy in flight is absent, the latency stands for it.
 *
 * Not in any of the numbers: what the program computes, and waiting for threads that do; barriers,
 * locks and collective operations, which are not counted; threads that share a core; and a node
 * that serves more operations than it sends, whereas prices were measured with as many.
 */
#ifndef PERFMODEL_TRAFFIC_H
#define PERFMODEL_TRAFFIC_H

#include "perfmodel/layout.h"
#include "perfmodel/machine.h"
#include "perfmodel/spmv.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How operations are counted, as in pgas/stats.h. */
typedef enum model_mode {
    MODEL_INDIVIDUAL = 0,
    MODEL_CONTIGUOUS,
    MODEL_CONDENSED,
    MODEL_AM,
    MODEL_ATOMIC,
    MODEL_SIGNAL,
    MODEL_MODES
} model_mode_t;

/** The direction of the bytes, as seen from the counting thread. */
typedef enum model_direction {
    MODEL_FROM = 0,
    MODEL_TO,
    MODEL_DIRECTIONS
} model_direction_t;

/** Their names in the file. */
extern const char *const model_mode_names[MODEL_MODES];
extern const char *const model_direction_names[MODEL_DIRECTIONS];
/** "own", "local", "remote". */
extern const char *const model_place_names[MODEL_PLACES];

/** What one thread has exchanged with another one, or with itself. */
typedef struct model_exchange {
    size_t thread;
    size_t other;
    model_mode_t mode;
    model_direction_t direction;
    double operations;
    double bytes;
} model_exchange_t;

/** The traffic of a job. */
typedef struct model_traffic {
    size_t threads;
    size_t nodes;
    /** By thread. */
    size_t *node;
    size_t count;
    model_exchange_t *exchanges;
    /** Operations of all threads that went by remote memory access. */
    double by_rma;
} model_traffic_t;

/** Reads a file that PGAS_STATS has written. The caller frees the traffic with
 *  model_traffic_free. */
bool model_traffic_read(const char *path, model_traffic_t *traffic, mesh_error_t *error);

/** Frees it. */
void model_traffic_free(model_traffic_t *traffic);

/** One kind of operations of one thread. */
typedef struct model_kind {
    /** Without puts that have a signal. */
    double operations;
    /** For signals, those of their puts. */
    double bytes;
    /** Those that come from other threads. */
    double received;
    /** Those on memory whose owner has it changed by several threads of the node; for atomics. */
    double shared;
    /** Seconds by the medians: all in flight together, and one by one. */
    double together;
    double one_by_one;
    model_estimate_t seconds;
    /** The machine file does not have what the price needs: the seconds are 0. */
    bool is_unknown;
} model_kind_t;

/** All kinds of one thread. */
typedef struct model_thread_traffic {
    model_kind_t kinds[MODEL_PLACES][MODEL_MODES][MODEL_DIRECTIONS];
    /** Bytes between nodes, on the link of the thread's node. */
    model_estimate_t link;
    /** The sums of all. */
    model_estimate_t seconds;
    double together;
    double one_by_one;
} model_thread_traffic_t;

/** A prediction. */
typedef struct model_traffic_prediction {
    /** By thread. */
    model_thread_traffic_t *threads;
    /** The thread whose predicted time is the largest, and the largest times of all threads. */
    size_t slowest;
    model_estimate_t seconds;
    double together;
    double one_by_one;
    /** Whether p is needed, and absent. */
    bool is_missing[MODEL_PARAMETERS];
    /** Whether threads of a node and of others make atomic operations on memory of one owner: those
     *  of the node, priced as if no other processor used the words, may take longer then. */
    bool is_mixed;
    /** Operations that the busiest node serves for other nodes, over the mean of all nodes; 0 if
     *  there are none. */
    double served;
} model_traffic_prediction_t;

/**
 * Predicts the time of counted traffic.
 *
 * @param in_flight how many operations a thread has in flight between two waits on the average, at
 *                  least 1; 0: not known.
 */
bool model_traffic_predict(const model_traffic_t *traffic, const model_machine_t *machine,
                           double in_flight, model_traffic_prediction_t *prediction,
                           mesh_error_t *error);

/** Frees the array. */
void model_traffic_prediction_free(model_traffic_prediction_t *prediction);

#ifdef __cplusplus
}
#endif
#endif
