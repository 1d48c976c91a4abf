/**
 * Plans: a fixed set of scattered elements, moved again and again in one message per pair.
 *
 * Each thread names, once, the elements of an array that it needs. Creating the plan finds which
 * owned elements each thread must give; executing it moves them: every owner packs what another
 * thread needs into one message, with each element once however often it was named. A plan belongs
 * to the layout of an array (count, block and element size) and serves every array that has it.
 *
 *   pgas_plan_t *plan;
 *   if (pgas_plan_create(&x, indices, count, 0, NULL, &plan) != PGAS_OK)
 *       pgas_exit(1);
 *   for (...) {
 *       pgas_plan_begin(plan, &x, values);
 *       ... what needs no values of others; x may already be overwritten
 *       pgas_plan_finish(plan);             values[i] is what x had at indices[i]
 *   }
 *   pgas_plan_free(plan);
 *
 * Executions contain no barrier. A thread waits for the messages that it needs itself, and a
 * message waits until its receiver has taken the last but one before it, so that neighbours are at
 * most two executions apart. All calls here but pgas_plan_length and pgas_plan_info are collective:
 * every thread calls them for the same plans in the same order, with other calls of its own
 * between. Several plans may be in flight at once, and each plan one execution at a time.
 *
 * Within a node the owner packs straight into the receiver's memory. The receiver does not read the
 * owner's part itself, although that would save a copy: the owner could not overwrite its elements
 * before everybody had read them, so that every execution would end with another round of waiting.
 *
 * Counted as condensed traffic: every message is one operation, with its values' bytes, of the
 * thread that sends it. A thread's own elements are no message. Creating a plan is not counted;
 * pgas_plan_info tells its cost.
 */
#ifndef PGAS_PLAN_H
#define PGAS_PLAN_H

#include <pgas/array.h>
#include <pgas/types.h>

PGAS_BEGIN_DECLS

/** What pgas_plan_create shall make, or-ed together. */
typedef enum pgas_plan_options {
    /** Also prepare for pgas_plan_scatter, which needs buffers of its own. */
    PGAS_PLAN_SCATTER = 1,
    /**
     * Between two nodes, one message for all their threads: they pack into a buffer of their node's
     * lowest thread, the last one to do so sends it to the lowest thread of the other node, and
     * that node's threads take their parts from there. Counted by the lowest thread. Pays where
     * the number of messages costs more than their bytes: many threads per node, few values each.
     */
    PGAS_PLAN_BY_NODE = 2,
    /**
     * Values are in the order in which they arrive: each needed element once, grouped by owner in
     * ascending order, each group in ascending order of index. Messages then land where they are
     * used, and nothing is unpacked; the program renumbers its indexes once (`positions`).
     */
    PGAS_PLAN_IN_ARRIVAL_ORDER = 4
} pgas_plan_options_t;

/** A plan; opaque. */
typedef struct pgas_plan pgas_plan_t;

/**
 * Finds what must travel. Collective; contains barriers.
 *
 * `indices` are `count` 0-based indexes into `array`, in any order; they may repeat, and the
 * elements may be the caller's own. Both may be NULL and 0. Not needed after the call. Each thread
 * has a list of its own; `array`'s layout and `options` are the same on all threads, else the job
 * ends. At most 2^32 - 1 indexes per thread, of an array of which no thread owns more
 * elements.
 *
 * With PGAS_PLAN_IN_ARRIVAL_ORDER, `positions` gets `count` numbers: the value of indices[i] will
 * be at position positions[i]. Otherwise it is ignored, and may be NULL.
 *
 * Memory and time grow with the indexes and with the number of threads that exchange with the
 * caller; beside them stands one table of 8 bytes per thread while the call lasts, and with
 * PGAS_PLAN_BY_NODE one of 256 bytes per node at each node's lowest thread.
 *
 * Returns, the same on every thread: PGAS_OK; PGAS_ERR_ARGUMENT for an index beyond the array;
 * PGAS_ERR_UNSUPPORTED beyond the limits above; PGAS_ERR_NO_MEMORY.
 */
PGAS_API pgas_status_t pgas_plan_create(const pgas_array_t *array, const size_t *indices,
                                        size_t count, unsigned options, size_t *positions,
                                        pgas_plan_t **plan);

/** Frees a plan that is not in flight; NULL on all threads is ignored. Collective; includes a
 *  barrier. */
PGAS_API void pgas_plan_free(pgas_plan_t *plan);

/** Elements that the calling thread needs, each counted once: the number of values in arrival
 *  order. Not collective. */
PGAS_API size_t pgas_plan_length(const pgas_plan_t *plan);

/**
 * Starts a gather: packs and sends what others need of the calling thread's part of `array`, as it
 * is at the call; the part may be overwritten when it returns. `array` must have the plan's layout;
 * its description is not needed after the call.
 *
 * `dst` (private, room for `count` elements) is undefined until pgas_plan_finish. It is NULL with
 * PGAS_PLAN_IN_ARRIVAL_ORDER, where the values stay in the plan's memory.
 */
PGAS_API void pgas_plan_begin(pgas_plan_t *plan, const pgas_array_t *array, void *dst);

/**
 * Completes the execution that is in flight, a gather or a scatter. For a gather, it returns when
 * the values of all named elements have come: `dst` (element i is array[indices[i]]), or the values
 * in arrival order, aligned to 64 bytes and valid until the plan's next begin or its end. For a
 * scatter, it returns NULL when all that others have sent to the calling thread's part is in it.
 */
PGAS_API const void *pgas_plan_finish(pgas_plan_t *plan);

/** A gather, begun and finished; see there. */
PGAS_API const void *pgas_plan_execute(pgas_plan_t *plan, const pgas_array_t *array, void *dst);

/**
 * How a scattered value joins the element that it meets: changes `*into` by `*value`. Both have the
 * array's element size and the alignment that it gives. Commutative and associative, or the result
 * depends on the number of threads.
 */
typedef void pgas_combine_t(void *into, const void *value);

/** `*into += *value`, for arrays of the named type. Much faster than a function of the program's,
 *  because known. Integers wrap around, so that the signed ones also serve the unsigned. */
PGAS_API void pgas_add_double(void *into, const void *value);
PGAS_API void pgas_add_float(void *into, const void *value);
PGAS_API void pgas_add_int32(void *into, const void *value);
PGAS_API void pgas_add_int64(void *into, const void *value);

/**
 * Starts a scatter, the reverse of a gather: array[indices[i]] = src[i] for `combine` NULL, else
 * combine(&array[indices[i]], &src[i]). The plan must have PGAS_PLAN_SCATTER. `array` is as for
 * pgas_plan_begin. `combine` is the same on all threads.
 *
 * `src` is private, in the order of the indexes, or in arrival order if the plan has that, and may
 * be changed when the call returns. Values that a thread gives for one element are joined before
 * they are sent. A thread's elements change while it is in pgas_plan_finish, and only then, so that
 * nobody may use others' parts before a barrier has followed.
 *
 * The order is fixed, and with it the result, rounding included: per element the threads in
 * ascending order, the owner at its place among them. Without `combine` the highest thread's value
 * stands, and of one thread's values the last.
 */
PGAS_API void pgas_plan_scatter_begin(pgas_plan_t *plan, const pgas_array_t *array, const void *src,
                                      pgas_combine_t *combine);

/** A scatter, begun and finished; see there. */
PGAS_API void pgas_plan_scatter(pgas_plan_t *plan, const pgas_array_t *array, const void *src,
                                pgas_combine_t *combine);

/** What a plan costs the calling thread. */
typedef struct pgas_plan_info {
    /** Wall clock of pgas_plan_create. */
    double setup_seconds;
    /** Private and shared memory that the plan holds, in bytes. */
    size_t memory_bytes;
    /**
     * By place and direction, for one gather; a scatter has the directions reversed. Messages:
     * those that the thread counts itself (TO), and those that are sent to it (FROM). Values: those
     * that it packs, and that it needs, whoever sends the message. Own values are no message.
     */
    size_t messages[PGAS_PLACES][2];
    size_t values[PGAS_PLACES][2];
    /** Values times the element size. */
    size_t bytes[PGAS_PLACES][2];
} pgas_plan_info_t;

/** Tells what the plan costs; the second indexes are pgas_direction_t (stats.h). Not collective. */
PGAS_API void pgas_plan_info(const pgas_plan_t *plan, pgas_plan_info_t *info);

PGAS_END_DECLS

#endif
