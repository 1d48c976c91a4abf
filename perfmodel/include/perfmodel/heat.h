/**
 * The heat equation of section 8: what the threads of fathom-heat2d exchange, and how long it
 * takes, by formulas (19) to (22) and with the terms that they leave out.
 *
 * The mesh has M x N points. The outermost layer is fixed; the other (M-2) x (N-2) points are
 * distributed in blocks, as even as possible, over a grid of P x Q threads. The paper's (m-2)(n-2)
 * are the points that a thread owns; its m x n include the halo.
 *
 * The second prediction differs from the paper's as follows, each time with a measured parameter:
 *
 * - private_read_bandwidth, private_scale_bandwidth: reading and writing cost differently, as in
 *   spmv.h. A point reads 8 bytes, if the rows above and below are still in cache, and writes 8,
 *   like an element of STREAM's scale. Streaming stores do not fetch the line that they write to: a
 *   byte costs 1/R less, but at least 1/R.
 * - heat_point, heat_streaming_point: a point as measured with the solver's kernel, if every step
 *   passes through memory, that is with one step per exchange.
 * - heat_first_row, heat_last_row: rows of neighbours on the node, gotten right after a step. A
 *   block's first row has been computed long before, its last one just now.
 * - heat_first_get: the first of these transfers has a start that the others have not, as its code
 *   and tables come from memory.
 * - column_access, else local_access: every element of a column lies in its own cache line and its
 *   own page. Reading such a line in packing, or writing to it in unpacking, costs that much, where
 *   (19) has a line's bytes at streaming speed.
 * - exchange_latency, exchange_bandwidth: with memget and strided the first transfer from another
 *   node comes right after computing and costs that latency, and a thread's first
 *   MODEL_EXCHANGE_BYTES travel at that rate; further transfers cost remote_latency, further bytes
 *   the link's rate.
 * - remote_bandwidth_shared: the threads of a node communicate at the same time; their bytes share
 *   its link, and their latencies overlap.
 * - barrier_latency: one per exchange with memget, strided and async, two with strided if several
 *   steps share an exchange, separate from the halo's time, as fathom-heat2d measures it; none with
 *   signal, but the waits.
 * - message_latency: with signal a message is a put, not a get.
 * - exchange_send, exchange_send_bandwidth: with signal, a section to another node costs its sender
 *   the call, right after computing. What is left of its way, signal_latency_remote and its bytes
 *   on the link, is hidden behind computing or waited for, which fathom-heat2d books as barrier; so
 *   does `barrier` here. A call with more than MODEL_HEAT_SIGNAL_BYTES returns when they have
 *   arrived, so their way is in the halo.
 * - strided does not pack or unpack: the transfer itself reads each value's cache line at one end,
 *   and fetches and writes it at the other. signal packs and unpacks the rows too; so do memget and
 *   async if several steps share an exchange.
 * - async and signal: messages that travel while the thread computes are hidden; the high bound
 *   assumes that none are.
 * - K steps per exchange: the halo has K layers, an exchange serves K steps, and a point comes from
 *   memory once for all of them; the thread recomputes halo points that neighbours own.
 */
#ifndef PERFMODEL_HEAT_H
#define PERFMODEL_HEAT_H

#include <stdint.h>

#include "perfmodel/layout.h"
#include "perfmodel/machine.h"
#include "perfmodel/spmv.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The forms of fathom-heat2d's halo exchange. */
typedef enum model_heat_form {
    MODEL_HEAT_MEMGET = 0,
    MODEL_HEAT_STRIDED,
    MODEL_HEAT_ASYNC,
    MODEL_HEAT_SIGNAL,
    MODEL_HEAT_FORMS
} model_heat_form_t;

/** Their names; ends with NULL. */
extern const char *const model_heat_form_names[];

/** Bytes up to which a put with a signal returns before they have arrived (pgas/signal.h). */
#define MODEL_HEAT_SIGNAL_BYTES 98304.0

/** What to predict. */
typedef struct model_heat_shape {
    /** Rows of points, at least 3. */
    size_t M;
    /** Columns. */
    size_t N;
    /** Rows of threads. */
    size_t P;
    /** Columns. */
    size_t Q;
    /** K, at least 1. */
    size_t steps_per_exchange;
    model_heat_form_t form;
    /** Whether new values bypass the caches. */
    bool streams;
} model_heat_shape_t;

/** What a thread owns and gets per exchange. Index by model_place_t. */
typedef struct model_heat_counts {
    /** Of points owned: m - 2. */
    uint64_t rows;
    /** Its columns: n - 2. */
    uint64_t cols;
    /** Computed per exchange, recomputed ones included. */
    uint64_t points;
    /** S_horiz: values from left and right. */
    uint64_t horizontal[MODEL_PLACES];
    /** Those from the neighbours below. */
    uint64_t below[MODEL_PLACES];
    /** S: all values, horizontal ones included. */
    uint64_t values[MODEL_PLACES];
    /** C: neighbours that they come from. */
    uint64_t messages[MODEL_PLACES];
    /** Those of other nodes whose sections are larger than MODEL_HEAT_SIGNAL_BYTES, and their
     *  values. */
    uint64_t long_messages;
    uint64_t long_values;
} model_heat_counts_t;

/** Steps that the exchanges of a run of `steps` could serve: more than those where the last one
 *  serves fewer than K. The run's halo and barriers take as long as those of so many steps. */
double model_heat_steps_served(const model_heat_shape_t *shape, size_t steps);

/** Makes the layout of a shape's threads (its rows and blocks mean nothing); reports an impossible
 *  shape: a block needs at least K rows and columns. */
bool model_heat_layout(const model_heat_shape_t *shape, size_t nodes, size_t threads_per_node,
                       model_layout_t *layout, mesh_error_t *error);

/** Counts for one thread. */
model_heat_counts_t model_heat_count(const model_heat_shape_t *shape, const model_layout_t *layout,
                                     size_t thread);

/** Formula (19): packing of a thread; unpacking takes as long again. */
double model_heat_pack_seconds(const model_heat_counts_t *counts,
                               const model_parameters_t *machine);

/** Formula (20): memgets of a node. `counts` of all threads. */
double model_heat_node_seconds(const model_layout_t *layout, const model_heat_counts_t *counts,
                               size_t node, const model_parameters_t *machine);

/** Formula (21): the halo exchange. `counts` of all threads. */
double model_heat_halo_seconds(const model_layout_t *layout, const model_heat_counts_t *counts,
                               const model_parameters_t *machine);

/** Formula (22): a time step of the thread with most points. `counts` of all threads. */
double model_heat_compute_seconds(const model_layout_t *layout, const model_heat_counts_t *counts,
                                  const model_parameters_t *machine);

/** Seconds of a thread in the parts of a time step. */
typedef struct model_heat_parts {
    double halo;
    double compute;
} model_heat_parts_t;

/** What is predicted, per time step. `halo` and `compute` are the slowest node's and thread's. */
typedef struct model_heat_prediction {
    /** The paper has memget with K = 1. */
    bool has_paper;
    model_estimate_t paper_halo;
    model_estimate_t paper_compute;
    model_estimate_t halo;
    model_estimate_t compute;
    model_estimate_t barrier;
    /** By thread, from the medians. */
    model_heat_parts_t *threads;
    /** Bits as in model_prediction_t. */
    model_parameter_set_t left_out;
} model_heat_prediction_t;

/** Predicts a shape on a machine that suits the layout's nodes. The caller frees the prediction
 *  with model_heat_prediction_free. */
bool model_heat_predict(const model_heat_shape_t *shape, const model_layout_t *layout,
                        const model_machine_t *machine, model_heat_prediction_t *prediction,
                        mesh_error_t *error);

/** Frees the array. */
void model_heat_prediction_free(model_heat_prediction_t *prediction);

#ifdef __cplusplus
}
#endif
#endif
