/**
 * The heat equation of section 8: what the threads of fathom-heat2d exchange, and how long it
 * takes, by formulas (19) to (22) and with the terms that they leave out.
 *
 * The mesh has M x N points, of which the outermost layer is fixed and the other (M-2) x (N-2) are
 * dealt out in blocks to a grid of P x Q threads, as even as possible. What the paper calls
 * (m-2)(n-2) are the points that a thread owns; its m x n include the halo.
 *
 * What is done differently from the paper in the second prediction, each with a measured parameter:
 *
 * - private_read_bandwidth, private_scale_bandwidth: reading and writing cost differently, as
 *   spmv.h says. A point reads 8 bytes, if the rows above and below are still in cache, and writes
 *   8, as an element of STREAM's scale does. Streaming stores do not fetch the line that they write
 *   to: a byte costs 1/R less, but at least 1/R.
 * - column_access, else local_access: every element of a column lies in a cache line, and a page,
 *   of its own. Reading such a line in packing, or writing to it in unpacking, costs that much,
 *   where (19) has a line's bytes at streaming speed.
 * - exchange_latency, exchange_bandwidth: with memget and strided the first transfer from another
 *   node comes right after computing and costs that latency, and the first MODEL_EXCHANGE_BYTES of
 *   a thread go at that rate; further ones cost remote_latency and the link's rate.
 * - remote_bandwidth_shared: the threads of a node communicate at the same time; their bytes share
 *   its link, and their latencies run side by side.
 * - barrier_latency: one per exchange with memget, strided and async, apart from the halo's time,
 *   as fathom-heat2d measures it; none with signal.
 * - message_latency: with signal a message is a put, not a get.
 * - strided has no packing and unpacking: each value's cache line is read, and fetched and written,
 *   by the transfer itself. signal packs and unpacks the rows too.
 * - async and signal: what travels while the thread computes is hidden; the high bound assumes that
 *   nothing is.
 * - K steps per exchange: the halo has K layers, an exchange serves K steps, and a point comes from
 *   memory once for all of them; what neighbours own of the halo is computed again.
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

/** What is asked for. */
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
    /** Whether new values are stored past the caches. */
    bool streams;
} model_heat_shape_t;

/** What a thread owns and gets per exchange. Index by model_place_t. */
typedef struct model_heat_counts {
    /** Of points owned: m - 2. */
    uint64_t rows;
    /** N - 2. */
    uint64_t cols;
    /** Computed per exchange, what is computed again included. */
    uint64_t points;
    /** S_horiz: values from left and right. */
    uint64_t horizontal[MODEL_PLACES];
    /** S: all values, horizontal ones included. */
    uint64_t values[MODEL_PLACES];
    /** C: neighbours they come from. */
    uint64_t messages[MODEL_PLACES];
} model_heat_counts_t;

/** Makes the layout of a shape's threads (rows and blocks in it mean nothing); reports a shape that
 *  cannot be: a block needs at least K rows and columns. */
bool model_heat_layout(const model_heat_shape_t *shape, size_t nodes, size_t threads_per_node,
                       model_layout_t *layout, mesh_error_t *error);

/** Counts for one thread. */
model_heat_counts_t model_heat_count(const model_heat_shape_t *shape, const model_layout_t *layout,
                                     size_t thread);

/** Formula (19): packing of a thread, and as long again for unpacking. */
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
    unsigned left_out;
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
