/* What each parameter of a calibration is, and how it is measured. */
#include <math.h>

#include "calibration.h"
#include "common/nodes.h"
#include "common/timing.h"
#include "heat2d/kernel.h"
#include "job.h"

enum {
    /* Steps with short and with long reads in a round. */
    STEPS = 6
};

/* Where a hypervisor keeps the page tables, arrays that were not used for a while, or memory that
 * the round before has freed, make the first passes up to fifteen times slower for a fifth of a
 * second: until memory is about as fast as it has been, or for 16 passes. */
static void settle(stream_calibration_t *c)
{
    enum {
        MOST = 16
    };
    double now = 0.0;
    for (int i = 0; i < MOST && now < 0.8 * c->fastest_triad; i++)
        now = stream_private_bandwidth(&c->memory, STREAM_TRIAD);
}

/* The median of some passes. */
static double usual_bandwidth(stream_calibration_t *c, stream_kernel_t kernel)
{
    enum {
        TIMES = 3
    };
    double passes[TIMES];
    for (int i = 0; i < TIMES; i++)
        passes[i] = stream_private_bandwidth(&c->memory, kernel);
    return common_spread(passes, TIMES).median;
}

static double private_bandwidth(stream_calibration_t *c)
{
    settle(c);
    double triad = usual_bandwidth(c, STREAM_TRIAD);
    c->fastest_triad = fmax(c->fastest_triad, triad);
    return triad;
}

static double private_read_bandwidth(stream_calibration_t *c)
{
    return usual_bandwidth(c, STREAM_SUM);
}

static double private_scale_bandwidth(stream_calibration_t *c)
{
    return usual_bandwidth(c, STREAM_SCALE);
}

static double private_copy_bandwidth(stream_calibration_t *c)
{
    return usual_bandwidth(c, STREAM_COPY);
}

static double product_bandwidth(stream_calibration_t *c)
{
    c->products = stream_product_measure(&c->product);
    return c->products.bandwidth;
}

static double gather_access(stream_calibration_t *c)
{
    return c->products.line;
}

/* Bytes per second of a long message without its start-up, which the model adds separately. Where a
 * disturbance makes a short message take more than half as long, half is subtracted. */
static double slope(size_t nbytes, double short_one, double long_one)
{
    double seconds = long_one - short_one;
    return (double)(nbytes - STREAM_SMALL) / (seconds > long_one / 2 ? seconds : long_one / 2);
}

static double remote_bandwidth(stream_calibration_t *c)
{
    double small = stream_pingpong_measure(&c->messages, STREAM_SMALL, c->small_rounds);
    double large = stream_pingpong_measure(&c->messages, STREAM_LARGE, c->large_rounds);
    return slope(STREAM_LARGE, small, large);
}

static double remote_latency(stream_calibration_t *c)
{
    return stream_reads_measure(&c->far_reads);
}

static double local_access(stream_calibration_t *c)
{
    return stream_reads_measure(&c->local_reads);
}

static double local_access_cached(stream_calibration_t *c)
{
    return stream_reads_measure(&c->cached_reads);
}

static double barrier_latency(stream_calibration_t *c)
{
    return stream_time(stream_calibration_barriers, NULL, c->barriers) / (double)c->barriers;
}

static double message_latency(stream_calibration_t *c)
{
    return stream_put_measure(&c->messages, STREAM_SMALL, c->small_puts);
}

static double mean_threads_per_node(void)
{
    return (double)pgas_threads() / (double)common_nodes();
}

static double remote_bandwidth_shared(stream_calibration_t *c)
{
    double seconds = stream_exchange_put(&c->exchange, c->large_puts);
    return mean_threads_per_node() * slope(STREAM_MESSAGE_BYTES, c->now[MESSAGE_LATENCY], seconds);
}

static double heat_point(stream_calibration_t *c)
{
    c->field_times = stream_field_measure(&c->field);
    return c->field_times.point;
}

static double heat_streaming_point(stream_calibration_t *c)
{
    return c->field_times.streaming_point;
}

static double heat_first_row(stream_calibration_t *c)
{
    return c->field_times.first_row;
}

static double heat_last_row(stream_calibration_t *c)
{
    return c->field_times.last_row;
}

static double heat_first_get(stream_calibration_t *c)
{
    return c->field_times.first_get;
}

static double column_access(stream_calibration_t *c)
{
    return c->field_times.column;
}

static double narrow_column_access(stream_calibration_t *c)
{
    return c->field_times.narrow_column;
}

static double exchange_latency(stream_calibration_t *c)
{
    c->steps = stream_exchange_measure(&c->exchange, STEPS);
    return c->steps.short_read;
}

static double exchange_bandwidth(stream_calibration_t *c)
{
    return mean_threads_per_node() *
           slope(STREAM_READ_BYTES, c->steps.short_read, c->steps.long_read);
}

static double exchange_send(stream_calibration_t *c)
{
    return c->steps.short_send;
}

static double exchange_send_bandwidth(stream_calibration_t *c)
{
    return mean_threads_per_node() *
           slope(STREAM_READ_BYTES, c->steps.short_send, c->steps.long_send);
}

static double pointer_access(stream_calibration_t *c)
{
    return stream_pointers_measure(&c->pointers);
}

static double product_access(stream_calibration_t *c)
{
    return c->pointers.product_seconds;
}

static double block_latency(stream_calibration_t *c)
{
    return stream_blocks_measure(&c->pointers);
}

static double affinity_test(stream_calibration_t *c)
{
    return stream_affinity_measure(&c->pointers);
}

static bool always(const stream_calibration_t *c)
{
    (void)c;
    return true;
}

static bool if_several_threads(const stream_calibration_t *c)
{
    return c->several_threads;
}

static bool if_remote(const stream_calibration_t *c)
{
    return c->remote;
}

static bool if_streaming(const stream_calibration_t *c)
{
    return c->field.streams;
}

static bool if_lines_counted(const stream_calibration_t *c)
{
    return c->product.lines > 0;
}

/* In this order, round by round: gather_access is measured with product_bandwidth, product_access
 * with pointer_access, heat_... and columns with heat_point, and exchange_bandwidth and
 * exchange_send... with exchange_latency; remote_bandwidth_shared needs the round's
 * message_latency. */
static const struct {
    const char *name;
    bool (*measurable)(const stream_calibration_t *c);
    double (*measure)(stream_calibration_t *c);
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
    [EXCHANGE_SEND] = {"exchange_send", if_remote, exchange_send, 1e6, "us"},
    [EXCHANGE_SEND_BANDWIDTH] = {"exchange_send_bandwidth", if_remote, exchange_send_bandwidth,
                                 1e-9, "GB/s"},
    [BLOCK_LATENCY] = {"block_latency", always, block_latency, 1e9, "ns"},
    [HEAT_POINT] = {"heat_point", always, heat_point, 1e9, "ns"},
    [HEAT_STREAMING_POINT] = {"heat_streaming_point", if_streaming, heat_streaming_point, 1e9,
                              "ns"},
    [HEAT_FIRST_ROW] = {"heat_first_row", always, heat_first_row, 1e9, "ns"},
    [HEAT_LAST_ROW] = {"heat_last_row", always, heat_last_row, 1e9, "ns"},
    [HEAT_FIRST_GET] = {"heat_first_get", always, heat_first_get, 1e9, "ns"},
};

const char *stream_parameter_name(int parameter)
{
    if (parameter < TABLE)
        return table[parameter].name;
    if (parameter < LINES)
        return stream_rate_name(parameter - TABLE);
    if (parameter < CLOSE_ROWS)
        return stream_line_name(parameter - LINES);
    if (parameter < KEPT_ROWS)
        return stream_close_row_name(parameter - CLOSE_ROWS);
    if (parameter < MOVES)
        return stream_kept_row_name(parameter - KEPT_ROWS);
    if (parameter < OPERATIONS)
        return stream_move_name(parameter - MOVES);
    return parameter < ROUNDS ? stream_price_name(parameter - OPERATIONS)
                              : stream_round_name(parameter - ROUNDS);
}

const char *stream_parameter_unit(int parameter, double *scale)
{
    *scale = parameter < TABLE ? table[parameter].scale : 1e9;
    return parameter < TABLE ? table[parameter].unit : "ns";
}

bool stream_parameter_is_measured(const stream_calibration_t *c, int parameter)
{
    if (parameter < TABLE)
        return table[parameter].measurable(c);
    if (parameter >= KEPT_ROWS && parameter < MOVES)
        return c->knows_caches && stream_kept_rows_fit(&c->rates);
    if (parameter < OPERATIONS)
        return c->knows_caches;
    return parameter < ROUNDS ? stream_price_is_measured(parameter - OPERATIONS)
                              : stream_round_is_measured(parameter - ROUNDS);
}

void stream_parameters_measure(stream_calibration_t *c)
{
    for (int p = 0; p < TABLE; p++)
        if (table[p].measurable(c))
            c->now[p] = table[p].measure(c);
    if (c->knows_caches) {
        stream_rates_measure(&c->rates, &c->now[TABLE]);
        stream_lines_measure(&c->lines, &c->now[LINES]);
        stream_close_rows_measure(&c->close_rows, &c->now[CLOSE_ROWS]);
        if (stream_kept_rows_fit(&c->rates))
            stream_kept_rows_measure(&c->rates, &c->now[KEPT_ROWS]);
        stream_vectors_measure(&c->vectors, &c->now[MOVES]);
    }
    stream_prices_measure(&c->prices, &c->now[OPERATIONS]);
    stream_rounds_measure(&c->rounds, &c->now[ROUNDS]);
}
