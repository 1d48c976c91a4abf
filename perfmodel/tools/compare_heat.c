#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "run_file.h"
#include "support/cli.h"
#include "support/json_text.h"

static size_t element(const compare_t *compare, const char *key, size_t index)
{
    const json_t *array = run_file_array(compare->path, compare->run, key);
    const json_t *value = json_array_get(array, index);
    if (json_array_size(array) != 2 || !json_is_integer(value) || json_integer_value(value) < 1)
        cli_fail(1, "%s: key '%s' is not two whole numbers", compare->path, key);
    return (size_t)json_integer_value(value);
}

/* Runs from before "stores" had cached ones. */
static bool read_streams(const compare_t *compare)
{
    if (json_object_get(compare->run, "stores") == NULL)
        return false;
    const char *stores = run_file_text(compare->path, compare->run, "stores");
    if (strcmp(stores, "streaming") != 0 && strcmp(stores, "cached") != 0)
        cli_fail(1, "%s: key 'stores': '%s' is not known to the model", compare->path, stores);
    return strcmp(stores, "streaming") == 0;
}

static model_heat_shape_t read_shape(const compare_t *compare)
{
    const char *form = run_file_text(compare->path, compare->run, "halo");
    int f = 0;
    while (model_heat_form_names[f] != NULL && strcmp(model_heat_form_names[f], form) != 0)
        f++;
    if (model_heat_form_names[f] == NULL)
        cli_fail(1, "%s: key 'halo': '%s' is not known to the model", compare->path, form);
    return (model_heat_shape_t){
        .M = element(compare, "size", 0),
        .N = element(compare, "size", 1),
        .P = element(compare, "grid", 0),
        .Q = element(compare, "grid", 1),
        .steps_per_exchange = run_file_count(compare->path, compare->run, "steps_per_exchange"),
        .form = (model_heat_form_t)f,
        .streams = read_streams(compare),
    };
}

/* Steps that the run's exchanges could have served: the last exchange of a stretch between two
 * checkpoints may have served fewer, but at least one. Runs from before "exchanges" had one
 * stretch. */
static double steps_served(const compare_t *compare, size_t steps, const model_heat_shape_t *shape)
{
    if (steps == 0)
        cli_fail(1, "%s: key 'steps': no step was measured", compare->path);
    if (json_object_get(compare->run, "exchanges") == NULL)
        return model_heat_steps_served(shape, steps);
    uint64_t exchanges = run_file_count(compare->path, compare->run, "exchanges");
    double served = (double)exchanges * (double)shape->steps_per_exchange;
    if (served < (double)steps)
        cli_fail(1, "%s: key 'exchanges': too few for %zu steps", compare->path, steps);
    if (exchanges > steps)
        cli_fail(1, "%s: key 'exchanges': too many for %zu steps", compare->path, steps);
    return served;
}

/* Parts of a time step as fathom-heat2d measures them. */
enum {
    HALO,
    COMPUTE,
    BARRIER,
    PARTS
};

static const char *const part_names[PARTS] = {"halo", "compute", "barrier"};

/* What the run measured. */
typedef struct measured {
    model_spread_t halo;
    model_spread_t compute;
    /* Of every thread. */
    double (*parts)[PARTS];
} measured_t;

/* The caller frees the parts. */
static measured_t read_measured(const compare_t *compare, size_t count)
{
    const char *path = compare->path;
    const json_t *seconds = run_file_object(path, compare->run, "seconds");
    const json_t *threads = run_file_array(path, compare->run, "threads");
    measured_t measured = {
        .halo = run_file_spread(path, seconds, "halo"),
        .compute = run_file_spread(path, seconds, "compute"),
        .parts = command_alloc(count, sizeof *measured.parts),
    };
    for (size_t t = 0; t < count; t++) {
        const json_t *of =
            run_file_object(path, json_array_get(threads, t), "seconds_per_iteration");
        for (int part = 0; part < PARTS; part++)
            measured.parts[t][part] = run_file_seconds(path, of, part_names[part]);
    }
    return measured;
}

/* One part, "halo" or "compute", for all time steps of the run. */
static json_t *compare_part(const compare_t *compare, const char *name,
                            const model_spread_t *measured, const model_estimate_t *paper,
                            const model_estimate_t *seconds, double iterations)
{
    double ratio = seconds->predicted * iterations / measured->median;
    json_t *object =
        json_pack("{s:o, s:o, s:f}", "measured_seconds", compare_spread_json(measured), "seconds",
                  command_estimate_json(seconds, iterations), "ratio", ratio);
    bool print = command_may_print(compare->options);
    if (print)
        printf("%-8s measured %.4g (%.4g .. %.4g), predicted %.4g (%.4g .. %.4g), ratio %.3f", name,
               measured->median, measured->min, measured->max, seconds->predicted * iterations,
               seconds->low * iterations, seconds->high * iterations, ratio);
    if (paper != NULL) {
        double paper_ratio = paper->predicted * iterations / measured->median;
        json_object_set_new(object, "paper_seconds", command_estimate_json(paper, iterations));
        json_object_set_new(object, "paper_ratio", json_real(paper_ratio));
        if (print)
            printf("; the paper's %.4g, ratio %.3f", paper->predicted * iterations, paper_ratio);
    }
    if (print)
        printf("\n");
    return object;
}

static json_t *parts_json(const double parts[PARTS])
{
    return json_pack("{s:f, s:f, s:f}", part_names[HALO], parts[HALO], part_names[COMPUTE],
                     parts[COMPUTE], part_names[BARRIER], parts[BARRIER]);
}

static json_t *compare_threads(const compare_t *compare, const measured_t *measured,
                               const model_layout_t *layout, const model_heat_prediction_t *p,
                               double more_exchanges)
{
    json_t *array = json_array();
    bool print = command_may_print(compare->options);
    if (print)
        printf("  %6s %5s  %9s %9s  %9s %9s  %9s %9s   s per 1000\n", "thread", "node", "halo",
               "pred.", "compute", "pred.", "barrier", "pred.");
    for (size_t t = 0; t < layout->threads; t++) {
        const double predicted[PARTS] = {p->threads[t].halo * more_exchanges, p->threads[t].compute,
                                         p->barrier.predicted * more_exchanges};
        const double *parts = measured->parts[t];
        size_t node = model_layout_node(layout, t);
        if (print)
            printf("  %6zu %5zu  %9.4g %9.4g  %9.4g %9.4g  %9.4g %9.4g\n", t, node,
                   parts[HALO] * 1000.0, predicted[HALO] * 1000.0, parts[COMPUTE] * 1000.0,
                   predicted[COMPUTE] * 1000.0, parts[BARRIER] * 1000.0,
                   predicted[BARRIER] * 1000.0);
        json_array_append_new(array,
                              json_pack("{s:I, s:I, s:o, s:o}", "thread", (json_int_t)t, "node",
                                        (json_int_t)node, "measured", parts_json(parts),
                                        "predicted", parts_json(predicted)));
    }
    return array;
}

/* What the run found of itself, if it looked. */
static void check_findings(const compare_t *compare)
{
    const char *check = json_string_value(json_object_get(compare->run, "check"));
    if (json_is_false(json_object_get(compare->run, "traffic_as_predicted")))
        cli_fail(1, "%s: the run itself found its traffic not as predicted", compare->path);
    if (check != NULL && strcmp(check, "failed") == 0)
        cli_fail(1, "%s: the run itself found its result wrong", compare->path);
}

json_t *compare_heat(const compare_t *compare)
{
    mesh_error_t error;
    model_layout_t layout;
    model_machine_t machine;
    model_heat_prediction_t p;
    check_findings(compare);
    model_heat_shape_t shape = read_shape(compare);
    const char *form = model_heat_form_names[shape.form];
    size_t run_steps = run_file_count(compare->path, compare->run, "steps");
    double steps = (double)run_steps;
    if (!model_heat_layout(&shape, 0, 0, &layout, &error))
        cli_fail(1, "%s: %s", compare->path, error.text);
    double served = steps_served(compare, run_steps, &shape);
    compare_layout(compare, 1, 1, 0, layout.threads,
                   run_file_array(compare->path, compare->run, "threads"), &layout);
    measured_t measured = read_measured(compare, layout.threads);
    command_read_machine(compare->options, layout.nodes, &machine);
    if (!model_heat_predict(&shape, &layout, &machine, &p, &error))
        command_fail(&error);
    if (command_may_print(compare->options)) {
        printf("%s: %zu x %zu points on %zu x %zu threads, nodes: %zu, halo: %s, time steps: %.0f; "
               "machine: %s\n",
               compare->path, shape.M, shape.N, shape.P, shape.Q, layout.nodes, form, steps,
               machine.name);
        command_print_shape(&machine, &layout);
    }
    json_t *variant = json_pack("{s:s}", "variant", form);
    json_object_set_new(variant, "halo",
                        compare_part(compare, "halo", &measured.halo,
                                     p.has_paper ? &p.paper_halo : NULL, &p.halo, served));
    json_object_set_new(variant, "compute",
                        compare_part(compare, "compute", &measured.compute,
                                     p.has_paper ? &p.paper_compute : NULL, &p.compute, steps));
    json_object_set_new(variant, "threads",
                        compare_threads(compare, &measured, &layout, &p, served / steps));
    json_t *object = command_json("compare");
    command_json_add(object, json_pack("{s:s, s:o, s:o, s:[I,I], s:[I,I], s:I, s:I, s:I, s:[o]}",
                                       "kind", "heat", "run", text_to_json(compare->path),
                                       "machine", command_machine_json(compare->options, &machine),
                                       "size", (json_int_t)shape.M, (json_int_t)shape.N, "grid",
                                       (json_int_t)shape.P, (json_int_t)shape.Q, "threads",
                                       (json_int_t)layout.threads, "nodes",
                                       (json_int_t)layout.nodes, "steps_per_exchange",
                                       (json_int_t)shape.steps_per_exchange, "variants", variant));
    model_heat_prediction_free(&p);
    free(measured.parts);
    return object;
}
