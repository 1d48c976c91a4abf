/* Machine files: what is read, what is rejected and how, and how several are combined. */
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
#include "perfmodel/machine.h"

static char path[] = "/tmp/perfmodel-machine-XXXXXX";

static void write_file(const char *text)
{
    mesh_error_t error;
    assert_true(mesh_text_file_write(path, text, strlen(text), &error));
}

static void write_machine(const char *head, const char *parameters)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{\"format\": \"fathom-machine\", \"version\": 1, \"name\": \"test\", %s"
             "\"threads\": 4, \"nodes\": 2, \"threads_per_node\": 2, \"parameters\": {%s}}",
             head, parameters);
    write_file(text);
}

#define LINE "\"cache_line_bytes\": 64, "
#define MEMORY "\"private_bandwidth\": {\"median\": 5e9, \"min\": 4e9, \"max\": 6e9}"

static void reads_origin(void **state)
{
    (void)state;
    mesh_error_t error;
    model_machine_t machine;
    write_machine(LINE "\"host\": \"h\", \"processor\": \"P 2\", ", MEMORY);
    assert_true(model_machine_read(path, &machine, &error));
    assert_string_equal(machine.host, "h");
    assert_string_equal(machine.processor, "P 2");
}

static void refused(const char *pattern)
{
    mesh_error_t error = {""};
    model_machine_t machine;
    assert_false(model_machine_read(path, &machine, &error));
    if (strstr(error.text, pattern) == NULL || strstr(error.text, path) == NULL)
        fail_msg("'%s' does not say '%s' and '%s'", error.text, path, pattern);
}

static void reads(void **state)
{
    (void)state;
    mesh_error_t error;
    model_machine_t machine;
    write_machine(LINE, MEMORY ", \"remote_latency\": {\"median\": 3e-6, \"min\": 2e-6, \"max\": "
                               "9e-6}, \"something_new\": 3");
    assert_true(model_machine_read(path, &machine, &error));
    assert_string_equal(machine.name, "test");
    assert_string_equal(machine.host, "");
    assert_string_equal(machine.processor, "");
    assert_int_equal(machine.threads_per_node, 2);
    assert_true(machine.has[MODEL_REMOTE_LATENCY]);
    assert_false(machine.has[MODEL_BARRIER_LATENCY]);
    model_parameters_t typical = model_machine_parameters(&machine, MODEL_TYPICAL);
    model_parameters_t fastest = model_machine_parameters(&machine, MODEL_FASTEST);
    model_parameters_t slowest = model_machine_parameters(&machine, MODEL_SLOWEST);
    assert_near(typical.value[MODEL_PRIVATE_BANDWIDTH], 5e9, 0);
    assert_near(fastest.value[MODEL_PRIVATE_BANDWIDTH], 6e9, 0);
    assert_near(slowest.value[MODEL_PRIVATE_BANDWIDTH], 4e9, 0);
    assert_near(fastest.value[MODEL_REMOTE_LATENCY], 2e-6, 0);
    assert_near(slowest.value[MODEL_REMOTE_LATENCY], 9e-6, 0);
    assert_false(typical.has[MODEL_BARRIER_LATENCY]);
    assert_true(model_machine_suits(&machine, 1, &error));
    assert_false(model_machine_suits(&machine, 2, &error));
    assert_non_null(strstr(error.text, "'remote_bandwidth'"));
}

static void refuses(void **state)
{
    (void)state;
    write_machine("", MEMORY);
    refused("'cache_line_bytes' is missing");
    write_machine(LINE, "");
    refused("'private_bandwidth' is missing");
    write_machine(LINE, "\"private_bandwidth\": 5e9");
    refused("'private_bandwidth' is not an object");
    write_machine(LINE, "\"private_bandwidth\": {\"median\": 5e9, \"min\": 4e9}");
    refused("parameter 'private_bandwidth': key 'max' is missing");
    write_machine(LINE, "\"private_bandwidth\": {\"median\": 7e9, \"min\": 4e9, \"max\": 6e9}");
    refused("not between");
    write_machine(LINE, "\"private_bandwidth\": {\"median\": 0, \"min\": 0, \"max\": 6e9}");
    refused("'median' is not a positive number");
    write_machine(LINE,
                  MEMORY ", \"barrier_latency\": {\"median\": \"x\", \"min\": 0, \"max\": 1}");
    refused("'barrier_latency': 'median' is not");
    write_file("{\"format\": \"fathom-machine\", \"version\": 1, " LINE
               "\"threads_per_node\": 1, \"nodes\": 2, \"parameters\": {" MEMORY
               ", \"meeting_local\": {\"median\": 2, \"min\": 1, \"max\": 3}}}");
    refused("'meeting_local' needs a key 'threads_per_node' of at least 2");
    write_file("{\"format\": \"fathom-machine\", \"version\": 1, " LINE
               "\"threads_per_node\": 2, \"parameters\": {" MEMORY
               ", \"meeting_remote\": {\"median\": 2, \"min\": 1, \"max\": 3}}}");
    refused("'meeting_remote' needs a key 'nodes' of at least 2");
    write_file("{\"format\": \"fathom-machine\", \"version\": 2}");
    refused("'version' is not 1");
    write_file("{\"format\": \"other\"}");
    refused("'format'");
    write_file("{\"format\":\n\n oops}");
    refused("line 3");
    write_file("[1, 2]");
    refused("'format'");
    mesh_error_t error;
    model_machine_t machine;
    assert_false(model_machine_read("/nowhere/machine.json", &machine, &error));
    assert_non_null(strstr(error.text, "/nowhere/machine.json"));
}

/* Of the job that measured; the file need not say it. */
static void origins(void **state)
{
    (void)state;
    static const char *const counts[] = {"\"2\"", "-5", "0", "1.5", "1048577", "null"};
    static const char *const keys[] = {"threads", "nodes", "threads_per_node"};
    char text[512];
    for (size_t k = 0; k < 3; k++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            snprintf(text, sizeof text,
                     "{\"format\": \"fathom-machine\", \"version\": 1, " LINE
                     "\"%s\": %s, \"parameters\": {" MEMORY "}}",
                     keys[k], counts[c]);
            write_file(text);
            snprintf(text, sizeof text, "key '%s' is not a whole number from 1 to 1048576",
                     keys[k]);
            refused(text);
        }
    write_file("{\"format\": \"fathom-machine\", \"version\": 1, " LINE
               "\"threads\": 2, \"nodes\": 64, \"parameters\": {" MEMORY "}}");
    refused("key 'nodes' is 64, more than 'threads', which is 2");
    write_file("{\"format\": \"fathom-machine\", \"version\": 1, " LINE
               "\"threads\": 2, \"threads_per_node\": 3, \"parameters\": {" MEMORY "}}");
    refused("key 'threads_per_node' is 3, more than 'threads', which is 2");
    write_file("{\"format\": \"fathom-machine\", \"version\": 1, " LINE
               "\"threads\": 5, \"nodes\": 2, \"threads_per_node\": 2, \"parameters\": {" MEMORY
               "}}");
    refused("key 'threads' is 5, which 2 nodes of 'threads_per_node' = 2 do not have");
    write_machine(LINE "\"host\": 7, ", MEMORY);
    refused("key 'host' is not text");
    write_machine(LINE "\"processor\": null, ", MEMORY);
    refused("key 'processor' is not text");
    write_file("{\"format\": \"fathom-machine\", \"version\": 1, " LINE "\"parameters\": {" MEMORY
               "}}");
    mesh_error_t error = {""};
    model_machine_t machine;
    assert_true(model_machine_read(path, &machine, &error));
    assert_int_equal(machine.threads, 0);
    assert_string_equal(machine.name, "unnamed");
}

/* Writes a parameter that is `number` in all three. */
static void write_parameter(const char *name, const char *number)
{
    char parameters[512];
    snprintf(parameters, sizeof parameters,
             "%s, \"%s\": {\"median\": %s, \"min\": %s, \"max\": %s}", MEMORY, name, number, number,
             number);
    write_machine(LINE, parameters);
}

static void accepts(const char *name, const char *number)
{
    mesh_error_t error = {""};
    model_machine_t machine;
    write_parameter(name, number);
    if (!model_machine_read(path, &machine, &error))
        fail_msg("%s", error.text);
}

static void ranges(void **state)
{
    (void)state;
    accepts("remote_latency", "0");
    accepts("remote_latency", "1e-30");
    accepts("remote_latency", "1e9");
    accepts("remote_bandwidth", "1e-30");
    accepts("remote_bandwidth", "1e18");
    write_parameter("remote_latency", "1.1e9");
    refused("parameter 'remote_latency': 'median' is 1.1e+09, not from 1e-30 to 1e+09 seconds");
    write_parameter("remote_latency", "9e-31");
    refused("parameter 'remote_latency': 'median' is 9e-31, not");
    write_machine(LINE,
                  MEMORY ", \"barrier_latency\": {\"median\": 0, \"min\": 0, \"max\": 1.7e308}");
    refused("parameter 'barrier_latency': 'max' is 1.7e+308, not");
    write_parameter("remote_bandwidth", "1.1e18");
    refused("parameter 'remote_bandwidth': 'median' is 1.1e+18, not from 1e-30 to 1e+18 bytes/s");
    write_parameter("remote_bandwidth", "5e-324");
    refused("parameter 'remote_bandwidth': 'median' is 4.94066e-324, not");
    write_machine("\"cache_line_bytes\": 5e-324, ", MEMORY);
    refused("the machine: 'cache_line_bytes' is 4.94066e-324, not from 1 to 65536 bytes");
    write_machine(LINE "\"second_level_cache_bytes\": 0.5, ", MEMORY);
    refused("the machine: 'second_level_cache_bytes' is 0.5, not");
    write_machine(LINE "\"last_level_share_bytes\": 1.1e10, ", MEMORY);
    refused("the machine: 'last_level_share_bytes' is 1.1e+10, not");
}

/* What the products need beyond the paper's parameters. */
static void caches_and_products(void **state)
{
    (void)state;
    mesh_error_t error;
    model_machine_t machines[2];
    model_machine_t both;
    write_machine(LINE
                  "\"first_level_cache_bytes\": 49152, \"second_level_cache_bytes\": 2097152, ",
                  MEMORY ", \"private_scale_bandwidth\": {\"median\": 3e9, \"min\": 2e9, \"max\": "
                         "4e9}, \"product_bandwidth\": {\"median\": 6e9, \"min\": 5e9, \"max\": "
                         "7e9}, \"gather_access\": {\"median\": 2e-9, \"min\": 0, \"max\": 3e-9}");
    assert_true(model_machine_read(path, &machines[0], &error));
    assert_near(machines[0].first_level_cache_bytes, 49152, 0);
    assert_near(machines[0].second_level_cache_bytes, 2097152, 0);
    model_parameters_t fastest = model_machine_parameters(&machines[0], MODEL_FASTEST);
    assert_near(fastest.value[MODEL_PRIVATE_SCALE_BANDWIDTH], 4e9, 0);
    assert_near(fastest.value[MODEL_PRODUCT_BANDWIDTH], 7e9, 0);
    assert_near(fastest.value[MODEL_GATHER_ACCESS], 0, 0);
    write_machine(LINE, MEMORY);
    assert_true(model_machine_read(path, &machines[1], &error));
    assert_near(machines[1].second_level_cache_bytes, 0, 0);
    assert_false(machines[1].has[MODEL_GATHER_ACCESS]);
    model_machine_combine(machines, 2, &both);
    assert_near(both.second_level_cache_bytes, 2097152, 0);
    write_machine(LINE "\"second_level_cache_bytes\": 0, ", MEMORY);
    assert_true(model_machine_read(path, &machines[1], &error));
    assert_near(machines[1].second_level_cache_bytes, 0, 0);

    write_machine(LINE "\"second_level_cache_bytes\": -1, ", MEMORY);
    refused("the machine: 'second_level_cache_bytes' is not 0 or a positive number");
    write_machine(LINE "\"second_level_cache_bytes\": \"2M\", ", MEMORY);
    refused("'second_level_cache_bytes' is not 0 or a positive number");
    write_machine(LINE "\"second_level_cache_bytes\": null, ", MEMORY);
    refused("'second_level_cache_bytes' is not 0 or a positive number");
    write_machine(LINE,
                  MEMORY ", \"private_scale_bandwidth\": {\"median\": 0, \"min\": 0, \"max\": 1}");
    refused("'private_scale_bandwidth': 'median' is not a positive number");
    write_machine(LINE, MEMORY ", \"product_bandwidth\": {\"median\": 1, \"min\": -1, \"max\": 1}");
    refused("'product_bandwidth': 'min' is not a positive number");
    write_machine(LINE, MEMORY ", \"gather_access\": {\"median\": \"x\", \"min\": 0, \"max\": 1}");
    refused("'gather_access': 'median' is not 0 or a positive number");
    write_machine(LINE, MEMORY ", \"gather_access\": 2e-9");
    refused("'gather_access' is not an object");
}

static void combines(void **state)
{
    (void)state;
    mesh_error_t error;
    model_machine_t machines[3];
    model_machine_t both;
    write_machine(LINE, MEMORY ", \"barrier_latency\": {\"median\": 1, \"min\": 1, \"max\": 1}");
    assert_true(model_machine_read(path, &machines[0], &error));
    write_machine(LINE, "\"private_bandwidth\": {\"median\": 8e9, \"min\": 3e9, \"max\": 9e9}");
    assert_true(model_machine_read(path, &machines[1], &error));
    machines[2] = machines[1];
    model_machine_combine(machines, 2, &both);
    assert_near(both.parameters[MODEL_PRIVATE_BANDWIDTH].median, 6.5e9, 1);
    assert_near(both.parameters[MODEL_PRIVATE_BANDWIDTH].min, 3e9, 0);
    assert_near(both.parameters[MODEL_PRIVATE_BANDWIDTH].max, 9e9, 0);
    assert_false(both.has[MODEL_BARRIER_LATENCY]);
    model_machine_combine(machines, 3, &both);
    assert_near(both.parameters[MODEL_PRIVATE_BANDWIDTH].median, 8e9, 0);
}

/* Whatever their order, what one file does not tell is unknown, and calibrations of other
 * processors or jobs are not mixed. */
static void combines_origins(void **state)
{
    (void)state;
    mesh_error_t error;
    const model_machine_t here = {.path = "here",
                                  .host = "a",
                                  .processor = "P",
                                  .threads = 4,
                                  .nodes = 2,
                                  .threads_per_node = 2};
    model_machine_t machines[3] = {here, here, here};
    model_machine_t all;
    assert_true(model_machines_agree(machines, 3, &error));
    model_machine_combine(machines, 3, &all);
    assert_string_equal(all.host, "a");
    for (int other = 0; other < 3; other++) {
        machines[other].host[0] = 'b';
        assert_true(model_machines_agree(machines, 3, &error));
        model_machine_combine(machines, 3, &all);
        assert_string_equal(all.host, other == 0 ? "b and others" : "a and others");
        memset(machines[other].host, 'h', sizeof all.host - 1);
        model_machine_combine(machines, 3, &all);
        assert_non_null(strstr(all.host, " and others"));
        machines[other] = (model_machine_t){.path = "silent"};
        assert_true(model_machines_agree(machines, 3, &error));
        model_machine_combine(machines, 3, &all);
        assert_string_equal(all.host, "");
        assert_string_equal(all.processor, "");
        assert_int_equal(all.threads, 4);
        assert_int_equal(all.nodes, 2);
        assert_int_equal(all.threads_per_node, 2);
        machines[other] = here;
        machines[other].processor[0] = 'Q';
        assert_false(model_machines_agree(machines, 3, &error));
        assert_non_null(strstr(error.text, "measured on"));
        machines[other] = here;
        machines[other].threads = 8;
        assert_false(model_machines_agree(machines, 3, &error));
        assert_non_null(strstr(error.text, "8"));
        machines[other] = here;
        machines[other].nodes = 1;
        assert_false(model_machines_agree(machines, 3, &error));
        machines[other] = here;
        machines[other].threads_per_node = 3;
        assert_false(model_machines_agree(machines, 3, &error));
        machines[other] = here;
    }
}

/* By pointers a row takes now so long and now another time, and the least is luck. */
static void combines_rows_by_pointers(void **state)
{
    (void)state;
    static const double row[] = {20e-9, 40e-9, 36e-9};
    const int own = MODEL_RATE(MODEL_POINTERS_KERNEL, MODEL_RATE_ROW, 1);
    const int naive = MODEL_RATE(MODEL_NAIVE_KERNEL, MODEL_RATE_HELD, 2);
    model_machine_t machines[3] = {{.cache_line_bytes = 64.0}};
    model_machine_t all;
    for (int m = 0; m < 3; m++)
        machines[m].parameters[own].median = machines[m].parameters[naive].median = row[m];
    model_machine_combine(machines, 3, &all);
    assert_near(all.parameters[own].median, 36e-9, 1e-15);
    assert_near(all.parameters[naive].median, 36e-9, 1e-15);
    model_machine_combine(machines, 2, &all);
    assert_near(all.parameters[own].median, 30e-9, 1e-15);
}

/* Where accesses go to two threads it takes the same every time, and what lines add there is a
 * difference of two such times. */
static void combines_least_rows_by_pointers(void **state)
{
    (void)state;
    static const double turns[] = {30e-9, 50e-9};
    static const double with_one[] = {70e-9, 60e-9};
    const int near = MODEL_RATE(MODEL_POINTERS_KERNEL, MODEL_RATE_NEAR_ONE, 1);
    const int far = MODEL_RATE(MODEL_POINTERS_KERNEL, MODEL_RATE_FAR_ALL, 2);
    const int alternately = MODEL_RATE(MODEL_POINTERS_TURNS_KERNEL, MODEL_RATE_ROW, 1);
    const int mixed = MODEL_RATE(MODEL_SHIFTS_MIXED_KERNEL, MODEL_RATE_HELD, 3);
    model_machine_t machines[2] = {{.cache_line_bytes = 64.0}, {.cache_line_bytes = 64.0}};
    model_machine_t both;
    for (int m = 0; m < 2; m++) {
        model_spread_t *rates = machines[m].parameters;
        rates[MODEL_RATE(MODEL_POINTERS_KERNEL, MODEL_RATE_ROW, 1)].median = 90e-9;
        rates[alternately].median = turns[m];
        rates[near].median = with_one[m] - turns[m];
        rates[far].median = turns[1 - m];
        rates[mixed].median = turns[m];
    }
    model_machine_combine(machines, 2, &both);
    assert_near(both.parameters[alternately].median, 30e-9, 1e-18);
    assert_near(both.parameters[near].median, 30e-9, 1e-18);
    assert_near(both.parameters[far].median, 30e-9, 1e-18);
    assert_near(both.parameters[mixed].median, 30e-9, 1e-18);
}

/* What other programs add to a row's time in one calibration is in none of the combined rates. */
static void combines_least_rows(void **state)
{
    (void)state;
    static const double row[] = {5e-9, 7e-9};
    static const double with_one[] = {9e-9, 8e-9};
    static const double with_all[] = {30e-9, 21e-9};
    model_machine_t machines[2] = {{.cache_line_bytes = 64.0}, {.cache_line_bytes = 64.0}};
    model_machine_t both;
    for (int m = 0; m < 2; m++) {
        model_spread_t *rates = machines[m].parameters;
        rates[MODEL_RATE(MODEL_ROWS_KERNEL, MODEL_RATE_ROW, 1)].median = row[m];
        rates[MODEL_RATE(MODEL_ROWS_KERNEL, MODEL_RATE_HELD, 1)].median = row[1 - m];
        rates[MODEL_RATE(MODEL_ROWS_KERNEL, MODEL_RATE_NEAR_ONE, 1)].median = with_one[m] - row[m];
        rates[MODEL_RATE(MODEL_ROWS_KERNEL, MODEL_RATE_NEAR_ALL, 1)].median =
            (with_all[m] - row[m]) / 16.0;
        rates[MODEL_RATE(MODEL_NAIVE_KERNEL, MODEL_RATE_ROW, 3)].median = 2.0 * row[m];
        rates[MODEL_CLOSE_ROW(MODEL_ROWS_KERNEL, 0)].median = row[m];
        rates[MODEL_CLOSE_ROW(MODEL_SLICED_KERNEL, 3)].median = row[1 - m];
        rates[MODEL_BARRIER_LATENCY].median = row[m];
    }
    model_machine_combine(machines, 2, &both);
    const model_spread_t *rates = both.parameters;
    assert_near(rates[MODEL_RATE(MODEL_ROWS_KERNEL, MODEL_RATE_ROW, 1)].median, 5e-9, 1e-18);
    assert_near(rates[MODEL_RATE(MODEL_ROWS_KERNEL, MODEL_RATE_HELD, 1)].median, 5e-9, 1e-18);
    assert_near(rates[MODEL_RATE(MODEL_ROWS_KERNEL, MODEL_RATE_NEAR_ONE, 1)].median, 3e-9, 1e-18);
    assert_near(rates[MODEL_RATE(MODEL_ROWS_KERNEL, MODEL_RATE_NEAR_ALL, 1)].median, 1e-9, 1e-18);
    assert_near(rates[MODEL_RATE(MODEL_NAIVE_KERNEL, MODEL_RATE_ROW, 3)].median, 12e-9, 1e-18);
    assert_near(rates[MODEL_CLOSE_ROW(MODEL_ROWS_KERNEL, 0)].median, 5e-9, 1e-18);
    assert_near(rates[MODEL_CLOSE_ROW(MODEL_SLICED_KERNEL, 3)].median, 5e-9, 1e-18);
    assert_near(rates[MODEL_BARRIER_LATENCY].median, 6e-9, 1e-18);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads),
        cmocka_unit_test(reads_origin),
        cmocka_unit_test(refuses),
        cmocka_unit_test(ranges),
        cmocka_unit_test(origins),
        cmocka_unit_test(caches_and_products),
        cmocka_unit_test(combines),
        cmocka_unit_test(combines_origins),
        cmocka_unit_test(combines_least_rows),
        cmocka_unit_test(combines_rows_by_pointers),
        cmocka_unit_test(combines_least_rows_by_pointers),
    };
    int descriptor = mkstemp(path);
    if (descriptor < 0)
        return 1;
    close(descriptor);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
