#include "prediction_json.h"

#include <stdlib.h>
#include <string.h>

#include "summary.h"

static const struct {
    const char *name;
    size_t offset;
} part_fields[] = {
    {"pack", offsetof(model_parts_t, pack)},
    {"put", offsetof(model_parts_t, put)},
    {"copy", offsetof(model_parts_t, copy)},
    {"unpack", offsetof(model_parts_t, unpack)},
    {"compute", offsetof(model_parts_t, compute)},
    {"communication", offsetof(model_parts_t, communication)},
};

enum {
    PARTS = sizeof part_fields / sizeof part_fields[0]
};

static double part_of(const model_parts_t *parts, size_t part)
{
    double value;
    memcpy(&value, (const char *)parts + part_fields[part].offset, sizeof value);
    return value;
}

static json_t *parts_json(const model_parts_t *parts)
{
    json_t *object = json_object();
    for (size_t part = 0; part < PARTS; part++)
        json_object_set_new(object, part_fields[part].name, json_real(part_of(parts, part)));
    return object;
}

static json_t *thread_json(const prediction_case_t *from, const model_prediction_t *prediction,
                           size_t thread)
{
    json_t *object = json_pack("{s:I, s:I, s:o}", "thread", (json_int_t)thread, "node",
                               (json_int_t)model_layout_node(from->layout, thread),
                               "seconds_per_iteration", parts_json(&prediction->threads[thread]));
    if (prediction->has_paper) {
        model_parameters_t machine = model_machine_parameters(from->machine, MODEL_TYPICAL);
        model_parts_t parts =
            model_paper_parts(from->layout, &from->counts[thread], &machine, prediction->variant);
        json_object_set_new(object, "paper_seconds_per_iteration", parts_json(&parts));
    }
    return object;
}

static json_t *node_json(const model_prediction_t *prediction, size_t node)
{
    return json_pack("{s:I, s:f}", "node", (json_int_t)node, "communication_seconds_per_iteration",
                     prediction->nodes[node]);
}

static void add_each(const prediction_case_t *from, const model_prediction_t *prediction,
                     json_t *object)
{
    json_t *threads = json_array();
    json_t *nodes = json_array();
    for (size_t t = 0; t < from->layout->threads; t++)
        json_array_append_new(threads, thread_json(from, prediction, t));
    for (size_t node = 0; node < from->layout->nodes; node++)
        json_array_append_new(nodes, node_json(prediction, node));
    json_object_set_new(object, "threads", threads);
    json_object_set_new(object, "nodes", nodes);
}

static size_t largest(const double *values, size_t count)
{
    size_t found = 0;
    for (size_t i = 1; i < count; i++)
        if (values[i] > values[found])
            found = i;
    return found;
}

/* `room` has one element per thread; each summary changes their order. */
static void add_threads_summary(const prediction_case_t *from, const model_prediction_t *prediction,
                                double *room, json_t *object)
{
    size_t threads = from->layout->threads;
    json_t *summary = json_object();
    for (size_t part = 0; part < PARTS; part++) {
        for (size_t t = 0; t < threads; t++)
            room[t] = part_of(&prediction->threads[t], part);
        json_object_set_new(summary, part_fields[part].name, summary_json(room, threads, false));
    }
    for (size_t t = 0; t < threads; t++)
        room[t] = model_parts_sum(&prediction->threads[t]);
    size_t slowest = largest(room, threads);
    json_object_set_new(summary, "total", summary_json(room, threads, false));
    json_object_set_new(object, "threads_summary",
                        json_pack("{s:o}", "seconds_per_iteration", summary));
    json_object_set_new(object, "slowest_thread", thread_json(from, prediction, slowest));
}

static void add_nodes_summary(const prediction_case_t *from, const model_prediction_t *prediction,
                              double *room, json_t *object)
{
    size_t nodes = from->layout->nodes;
    size_t slowest = largest(prediction->nodes, nodes);
    memcpy(room, prediction->nodes, nodes * sizeof *room);
    json_object_set_new(object, "nodes_summary",
                        json_pack("{s:o}", "communication_seconds_per_iteration",
                                  summary_json(room, nodes, false)));
    json_object_set_new(object, "slowest_node", node_json(prediction, slowest));
}

json_t *prediction_json(const prediction_case_t *from, const model_prediction_t *prediction,
                        double iterations, bool per_thread)
{
    double *room = command_alloc(from->layout->threads, sizeof *room);
    json_t *object = json_pack("{s:s}", "variant", model_variant_name(prediction->variant));
    if (prediction->has_paper)
        json_object_set_new(object, "paper_seconds",
                            command_estimate_json(&prediction->paper, iterations));
    json_object_set_new(object, "seconds", command_estimate_json(&prediction->seconds, iterations));
    json_object_set_new(object, "left_out", command_parameters_json(prediction->left_out));
    add_threads_summary(from, prediction, room, object);
    add_nodes_summary(from, prediction, room, object);
    if (per_thread)
        add_each(from, prediction, object);
    free(room);
    return object;
}
