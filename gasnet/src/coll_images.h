/**
 * The images: how many each node has, and which the calling thread is.
 */
#ifndef GASNETI_COLL_IMAGES_H
#define GASNETI_COLL_IMAGES_H

#include "internal.h"

#include <gasnet_coll.h>

/** Whether gasnet_coll_init has returned in any thread. */
extern _Atomic bool gasneti_coll_is_open;

/** Of several images: the first one of each node, and behind the last node's how many there are in
 *  all. NULL if there is one per node. */
extern gasnet_image_t *gasneti_coll_firsts;

static inline bool gasneti_coll_has_images(void)
{
    return gasneti_coll_firsts != NULL;
}

/** The first image of a node; of one behind the last, how many images there are. */
static inline gasnet_image_t gasneti_coll_first_of(gasnet_node_t node)
{
    return gasneti_coll_has_images() ? gasneti_coll_firsts[node] : node;
}

static inline gasnet_image_t gasneti_coll_images(void)
{
    return gasneti_coll_first_of(gasnet_nodes());
}

static inline gasnet_image_t gasneti_coll_images_of(gasnet_node_t node)
{
    return gasneti_coll_first_of(node + 1) - gasneti_coll_first_of(node);
}

/** The node of an image. */
gasnet_node_t gasneti_coll_node_of(gasnet_image_t image);

/** The image that the calling thread is. */
gasnet_image_t gasneti_coll_own_image(void);

/** False if there are several images, and the calling thread is none. */
bool gasneti_coll_is_image(void);

/** What an image that joins the others has to do. */
typedef enum gasneti_coll_part {
    /** It is the only one of its node, as all are. */
    GASNETI_COLL_ONLY,
    /** It is the last of several. */
    GASNETI_COLL_LAST,
    GASNETI_COLL_OTHER
} gasneti_coll_part_t;

/** The calling thread is an image from now on, with the arguments of gasnet_coll_init. Ends the job
 *  if they are wrong, or another thread of this node has given others. */
gasneti_coll_part_t gasneti_coll_join(const char *call, const gasnet_image_t images[],
                                      gasnet_image_t my_image,
                                      const gasnet_coll_fn_entry_t fn_tbl[], size_t fn_count);

#endif
