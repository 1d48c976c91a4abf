/**
 * A survey of one thread of a layout: what its rows need, and from whom.
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

/** Division by a number fixed at set-up, exact for 32-bit operands (Lemire, Kaser and Kurz, Softw.
 *  Pract. Exper. 49(6), 2019). */
typedef struct modeli_divisor {
    uint64_t reciprocal;
    uint32_t divisor;
} modeli_divisor_t;

/** The memory of one worker, used for one thread of the layout after another. */
typedef struct modeli_survey {
    const model_matrix_t *matrix;
    const model_layout_t *layout;
    modeli_divisor_t by_block;
    modeli_divisor_t by_threads;
    /** The node of every thread; shared by the workers. */
    const uint32_t *node_of;
    /** 1 + the last thread seen to need it: by value, by block, and by line of x. Each line has
     *  one element for values from other nodes and one for those from the same node. */
    uint32_t *value_seen;
    uint32_t *block_seen;
    uint32_t *line_seen;
    /** By thread: how many values come from it; all zero between the surveys of two threads. */
    uint32_t *values_from;
    /** The threads for which this is not zero. */
    uint32_t *sources;
    size_t source_count;
    /** Own columns of the current row. */
    uint32_t *own_columns;
    /** The current slice of interior rows: its rows, and the range of its columns' places. */
    size_t slice_rows;
    uint32_t lowest;
    uint32_t highest;
    modeli_storage_t interior;
    modeli_storage_t boundary;
    modeli_storage_t all;
    /** The cache that x is fetched into, for padded rows and for rows without padding; empty if
     *  its size is not given. */
    bool has_cache;
    reuse_t cache;
    reuse_t stored_cache;
} modeli_survey_t;

/** Allocates a worker's memory; `caches` as for model_count. The caller calls modeli_survey_free,
 *  whatever this returns. */
bool modeli_survey_init(const model_matrix_t *matrix, const model_layout_t *layout,
                        const uint32_t *node_of, model_caches_t caches, modeli_survey_t *survey,
                        mesh_error_t *error);

/** Counts everything for a thread except what others need from it. `counts` receives the counts,
 *  `links` the threads it needs values from; the caller frees the list. */
bool modeli_survey_thread(modeli_survey_t *survey, size_t thread, model_counts_t *counts,
                          modeli_links_t *links, mesh_error_t *error);

/** Frees a worker's memory. */
void modeli_survey_free(modeli_survey_t *survey);

#endif
