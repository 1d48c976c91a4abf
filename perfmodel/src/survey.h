/**
 * One thread of a layout surveyed: what its rows need, and from whom.
 */
#ifndef PERFMODEL_SRC_SURVEY_H
#define PERFMODEL_SRC_SURVEY_H

#include "perfmodel/counts.h"
#include "storage.h"
#include "support/reuse.h"

/** How many different values a thread needs from another. */
typedef struct modeli_link {
    uint32_t thread;
    uint32_t values;
} modeli_link_t;

/** All links of a thread; the list is the caller's. */
typedef struct modeli_links {
    modeli_link_t *list;
    size_t count;
} modeli_links_t;

/** Division by a number fixed at set-up, exact for what fits 32 bits (Lemire, Kaser and Kurz,
 *  Softw. Pract. Exper. 49(6), 2019). */
typedef struct modeli_divisor {
    uint64_t reciprocal;
    uint32_t divisor;
} modeli_divisor_t;

/** The memory of one worker, used for one thread of the layout after the other. */
typedef struct modeli_survey {
    const model_matrix_t *matrix;
    const model_layout_t *layout;
    modeli_divisor_t by_block;
    modeli_divisor_t by_threads;
    /** The node of every thread; shared by the workers. */
    const uint32_t *node_of;
    /** By value, by block, and by line of x, of which each has one for values from other nodes and
     *  one for those from the same node: 1 + the thread that was seen to need it last. */
    uint32_t *value_seen;
    uint32_t *block_seen;
    uint32_t *line_seen;
    /** By thread: how many values come from it; zero between two threads of the layout. */
    uint32_t *values_from;
    /** The threads for which that is not zero. */
    uint32_t *sources;
    size_t source_count;
    /** Own columns of the row at hand. */
    uint32_t *own_columns;
    /** The slice of interior rows at hand: its rows, and the range of its columns' places. */
    size_t slice_rows;
    uint32_t lowest;
    uint32_t highest;
    modeli_storage_t interior;
    modeli_storage_t boundary;
    /** The cache that x is fetched into, while padded rows go through it, and rows as they are;
     *  empty if its size is not given. */
    bool has_cache;
    reuse_t cache;
    reuse_t stored_cache;
} modeli_survey_t;

/** Allocates a worker's memory; `caches` as for model_count. Whoever called it calls
 *  modeli_survey_free, whatever it returns. */
bool modeli_survey_init(const model_matrix_t *matrix, const model_layout_t *layout,
                        const uint32_t *node_of, model_caches_t caches, modeli_survey_t *survey,
                        mesh_error_t *error);

/** Counts everything of a thread but what others need of it. `counts` receives them, `links` the
 *  threads it needs values from; the caller frees the list. */
bool modeli_survey_thread(modeli_survey_t *survey, size_t thread, model_counts_t *counts,
                          modeli_links_t *links, mesh_error_t *error);

/** Frees a worker's memory. */
void modeli_survey_free(modeli_survey_t *survey);

#endif
