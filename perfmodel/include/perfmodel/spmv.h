/**
 * How long a product takes in each variant of fathom-spmv: by the paper's formulas, and with the
 * terms that they leave out.
 *
 * The second prediction follows the same structure, with these differences. Each has a physical
 * meaning and a measured parameter; where the machine file lacks the parameter, the paper's term
 * applies instead (model_prediction_t.left_out says which). No factor is fitted.
 *
 * - Rows and bytes are the actual ones; the paper takes a short last block as full. This is the
 *   only difference if the machine file holds only the paper's parameters.
 * - private_read_bandwidth, private_scale_bandwidth: reading and writing cost differently, and a
 *   product is nearly all reading. A byte read takes 1/R. A byte written takes what STREAM's scale
 *   needs per written byte beyond reading its source, (16/S - 8/R)/8, which includes fetching the
 *   cache line that is written to. R is at least S: with that fetch, the scale reads 16 bytes in
 *   the time in which 16 are counted. The bytes of (6) are r_nz (8 + 4) + 16 read and 8 written;
 *   those of (12), (14), (15) and of copies within a node are split likewise. This needs both
 *   parameters.
 * - private_copy_bandwidth: memcpy, which does not fetch what it overwrites, copies own blocks in
 *   v3, blocks of the node in v2 and messages within the node.
 * - private_read_bandwidth and private_scale_bandwidth also: unpacking in v3 writes to the lines of
 *   x that hold needed values, each counted once; (15) has one line per value.
 * - barrier_latency: once per product in naive, v1 and v2, twice in v3, never in v4 and v5.
 * - product_row_4 and the rates like it (machine.h): a row takes as long as measured rows of its
 *   width in the same loop: "product" in v2 and v3, "naive" in naive. In v1 it is "shifts" where
 *   BLOCKSIZE is a power of two, else "pointers", interpolated by the share of accesses to other
 *   threads of the node, for which "..._mixed" and "..._turns" are measured; of individual accesses
 *   only those to other nodes cost extra then. Without these rates a row is the larger of two: what
 *   the core alone needs, product_access and in naive and v1 pointer_access, and the bytes of (6)
 *   at product_bandwidth, else at the costs of reading and writing.
 * - pointer_access: without those rates, in naive and v1 every access to x, even to own values,
 *   goes through the global address; in naive, so do those to A, J, D and y.
 * - product_close_one_4 and the rates of lines like it: what the lines of x that are fetched out of
 *   order add, as model_counts_t counts them for the machine's caches. A row pays for its farthest
 *   line as measured alone, and less for each further one, since a core overlaps them. In v2 and
 *   v3, which read a copy of x, all such lines count; in naive and v1 those of values on the own
 *   node, at the prices of "pointers". Without the rates every line costs gather_access, in naive
 *   and v1 only lines of own values.
 * - product_sequence_row and its like: what a line adds that comes in sequence from the
 *   second-level cache, in v2 to v5. Without it such lines are free.
 * - product_close_held_one and its like: what close lines add where the matrix is held, in v2 to
 *   v5. Without it they cost what they do with the matrix in memory.
 * - product_close_row_4 and its like: a row where the core's second-level cache holds a thread's
 *   data, in v2 to v5. Without it such rows take as long as from the last-level cache.
 * - kept_row_half and its like: how much of a matrix of a half to two shares of the last level is
 *   still there in the next product; so much of a row, and of its lines, costs what it does held.
 *   Without them matrices up to a share are held whole, and larger ones not at all.
 * - sliced_row_4 and its like: the same for the local product of v4 and v5, interior and boundary
 *   rows separately. Without them, the bytes of these rows at the costs of reading and writing.
 * - block_latency: for every block that v2 copies, and every message that v3 puts, within the node.
 * - local_access, local_access_cached: without the rates of naive and v1, what one random access to
 *   another thread of the node takes, from memory and from a cache. The first is paid once per
 *   cache line of x that holds needed values, the second for all other accesses; where it is
 *   unknown, a pointer_access.
 * - affinity_test: in naive every thread tests all n iterations.
 * - message_latency: v3 puts a message, whereas tau is measured with a read.
 * - remote_bandwidth_shared: the threads of all nodes communicate at the same time. Their bytes
 *   share a node's link at this rate; their latencies overlap, so only the slowest thread's count,
 *   where the paper adds up those of all threads of a node.
 *
 * v4 and v5 are not in the paper. A thread packs what it sends and its own values that boundary
 * rows need, and sends its messages: each to another node but the first costs signal_flood_remote;
 * with v5 the leader sends those of the node. Then it computes interior rows while the node's
 * messages travel, all at once, so that their latency counts once. Then it computes the boundary
 * rows. It waits for messages that travel longer than the interior rows take. With v5, values from
 * other nodes are copied once more on arrival. The high bound assumes that nothing is hidden, as
 * when no core is free to move the messages.
 */
#ifndef PERFMODEL_SPMV_H
#define PERFMODEL_SPMV_H

#include "perfmodel/counts.h"
#include "perfmodel/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The variants, as fathom-spmv names them. */
typedef enum model_variant {
    MODEL_NAIVE = 0,
    MODEL_V1,
    MODEL_V2,
    MODEL_V3,
    MODEL_V4,
    MODEL_V5,
    MODEL_VARIANTS
} model_variant_t;

/** Seconds, with the bounds that the parameters' spread gives. */
typedef struct model_estimate {
    /** From the medians. */
    double predicted;
    /** From the fastest value of every parameter. */
    double low;
    /** From the slowest values. */
    double high;
} model_estimate_t;

/** Seconds of one thread in the parts of one product, which fathom-spmv measures too. */
typedef struct model_parts {
    /** v3. */
    double pack;
    /** v3: its messages; v4, v5: also packing. */
    double put;
    /** v2: its blocks, with its share of the node's link; v3: own blocks. */
    double copy;
    /** v3; v4, v5: copying what boundary rows use. */
    double unpack;
    /** The product itself; in naive and v1 also pointers. */
    double compute;
    /** naive, v1: individual accesses; v4, v5: waiting for values. */
    double communication;
} model_parts_t;

/** What is predicted of a variant, per product. */
typedef struct model_prediction {
    model_variant_t variant;
    /** Whether the paper has formulas for it. */
    bool has_paper;
    /** By those formulas. */
    model_estimate_t paper;
    /** With the additional terms. */
    model_estimate_t seconds;
    /** By thread, with the additional terms, from the medians. */
    model_parts_t *threads;
    /** By node: its communication, likewise. */
    double *nodes;
    /** Bit p: the file lacks parameter p, and a term that needs it is left out; for gather_access
     *  also if second_level_cache_bytes is absent. */
    model_parameter_set_t left_out;
} model_prediction_t;

/** The name of a variant. */
const char *model_variant_name(model_variant_t variant);

/** Names for cli_parse_choice: all variants in order, then "all", then NULL. */
extern const char *const model_variant_names[];

/** The caches of a machine, for model_count. */
model_caches_t model_machine_caches(const model_machine_t *machine);

/**
 * Predicts one variant. The machine must suit the layout's nodes (model_machine_suits).
 *
 * @param counts     of all threads, for the machine's caches (model_machine_caches).
 * @param prediction receives the prediction; the caller frees it with model_prediction_free.
 * @param error      receives the reason when the result is false: memory.
 */
bool model_predict(const model_layout_t *layout, const model_counts_t *counts,
                   const model_machine_t *machine, model_variant_t variant,
                   model_prediction_t *prediction, mesh_error_t *error);

/** Frees the arrays. Harmless on an empty prediction. */
void model_prediction_free(model_prediction_t *prediction);

/** The parts of a thread in a variant that the paper has formulas for, each by its own formula:
 *  (7) and (10) in v1; (7) and the thread's terms of (11) in v2; (12), its terms of (13), (14),
 *  (15) and (7) in v3. Blocks are taken as full. In other variants all parts are 0. */
model_parts_t model_paper_parts(const model_layout_t *layout, const model_counts_t *counts,
                                const model_parameters_t *machine, model_variant_t variant);

/** Bytes that one product of v3 touches on a thread: its part of the matrix, both time levels and
 *  the copy of x. v2 touches all of each foreign block that it needs besides. */
double model_thread_bytes(const model_layout_t *layout, const model_counts_t *counts);

/** The same for the thread with the most. If they fit into a cache, bandwidths measured with
 *  larger arrays do not apply. */
double model_working_set_bytes(const model_layout_t *layout, const model_counts_t *counts);

/** The sum of a thread's parts. */
double model_parts_sum(const model_parts_t *parts);

#ifdef __cplusplus
}
#endif
#endif
