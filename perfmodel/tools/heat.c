#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "summary.h"
#include "support/cli.h"

typedef struct options {
    command_options_t common;
    model_heat_shape_t shape;
    size_t iterations;
    bool per_thread;
} options_t;

enum {
    OPTION_STREAMING = 0x200,
    OPTION_PER_THREAD
};

static const struct argp_option option_list[] = {
    {"size", 's', "MxN", 0, "Points of the mesh, the fixed outermost layer included", 0},
    {"grid", 'g', "PxQ", 0, "Threads of the job, in rows and columns", 0},
    {"halo", 'h', "FORM", 0, "memget (default), strided, async or signal", 0},
    {"steps-per-exchange", 'k', "K", 0, "Time steps that one exchange serves (default 1)", 0},
    {"streaming-stores", OPTION_STREAMING, NULL, 0, "New values are stored past the caches", 0},
    {"iterations", 'i', "COUNT", 0, "Time steps whose time is given (default 1000)", 0},
    {"per-thread", OPTION_PER_THREAD, NULL, 0,
     "Write to --json what every thread does, not only summaries", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    enum {
        LARGEST = 1000000000
    };
    options_t *options = state->input;
    model_heat_shape_t *shape = &options->shape;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->common;
        state->child_inputs[1] = &options->common;
        return 0;
    case 's':
        cli_parse_pair("--size", arg, 3, LARGEST, &shape->M, &shape->N);
        return 0;
    case 'g':
        cli_parse_pair("--grid", arg, 1, MODEL_THREADS_MAX, &shape->P, &shape->Q);
        return 0;
    case 'h':
        shape->form = (model_heat_form_t)cli_parse_choice("--halo", arg, model_heat_form_names);
        return 0;
    case 'k':
        shape->steps_per_exchange = cli_parse_count("--steps-per-exchange", arg, 1, LARGEST);
        return 0;
    case OPTION_STREAMING:
        shape->streams = true;
        return 0;
    case OPTION_PER_THREAD:
        options->per_thread = true;
        return 0;
    case 'i':
        options->iterations = cli_parse_count("--iterations", arg, 1, LARGEST);
        return 0;
    case ARGP_KEY_ARG:
        cli_fail(CLI_EXIT_USAGE, "'%s': this command has options only", arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* One of the two parts, "halo" or "compute". */
static json_t *part_json(const model_estimate_t *paper, const model_estimate_t *seconds,
                         double iterations)
{
    json_t *object = json_object();
    if (paper != NULL)
        json_object_set_new(object, "paper_seconds", command_estimate_json(paper, iterations));
    json_object_set_new(object, "seconds", command_estimate_json(seconds, iterations));
    return object;
}

/* What threads do in a time step of the run, whose last exchange may serve fewer steps. */
typedef struct threads {
    const model_layout_t *layout;
    const model_heat_parts_t *parts;
    /* Steps that the exchanges could serve over those of the run. */
    double more_exchanges;
} threads_t;

static double halo_of(const threads_t *of, size_t thread)
{
    return of->parts[thread].halo * of->more_exchanges;
}

static json_t *thread_json(const threads_t *of, size_t thread)
{
    return json_pack("{s:I, s:I, s:{s:f, s:f}}", "thread", (json_int_t)thread, "node",
                     (json_int_t)model_layout_node(of->layout, thread), "seconds_per_iteration",
                     "halo", halo_of(of, thread), "compute", of->parts[thread].compute);
}

static json_t *threads_json(const threads_t *of)
{
    json_t *array = json_array();
    for (size_t t = 0; t < of->layout->threads; t++)
        json_array_append_new(array, thread_json(of, t));
    return array;
}

static void add_summary(const threads_t *of, json_t *object)
{
    size_t threads = of->layout->threads;
    size_t slowest = 0;
    double *halo = command_alloc(threads, 3 * sizeof *halo);
    double *compute = halo + threads;
    double *total = compute + threads;
    for (size_t t = 0; t < threads; t++) {
        halo[t] = halo_of(of, t);
        compute[t] = of->parts[t].compute;
        total[t] = halo[t] + compute[t];
        if (total[t] > total[slowest])
            slowest = t;
    }
    json_object_set_new(object, "threads_summary",
                        json_pack("{s:{s:o, s:o, s:o}}", "seconds_per_iteration", "halo",
                                  summary_json(halo, threads, false), "compute",
                                  summary_json(compute, threads, false), "total",
                                  summary_json(total, threads, false)));
    json_object_set_new(object, "slowest_thread", thread_json(of, slowest));
    free(halo);
}

static void write_json(const options_t *options, const model_layout_t *layout,
                       const model_machine_t *machine, const model_heat_prediction_t *prediction)
{
    const model_heat_shape_t *shape = &options->shape;
    double iterations = (double)options->iterations;
    double served = model_heat_steps_served(shape, options->iterations);
    const model_heat_prediction_t *p = prediction;
    const threads_t threads = {layout, p->threads, served / iterations};
    json_t *object = command_json("heat");
    command_json_add(object, json_pack("{s:[I,I], s:[I,I], s:s, s:I, s:b, s:o, s:I, s:I, s:I}",
                                       "size", (json_int_t)shape->M, (json_int_t)shape->N, "grid",
                                       (json_int_t)shape->P, (json_int_t)shape->Q, "halo_form",
                                       model_heat_form_names[shape->form], "steps_per_exchange",
                                       (json_int_t)shape->steps_per_exchange, "streaming_stores",
                                       (int)shape->streams, "machine",
                                       command_machine_json(&options->common, machine), "nodes",
                                       (json_int_t)layout->nodes, "threads_per_node",
                                       (json_int_t)layout->threads_per_node, "iterations",
                                       (json_int_t)options->iterations));
    json_object_set_new(object, "halo",
                        part_json(p->has_paper ? &p->paper_halo : NULL, &p->halo, served));
    json_object_set_new(
        object, "compute",
        part_json(p->has_paper ? &p->paper_compute : NULL, &p->compute, iterations));
    json_object_set_new(object, "barrier", part_json(NULL, &p->barrier, served));
    json_object_set_new(object, "left_out", command_parameters_json(p->left_out));
    add_summary(&threads, object);
    if (options->per_thread)
        json_object_set_new(object, "threads", threads_json(&threads));
    command_write_json(&options->common, object);
}

static void print_part(const char *name, bool has_paper, const model_estimate_t *paper,
                       const model_estimate_t *seconds, double iterations)
{
    printf("%-8s %14.4g (%9.4g .. %9.4g)", name, seconds->predicted * iterations,
           seconds->low * iterations, seconds->high * iterations);
    if (has_paper)
        printf(" %14.4g (%9.4g .. %9.4g)", paper->predicted * iterations, paper->low * iterations,
               paper->high * iterations);
    printf("\n");
}

static void print(const options_t *options, const model_layout_t *layout,
                  const model_machine_t *machine, const model_heat_prediction_t *p)
{
    const model_heat_shape_t *shape = &options->shape;
    double iterations = (double)options->iterations;
    double served = model_heat_steps_served(shape, options->iterations);
    char names[512];
    printf("%zu x %zu points on %zu x %zu threads, nodes: %zu, halo: %s, time steps: %zu; "
           "machine: %s\n",
           shape->M, shape->N, shape->P, shape->Q, layout->nodes,
           model_heat_form_names[shape->form], options->iterations, machine->name);
    command_print_shape(machine, layout);
    printf("%-8s %14s %23s %14s %23s\n", "part", "s, all terms", "(low .. high)", "s, the paper's",
           "(low .. high)");
    print_part("halo", p->has_paper, &p->paper_halo, &p->halo, served);
    print_part("compute", p->has_paper, &p->paper_compute, &p->compute, iterations);
    print_part("barrier", false, NULL, &p->barrier, served);
    if (p->left_out != 0)
        printf("%8s left out, for the machine file does not have: %s\n", "",
               command_parameter_names(p->left_out, names));
}

static void run(const options_t *options)
{
    mesh_error_t error;
    model_layout_t layout;
    model_machine_t machine;
    model_heat_prediction_t prediction;
    const command_options_t *common = &options->common;
    if (!model_heat_layout(&options->shape, common->nodes, common->threads_per_node, &layout,
                           &error))
        cli_fail(CLI_EXIT_USAGE, "%s", error.text);
    command_read_machine(common, layout.nodes, &machine);
    if (!model_heat_predict(&options->shape, &layout, &machine, &prediction, &error))
        command_fail(&error);
    if (command_may_print(common))
        print(options, &layout, &machine, &prediction);
    if (common->json != NULL)
        write_json(options, &layout, &machine, &prediction);
    model_heat_prediction_free(&prediction);
}

int command_heat(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&command_job_argp, 0, NULL, 0}, {&command_file_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = option_list,
        .parser = parse,
        .doc = "Predicts the heat equation of fathom-heat2d: halo exchange and computation.\v"
               "The paper's formulas are for memget with one step per exchange. The halo's time "
               "is without the barrier, which stands beside it.",
        .children = children,
    };
    options_t options = {.iterations = 1000, .shape = {.steps_per_exchange = 1}};
    cli_parse(&argp, 0, argc, argv, &options);
    if (options.shape.M == 0 || options.shape.P == 0 || options.common.machine_count == 0)
        cli_fail(CLI_EXIT_USAGE, "needed: --size, --grid and --machine; see '%s --help'", argv[0]);
    command_check_files(&options.common, NULL, NULL);
    if (options.shape.streams && options.shape.steps_per_exchange > 1)
        cli_fail(CLI_EXIT_USAGE, "--streaming-stores: steps that share an exchange "
                                 "(--steps-per-exchange) share what is in the caches");
    if (options.per_thread && options.common.json == NULL)
        cli_fail(CLI_EXIT_USAGE, "--per-thread goes with --json");
    run(&options);
    return EXIT_SUCCESS;
}
