/**
 * What the model needs to know of a machine: measured parameters, read from the file that
 * `fathom-stream calibrate` writes.
 *
 * All are in SI units, each with its median, smallest and largest measurement. The paper's four
 * come first. The others are for the terms that the paper leaves out; any of them may be absent,
 * and the terms that need it are then left out as well.
 */
#ifndef PERFMODEL_MACHINE_H
#define PERFMODEL_MACHINE_H

#include <meshes/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfmodel/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The parameters, named in the file by model_parameter_name. */
typedef enum model_parameter {
    /** W_private: bytes/s of a thread's own memory with all threads of a node active, as STREAM's
     *  triad counts them: 16 bytes read and 8 written per element. */
    MODEL_PRIVATE_BANDWIDTH = 0,
    /** W_remote: bytes/s between two nodes, one thread of each active. */
    MODEL_REMOTE_BANDWIDTH,
    /** tau: seconds of one individual read from another node, all threads at once. */
    MODEL_REMOTE_LATENCY,
    /** Bytes/s per thread of reading alone, all threads at once, as fast as memory delivers: a sum
     *  over a single array may keep too few cache lines in flight for that. */
    MODEL_PRIVATE_READ_BANDWIDTH,
    /** Bytes/s per thread of memcpy over large arrays, all threads at once; read and written bytes
     *  both count, as in STREAM's copy. */
    MODEL_PRIVATE_COPY_BANDWIDTH,
    /** Seconds of one barrier of the job. */
    MODEL_BARRIER_LATENCY,
    /** Seconds of one small blocking put to another node. */
    MODEL_MESSAGE_LATENCY,
    /** Seconds that reading an own element through its global address takes beyond a load. */
    MODEL_POINTER_ACCESS,
    /** Seconds of one product of a sparse row, value times element of x, by plain pointers and
     *  with all data in the first-level cache: what the core needs if memory does not delay it. */
    MODEL_PRODUCT_ACCESS,
    /** Seconds of one random read, through the global address, of another thread's element on the
     *  same node; of an own element where there is no other thread. */
    MODEL_LOCAL_ACCESS,
    /** The same if a cache holds the element. */
    MODEL_LOCAL_ACCESS_CACHED,
    /** Seconds of one iteration of an affinity loop that another thread executes. */
    MODEL_AFFINITY_TEST,
    /** Bytes/s per node when all threads of all nodes send at once. */
    MODEL_REMOTE_BANDWIDTH_SHARED,
    /** Bytes/s per thread of STREAM's scale with plain stores, all threads at once: 8 bytes read
     * and 8 written per element. */
    MODEL_PRIVATE_SCALE_BANDWIDTH,
    /** Bytes/s per thread, as formula (6) counts them, of a sparse product with 16 off-diagonals
     * per row that uses no x but that of its own row; matrix and result in main memory, all threads
     * at once. */
    MODEL_PRODUCT_BANDWIDTH,
    /** Seconds that a line of x adds to such a product if it is read out of order and is not in
     *  the first-level cache (model_counts_t.x_lines). For kernels without rates of lines. */
    MODEL_GATHER_ACCESS,
    /** Seconds per value of a column of the heat equation's block after a step, the mean of
     *  gathering and scattering, in rows of MODEL_COLUMN_PITCH bytes. */
    MODEL_COLUMN_ACCESS,
    /** Seconds of the first blocking read of 8 bytes from another node after all threads have
     *  computed, out of main memory, and passed a barrier. */
    MODEL_EXCHANGE_LATENCY,
    /** Bytes/s per node at which such a read gets more bytes, up to MODEL_EXCHANGE_BYTES per
     *  thread, all threads of all nodes at once. */
    MODEL_EXCHANGE_BANDWIDTH,
    /** Seconds of a contiguous get of one cache line of own elements: what a block costs in v2, and
     *  a message within the node in v3, beyond its bytes. */
    MODEL_BLOCK_LATENCY,
    /** Seconds per point of a step of the heat equation, with plain stores. */
    MODEL_HEAT_POINT,
    /** The same with stores that bypass the caches. */
    MODEL_HEAT_STREAMING_POINT,
    /** Seconds per value of the first row of another thread's block on the node, gotten after a
     *  step; it was computed first. */
    MODEL_HEAT_FIRST_ROW,
    /** The same for its last row, which was computed last. */
    MODEL_HEAT_LAST_ROW,
    /** Seconds of a get of one cache line in that place: the first transfer after a step, whose
     * code and tables come from memory. */
    MODEL_HEAT_FIRST_GET,
    /** MODEL_COLUMN_ACCESS in rows of MODEL_NARROW_COLUMN_PITCH bytes. */
    MODEL_NARROW_COLUMN_ACCESS,
    /** Seconds of the first call that puts 8 bytes with a signal to another node, in the place of
     *  MODEL_EXCHANGE_LATENCY, until it returns. */
    MODEL_EXCHANGE_SEND,
    /** Bytes/s per node at which such a call takes more bytes, up to MODEL_EXCHANGE_BYTES per
     *  thread, all threads of all nodes at once. */
    MODEL_EXCHANGE_SEND_BANDWIDTH,
    /** The first of the rates of products; model_rate gives the others. */
    MODEL_RATES
} model_parameter_t;

/** The loops that multiply. */
typedef enum model_kernel {
    /** "product" in the file: v2 and v3, row by row. */
    MODEL_ROWS_KERNEL = 0,
    /** "sliced": the local product of v4 and v5. */
    MODEL_SLICED_KERNEL,
    /** "pointers": v1, with x through the global address space. */
    MODEL_POINTERS_KERNEL,
    /** How many of them have rates of lines too. */
    MODEL_LINE_KERNELS,
    /** Only rows of these are measured: their lines cost what "pointers" says. */
    /** "shifts": v1, where blocks are a power of two. */
    MODEL_SHIFTS_KERNEL = MODEL_LINE_KERNELS,
    /** "pointers_turns" and "shifts_turns": the two with x of two threads of the node alternately.
     */
    MODEL_POINTERS_TURNS_KERNEL,
    MODEL_SHIFTS_TURNS_KERNEL,
    /** "pointers_mixed" and "shifts_mixed": the two with one x in MODEL_MIXED_PART another
     * thread's.
     */
    MODEL_POINTERS_MIXED_KERNEL,
    MODEL_SHIFTS_MIXED_KERNEL,
    /** "naive": everything through the global address space. */
    MODEL_NAIVE_KERNEL,
    MODEL_KERNELS
} model_kernel_t;

/** What is known of each kernel, with 4, 16, 64 and 128 off-diagonals per row, and with matrix and
 *  result in memory unless stated otherwise. The seconds that a line adds are measured with random
 *  columns, one in a row or all, in a part of x that fits the core's second-level cache (close),
 *  the thread's share of the last-level cache (near) or neither (far). */
typedef enum model_rate_kind {
    /** Seconds of a row that uses only its own column. */
    MODEL_RATE_ROW = 0,
    /** The same if the share of the last-level cache holds the matrix. */
    MODEL_RATE_HELD,
    /** Seconds that the only line of a row adds. */
    MODEL_RATE_CLOSE_ONE,
    /** The same if every column of the row needs a line. */
    MODEL_RATE_CLOSE_ALL,
    MODEL_RATE_NEAR_ONE,
    MODEL_RATE_NEAR_ALL,
    MODEL_RATE_FAR_ONE,
    MODEL_RATE_FAR_ALL,
    MODEL_RATE_KINDS
} model_rate_kind_t;

/** See MODEL_POINTERS_MIXED_KERNEL. */
#define MODEL_MIXED_PART 10.0

/** How many widths are measured. */
#define MODEL_RATE_WIDTHS 4

/** How many rates a kernel has, and how many of these are for rows. */
#define MODEL_KERNEL_RATES ((int)MODEL_RATE_KINDS * MODEL_RATE_WIDTHS)
#define MODEL_KERNEL_ROW_RATES ((int)MODEL_RATE_CLOSE_ONE * MODEL_RATE_WIDTHS)

/** The first rate of a kernel; for MODEL_KERNELS the end of all parameters. */
#define MODEL_FIRST_RATE(kernel) \
    ((int)MODEL_RATES + \
     ((int)(kernel) <= (int)MODEL_LINE_KERNELS \
          ? (int)(kernel)*MODEL_KERNEL_RATES \
          : (int)MODEL_LINE_KERNELS * MODEL_KERNEL_RATES + \
                ((int)(kernel) - (int)MODEL_LINE_KERNELS) * MODEL_KERNEL_ROW_RATES))

/** The parameter that holds a rate; `width` 0 to 3. */
#define MODEL_RATE(kernel, kind, width) \
    (MODEL_FIRST_RATE(kernel) + (int)(kind)*MODEL_RATE_WIDTHS + (width))

/** The first of the prices of lines in sequence (support/reuse.h): seconds that a line of x adds
 *  which the second-level cache has and the hardware prefetches. "product_sequence_row" in the file
 *  with the matrix in memory, "product_sequence_held" where the thread's share of the last-level
 *  cache holds it, then the same of "sliced". */
#define MODEL_SEQUENCES MODEL_FIRST_RATE(MODEL_KERNELS)

/** The parameter that holds such a price, of MODEL_ROWS_KERNEL or MODEL_SLICED_KERNEL; `kind` is
 *  MODEL_RATE_ROW or MODEL_RATE_HELD. */
#define MODEL_SEQUENCE(kernel, kind) (MODEL_SEQUENCES + 2 * (int)(kernel) + (int)(kind))

/** The first of the prices of close lines where the thread's share of the last-level cache holds
 * the matrix: seconds that one adds to a row of 16. "product_close_held_one" in the file for the
 * only line of a row, "product_close_held_all" where every column needs one, then the same of
 * "sliced".
 */
#define MODEL_HELD_LINES MODEL_SEQUENCE(MODEL_POINTERS_KERNEL, 0)

/** The parameter that holds such a price, of MODEL_ROWS_KERNEL or MODEL_SLICED_KERNEL; `kind` is
 *  MODEL_RATE_CLOSE_ONE or MODEL_RATE_CLOSE_ALL. */
#define MODEL_HELD_LINE(kernel, kind) \
    (MODEL_HELD_LINES + 2 * (int)(kernel) + (int)(kind) - (int)MODEL_RATE_CLOSE_ONE)

/** The first of the rates of rows whose matrix and vectors the core's second-level cache holds, of
 *  own columns and by width as MODEL_RATE_ROW: "product_close_row_4" in the file, then those of
 *  "sliced". */
#define MODEL_CLOSE_ROWS MODEL_HELD_LINE(MODEL_POINTERS_KERNEL, MODEL_RATE_CLOSE_ONE)

/** The parameter that holds such a rate, of MODEL_ROWS_KERNEL or MODEL_SLICED_KERNEL; `width` 0 to
 *  3. */
#define MODEL_CLOSE_ROW(kernel, width) \
    (MODEL_CLOSE_ROWS + (int)(kernel)*MODEL_RATE_WIDTHS + (int)(width))

/** The first of the times that tell how much of a matrix the last-level cache still has when the
 *  next product comes to it: seconds of a row of 16 own columns in the loop of v2 and v3, in
 *  matrices of a half, one, one and a half and two shares, "kept_row_half" and so on in the file.
 */
#define MODEL_KEPT_ROWS MODEL_CLOSE_ROW(MODEL_POINTERS_KERNEL, 0)

/** How many sizes there are, and the parameter of one; `size` 0 to 3. */
#define MODEL_KEPT_SIZES 4
#define MODEL_KEPT_ROW(size) (MODEL_KEPT_ROWS + (int)(size))

/** How values of x are moved between two products, all threads at once: seconds per value, "move_"
 *  in the file. */
typedef enum model_move {
    /** Own values to private memory. */
    MODEL_MOVE_COPY = 0,
    /** Those of another thread of the node. */
    MODEL_MOVE_COPY_OTHER,
    /** Packed values to another thread of the node. */
    MODEL_MOVE_PUT,
    /** Own values to a buffer: consecutive ones, and one in every line. */
    MODEL_MOVE_PACK,
    MODEL_MOVE_PACK_LINES,
    /** From a buffer to places in private memory. */
    MODEL_MOVE_UNPACK,
    MODEL_MOVE_UNPACK_LINES,
    /** The begin of a plan, per value that is packed. */
    MODEL_MOVE_PLAN,
    MODEL_MOVE_PLAN_LINES,
    MODEL_MOVES
} model_move_t;

/** A move's first parameter, measured while the thread's share of the last-level cache holds the
 *  values; with values in memory, the parameter after it. */
#define MODEL_MOVE(move) (MODEL_KEPT_ROW(MODEL_KEPT_SIZES) + 2 * (int)(move))

/** What operations cost that programs synchronise by, all threads at once, each with a partner of
 *  its own: seconds, in the file with "_own", "_local" or "_remote" behind the name, after the
 *  partner's place. A latency is that of one operation, which the thread waits for before it begins
 *  the next; a flood's price is that of one of very many that are in flight together. */
typedef enum model_price {
    /** An atomic operation that returns the old value. */
    MODEL_FETCH_LATENCY = 0,
    MODEL_FETCH_FLOOD,
    /** One that does not. */
    MODEL_UPDATE_LATENCY,
    MODEL_UPDATE_FLOOD,
    /** A put of 8 bytes with its signal. Its latency ends when the partner's wait for it does. */
    MODEL_SIGNAL_LATENCY,
    MODEL_SIGNAL_FLOOD,
    /** The latency of one of MODEL_SIGNAL_BYTES. */
    MODEL_SIGNAL_BULK,
    /** One way of two threads that signal each other in turns, one pair of the job; not "_own". */
    MODEL_SIGNAL_TURN,
    /** A short active message; its latency is half of a request and its reply. */
    MODEL_AM_LATENCY,
    MODEL_AM_FLOOD,
    MODEL_PRICES
} model_price_t;

/** The parameter that holds a price; `place` is a model_place_t. */
#define MODEL_PRICE(price, place) (MODEL_MOVE(MODEL_MOVES) + 3 * (int)(price) + (int)(place))

/** "signal_flood_remote", which is also what each further message of v4 and v5 costs whoever sends
 *  it: put with an event, on its own, and waited for together. */
#define MODEL_MESSAGE_FLOOD MODEL_PRICE(MODEL_SIGNAL_FLOOD, MODEL_REMOTE)

/** "signal_turn_local", which is also how long v4 and v5 wait for what the others of the own node
 * have for a thread: it is in place, and a signal comes. */
#define MODEL_NODE_TURN MODEL_PRICE(MODEL_SIGNAL_TURN, MODEL_LOCAL)

/** "fetch_far": an atomic operation on memory of the node that no cache holds. */
#define MODEL_FETCH_FAR MODEL_PRICE(MODEL_PRICES, 0)

/** "fetch_contended": one on a word that all threads of the node change at once. */
#define MODEL_FETCH_CONTENDED (MODEL_FETCH_FAR + 1)

/** "fetch_shared": one on random words, in caches, that all threads of the node change. */
#define MODEL_FETCH_SHARED (MODEL_FETCH_FAR + 2)

/** The sizes of rounds, and how many there are (stream_round_bytes of apps/stream/rounds.h); and of
 *  reads from other nodes, which have no longest. */
#define MODEL_ROUND_SIZES 5
#define MODEL_ROUND_REMOTE_SIZES 4
#define MODEL_ROUND_BYTES \
    { \
        8.0, 4096.0, 65536.0, 1048576.0, 16777216.0 \
    }

/** What collectives are made of, all threads at once: seconds, in the file with "_own", "_local" or
 *  "_remote" behind the name. */
typedef enum model_round {
    /** A meeting: of a thread alone, of all threads of a node, of one thread of each node. */
    MODEL_MEETING = 0,
    /** A round of MODEL_ROUND_BYTES: every thread writes so many bytes to shared memory, all of the
     *  node meet, and each reads those of another one; "_own": alone. Not "_remote". */
    MODEL_ROUND,
    /** The read in such a round; "_remote": of a thread of another node, after all have met. */
    MODEL_ROUND_READ = MODEL_ROUND + MODEL_ROUND_SIZES,
    MODEL_ROUND_PRICES = MODEL_ROUND_READ + MODEL_ROUND_SIZES
} model_round_t;

/** The parameter that holds such a price, of the size with that index for rounds and reads. */
#define MODEL_ROUND_PRICE(price, size, place) \
    (MODEL_FETCH_SHARED + 1 + 3 * ((int)(price) + (int)(size)) + (int)(place))

/** "combine_element": adding a double to another, both in the first-level cache. */
#define MODEL_COMBINE_ELEMENT MODEL_ROUND_PRICE(MODEL_ROUND_PRICES, 0, 0)

/** "round_read_alone_..._remote", by the index of the size: the read of such a round where of each
 *  two nodes one thread reads, of its partner on the other, while all others wait. */
#define MODEL_READ_ALONE(size) (MODEL_COMBINE_ELEMENT + 1 + (int)(size))

/** Bytes of a long put with a signal (STREAM_SIGNAL_LONG of apps/stream/signals.h). */
#define MODEL_SIGNAL_BYTES 65536.0

/** All parameters. */
#define MODEL_PARAMETERS MODEL_READ_ALONE(MODEL_ROUND_REMOTE_SIZES)

/** A set of parameters: bit p is parameter p. The rates of a kernel, useful only together, share
 *  the bit MODEL_RATES + kernel; after these come one bit each for all lines in sequence, all lines
 *  of held matrices, all rows from the second-level cache, all times of kept matrices, all moves,
 *  all prices before that of a message in flight (MODEL_MESSAGE_FLOOD), this one, those up to that
 *  of a turn on a node (MODEL_NODE_TURN), this one, and all behind it. */
typedef uint64_t model_parameter_set_t;

/** The bits of a set. */
#define MODEL_SET_BITS ((int)MODEL_RATES + (int)MODEL_KERNELS + 10)

/** The parameter that names a bit of a set: the first of those that share it. */
static inline int model_set_parameter(int bit)
{
    static const int blocks[] = {
        MODEL_SEQUENCES, MODEL_HELD_LINES,    MODEL_CLOSE_ROWS,    MODEL_KEPT_ROWS,
        MODEL_MOVE(0),   MODEL_PRICE(0, 0),   MODEL_MESSAGE_FLOOD, MODEL_MESSAGE_FLOOD + 1,
        MODEL_NODE_TURN, MODEL_NODE_TURN + 1,
    };
    int kernel = bit - (int)MODEL_RATES;
    int block = kernel - (int)MODEL_KERNELS;
    if (kernel < 0)
        return bit;
    return block < 0 ? MODEL_FIRST_RATE(kernel) : blocks[block];
}

/** The bit of a parameter. */
static inline int model_set_bit(int parameter)
{
    int bit = MODEL_SET_BITS - 1;
    while (model_set_parameter(bit) > parameter)
        bit--;
    return bit;
}

/** The set of one parameter. */
#define MODEL_BIT(parameter) (UINT64_C(1) << model_set_bit((int)(parameter)))

/** Bytes per thread for which exchange_bandwidth is measured (STREAM_READ_BYTES of
 *  apps/stream/exchange.h). */
#define MODEL_EXCHANGE_BYTES 65536.0

/** Values of the rows for which heat_first_row and heat_last_row are measured
 * (apps/stream/field.h).
 */
#define MODEL_HEAT_ROW_VALUES 4000.0

/** Bytes from one row to the next where columns are measured (apps/stream/field.h). */
#define MODEL_COLUMN_PITCH 32192.0
#define MODEL_NARROW_COLUMN_PITCH 8048.0

/** Several measurements of one quantity. */
typedef struct model_spread {
    double median;
    double min;
    double max;
} model_spread_t;

/** A machine. */
typedef struct model_machine {
    /** For people. */
    char name[64];
    /** The file, for messages; cut if longer. */
    char path[512];
    /** Where it was measured; empty if unknown. */
    char host[256];
    /** Of that host; empty if unknown. */
    char processor[128];
    /** Of the job that measured; 0 if unknown. */
    size_t threads;
    /** Of that job. */
    size_t nodes;
    /** Of that job. */
    size_t threads_per_node;
    /** Of the last-level cache. */
    double cache_line_bytes;
    /** Of a core, for data; 0: unknown, and what the second level holds costs nothing. */
    double first_level_cache_bytes;
    /** Of a core, which a thread is assumed to have to itself; 0: unknown, which makes
     *  gather_access useless. */
    double second_level_cache_bytes;
    /** Of a thread; 0: unknown, and all lines come from memory. */
    double last_level_share_bytes;
    /** Which of the parameters are known. */
    bool has[MODEL_PARAMETERS];
    model_spread_t parameters[MODEL_PARAMETERS];
} model_machine_t;

/** Which end of the parameters' spread. */
typedef enum model_case {
    /** All medians. */
    MODEL_TYPICAL = 0,
    /** Every bandwidth at its largest, every latency at its smallest. */
    MODEL_FASTEST,
    /** The reverse. */
    MODEL_SLOWEST,
    MODEL_CASES
} model_case_t;

/** One number per parameter, 0 for those that are absent. */
typedef struct model_parameters {
    double value[MODEL_PARAMETERS];
    bool has[MODEL_PARAMETERS];
    double cache_line_bytes;
    /** 0: unknown. */
    double second_level_cache_bytes;
    double last_level_share_bytes;
} model_parameters_t;

/** The most calibrations that can be combined. */
#define MODEL_MACHINES_MAX 64

/** The range of positive times in a machine file, in seconds. */
#define MODEL_LEAST_SECONDS 1e-30
#define MODEL_MOST_SECONDS 1e9

/** The range of bandwidths, in bytes/s. */
#define MODEL_LEAST_BANDWIDTH 1e-30
#define MODEL_MOST_BANDWIDTH 1e18

/** The largest cache, in bytes; the smallest has 1. */
#define MODEL_MOST_CACHE_BYTES 1e10

/** The longest line of a cache, in bytes. */
#define MODEL_MOST_LINE_BYTES 65536.0

/** The name of a parameter in the file. */
const char *model_parameter_name(int parameter);

/**
 * Reads a machine file. Checks format and version, that private_bandwidth and cache_line_bytes are
 * there, that every number is in its range (above), or 0, which times and sizes of caches may be,
 * and every median between its min and max; that names are texts, and numbers of threads and nodes
 * whole and from 1 to MODEL_THREADS_MAX, where the keys are there, which prices of meetings between
 * threads of a node, or between nodes, need (2 at least). Ignores parameters and keys that this
 * version does not know.
 */
bool model_machine_read(const char *path, model_machine_t *machine, mesh_error_t *error);

/**
 * Combines several calibrations of one machine, such as one before and one after a run: the median
 * of their medians (the mean of two), the smallest min and the largest max. The medians of rates of
 * products, but for those of rows by pointers to one thread, are the least times of a row in any of
 * them, and the differences of these, as they are in a single calibration; so are those of rows
 * from the second-level cache. The result has the parameters that all of them have, and the name,
 * file and caches of the first. Its host and processor are unknown if one of theirs is, and its
 * host has " and others" behind it if they differ; of its job it has what any of them tells. They
 * are to be of one kind (model_machines_agree). `count` is from 1 to MODEL_MACHINES_MAX.
 */
void model_machine_combine(const model_machine_t *machines, size_t count, model_machine_t *machine);

/** Whether calibrations may be combined: those that tell of processor and job were measured on one
 *  processor by a job with as many threads and nodes. */
bool model_machines_agree(const model_machine_t *machines, size_t count, mesh_error_t *error);

/** Whether the machine has what a job on `nodes` nodes needs: remote_bandwidth and remote_latency
 *  if there is more than one. */
bool model_machine_suits(const model_machine_t *machine, size_t nodes, mesh_error_t *error);

/** The parameters of one case. */
model_parameters_t model_machine_parameters(const model_machine_t *machine, model_case_t which);

#ifdef __cplusplus
}
#endif
#endif
