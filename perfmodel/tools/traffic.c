/* The time of a program's communication, by what PGAS_STATS has written of it. */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "support/cli.h"
#include "support/json_text.h"

typedef struct options {
    command_options_t common;
    const char *path;
    double in_flight;
    bool per_thread;
} options_t;

enum {
    OPTION_PER_THREAD = 0x200
};

/* A node that serves more than this, over the mean, is reported. */
static const double served_evenly = 1.5;

static const struct argp_option option_list[] = {
    {"in-flight", 'f', "MEAN", 0,
     "Operations that a thread has in flight between two waits, on the average; without it every "
     "kind of operation "
     "is taken to be used in the usual way",
     0},
    {"per-thread", OPTION_PER_THREAD, NULL, 0,
     "Write to --json what every thread does, not only the slowest", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options_t *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->common;
        return 0;
    case 'f':
        options->in_flight = cli_parse_real("--in-flight", arg, 1.0, 1e9);
        return 0;
    case OPTION_PER_THREAD:
        options->per_thread = true;
        return 0;
    case ARGP_KEY_ARG:
        if (options->path != NULL)
            cli_fail(CLI_EXIT_USAGE, "'%s': one STATISTICS is enough", arg);
        options->path = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- JSON ---- */

static json_t *kind_json(int place, int mode, int direction, const model_kind_t *kind)
{
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:f, s:f, s:f}", "place", model_place_names[place], "mode",
                  model_mode_names[mode], "direction", model_direction_names[direction],
                  "operations", kind->operations, "shared", kind->shared, "bytes", kind->bytes);
    json_object_set_new(object, "seconds",
                        kind->is_unknown ? json_null()
                                         : command_estimate_json(&kind->seconds, 1.0));
    json_object_set_new(object, "together_seconds", json_real(kind->together));
    json_object_set_new(object, "one_by_one_seconds", json_real(kind->one_by_one));
    return object;
}

static json_t *thread_json(const model_traffic_t *traffic, const model_traffic_prediction_t *p,
                           size_t thread)
{
    const model_thread_traffic_t *of = &p->threads[thread];
    json_t *kinds = json_array();
    for (int place = 0; place < MODEL_PLACES; place++)
        for (int mode = 0; mode < MODEL_MODES; mode++)
            for (int direction = 0; direction < MODEL_DIRECTIONS; direction++)
                if (of->kinds[place][mode][direction].operations > 0.0)
                    json_array_append_new(kinds, kind_json(place, mode, direction,
                                                           &of->kinds[place][mode][direction]));
    return json_pack("{s:I, s:I, s:o, s:f, s:f, s:o, s:o}", "thread", (json_int_t)thread, "node",
                     (json_int_t)traffic->node[thread], "seconds",
                     command_estimate_json(&of->seconds, 1.0), "together_seconds", of->together,
                     "one_by_one_seconds", of->one_by_one, "link_seconds",
                     command_estimate_json(&of->link, 1.0), "traffic", kinds);
}

static json_t *missing_json(const model_traffic_prediction_t *p)
{
    json_t *array = json_array();
    for (int parameter = 0; parameter < MODEL_PARAMETERS; parameter++)
        if (p->is_missing[parameter])
            json_array_append_new(array, json_string(model_parameter_name(parameter)));
    return array;
}

static void write_json(const options_t *options, const model_traffic_t *traffic,
                       const model_machine_t *machine, const model_traffic_prediction_t *p)
{
    json_t *object = command_json("traffic");
    command_json_add(
        object,
        json_pack("{s:o, s:o, s:I, s:I, s:o, s:o, s:f, s:b, s:f, s:o, s:o}", "statistics",
                  text_to_json(options->path), "machine",
                  command_machine_json(&options->common, machine), "threads",
                  (json_int_t)traffic->threads, "nodes", (json_int_t)traffic->nodes, "in_flight",
                  options->in_flight > 0.0 ? json_real(options->in_flight) : json_null(), "seconds",
                  command_estimate_json(&p->seconds, 1.0), "served", p->served, "mixed",
                  (int)p->is_mixed, "remote_memory_access_operations", traffic->by_rma, "missing",
                  missing_json(p), "slowest_thread", thread_json(traffic, p, p->slowest)));
    if (options->per_thread) {
        json_t *threads = json_array();
        for (size_t t = 0; t < traffic->threads; t++)
            json_array_append_new(threads, thread_json(traffic, p, t));
        json_object_set_new(object, "per_thread", threads);
    }
    command_write_json(&options->common, object);
}

/* ---- In words ---- */

static void print_estimate(const model_estimate_t *seconds)
{
    printf(" %10.4g (%9.4g .. %9.4g)", seconds->predicted, seconds->low, seconds->high);
}

static void print_kind(int place, int mode, int direction, const model_kind_t *kind)
{
    printf("%-7s %-11s %-5s %12.0f %14.0f", model_place_names[place], model_mode_names[mode],
           model_direction_names[direction], kind->operations, kind->bytes);
    if (kind->is_unknown) {
        printf(" %10s\n", "unknown");
        return;
    }
    print_estimate(&kind->seconds);
    printf(" %10.4g %10.4g\n", kind->together, kind->one_by_one);
}

static void print_thread(const model_thread_traffic_t *of)
{
    printf("%-7s %-11s %-5s %12s %14s %10s %23s %10s %10s\n", "place", "mode", "", "operations",
           "bytes", "s", "(low .. high)", "together", "one by one");
    for (int place = 0; place < MODEL_PLACES; place++)
        for (int mode = 0; mode < MODEL_MODES; mode++)
            for (int direction = 0; direction < MODEL_DIRECTIONS; direction++)
                if (of->kinds[place][mode][direction].operations > 0.0)
                    print_kind(place, mode, direction, &of->kinds[place][mode][direction]);
    if (of->link.predicted > 0.0) {
        printf("%-52s", "bytes on the link of the node");
        print_estimate(&of->link);
        printf("\n");
    }
}

/* One line for what the machine file lacks, and what to do about it. */
static void print_missing(const model_traffic_prediction_t *p, const model_machine_t *machine)
{
    size_t missing = 0;
    for (int parameter = 0; parameter < MODEL_PARAMETERS; parameter++)
        if (p->is_missing[parameter])
            printf("%s%s", missing++ == 0 ? "unknown is what needs " : ", ",
                   model_parameter_name(parameter));
    if (missing > 0)
        printf(": %s does not have that ('fathom-stream calibrate' in the shape of the job "
               "measures it)\n",
               machine->path);
}

static void print(const options_t *options, const model_traffic_t *traffic,
                  const model_machine_t *machine, const model_traffic_prediction_t *p)
{
    printf("%s: threads: %zu, nodes: %zu; machine: %s\n", options->path, traffic->threads,
           traffic->nodes, machine->name);
    printf("thread %zu, which takes longest:\n", p->slowest);
    print_thread(&p->threads[p->slowest]);
    printf("%-52s", "communication of the slowest threads");
    print_estimate(&p->seconds);
    printf(" %10.4g %10.4g\n", p->together, p->one_by_one);
    print_missing(p, machine);
    if (p->served > served_evenly)
        printf("note: one node serves %.1f times the mean of all nodes; prices are those of nodes "
               "that serve as much as they send\n",
               p->served);
    if (p->is_mixed)
        printf("note: words of one owner are changed by threads of its node and of others; on the "
               "node that may take longer\n");
    if (traffic->by_rma > 0.0)
        printf("note: %.0f operations went by remote memory access; prices hold if they did so in "
               "the calibration\n",
               traffic->by_rma);
    printf("not in it: computing, barriers, locks, collective calls, and waiting for threads that "
           "come later\n");
}

/* For command_print_shape: threads of the fullest node. */
static model_layout_t layout_of(const model_traffic_t *traffic)
{
    model_layout_t layout = {.threads = traffic->threads, .nodes = traffic->nodes};
    size_t *of_node = command_alloc(traffic->nodes, sizeof *of_node);
    for (size_t t = 0; t < traffic->threads; t++) {
        size_t threads = ++of_node[traffic->node[t]];
        if (threads > layout.threads_per_node)
            layout.threads_per_node = threads;
    }
    free(of_node);
    return layout;
}

static void run(const options_t *options)
{
    mesh_error_t error;
    model_traffic_t traffic;
    model_machine_t machine;
    model_traffic_prediction_t prediction;
    if (!model_traffic_read(options->path, &traffic, &error))
        command_fail(&error);
    command_read_machine(&options->common, 1, &machine);
    if (!model_traffic_predict(&traffic, &machine, options->in_flight, &prediction, &error))
        command_fail(&error);
    if (command_may_print(&options->common)) {
        model_layout_t layout = layout_of(&traffic);
        print(options, &traffic, &machine, &prediction);
        command_print_shape(&machine, &layout);
    }
    if (options->common.json != NULL)
        write_json(options, &traffic, &machine, &prediction);
    model_traffic_prediction_free(&prediction);
    model_traffic_free(&traffic);
}

int command_traffic(int argc, char **argv)
{
    static const struct argp_child children[] = {{&command_file_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = option_list,
        .parser = parse,
        .args_doc = "STATISTICS.json",
        .doc = "Predicts how long the communication of a program takes, by the traffic that a run "
               "with PGAS_STATS=STATISTICS.json has counted.\v"
               "Counts do not tell who waits for what. 'together' has all operations in flight "
               "together, 'one by one' each waiting for the one before it, signals and active "
               "messages for those received too; low and high include both, and the spread of the "
               "machine's parameters. In between, values, copies and atomic operations with a "
               "result are waited for, those without are in flight together, and signals and "
               "messages go both ways at once. pgas_stats_reset leaves out what came before.",
        .children = children,
    };
    options_t options = {.path = NULL};
    cli_parse(&argp, 0, argc, argv, &options);
    if (options.path == NULL)
        cli_fail(CLI_EXIT_USAGE, "no STATISTICS given; see '%s --help'", argv[0]);
    command_check_machine(argv[0], &options.common);
    command_check_files(&options.common, "STATISTICS", options.path);
    if (options.per_thread && options.common.json == NULL)
        cli_fail(CLI_EXIT_USAGE, "--per-thread goes with --json");
    run(&options);
    return EXIT_SUCCESS;
}
