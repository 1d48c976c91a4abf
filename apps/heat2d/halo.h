/**
 * What the forms of the halo exchange have in common: one table of functions each, one file each.
 *
 * An exchange fills the halo, as many layers as the problem has, and serves up to that many steps.
 */
#ifndef HEAT_HALO_H
#define HEAT_HALO_H

#include <assert.h>

#include "common/timing.h"
#include "sweep.h"

/** Parts of the time. */
typedef enum heat_part {
    /** Packing, copies, unpacking. */
    HEAT_HALO = 0,
    HEAT_COMPUTE,
    /** Waiting for others: in barriers, or for a neighbour's flag. */
    HEAT_BARRIER,
    HEAT_PARTS
} heat_part_t;

static_assert(HEAT_PARTS <= COMMON_PARTS, "parts of a clock");

/** A form of the exchange. */
typedef struct heat_form {
    const char *name;
    /** Allocates buffers and the like. Collective. Returns the form's own state, or NULL. */
    void *(*prepare)(const heat_problem_t *problem);
    /**
     * One exchange and `steps` steps, 1 to the depth of the halo. Collective, with the same number
     * everywhere. When it returns, the calling thread's part of the new field is written, and
     * others may still be at work. The caller counts the steps. Books its time.
     */
    void (*advance)(const heat_sweeper_t *sweeper, void *state, size_t steps,
                    common_clock_t *clock);
    /** Frees the state. Collective. */
    void (*release)(void *state);
    /** How every section is copied: from the neighbour, or to it by a put with a signal. */
    pgas_mode_t mode;
    pgas_direction_t direction;
} heat_form_t;

extern const heat_form_t heat_memget;
extern const heat_form_t heat_strided;
extern const heat_form_t heat_async;
extern const heat_form_t heat_signal;

#endif
