#include "coll_images.h"

#include <string.h>

#include "coll_functions.h"

_Atomic bool gasneti_coll_is_open;

gasnet_image_t *gasneti_coll_firsts;

gasnet_node_t gasneti_coll_node_of(gasnet_image_t image)
{
    if (!gasneti_coll_has_images())
        return image;
    gasnet_node_t low = 0;
    gasnet_node_t high = gasnet_nodes();
    while (high - low > 1) {
        gasnet_node_t middle = low + (high - low) / 2;
        if (gasneti_coll_firsts[middle] <= image)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#ifndef GASNET_PAR

gasnet_image_t gasneti_coll_own_image(void)
{
    return gasnet_mynode();
}

bool gasneti_coll_is_image(void)
{
    return true;
}

gasneti_coll_part_t gasneti_coll_join(const char *call, const gasnet_image_t images[],
                                      gasnet_image_t my_image,
                                      const gasnet_coll_fn_entry_t fn_tbl[], size_t fn_count)
{
    (void)my_image;
    if (gasneti_coll_is_open)
        gasneti_fatal(call, "called twice");
#ifdef GASNET_SEQ
    if (images != NULL)
        gasneti_fatal(call, "images must be NULL in GASNET_SEQ");
#endif
    for (gasnet_node_t node = 0; images != NULL && node < gasnet_nodes(); node++)
        if (images[node] != 1)
            gasneti_fatal(call, "%u images on node %u: without GASNET_PAR there is one",
                          images[node], node);
    gasneti_coll_copy_functions(call, fn_tbl, fn_count);
    return GASNETI_COLL_ONLY;
}

#else

#include <pthread.h>
#include <stdlib.h>

/* What the images of this node have said so far, under the lock. */
static struct {
    pthread_mutex_t lock;
    bool has_begun;
    /* NULL if there is one per node. */
    gasnet_image_t *images;
    bool *is_taken;
    gasnet_image_t count;
} joined = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct {
    bool is_image;
    gasnet_image_t number;
} mine;

gasnet_image_t gasneti_coll_own_image(void)
{
    return gasneti_coll_has_images() ? mine.number : gasnet_mynode();
}

bool gasneti_coll_is_image(void)
{
    return !gasneti_coll_has_images() || mine.is_image;
}

/* Whether there are several on any node. */
static bool are_several(const char *call, const gasnet_image_t images[])
{
    bool found = false;
    for (gasnet_node_t node = 0; images != NULL && node < gasnet_nodes(); node++) {
        if (images[node] == 0)
            gasneti_fatal(call, "0 images on node %u: each node has at least one", node);
        found = found || images[node] > 1;
    }
    return found;
}

/* The first thread's images are those of the node. */
static void begin(const char *call, const gasnet_image_t images[], bool several)
{
    joined.has_begun = true;
    if (!several)
        return;
    const gasnet_node_t nodes = gasnet_nodes();
    gasnet_image_t total = 0;
    joined.images = gasneti_allocate(call, nodes * sizeof *images);
    memcpy(joined.images, images, nodes * sizeof *images);
    gasnet_image_t *firsts = gasneti_allocate(call, (nodes + (size_t)1) * sizeof *firsts);
    for (gasnet_node_t node = 0; node < nodes; node++) {
        firsts[node] = total;
        if (__builtin_add_overflow(total, images[node], &total))
            gasneti_fatal(call, "more than %u images", UINT32_MAX);
    }
    firsts[nodes] = total;
    joined.is_taken = calloc(images[gasnet_mynode()], sizeof *joined.is_taken);
    if (joined.is_taken == NULL)
        gasneti_fatal(call, "no memory for %u images", images[gasnet_mynode()]);
    gasneti_coll_firsts = firsts;
}

static void require_same(const char *call, const gasnet_image_t images[], bool several)
{
    if (several != (joined.images != NULL))
        gasneti_fatal(call, "%s per node: another thread of this node has said %s",
                      several ? "several images" : "one image", several ? "one" : "several");
    for (gasnet_node_t node = 0; several && node < gasnet_nodes(); node++)
        if (images[node] != joined.images[node])
            gasneti_fatal(call, "%u images on node %u: another thread of this node has said %u",
                          images[node], node, joined.images[node]);
}

static void take(const char *call, gasnet_image_t image)
{
    const gasnet_image_t first = gasneti_coll_first_of(gasnet_mynode());
    const gasnet_image_t count = gasneti_coll_images_of(gasnet_mynode());
    if (image < first || image - first >= count)
        gasneti_fatal(call, "image %u: those of node %u are %u to %u", image, gasnet_mynode(),
                      first, first + count - 1);
    if (joined.is_taken[image - first])
        gasneti_fatal(call, "image %u: another thread is it already", image);
    joined.is_taken[image - first] = true;
    joined.count++;
    mine.number = image;
}

gasneti_coll_part_t gasneti_coll_join(const char *call, const gasnet_image_t images[],
                                      gasnet_image_t my_image,
                                      const gasnet_coll_fn_entry_t fn_tbl[], size_t fn_count)
{
    const bool several = are_several(call, images);
    pthread_mutex_lock(&joined.lock);
    if (mine.is_image || (joined.has_begun && !several && joined.images == NULL))
        gasneti_fatal(call, "called twice");
    if (!several && images != NULL && my_image != gasnet_mynode())
        gasneti_fatal(call, "image %u: that of node %u is %u", my_image, gasnet_mynode(),
                      gasnet_mynode());
    if (joined.has_begun) {
        require_same(call, images, several);
        gasneti_coll_require_functions(call, fn_tbl, fn_count);
    } else {
        begin(call, images, several);
        gasneti_coll_copy_functions(call, fn_tbl, fn_count);
    }
    if (several)
        take(call, my_image);
    mine.is_image = true;
    const bool is_last = several && joined.count == gasneti_coll_images_of(gasnet_mynode());
    pthread_mutex_unlock(&joined.lock);
    if (!several)
        return GASNETI_COLL_ONLY;
    return is_last ? GASNETI_COLL_LAST : GASNETI_COLL_OTHER;
}

#endif

void *gasneti_coll_own(void *const list[], int flags)
{
    if (!gasneti_coll_is_image())
        return NULL;
    const gasnet_image_t image = gasneti_coll_own_image();
    const bool is_local = (flags & GASNET_COLL_LOCAL) != 0;
    return list[is_local ? image - gasneti_coll_first_of(gasnet_mynode()) : image];
}
