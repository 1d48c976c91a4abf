#include "report.h"

#include <stdio.h>

#include "common/json.h"
#include "common/nodes.h"

static const char *const part_names[HEAT_PARTS] = {"halo", "compute", "barrier"};

/* Formula (22): a value is read, and its place in the new level is read and written. */
static double gb_per_s(const heat_report_t *report)
{
    const heat_shape_t *shape = &report->problem->shape;
    double points = (double)(shape->M - 2) * (double)(shape->N - 2);
    double seconds = report->result->parts[HEAT_COMPUTE].median;
    if (seconds <= 0.0)
        return 0.0;
    return 3.0 * sizeof(double) * points * (double)report->result->steps / seconds * 1e-9;
}

static const char *check_word(const heat_result_t *result)
{
    return !result->checked ? "none" : heat_result_passed(result) ? "ok" : "failed";
}

static const char *stores_word(const heat_result_t *result)
{
    return result->streams ? "streaming" : "cached";
}

static void print_seconds(const char *name, const common_spread_t *seconds)
{
    printf("%-8s %10.4g s (%.4g .. %.4g)\n", name, seconds->median, seconds->min, seconds->max);
}

void heat_report_print(const heat_report_t *report)
{
    const heat_shape_t *shape = &report->problem->shape;
    const heat_result_t *result = report->result;
    printf("%zux%zu points on a grid of %zux%zu threads, nodes: %d, steps: %zu", shape->M, shape->N,
           shape->P, shape->Q, common_nodes(), result->steps);
    if (result->first_step > 0)
        printf(" from step %zu on", result->first_step);
    printf(", halo: %s, steps per exchange: %zu, stores: %s\n", report->form->name, shape->depth,
           stores_word(result));
    print_seconds("total", &result->total);
    for (int part = 0; part < HEAT_PARTS; part++)
        print_seconds(part_names[part], &result->parts[part]);
    printf("%-8s %10.4g GB/s by formula (22)\n", "memory", gb_per_s(report));
    printf("%-8s %10s", "check", check_word(result));
    if (result->checked)
        printf(" (points unlike the sequential solver's: %zu, sine mode: %.1e off, limit %.1e, "
               "traffic %s)",
               result->differing, result->mode_error, result->mode_limit,
               result->traffic_as_predicted ? "as predicted" : "NOT as predicted");
    printf("\n");
}

static json_t *thread_to_json(const heat_report_t *report, int thread)
{
    const heat_thread_result_t *found = &report->result->threads[thread];
    uint64_t exchanges = (uint64_t)report->result->exchanges * report->settings->repetitions;
    json_t *seconds = json_object();
    for (int part = 0; part < HEAT_PARTS; part++)
        json_object_set_new(seconds, part_names[part], json_real(found->part_seconds[part]));
    json_int_t m = (json_int_t)found->block.rows + 2;
    json_int_t n = (json_int_t)found->block.cols + 2;
    return json_pack("{s:i, s:i, s:[I, I], s:o, s:o}", "thread", thread, "node",
                     pgas_node_of(thread), "block", m, n, "seconds_per_iteration", seconds,
                     "traffic", common_traffic_to_json(&found->traffic, exchanges));
}

static void add_check(const heat_result_t *result, json_t *root)
{
    json_object_set_new(root, "check", json_string(check_word(result)));
    if (result->checked) {
        json_object_set_new(root, "differing", json_integer((json_int_t)result->differing));
        json_object_set_new(root, "mode_error", json_real(result->mode_error));
        json_object_set_new(root, "mode_limit", json_real(result->mode_limit));
        json_object_set_new(root, "solution_error", json_real(result->solution_error));
    }
    json_object_set_new(root, "traffic_as_predicted", json_boolean(result->traffic_as_predicted));
}

static json_t *report_to_json(const heat_report_t *report)
{
    const heat_shape_t *shape = &report->problem->shape;
    const heat_settings_t *settings = report->settings;
    const heat_result_t *result = report->result;
    json_t *seconds = json_object();
    json_object_set_new(seconds, "total", common_spread_to_json(&result->total));
    for (int part = 0; part < HEAT_PARTS; part++)
        json_object_set_new(seconds, part_names[part], common_spread_to_json(&result->parts[part]));
    json_t *root = json_pack(
        "{s:s, s:s, s:[I, I], s:[I, I], s:i, s:i, s:I, s:I, s:s, s:s, s:I, s:s, s:I, s:I, s:I, "
        "s:o, s:f}",
        "program", "fathom-heat2d", "version", FATHOM_VERSION, "size", (json_int_t)shape->M,
        (json_int_t)shape->N, "grid", (json_int_t)shape->P, (json_int_t)shape->Q, "threads",
        pgas_threads(), "nodes", common_nodes(), "iterations", (json_int_t)settings->iterations,
        "repetitions", (json_int_t)settings->repetitions, "start",
        heat_start_names[settings->start], "halo", report->form->name, "steps_per_exchange",
        (json_int_t)shape->depth, "stores", stores_word(result), "first_step",
        (json_int_t)result->first_step, "steps", (json_int_t)result->steps, "exchanges",
        (json_int_t)result->exchanges, "seconds", seconds, "gb_per_s", gb_per_s(report));
    add_check(result, root);
    json_t *threads = json_array();
    for (int thread = 0; thread < pgas_threads(); thread++)
        json_array_append_new(threads, thread_to_json(report, thread));
    json_object_set_new(root, "threads", threads);
    return root;
}

void heat_report_write(const heat_report_t *report, const char *path)
{
    common_json_write(report_to_json(report), "--json", path);
}
