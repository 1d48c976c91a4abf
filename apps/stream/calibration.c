#include "calibration.h"

#include <math.h>

#include "job.h"
#include "machine.h"

enum {
    /* Indexes of random reads; elements per thread so that reads hit, or cannot hit, a cache. */
    LOCAL_INDICES = 1 << 20,
    CACHED_ELEMENTS = 1 << 14,
    REMOTE_INDICES = 1 << 14,
    REMOTE_ELEMENTS = 1 << 16,
    /* Values that are moved between two products. */
    VECTOR_VALUES = 1 << 16,
    /* There are many prices: each takes so much less than another parameter. */
    PRICES_SHARE = 4
};

void stream_calibration_barriers(void *context, size_t count)
{
    (void)context;
    for (size_t i = 0; i < count; i++)
        pgas_barrier();
}

static void prepare_remote(stream_calibration_t *c, double slot)
{
    stream_reads_create(PGAS_REMOTE, REMOTE_ELEMENTS, REMOTE_INDICES, &c->far_reads);
    stream_reads_fit(&c->far_reads, slot);
    stream_pingpong_create(PGAS_REMOTE, STREAM_LARGE, &c->messages);
    c->small_rounds = stream_pingpong_fit(&c->messages, STREAM_SMALL, slot / 4);
    c->large_rounds = stream_pingpong_fit(&c->messages, STREAM_LARGE, slot);
    c->small_puts = stream_put_fit(&c->messages, STREAM_SMALL, slot / 2);
    c->large_puts = stream_exchange_put_fit(&c->exchange, slot);
}

/* Memory of the node costs the same whoever owns it: a thread alone on its node reads its own. */
static void prepare_local(stream_calibration_t *c, size_t elements, double slot)
{
    pgas_place_t place = stream_has_partners(PGAS_LOCAL) ? PGAS_LOCAL : PGAS_OWN;
    size_t cached = elements < CACHED_ELEMENTS ? elements : CACHED_ELEMENTS;
    stream_reads_create(place, elements, LOCAL_INDICES, &c->local_reads);
    stream_reads_fit(&c->local_reads, slot);
    stream_reads_create(place, cached, LOCAL_INDICES, &c->cached_reads);
    stream_reads_fit(&c->cached_reads, slot / 2);
}

void stream_calibration_create(size_t elements, double slot, stream_calibration_t *c)
{
    enum {
        TIMES_THE_CACHE = 2,
        WARM_UPS = 4
    };
    if (elements == 0)
        elements = stream_elements_beyond_cache(TIMES_THE_CACHE);
    if (elements < STREAM_EXCHANGE_LEAST)
        elements = STREAM_EXCHANGE_LEAST;
    size_t nbytes = 3 * elements * sizeof(double);
    *c = (stream_calibration_t){
        .several_threads = pgas_threads() > 1,
        .remote = stream_has_partners(PGAS_REMOTE),
    };
    stream_private_create(STREAM_IN_SHARED_HEAP, elements, &c->memory);
    for (int i = 0; i < WARM_UPS; i++)
        c->fastest_triad =
            fmax(c->fastest_triad, stream_private_bandwidth(&c->memory, STREAM_TRIAD));
    stream_exchange_create(&c->memory, &c->exchange);
    stream_field_create(nbytes, &c->field);
    c->caches = (reuse_caches_t){stream_first_level_cache(), stream_second_level_cache(),
                                 stream_last_level_share(), true};
    c->knows_caches = c->caches.second_level > 0;
    stream_product_create(nbytes, c->caches, &c->product);
    if (c->knows_caches) {
        stream_rates_create(nbytes, c->caches, &c->rates);
        stream_lines_create(&c->rates, &c->lines);
        stream_close_rows_create(&c->rates, &c->close_rows);
        stream_vectors_create(VECTOR_VALUES, nbytes, c->caches, &c->vectors);
    }
    stream_pointers_create(&c->pointers);
    stream_pointers_fit(&c->pointers, slot / 2);
    c->barriers = stream_fit(stream_calibration_barriers, NULL, slot / 2);
    prepare_local(c, elements, slot);
    stream_prices_create(&c->memory, slot / PRICES_SHARE, &c->prices);
    stream_rounds_create(slot / PRICES_SHARE, &c->rounds);
    if (c->remote)
        prepare_remote(c, slot);
}

void stream_calibration_free(stream_calibration_t *c)
{
    if (c->remote) {
        stream_reads_free(&c->far_reads);
        stream_pingpong_free(&c->messages);
    }
    stream_reads_free(&c->local_reads);
    stream_reads_free(&c->cached_reads);
    stream_rounds_free(&c->rounds);
    stream_prices_free(&c->prices);
    stream_pointers_free(&c->pointers);
    if (c->knows_caches) {
        stream_vectors_free(&c->vectors);
        stream_lines_free(&c->lines);
        stream_rates_free(&c->rates);
    }
    stream_product_free(&c->product);
    stream_exchange_free(&c->exchange);
    stream_field_free(&c->field);
    stream_private_free(&c->memory);
}

void stream_calibration_check(stream_calibration_t *c)
{
    bool right = stream_private_check(&c->memory);
    right = stream_product_check(&c->product) && right;
    right = (!c->knows_caches || stream_rates_check(&c->rates)) && right;
    right = (!c->knows_caches || stream_vectors_check(&c->vectors)) && right;
    right = stream_field_check(&c->field) && right;
    right = stream_prices_check(&c->prices) && right;
    right = stream_rounds_check(&c->rounds) && right;
    right = stream_reads_check(&c->local_reads) && stream_reads_check(&c->cached_reads) && right;
    if (c->remote)
        right = stream_reads_check(&c->far_reads) &&
                stream_pingpong_check(&c->messages, STREAM_LARGE) && right;
    if (!right && pgas_mythread() == 0)
        pgas_fail(1, "calibrate: what was read, computed or sent is not what it has to be");
}
