#include "calibrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "access.h"
#include "common/json.h"
#include "common/large.h"
#include "common/timing.h"
#include "exchange.h"
#include "field.h"
#include "heat2d/kernel.h"
#include "job.h"
#include "machine.h"
#include "pingpong.h"
#include "private.h"
#include "product.h"
#include "rates.h"
#include "support/host.h"
#include "support/progress.h"
#include "vectors.h"

enum {
    SMALL = 8,
    LARGE = 1 << 20,
    LEAST_ROUNDS = 3,
    MOST_ROUNDS = 1000,
    /* Indexes of random reads; elements per thread so that reads hit, or cannot hit, a cache. */
    LOCAL_INDICES = 1 << 20,
    CACHED_ELEMENTS = 1 << 14,
    REMOTE_INDICES = 1 << 14,
    REMOTE_ELEMENTS = 1 << 16,
    /* Values that are moved between two products. */
    VECTOR_VALUES = 1 << 16,
    /* Steps with short and with long reads in a round. */
    STEPS = 6
};

typedef enum parameter {
    PRIVATE_BANDWIDTH = 0,
    REMOTE_BANDWIDTH,
    REMOTE_LATENCY,
    PRIVATE_READ_BANDWIDTH,
    PRIVATE_SCALE_BANDWIDTH,
    PRIVATE_COPY_BANDWIDTH,
    PRODUCT_BANDWIDTH,
    GATHER_ACCESS,
    BARRIER_LATENCY,
    MESSAGE_LATENCY,
    POINTER_ACCESS,
    PRODUCT_ACCESS,
    LOCAL_ACCESS,
    LOCAL_ACCESS_CACHED,
    AFFINITY_TEST,
    REMOTE_BANDWIDTH_SHARED,
    HEAT_POINT,
    HEAT_STREAMING_POINT,
    HEAT_FIRST_ROW,
    HEAT_LAST_ROW,
    COLUMN_ACCESS,
    NARROW_COLUMN_ACCESS,
    EXCHANGE_LATENCY,
    EXCHANGE_BANDWIDTH,
    BLOCK_LATENCY,
    SLICED_GATHER_ACCESS,
    TABLE,
    /* The rates of products, and those of moves between them. */
    MOVES = TABLE + STREAM_RATES,
    PARAMETERS = MOVES + STREAM_MOVE_RATES
} parameter_t;

typedef struct calibration {
    bool several_threads;
    bool remote;
    bool knows_caches;
    reuse_caches_t caches;
    stream_private_t memory;
    stream_rates_t rates;
    stream_product_t product;
    stream_vectors_t vectors;
    stream_exchange_t exchange;
    stream_field_t field;
    stream_pointers_t pointers;
    stream_reads_t far_reads;
    stream_reads_t local_reads;
    stream_reads_t cached_reads;
    stream_pingpong_t messages;
    size_t small_rounds;
    size_t large_rounds;
    size_t small_puts;
    size_t large_puts;
    size_t barriers;
    /** The results of this round so far. */
    double now[PARAMETERS];
    stream_product_times_t products;
    stream_exchange_times_t steps;
    stream_field_times_t field_times;
} calibration_t;

static void run_barriers(void *context, size_t count)
{
    (void)context;
    for (size_t i = 0; i < count; i++)
        pgas_barrier();
}

static void prepare_remote(calibration_t *c, double slot)
{
    stream_reads_create(PGAS_REMOTE, REMOTE_ELEMENTS, REMOTE_INDICES, &c->far_reads);
    stream_reads_fit(&c->far_reads, slot);
    stream_pingpong_create(PGAS_REMOTE, LARGE, &c->messages);
    c->small_rounds = stream_pingpong_fit(&c->messages, SMALL, slot / 4);
    c->large_rounds = stream_pingpong_fit(&c->messages, LARGE, slot);
    c->small_puts = stream_put_fit(&c->messages, SMALL, slot / 2);
    c->large_puts = stream_exchange_put_fit(&c->exchange, slot);
}

/* Memory of the node costs the same whoever owns it: a thread alone on its node reads its own. */
static void prepare_local(calibration_t *c, size_t elements, double slot)
{
    pgas_place_t place = stream_has_partners(PGAS_LOCAL) ? PGAS_LOCAL : PGAS_OWN;
    size_t cached = elements < CACHED_ELEMENTS ? elements : CACHED_ELEMENTS;
    stream_reads_create(place, elements, LOCAL_INDICES, &c->local_reads);
    stream_reads_fit(&c->local_reads, slot);
    stream_reads_create(place, cached, LOCAL_INDICES, &c->cached_reads);
    stream_reads_fit(&c->cached_reads, slot / 2);
}

/* `slot`: about what a parameter may take in a round. */
static void prepare(calibration_t *c, const stream_calibrate_settings_t *settings, double slot)
{
    enum {
        TIMES_THE_CACHE = 2
    };
    size_t elements = settings->elements;
    if (elements == 0)
        elements = stream_elements_beyond_cache(TIMES_THE_CACHE);
    *c = (calibration_t){
        .several_threads = pgas_threads() > 1,
        .remote = stream_has_partners(PGAS_REMOTE),
    };
    stream_private_create(STREAM_IN_SHARED_HEAP, elements, &c->memory);
    stream_private_bandwidth(&c->memory, STREAM_TRIAD);
    stream_exchange_create(&c->memory, &c->exchange);
    stream_field_create(3 * elements * sizeof(double), &c->field);
    c->caches = (reuse_caches_t){stream_first_level_cache(), stream_second_level_cache(),
                                 stream_last_level_share(), true};
    c->knows_caches = c->caches.second_level > 0;
    stream_product_create(3 * elements * sizeof(double), c->caches, &c->product);
    if (c->knows_caches) {
        stream_rates_create(3 * elements * sizeof(double), c->caches, &c->rates);
        stream_vectors_create(VECTOR_VALUES, c->caches, &c->vectors);
    }
    stream_pointers_create(&c->pointers);
    stream_pointers_fit(&c->pointers, slot / 2);
    c->barriers = stream_fit(run_barriers, NULL, slot / 2);
    prepare_local(c, elements, slot);
    if (c->remote)
        prepare_remote(c, slot);
}

static void release(calibration_t *c)
{
    if (c->remote) {
        stream_reads_free(&c->far_reads);
        stream_pingpong_free(&c->messages);
    }
    stream_reads_free(&c->local_reads);
    stream_reads_free(&c->cached_reads);
    stream_pointers_free(&c->pointers);
    if (c->knows_caches) {
        stream_vectors_free(&c->vectors);
        stream_rates_free(&c->rates);
    }
    stream_product_free(&c->product);
    stream_field_free(&c->field);
    stream_private_free(&c->memory);
}

static double private_bandwidth(calibration_t *c)
{
    return stream_private_bandwidth(&c->memory, STREAM_TRIAD);
}

static double private_read_bandwidth(calibration_t *c)
{
    return stream_private_bandwidth(&c->memory, STREAM_SUM);
}

static double private_scale_bandwidth(calibration_t *c)
{
    return stream_private_bandwidth(&c->memory, STREAM_SCALE);
}

static double private_copy_bandwidth(calibration_t *c)
{
    return stream_private_bandwidth(&c->memory, STREAM_COPY);
}

static double product_bandwidth(calibration_t *c)
{
    c->products = stream_product_measure(&c->product);
    return c->products.bandwidth;
}

static double gather_access(calibration_t *c)
{
    return c->products.line;
}

static double sliced_gather_access(calibration_t *c)
{
    return c->products.sliced_line;
}

/* Bytes per second of a long message without its start-up, which the model adds separately. Where a
 * disturbance makes a short message take more than half as long, half is subtracted. */
static double slope(size_t nbytes, double short_one, double long_one)
{
    double seconds = long_one - short_one;
    return (double)(nbytes - SMALL) / (seconds > long_one / 2 ? seconds : long_one / 2);
}

static double remote_bandwidth(calibration_t *c)
{
    double small = stream_pingpong_measure(&c->messages, SMALL, c->small_rounds);
    double large = stream_pingpong_measure(&c->messages, LARGE, c->large_rounds);
    return slope(LARGE, small, large);
}

static double remote_latency(calibration_t *c)
{
    return stream_reads_measure(&c->far_reads);
}

static double local_access(calibration_t *c)
{
    return stream_reads_measure(&c->local_reads);
}

static double local_access_cached(calibration_t *c)
{
    return stream_reads_measure(&c->cached_reads);
}

static double barrier_latency(calibration_t *c)
{
    return stream_time(run_barriers, NULL, c->barriers) / (double)c->barriers;
}

static double message_latency(calibration_t *c)
{
    return stream_put_measure(&c->messages, SMALL, c->small_puts);
}

static double mean_threads_per_node(void)
{
    return (double)pgas_threads() / (double)stream_nodes();
}

static double remote_bandwidth_shared(calibration_t *c)
{
    double seconds = stream_exchange_put(&c->exchange, c->large_puts);
    return mean_threads_per_node() * slope(STREAM_MESSAGE_BYTES, c->now[MESSAGE_LATENCY], seconds);
}

static double heat_point(calibration_t *c)
{
    c->field_times = stream_field_measure(&c->field);
    return c->field_times.point;
}

static double heat_streaming_point(calibration_t *c)
{
    return c->field_times.streaming_point;
}

static double heat_first_row(calibration_t *c)
{
    return c->field_times.first_row;
}

static double heat_last_row(calibration_t *c)
{
    return c->field_times.last_row;
}

static double column_access(calibration_t *c)
{
    return c->field_times.column;
}

static double narrow_column_access(calibration_t *c)
{
    return c->field_times.narrow_column;
}

static double exchange_latency(calibration_t *c)
{
    c->steps = stream_exchange_measure(&c->exchange, STEPS);
    return c->steps.short_read;
}

static double exchange_bandwidth(calibration_t *c)
{
    return mean_threads_per_node() *
           slope(STREAM_READ_BYTES, c->steps.short_read, c->steps.long_read);
}

static double pointer_access(calibration_t *c)
{
    return stream_pointers_measure(&c->pointers);
}

static double product_access(calibration_t *c)
{
    return c->pointers.product_seconds;
}

static double block_latency(calibration_t *c)
{
    return stream_blocks_measure(&c->pointers);
}

static double affinity_test(calibration_t *c)
{
    return stream_affinity_measure(&c->pointers);
}

static bool always(const calibration_t *c)
{
    (void)c;
    return true;
}

static bool if_several_threads(const calibration_t *c)
{
    return c->several_threads;
}

static bool if_remote(const calibration_t *c)
{
    return c->remote;
}

static bool if_streaming(const calibration_t *c)
{
    (void)c;
    return heat_row_choose(true) != NULL;
}

static bool if_lines_counted(const calibration_t *c)
{
    return c->product.lines > 0;
}

/* In this order, round by round: gather_access is measured with product_bandwidth, product_access
 * with pointer_access, heat_... and columns with heat_point, and exchange_bandwidth with
 * exchange_latency; remote_bandwidth_shared needs the round's message_latency. */
static const struct {
    const char *name;
    bool (*measurable)(const calibration_t *c);
    double (*measure)(calibration_t *c);
    /* For people: a number times `scale` has this unit. */
    double scale;
    const char *unit;
} table[TABLE] = {
    [PRIVATE_BANDWIDTH] = {"private_bandwidth", always, private_bandwidth, 1e-9, "GB/s"},
    [REMOTE_BANDWIDTH] = {"remote_bandwidth", if_remote, remote_bandwidth, 1e-9, "GB/s"},
    [REMOTE_LATENCY] = {"remote_latency", if_remote, remote_latency, 1e6, "us"},
    [PRIVATE_READ_BANDWIDTH] = {"private_read_bandwidth", always, private_read_bandwidth, 1e-9,
                                "GB/s"},
    [PRIVATE_SCALE_BANDWIDTH] = {"private_scale_bandwidth", always, private_scale_bandwidth, 1e-9,
                                 "GB/s"},
    [PRIVATE_COPY_BANDWIDTH] = {"private_copy_bandwidth", always, private_copy_bandwidth, 1e-9,
                                "GB/s"},
    [PRODUCT_BANDWIDTH] = {"product_bandwidth", always, product_bandwidth, 1e-9, "GB/s"},
    [GATHER_ACCESS] = {"gather_access", if_lines_counted, gather_access, 1e9, "ns"},
    [BARRIER_LATENCY] = {"barrier_latency", always, barrier_latency, 1e6, "us"},
    [MESSAGE_LATENCY] = {"message_latency", if_remote, message_latency, 1e6, "us"},
    [POINTER_ACCESS] = {"pointer_access", always, pointer_access, 1e9, "ns"},
    [PRODUCT_ACCESS] = {"product_access", always, product_access, 1e9, "ns"},
    [LOCAL_ACCESS] = {"local_access", always, local_access, 1e9, "ns"},
    [LOCAL_ACCESS_CACHED] = {"local_access_cached", always, local_access_cached, 1e9, "ns"},
    [AFFINITY_TEST] = {"affinity_test", if_several_threads, affinity_test, 1e9, "ns"},
    [REMOTE_BANDWIDTH_SHARED] = {"remote_bandwidth_shared", if_remote, remote_bandwidth_shared,
                                 1e-9, "GB/s"},
    [COLUMN_ACCESS] = {"column_access", always, column_access, 1e9, "ns"},
    [NARROW_COLUMN_ACCESS] = {"narrow_column_access", always, narrow_column_access, 1e9, "ns"},
    [EXCHANGE_LATENCY] = {"exchange_latency", if_remote, exchange_latency, 1e6, "us"},
    [EXCHANGE_BANDWIDTH] = {"exchange_bandwidth", if_remote, exchange_bandwidth, 1e-9, "GB/s"},
    [BLOCK_LATENCY] = {"block_latency", always, block_latency, 1e9, "ns"},
    [SLICED_GATHER_ACCESS] = {"sliced_gather_access", if_lines_counted, sliced_gather_access, 1e9,
                              "ns"},
    [HEAT_POINT] = {"heat_point", always, heat_point, 1e9, "ns"},
    [HEAT_STREAMING_POINT] = {"heat_streaming_point", if_streaming, heat_streaming_point, 1e9,
                              "ns"},
    [HEAT_FIRST_ROW] = {"heat_first_row", always, heat_first_row, 1e9, "ns"},
    [HEAT_LAST_ROW] = {"heat_last_row", always, heat_last_row, 1e9, "ns"},
};

static const char *name_of(int parameter)
{
    if (parameter < TABLE)
        return table[parameter].name;
    return parameter < MOVES ? stream_rate_name(parameter - TABLE)
                             : stream_move_name(parameter - MOVES);
}

static bool is_measured(const calibration_t *c, int parameter)
{
    return parameter < TABLE ? table[parameter].measurable(c) : c->knows_caches;
}

static void measure_round(calibration_t *c)
{
    for (int p = 0; p < TABLE; p++)
        if (table[p].measurable(c))
            c->now[p] = table[p].measure(c);
    if (c->knows_caches) {
        stream_rates_measure(&c->rates, &c->now[TABLE]);
        stream_vectors_measure(&c->vectors, &c->now[MOVES]);
    }
}

/* Measures rounds until the time is over: if the machine drifts, all parameters drift with it.
 * Returns the number of rounds. */
static size_t measure_rounds(calibration_t *c, const stream_calibrate_settings_t *settings,
                             double *samples[PARAMETERS])
{
    double start = common_seconds();
    size_t rounds = 0;
    bool more = true;
    progress_begin("calibrate", (size_t)(settings->seconds * 10));
    while (more) {
        measure_round(c);
        for (int p = 0; p < PARAMETERS; p++)
            samples[p][rounds] = c->now[p];
        rounds++;
        double passed = common_seconds() - start;
        if (settings->rounds > 0)
            more = rounds < settings->rounds;
        else
            more = rounds < LEAST_ROUNDS || (passed < settings->seconds && rounds < MOST_ROUNDS);
        more = stream_of_thread_0(more) > 0.0;
        if (pgas_mythread() == 0)
            progress_update((size_t)(passed * 10));
    }
    progress_end();
    return rounds;
}

static json_t *machine_to_json(const calibration_t *c, const char *name, size_t rounds,
                               const common_spread_t *spreads)
{
    char date[32];
    char source[256];
    char host[256];
    char processor[128];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    host_name(host, sizeof host);
    host_processor(processor, sizeof processor);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    snprintf(source, sizeof source,
             "measured by fathom-stream calibrate %s: %d threads on %d nodes, %zu rounds, %zu "
             "elements per thread and array",
             FATHOM_VERSION, pgas_threads(), stream_nodes(), rounds, c->memory.count);
    json_t *parameters = json_object();
    for (int p = 0; p < PARAMETERS; p++)
        if (is_measured(c, p))
            json_object_set_new(parameters, name_of(p), common_spread_to_json(&spreads[p]));
    return json_pack(
        "{s:s, s:i, s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:o}",
        "format", "fathom-machine", "version", 1, "name", name, "host", host, "processor",
        processor, "date", date, "source", source, "threads", pgas_threads(), "nodes",
        stream_nodes(), "threads_per_node", stream_threads_per_node(), "cache_line_bytes",
        (json_int_t)stream_cache_line(), "first_level_cache_bytes",
        (json_int_t)stream_first_level_cache(), "second_level_cache_bytes",
        (json_int_t)stream_second_level_cache(), "last_level_cache_bytes",
        (json_int_t)stream_last_level_cache(), "last_level_share_bytes",
        (json_int_t)c->caches.share, "rounds", (json_int_t)rounds, "parameters", parameters);
}

static void print(const calibration_t *c, const char *name, size_t rounds,
                  const common_spread_t *spreads)
{
    printf("%s: threads: %d, nodes: %d, rounds: %zu, elements per thread and array: %zu\n", name,
           pgas_threads(), stream_nodes(), rounds, c->memory.count);
    printf("%-24s %10s %25s\n", "parameter", "median", "(min .. max)");
    for (int p = 0; p < PARAMETERS; p++)
        if (is_measured(c, p)) {
            double scale = p < TABLE ? table[p].scale : 1e9;
            printf("%-24s %10.4g (%10.4g .. %10.4g) %s\n", name_of(p), spreads[p].median * scale,
                   spreads[p].min * scale, spreads[p].max * scale,
                   p < TABLE ? table[p].unit : "ns");
        }
}

static void report(const calibration_t *c, const stream_calibrate_settings_t *settings,
                   size_t rounds, double *samples[PARAMETERS])
{
    common_spread_t spreads[PARAMETERS];
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    const char *name = settings->name != NULL ? settings->name : host;
    for (int p = 0; p < PARAMETERS; p++)
        spreads[p] = common_spread(samples[p], rounds);
    if (settings->out != NULL)
        common_json_write(machine_to_json(c, name, rounds, spreads), settings->out);
    if (settings->out == NULL || settings->out[0] != '-' || settings->out[1] != '\0')
        print(c, name, rounds, spreads);
}

static void check(calibration_t *c)
{
    bool right = stream_private_check(&c->memory);
    right = stream_product_check(&c->product) && right;
    right = (!c->knows_caches || stream_rates_check(&c->rates)) && right;
    right = (!c->knows_caches || stream_vectors_check(&c->vectors)) && right;
    right = stream_field_check(&c->field) && right;
    right = stream_reads_check(&c->local_reads) && stream_reads_check(&c->cached_reads) && right;
    if (c->remote)
        right = stream_reads_check(&c->far_reads) && stream_pingpong_check(&c->messages, LARGE) &&
                right;
    if (!right && pgas_mythread() == 0)
        pgas_fail(1, "calibrate: what was read, computed or sent is not what it has to be");
}

void stream_calibrate(const stream_calibrate_settings_t *settings)
{
    const double slot = settings->seconds / (LEAST_ROUNDS * 3 * TABLE);
    calibration_t c;
    double *samples[PARAMETERS];
    if (pgas_mythread() == 0)
        common_json_check(settings->out);
    for (int p = 0; p < PARAMETERS; p++) {
        size_t most = settings->rounds > MOST_ROUNDS ? settings->rounds : MOST_ROUNDS;
        samples[p] = common_alloc("samples", most, sizeof(double));
    }
    prepare(&c, settings, slot < 0.05 ? slot : 0.05);
    size_t rounds = measure_rounds(&c, settings, samples);
    check(&c);
    if (pgas_mythread() == 0)
        report(&c, settings, rounds, samples);
    release(&c);
    for (int p = 0; p < PARAMETERS; p++)
        free(samples[p]);
}
