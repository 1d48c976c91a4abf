/**
 * Plans: a fixed set of scattered elements, moved again and again in one message per pair of
 * threads.
 *
 * Each thread names the elements of an array that it needs, once. pgas_plan_create finds out which
 * elements each owner must send to which thread. Executing the plan moves them: every owner packs
 * what another thread needs into one message, which has each element once, however often that
 * thread named it. A plan belongs to the layout of an array (count, block and element size) and
 * serves every array that has it.
 *
 *   pgas_plan_t *plan;
 *   if (pgas_plan_create(&x, indices, count, 0, NULL, &plan) != PGAS_OK)
 *       pgas_exit(1);
 *   for (...) {
 *       pgas_plan_begin(plan, &x, values);
 *       ... compute what needs no remote values; x may already be overwritten
 *       pgas_plan_finish(plan);             values[i] is what x had at indices[i]
 *   }
 *   pgas_plan_free(plan);
 *
 * Executions contain no barrier. A thread waits only for the messages that it needs itself. A
 * message waits until its receiver has released the message two before it, so threads that exchange
 * messages are at most two executions apart. All calls here except pgas_plan_length and
 * pgas_plan_info are collective: every thread calls them for the same plans in the same order, and
 * may make other calls between them. Several plans may be in flight at once, each with one
 * execution. Threads that execute different plans, or one a gather and another one a scatter, wait
 * for ever, which only the watchdog tells (PGAS_WATCHDOG, job.h).
 *
 * Within a node the owner packs straight into the receiver's memory. The receiver does not read the
 * owner's part itself, although that would save a copy: the owner could not overwrite its elements
 * before all receivers had read them, so every execution would end with another wait.
 *
 * Plans count as condensed traffic: every message is one operation of the thread that sends it,
 * with the bytes of its values. A thread's own elements need no message. Creating a plan is not
 * counted; pgas_plan_info reports its cost.
 */
#ifndef PGAS_PLAN_H
#define PGAS_PLAN_H

#include <pgas/array.h>
#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** Options of pgas_plan_create, or-ed together. */
typedef enum pgas_plan_options {
    /** Also allocates the buffers that pgas_plan_scatter needs. */
    PGAS_PLAN_SCATTER = 1,
    /**
     * Sends one message between two nodes for all their threads. The threads pack into a buffer of
     * their node's lowest thread, the last one to finish sends it to the lowest thread of the other
     * node, and that node's threads unpack their parts from there. The message counts as the lowest
     * thread's. This pays where the number of messages costs more than their bytes: with several
     * threads per node, and many pairs of threads that exchange few values each
     * (bench/measured.md).
     */
    PGAS_PLAN_BY_NODE = 2,
    /**
     * Leaves values in the order in which they arrive: each needed element once, grouped by owner
     * in ascending order, each group in ascending order of index. The program then uses the values
     * in the receive buffer, and nothing is unpacked; it renumbers its indexes once (`positions`).
     */
    PGAS_PLAN_IN_ARRIVAL_ORDER = 4
} pgas_plan_options_t;

/** A plan; opaque. */
typedef struct pgas_plan pgas_plan_t;

/**
 * Creates a plan. Collective; contains barriers.
 *
 * `indices` are `count` 0-based indexes into `array`, in any order; they may repeat, and the
 * elements may be the caller's own. `indices` may be NULL if `count` is 0, and is not needed after
 * the call. Each thread has its own list; the layout of `array` and `options` must be the same on
 * all threads, else the job ends. It also ends for a bit of `options` that is none, and, in all
 * calls here but pgas_plan_free, for a NULL plan or array. A thread names at most 2^32 - 1 indexes,
 * owns at most as many elements, and gives at most as many values to the others together.
 *
 * With PGAS_PLAN_IN_ARRIVAL_ORDER, `positions` gets `count` numbers: the value of indices[i] will
 * be at position positions[i]. Otherwise it is ignored and may be NULL.
 *
 * Memory and time grow with the number of indexes and with the number of threads that exchange
 * values with the caller. In addition the call uses one table of 8 bytes per thread, which it
 * frees, and a plan with PGAS_PLAN_BY_NODE keeps one of 256 bytes per node at each node's lowest
 * thread.
 *
 * Returns, the same on every thread: PGAS_OK; PGAS_ERR_ARGUMENT for an index beyond the array;
 * PGAS_ERR_UNSUPPORTED beyond the limits above; PGAS_ERR_NO_MEMORY. A thread that has no memory for
 * its messages to other nodes ends the job.
 */
PGAS_API pgas_status_t pgas_plan_create(const pgas_array_t *array, const size_t *indices,
                                        size_t count, unsigned options, size_t *positions,
                                        pgas_plan_t **plan);

/** Frees a plan that is not in flight; NULL on all threads is ignored. Collective; includes a
 *  barrier. */
PGAS_API void pgas_plan_free(pgas_plan_t *plan);

/** The number of elements that the calling thread needs, each counted once; also the number of
 *  values in arrival order. Not collective. */
PGAS_API size_t pgas_plan_length(const pgas_plan_t *plan);

/**
 * Starts a gather: packs and sends the elements of the calling thread's part of `array` that others
 * need. The part may be overwritten when the call returns. `array` must have the plan's layout; its
 * description is not needed after the call.
 *
 * `dst` (private memory of `count` elements) is undefined until pgas_plan_finish. It is NULL with
 * PGAS_PLAN_IN_ARRIVAL_ORDER, where the values stay in the plan's memory.
 */
PGAS_API void pgas_plan_begin(pgas_plan_t *plan, const pgas_array_t *array, void *dst);

/**
 * Completes the execution that is in flight, a gather or a scatter. A gather is complete when the
 * values of all named elements have arrived. It returns `dst` (element i is array[indices[i]]), or
 * the values in arrival order, aligned to 64 bytes and valid until the plan's next begin or its
 * end. A scatter is complete when all that others have sent is in the calling thread's part. It
 * returns NULL.
 */
PGAS_API const void *pgas_plan_finish(pgas_plan_t *plan);

/** A gather: pgas_plan_begin and pgas_plan_finish. */
PGAS_API const void *pgas_plan_execute(pgas_plan_t *plan, const pgas_array_t *array, void *dst);

/**
 * Combines a scattered value with the element that it arrives at: changes `*into` by `*value`. Both
 * have the array's element size, and the alignment that follows from it. The results of a
 * function that is not associative depend on how often each thread names an element, those of one
 * that is not commutative on the order.
 */
typedef void pgas_combine_t(void *into, const void *value);

/** `*into += *value`, for arrays of the named type; the job ends if the elements have another size.
 *  These are much faster than a function of the
 *  program, because the library knows them. Integers wrap around, so the signed functions also
 *  serve unsigned types. */
PGAS_API void pgas_add_double(void *into, const void *value);
PGAS_API void pgas_add_float(void *into, const void *value);
PGAS_API void pgas_add_int32(void *into, const void *value);
PGAS_API void pgas_add_int64(void *into, const void *value);

/**
 * Starts a scatter, the reverse of a gather: array[indices[i]] = src[i] for `combine` NULL, else
 * combine(&array[indices[i]], &src[i]). The plan must have PGAS_PLAN_SCATTER. `array` is as for
 * pgas_plan_begin. `combine` is the same on all threads.
 *
 * `src` is private, in the order of the indexes, or in arrival order if the plan has that option,
 * and may be changed when the call returns. If a thread gives several values for one element, they
 * are combined before they are sent, in the order of the indexes. A thread's elements change only
 * while it is in pgas_plan_finish, so other threads may use them after a barrier.
 *
 * The order is fixed, and so is the result, including rounding: each element receives the threads'
 * values in ascending order of threads, the owner's value among them. Without `combine` the last
 * value of the highest thread remains.
 */
PGAS_API void pgas_plan_scatter_begin(pgas_plan_t *plan, const pgas_array_t *array, const void *src,
                                      pgas_combine_t *combine);

/** A scatter: pgas_plan_scatter_begin and pgas_plan_finish. */
PGAS_API void pgas_plan_scatter(pgas_plan_t *plan, const pgas_array_t *array, const void *src,
                                pgas_combine_t *combine);

/** What a plan costs the calling thread. */
typedef struct {
    /** Wall clock of pgas_plan_create. */
    double setup_seconds;
    /** Private and shared memory that the plan holds, in bytes. */
    size_t memory_bytes;
    /**
     * By place and direction, for one gather; a scatter has the directions reversed. Messages are
     * those that count as this thread's (TO) and those that are sent to it (FROM). Values are those
     * that it packs (TO) and those that it needs (FROM), whoever sends the message. Own values need
     * no message.
     */
    size_t messages[PGAS_PLACES][2];
    size_t values[PGAS_PLACES][2];
    /** Values times the element size. */
    size_t bytes[PGAS_PLACES][2];
} pgas_plan_info_t;

/** Reports what the plan costs; the second indexes are pgas_direction_t (stats.h). Not collective.
 */
PGAS_API void pgas_plan_info(const pgas_plan_t *plan, pgas_plan_info_t *info);

PGAS_END_DECLS

#endif
