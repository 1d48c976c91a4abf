#include "net/ucx/bundle.h"

#include <stdlib.h>
#include <string.h>

#include "net/ucx/background.h"

bool pgasi_ucx_bundles_alloc(pgasi_ucx_bundles_t *bundles, size_t places)
{
    bundles->places = places;
    bundles->open = calloc(places, sizeof(void *));
    return bundles->open != NULL;
}

void pgasi_ucx_bundles_free(pgasi_ucx_bundles_t *bundles)
{
    for (size_t i = 0; bundles->open != NULL && i < bundles->places; i++)
        free(bundles->open[i]);
    free(bundles->open);
    bundles->open = NULL;
}

static void send_bundle(const pgasi_ucx_bundles_t *bundles, pgasi_ucx_outgoing_t *bundle)
{
    pgasi_ucx_outgoing_send(bundle, bundles->id, sizeof bundle->header.secret);
}

typedef struct order {
    pgasi_ucx_bundles_t *bundles;
    size_t place;
} order_t;

/* What is deferred for an open bundle. The one that it was opened for may have left meanwhile,
 * full, and another one, for which the same is deferred, stand in its place. */
static void post_open(const void *what)
{
    const order_t *order = what;
    pgasi_guard_lock(&order->bundles->guard);
    pgasi_ucx_outgoing_t *bundle = order->bundles->open[order->place];
    order->bundles->open[order->place] = NULL;
    pgasi_guard_unlock(&order->bundles->guard);
    if (bundle != NULL)
        send_bundle(order->bundles, bundle);
}

static pgasi_ucx_outgoing_t *open_bundle(const pgasi_ucx_item_t *item)
{
    pgasi_ucx_outgoing_t *bundle =
        pgasi_ucx_outgoing_alloc(item->thread, NULL, PGASI_UCX_BUNDLE_SIZE, true);
    bundle->nbytes = 0;
    bundle->under_way = item->under_way;
    return bundle;
}

static size_t size_of(const pgasi_ucx_item_t *item)
{
    return pgasi_ucx_padded(item->head_size + item->body_size);
}

static void append(pgasi_ucx_outgoing_t *bundle, const pgasi_ucx_item_t *item)
{
    unsigned char *to = bundle->copy + bundle->nbytes;
    size_t nbytes = item->head_size + item->body_size;
    memcpy(to, item->head, item->head_size);
    if (item->body_size > 0)
        memcpy(to + item->head_size, item->body, item->body_size);
    memset(to + nbytes, 0, size_of(item) - nbytes);
    bundle->nbytes += size_of(item);
}

/* Where a body is not the program's memory, that shows before the guard is taken, which a handler
 * of the program's may wait for. A short body lies on two pages at most. */
static void touch(const volatile unsigned char *body, size_t nbytes)
{
    if (nbytes > 0) {
        (void)body[0];
        (void)body[nbytes - 1];
    }
}

bool pgasi_ucx_bundle_add(pgasi_ucx_bundles_t *bundles, size_t place, const pgasi_ucx_item_t *item)
{
    pgasi_ucx_outgoing_t **open = &bundles->open[place];
    pgasi_ucx_outgoing_t *full = NULL;
    touch(item->body, item->body_size);
    pgasi_guard_lock(&bundles->guard);
    if (*open != NULL && (*open)->nbytes + size_of(item) > PGASI_UCX_BUNDLE_SIZE) {
        full = *open;
        *open = NULL;
    }
    bool is_new = *open == NULL;
    if (is_new)
        *open = open_bundle(item);
    append(*open, item);
    pgasi_guard_unlock(&bundles->guard);
    if (is_new) {
        const order_t order = {bundles, place};
        pgasi_ucx_background_defer(post_open, &order, sizeof order);
    }
    if (full != NULL)
        send_bundle(bundles, full);
    return is_new;
}
