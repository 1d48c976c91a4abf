/**
 * How the images of a node make one operation of it, where there are several.
 *
 * The runtime lets one operating-system thread of a process have collectives in flight, and images
 * come and wait in any order, each in a thread of its own. So a thread of the library, the
 * *driver*, has the node's operations in flight (coll_flight.c): the driver initiates one when the
 * last image of the node has, and tells them when it is complete. Images only leave their arguments
 * and look.
 */
#ifndef GASNETI_COLL_MEET_H
#define GASNETI_COLL_MEET_H

#include "coll.h"

typedef struct gasneti_coll_meeting gasneti_coll_meeting_t;

/** Starts the driver, which opens the collectives with those of the other nodes; and whether they
 *  are open. */
void gasneti_coll_drive(const char *call);
bool gasneti_coll_is_driven(void);

/** The calling image initiates its next operation. Never waits for another image. */
gasneti_coll_meeting_t *gasneti_coll_arrive(const char *call, const gasneti_coll_move_t *move,
                                            int flags);

/** Whether it is complete on this node; polls if it is not. In the runtime. */
bool gasneti_coll_is_met(gasneti_coll_meeting_t *meeting);

/** Between two looks at it, outside the runtime, as gasneti_pause: sleeps after some rounds, until
 * it is complete or some time has passed, since the driver needs a processor, too. */
void gasneti_coll_pause(gasneti_coll_meeting_t *meeting, unsigned *rounds);

/** The calling image is done with it. */
void gasneti_coll_depart(gasneti_coll_meeting_t *meeting);

/* ---- What the node does (coll_spread.c) ---- */

/** What a node has to do for an operation of which an image has initiated `move`, and the node's
 *  images in their order gave the addresses `sides`, which must last. */
gasneti_coll_move_t gasneti_coll_spread(const gasneti_coll_move_t *move,
                                        const gasneti_coll_side_t *sides);

/** How many bytes of copies the node has of it while it is in flight, at most. */
size_t gasneti_coll_copied(const gasneti_coll_move_t *move);

#endif
