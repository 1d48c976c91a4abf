/**
 * Who exchanges what: for every neighbour, the rectangle of its points that the halo needs, and the
 * rectangle of the same size that the neighbour needs from this thread.
 *
 * With a halo of one layer there are at most four neighbours: the five-point formula needs no
 * corners. Deeper halos also have the four neighbours across the corners.
 */
#ifndef HEAT_SECTIONS_H
#define HEAT_SECTIONS_H

#include "problem.h"

enum {
    HEAT_DIRECTIONS = 8
};

/** A neighbour, and the two rectangles of `rows` x `cols` points. */
typedef struct heat_section {
    /** Its thread, and its block. */
    int thread;
    heat_block_t block;
    /** On which side of the calling thread's block it lies, and on which side of its block the
     *  calling thread's lies; from 0 to HEAT_DIRECTIONS - 1. */
    int direction;
    int opposite;
    size_t rows;
    size_t cols;
    /** First point: of the halo, in the calling thread's block. */
    ptrdiff_t halo_row;
    ptrdiff_t halo_col;
    /** Of what the neighbour needs, in the calling thread's block. */
    ptrdiff_t own_row;
    ptrdiff_t own_col;
    /** Of what the calling thread needs, in the neighbour's block. */
    ptrdiff_t their_row;
    ptrdiff_t their_col;
} heat_section_t;

/** All sections of a thread: left, right, above, below, then the corners. */
typedef struct heat_sections {
    int count;
    heat_section_t of[HEAT_DIRECTIONS];
} heat_sections_t;

/** Finds the calling thread's sections. Not collective. */
void heat_sections_find(const heat_problem_t *problem, heat_sections_t *sections);

/** Bytes of a section. */
static inline size_t heat_section_bytes(const heat_section_t *section)
{
    return section->rows * section->cols * sizeof(double);
}

/** Copies what the neighbour needs from the field to `buffer`, row after row. */
void heat_section_pack(const heat_problem_t *problem, const heat_section_t *section,
                       double *buffer);

/** Copies what arrived from the neighbour into the halo. */
void heat_section_unpack(const heat_problem_t *problem, const heat_section_t *section,
                         const double *buffer);

/** The traffic of one exchange, derived from the shape alone: one operation for each section, and
 *  a signal if sections are put. Not collective. */
pgas_stats_t heat_traffic(const heat_problem_t *problem, pgas_mode_t mode,
                          pgas_direction_t direction);

/**
 * Packed sections in shared memory, at the same offsets in every thread's segment: two slots for
 * each direction, so that an exchange does not touch what neighbours may still use from the last
 * one.
 */
typedef struct heat_buffers {
    pgas_ptr_t first;
    /** Bytes from the start to the slot of a direction; the last one: the total. */
    size_t at[HEAT_DIRECTIONS + 1];
} heat_buffers_t;

/** Allocates them. Collective. Ends the job with one line if there is not enough memory. */
void heat_buffers_create(const heat_problem_t *problem, heat_buffers_t *buffers);

/** Frees them. Collective. */
void heat_buffers_free(heat_buffers_t *buffers);

/** The slot of `direction` in `thread`'s segment, for exchange number `turn`. */
pgas_ptr_t heat_buffer_at(const heat_buffers_t *buffers, int thread, int direction, size_t turn);

/** The same in the calling thread's own segment. */
double *heat_buffer_mine(const heat_buffers_t *buffers, int direction, size_t turn);

/** Packs the sections that are not contiguous into the calling thread's own slots. */
void heat_sections_pack(const heat_problem_t *problem, const heat_sections_t *sections,
                        const heat_buffers_t *buffers, size_t turn);

#endif
