/* What counted traffic costs, against hand computation: every kind of operations by its place and
 * its price, puts with signals, links, prices that are absent; and files of PGAS_STATS, good and
 * bad. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka.h needs some of the above. */
#include <cmocka.h>

#include <meshes/text_file.h>

#include "near.h"
#include "perfmodel/traffic.h"

static char path[] = "/tmp/perfmodel-traffic-XXXXXX";
static model_machine_t machine;
static model_traffic_t traffic;
static model_traffic_prediction_t made;

static void set(int parameter, double median)
{
    machine.parameters[parameter] = (model_spread_t){median, median / 2, median * 2};
    machine.has[parameter] = true;
}

/* Prices that no two kinds share: floods are a tenth of a latency. */
static int make_machine(void **state)
{
    (void)state;
    machine = (model_machine_t){.name = "test", .cache_line_bytes = 64.0};
    for (int place = 0; place < MODEL_PLACES; place++) {
        double scale = place == MODEL_REMOTE ? 1e-6 : 1e-9 * (place + 1);
        set(MODEL_PRICE(MODEL_FETCH_LATENCY, place), 20 * scale);
        set(MODEL_PRICE(MODEL_FETCH_FLOOD, place), 2 * scale);
        set(MODEL_PRICE(MODEL_UPDATE_LATENCY, place), 30 * scale);
        set(MODEL_PRICE(MODEL_UPDATE_FLOOD, place), 3 * scale);
        set(MODEL_PRICE(MODEL_SIGNAL_LATENCY, place), 40 * scale);
        set(MODEL_PRICE(MODEL_SIGNAL_FLOOD, place), 4 * scale);
        set(MODEL_PRICE(MODEL_SIGNAL_BULK, place), 40 * scale + 65528 * 1e-10);
        set(MODEL_PRICE(MODEL_AM_LATENCY, place), 50 * scale);
        set(MODEL_PRICE(MODEL_AM_FLOOD, place), 5 * scale);
    }
    set(MODEL_FETCH_FAR, 100e-9);
    set(MODEL_FETCH_CONTENDED, 300e-9);
    set(MODEL_FETCH_SHARED, 200e-9);
    set(MODEL_PRICE(MODEL_SIGNAL_TURN, MODEL_LOCAL), 60e-9);
    set(MODEL_PRICE(MODEL_SIGNAL_TURN, MODEL_REMOTE), 28e-6);
    set(MODEL_PRIVATE_BANDWIDTH, 4e9);
    set(MODEL_PRIVATE_COPY_BANDWIDTH, 1e10);
    set(MODEL_REMOTE_BANDWIDTH, 5e8);
    set(MODEL_REMOTE_BANDWIDTH_SHARED, 1e9);
    set(MODEL_REMOTE_LATENCY, 10e-6);
    set(MODEL_MESSAGE_LATENCY, 11e-6);
    set(MODEL_LOCAL_ACCESS_CACHED, 1e-9);
    set(MODEL_LOCAL_ACCESS, 80e-9);
    set(MODEL_BLOCK_LATENCY, 15e-9);
    return 0;
}

static int free_all(void **state)
{
    (void)state;
    model_traffic_prediction_free(&made);
    model_traffic_free(&traffic);
    return 0;
}

static void write_text(const char *text)
{
    mesh_error_t error;
    assert_true(mesh_text_file_write(path, text, strlen(text), &error));
}

/* Threads 0 and 1 on node 0, 2 on node 1, with these destinations of theirs. */
static void read_traffic(const char *of_0, const char *of_1, const char *of_2)
{
    char text[4096];
    mesh_error_t error = {""};
    snprintf(text, sizeof text,
             "{\"threads\": [{\"thread\": 0, \"node\": 0, \"destinations\": [%s]}, "
             "{\"thread\": 1, \"node\": 0, \"destinations\": [%s]}, "
             "{\"thread\": 2, \"node\": 1, \"destinations\": [%s]}]}",
             of_0, of_1, of_2);
    write_text(text);
    model_traffic_free(&traffic);
    if (!model_traffic_read(path, &traffic, &error))
        fail_msg("%s", error.text);
    assert_int_equal(traffic.threads, 3);
    assert_int_equal(traffic.nodes, 2);
}

#define ENTRY(thread, mode, direction, operations, bytes) \
    "{\"thread\": " #thread ", \"mode\": \"" mode "\", \"direction\": \"" direction \
    "\", \"operations\": " #operations ", \"bytes\": " #bytes "}"

static void predict(double in_flight)
{
    mesh_error_t error;
    model_traffic_prediction_free(&made);
    assert_true(model_traffic_predict(&traffic, &machine, in_flight, &made, &error));
}

static const model_kind_t *kind(size_t thread, model_place_t place, model_mode_t mode,
                                model_direction_t direction)
{
    return &made.threads[thread].kinds[place][mode][direction];
}

static void expect(const model_estimate_t *seconds, double predicted, double low, double high)
{
    assert_near(seconds->predicted, predicted, 1e-9 * predicted);
    assert_near(seconds->low, low, 1e-9 * low);
    assert_near(seconds->high, high, 1e-9 * high);
}

/* With a result they wait one by one, without one they fly together; on the node memory may be far
 * and words contended. Low and high are at the ends of the prices too: half and twice the median.
 */
static void atomics(void **state)
{
    (void)state;
    read_traffic(ENTRY(2, "atomic", "from", 100, 800) "," ENTRY(2, "atomic", "to", 200, 1600),
                 ENTRY(0, "atomic", "to", 1000, 4000), ENTRY(2, "atomic", "from", 10, 80));
    predict(0);
    const model_kind_t *fetch = kind(0, MODEL_REMOTE, MODEL_ATOMIC, MODEL_FROM);
    assert_near(fetch->operations, 100, 0);
    assert_near(fetch->bytes, 800, 0);
    expect(&fetch->seconds, 100 * 20e-6, 100 * 1e-6, 100 * 40e-6);
    assert_near(fetch->together, 100 * 2e-6, 1e-15);
    assert_near(fetch->one_by_one, 100 * 20e-6, 1e-15);
    expect(&kind(0, MODEL_REMOTE, MODEL_ATOMIC, MODEL_TO)->seconds, 200 * 3e-6, 200 * 1.5e-6,
           200 * 60e-6);
    expect(&kind(2, MODEL_OWN, MODEL_ATOMIC, MODEL_FROM)->seconds, 10 * 20e-9, 10 * 1e-9,
           10 * 600e-9);
    expect(&kind(1, MODEL_LOCAL, MODEL_ATOMIC, MODEL_TO)->seconds, 1000 * 6e-9, 1000 * 3e-9,
           1000 * 600e-9);
    /* Thread 0 takes longest: the sum of its two. */
    assert_int_equal(made.slowest, 0);
    assert_near(made.seconds.predicted, 100 * 20e-6 + 200 * 3e-6, 1e-12);
    assert_near(made.together, 100 * 2e-6 + 200 * 3e-6, 1e-12);
    assert_near(made.one_by_one, 100 * 20e-6 + 200 * 30e-6, 1e-12);
    assert_near(made.threads[0].link.predicted, 0.0, 0);
    assert_near(made.served, 2.0, 1e-12); /* node 1 serves all */
    /* Four in flight: a quarter of what a latency is above the flood's price. */
    predict(4.5);
    double each = 2e-6 + 18e-6 / 4.5;
    expect(&kind(0, MODEL_REMOTE, MODEL_ATOMIC, MODEL_FROM)->seconds, 100 * each, 50 * each,
           200 * each);
    predict(1);
    expect(&kind(0, MODEL_REMOTE, MODEL_ATOMIC, MODEL_TO)->seconds, 200 * 30e-6, 200 * 15e-6,
           200 * 60e-6);
    /* A flood is no dearer than a latency. */
    set(MODEL_PRICE(MODEL_UPDATE_FLOOD, MODEL_LOCAL), 90e-9);
    predict(0);
    assert_near(kind(1, MODEL_LOCAL, MODEL_ATOMIC, MODEL_TO)->seconds.predicted, 1000 * 60e-9,
                1e-15);
    make_machine(NULL);
}

/* Words of one owner that two threads of its node change are shared, whatever they do to them; not
 * if it is one thread, in both directions, or one of another node. */
static void shared(void **state)
{
    (void)state;
    read_traffic(ENTRY(0, "atomic", "from", 10, 80) "," ENTRY(1, "atomic", "from", 30, 240),
                 ENTRY(0, "atomic", "to", 20, 160),
                 ENTRY(1, "atomic", "to", 50, 400) "," ENTRY(
                     2, "atomic", "from", 60, 480) "," ENTRY(2, "atomic", "to", 70, 560));
    predict(0);
    assert_near(kind(0, MODEL_OWN, MODEL_ATOMIC, MODEL_FROM)->shared, 10, 0);
    expect(&kind(0, MODEL_OWN, MODEL_ATOMIC, MODEL_FROM)->seconds, 10 * 200e-9, 10 * 1e-9,
           10 * 600e-9);
    expect(&kind(1, MODEL_LOCAL, MODEL_ATOMIC, MODEL_TO)->seconds, 20 * 200e-9, 20 * 3e-9,
           20 * 600e-9);
    expect(&kind(0, MODEL_LOCAL, MODEL_ATOMIC, MODEL_FROM)->seconds, 30 * 40e-9, 30 * 2e-9,
           30 * 600e-9);
    expect(&kind(2, MODEL_OWN, MODEL_ATOMIC, MODEL_FROM)->seconds, 60 * 20e-9, 60 * 1e-9,
           60 * 600e-9);
    expect(&kind(2, MODEL_OWN, MODEL_ATOMIC, MODEL_TO)->seconds, 70 * 3e-9, 70 * 1.5e-9,
           70 * 600e-9);
    assert_near(kind(2, MODEL_REMOTE, MODEL_ATOMIC, MODEL_TO)->shared, 0, 0);
    assert_true(made.is_mixed);
    /* Without a price of shared words they have that of one thread's own. */
    machine.has[MODEL_FETCH_SHARED] = false;
    predict(0);
    assert_near(kind(0, MODEL_OWN, MODEL_ATOMIC, MODEL_FROM)->seconds.predicted, 10 * 20e-9, 1e-18);
    make_machine(NULL);
    read_traffic(ENTRY(2, "atomic", "to", 10, 80), ENTRY(1, "atomic", "to", 20, 160), "");
    predict(0);
    assert_false(made.is_mixed);
}

/* Six of ten puts to thread 2 have its signals; thread 1 gets signals only. A thread waits for as
 * many as it sends, at most also for each it gets. */
static void signals(void **state)
{
    (void)state;
    read_traffic(ENTRY(2, "contiguous", "to", 10, 10000) "," ENTRY(
                     2, "signal", "to", 6, 48) "," ENTRY(1, "signal", "to", 5, 40),
                 "", ENTRY(0, "signal", "to", 3, 24));
    predict(0);
    const model_kind_t *put = kind(0, MODEL_REMOTE, MODEL_CONTIGUOUS, MODEL_TO);
    const model_kind_t *signal = kind(0, MODEL_REMOTE, MODEL_SIGNAL, MODEL_TO);
    assert_near(put->operations, 4, 1e-12);
    assert_near(put->bytes, 4000, 1e-9);
    assert_near(signal->operations, 6, 0);
    assert_near(signal->bytes, 6000, 1e-9);
    assert_near(signal->received, 3, 0);
    double bytes = (6000 - 6 * 8) * 1e-10;
    assert_near(signal->seconds.predicted, 6 * 40e-6 + bytes, 1e-15);
    assert_near(signal->together, 6 * 4e-6 + bytes, 1e-15);
    assert_near(signal->one_by_one, 9 * 28e-6 + bytes, 1e-15);
    assert_near(signal->seconds.low, 6 * 2e-6 + bytes / 2, 1e-15);
    assert_near(signal->seconds.high, 9 * 56e-6 + bytes * 2, 1e-15);
    assert_near(kind(0, MODEL_LOCAL, MODEL_SIGNAL, MODEL_TO)->seconds.predicted, 5 * 80e-9, 1e-18);
    assert_near(put->seconds.predicted, 4 * 11e-6, 1e-15);
    /* The link has the bytes of the other four. */
    assert_near(made.threads[0].link.predicted, 4000 / 1e9, 1e-15);
    assert_near(made.threads[2].link.predicted, 0.0, 0);
    /* More signals than puts: all are with signals. */
    read_traffic(ENTRY(2, "contiguous", "to", 2, 100) "," ENTRY(2, "signal", "to", 6, 48), "", "");
    predict(0);
    assert_near(kind(0, MODEL_REMOTE, MODEL_CONTIGUOUS, MODEL_TO)->operations, 0.0, 0);
    assert_near(kind(0, MODEL_REMOTE, MODEL_SIGNAL, MODEL_TO)->bytes, 100.0, 0);
    /* One's own signals are not waited for twice, and one thread's signals are not another's. */
    read_traffic(ENTRY(0, "signal", "to", 7, 56) "," ENTRY(2, "signal", "to", 2, 16),
                 ENTRY(2, "contiguous", "to", 3, 300), "");
    predict(0);
    assert_near(kind(0, MODEL_OWN, MODEL_SIGNAL, MODEL_TO)->one_by_one, 7 * 40e-9, 1e-15);
    assert_near(kind(1, MODEL_REMOTE, MODEL_CONTIGUOUS, MODEL_TO)->operations, 3.0, 0);
}

/* Where the latency has a wider spread than what a signal with its bytes takes, these are least
 * where the latency is most: the prediction is between low and high all the same. */
static void signals_of_wide_spread(void **state)
{
    (void)state;
    int latency = MODEL_PRICE(MODEL_SIGNAL_LATENCY, MODEL_REMOTE);
    machine.parameters[latency] = (model_spread_t){40e-6, 1e-6, 46e-6};
    read_traffic(
        ENTRY(2, "contiguous", "to", 100, 104857600) "," ENTRY(2, "signal", "to", 100, 800), "",
        "");
    for (int in_flight = 0; in_flight < 3; in_flight++) {
        predict(in_flight);
        const model_estimate_t *seconds = &kind(0, MODEL_REMOTE, MODEL_SIGNAL, MODEL_TO)->seconds;
        assert_true(seconds->low <= seconds->predicted && seconds->predicted <= seconds->high);
        assert_true(made.seconds.low <= made.seconds.predicted);
        assert_true(made.seconds.predicted <= made.seconds.high);
    }
    make_machine(NULL);
}

/* Values, copies of both kinds and messages; bytes between nodes share the node's link, whichever
 * direction has more. */
static void copies(void **state)
{
    (void)state;
    read_traffic(ENTRY(1, "individual", "from", 50, 400) "," ENTRY(
                     2, "individual", "from", 5, 40) "," ENTRY(2, "contiguous", "from", 2, 3000),
                 ENTRY(0, "condensed", "to", 4, 5000) "," ENTRY(2, "condensed", "to", 3, 7000),
                 ENTRY(0, "am", "to", 8, 100) "," ENTRY(2, "individual", "to", 9, 72));
    predict(0);
    expect(&kind(0, MODEL_LOCAL, MODEL_INDIVIDUAL, MODEL_FROM)->seconds, 50e-9, 25e-9, 8000e-9);
    expect(&kind(0, MODEL_REMOTE, MODEL_INDIVIDUAL, MODEL_FROM)->seconds, 50e-6, 5e-6, 100e-6);
    expect(&kind(0, MODEL_REMOTE, MODEL_CONTIGUOUS, MODEL_FROM)->seconds, 20e-6, 2e-6, 40e-6);
    double copied = 2 * 5000 / 1e10;
    expect(&kind(1, MODEL_LOCAL, MODEL_CONDENSED, MODEL_TO)->seconds, 60e-9 + copied,
           30e-9 + copied / 2, 120e-9 + copied * 2);
    expect(&kind(1, MODEL_REMOTE, MODEL_CONDENSED, MODEL_TO)->seconds, 33e-6, 4.5e-6, 66e-6);
    expect(&kind(2, MODEL_REMOTE, MODEL_AM, MODEL_TO)->seconds, 8 * 50e-6, 8 * 2.5e-6, 8 * 100e-6);
    assert_near(kind(0, MODEL_REMOTE, MODEL_AM, MODEL_TO)->received, 8.0, 0);
    expect(&kind(2, MODEL_OWN, MODEL_INDIVIDUAL, MODEL_TO)->seconds, 9e-9, 4.5e-9, 9 * 160e-9);
    /* 7000 leave node 0, 3000 and 100 come. */
    expect(&made.threads[0].link, 7e-6, 3.5e-6, 14e-6);
    expect(&made.threads[1].link, 7e-6, 3.5e-6, 14e-6);
    expect(&made.threads[2].link, 7e-6, 3.5e-6, 14e-6);
    /* Without that rate, one pair's. */
    machine.has[MODEL_REMOTE_BANDWIDTH_SHARED] = false;
    machine.has[MODEL_PRIVATE_COPY_BANDWIDTH] = false;
    predict(0);
    assert_near(made.threads[0].link.predicted, 14e-6, 1e-15);
    assert_near(kind(1, MODEL_LOCAL, MODEL_CONDENSED, MODEL_TO)->seconds.predicted,
                60e-9 + 10000 / 4e9, 1e-15);
    make_machine(NULL);
}

/* A file made before these prices were measured: what needs them is unknown, the rest is not. */
static void absent(void **state)
{
    (void)state;
    for (int p = MODEL_PRICE(0, 0); p < MODEL_PARAMETERS; p++)
        machine.has[p] = false;
    read_traffic(ENTRY(2, "atomic", "to", 100, 800) "," ENTRY(2, "individual", "from", 5, 40), "",
                 ENTRY(0, "signal", "to", 3, 24));
    predict(0);
    assert_true(kind(0, MODEL_REMOTE, MODEL_ATOMIC, MODEL_TO)->is_unknown);
    assert_true(kind(2, MODEL_REMOTE, MODEL_SIGNAL, MODEL_TO)->is_unknown);
    assert_false(kind(2, MODEL_REMOTE, MODEL_ATOMIC, MODEL_TO)->is_unknown);
    expect(&kind(0, MODEL_REMOTE, MODEL_INDIVIDUAL, MODEL_FROM)->seconds, 50e-6, 25e-6, 100e-6);
    assert_near(made.seconds.predicted, 50e-6, 1e-15);
    assert_true(made.is_missing[MODEL_PRICE(MODEL_UPDATE_FLOOD, MODEL_REMOTE)]);
    assert_true(made.is_missing[MODEL_PRICE(MODEL_SIGNAL_BULK, MODEL_REMOTE)]);
    assert_false(made.is_missing[MODEL_PRICE(MODEL_FETCH_FLOOD, MODEL_REMOTE)]);
    assert_false(made.is_missing[MODEL_PRICE(MODEL_FETCH_LATENCY, MODEL_REMOTE)]);
    make_machine(NULL);
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(model_parameter_name(MODEL_PRICE(0, 0)), "fetch_latency_own");
    assert_string_equal(model_parameter_name(MODEL_PRICE(MODEL_UPDATE_FLOOD, MODEL_LOCAL)),
                        "update_flood_local");
    assert_string_equal(model_parameter_name(MODEL_PRICE(MODEL_AM_FLOOD, MODEL_REMOTE)),
                        "am_flood_remote");
    assert_string_equal(model_parameter_name(MODEL_FETCH_FAR), "fetch_far");
    assert_string_equal(model_parameter_name(MODEL_FETCH_SHARED), "fetch_shared");
    assert_string_equal(model_parameter_name(MODEL_COMBINE_ELEMENT), "combine_element");
    assert_string_equal(model_parameter_name(MODEL_PARAMETERS - 1),
                        "round_read_alone_1048576_remote");
}

static void refused(const char *text, const char *pattern)
{
    mesh_error_t error = {""};
    model_traffic_t none;
    write_text(text);
    assert_false(model_traffic_read(path, &none, &error));
    if (strstr(error.text, pattern) == NULL || strstr(error.text, path) == NULL)
        fail_msg("'%s' does not say '%s' and '%s'", error.text, path, pattern);
}

#define ONE(destinations) \
    "{\"threads\": [{\"thread\": 0, \"node\": 0, \"destinations\": [" destinations "]}]}"

static void files(void **state)
{
    (void)state;
    mesh_error_t error = {""};
    model_traffic_free(&traffic);
    write_text("{\"threads\": [{\"thread\": 0, \"node\": 0, \"destinations\": [], \"traffic\": [], "
               "\"rma\": {\"transport\": \"posix\", \"operations\": 12}}]}");
    assert_true(model_traffic_read(path, &traffic, &error));
    assert_near(traffic.by_rma, 12.0, 0);
    predict(0);
    assert_near(made.seconds.high, 0.0, 0);
    assert_near(made.served, 0.0, 0);
    refused("{\"threads\":", "line 1");
    refused("{\"format\": \"fathom-machine\"}", "key 'threads' is not");
    refused("{\"threads\": []}", "key 'threads' is not");
    refused("{\"threads\": [{\"thread\": 0, \"node\": 0}]}", "key 'destinations' is missing");
    refused("{\"threads\": [{\"thread\": 0, \"destinations\": []}]}", "thread 0: key 'node'");
    refused("{\"threads\": [{\"thread\": 0, \"node\": 1, \"destinations\": []}]}", "key 'node'");
    refused("{\"threads\": [{\"thread\": 0, \"node\": 1, \"destinations\": []}, "
            "{\"thread\": 1, \"node\": 1, \"destinations\": []}]}",
            "node 0 of 2 has no thread");
    refused(ONE("{\"mode\": \"am\", \"direction\": \"to\", \"thread\": 0, \"operations\": 1, "
                "\"bytes\": 8}, {\"mode\": \"am\", \"direction\": \"to\", \"thread\": 0, "
                "\"operations\": 2, \"bytes\": 16}"),
            "thread 0: am to thread 0 stands there twice");
    refused(ONE(ENTRY(1, "am", "to", 1, 1)), "thread 0: key 'thread'");
    refused(ONE(ENTRY(0, "am", "to", -1, 1)), "key 'operations'");
    refused(ONE(ENTRY(0, "am", "to", 1, 1.5)), "key 'bytes'");
    refused(ONE(ENTRY(0, "ma", "to", 1, 1)), "'mode' of a destination is not known");
    refused(ONE(ENTRY(0, "am", "of", 1, 1)), "'direction' of a destination is not known");
    assert_false(model_traffic_read("/nowhere/stats.json", &traffic, &error));
    assert_non_null(strstr(error.text, "/nowhere/stats.json"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(atomics), cmocka_unit_test(shared),
        cmocka_unit_test(signals), cmocka_unit_test(signals_of_wide_spread),
        cmocka_unit_test(copies),  cmocka_unit_test(absent),
        cmocka_unit_test(names),   cmocka_unit_test(files),
    };
    int file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    int failed = cmocka_run_group_tests(tests, make_machine, free_all);
    unlink(path);
    return failed;
}
