#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "compare_traffic.h"
#include "perfmodel/formulas.h"
#include "run_file.h"
#include "support/cli.h"
#include "support/json_text.h"

/* Parts of a product as fathom-spmv measures them. */
enum {
    PACK,
    PUT,
    COPY,
    UNPACK,
    COMPUTE,
    BARRIER,
    PARTS
};

static const char *const part_names[PARTS] = {"pack",   "put",     "copy",
                                              "unpack", "compute", "barrier"};

static const char *const place_names[MODEL_PLACES] = {"own", "local", "remote"};

static void read_places(const char *path, const json_t *thread, const char *key, uint64_t *values)
{
    const json_t *object = run_file_object(path, thread, key);
    for (int place = 0; place < MODEL_PLACES; place++)
        values[place] = run_file_count(path, object, place_names[place]);
}

static model_counts_t read_counts(const char *path, const json_t *thread)
{
    model_counts_t counts = {
        .rows = run_file_count(path, thread, "rows"),
        .blocks = run_file_count(path, thread, "blocks"),
        .node_messages_out = run_file_count(path, thread, "node_messages_out"),
        .node_values_out = run_file_count(path, thread, "node_values_out"),
    };
    read_places(path, thread, "individual", counts.individual);
    read_places(path, thread, "needed_blocks", counts.needed_blocks);
    read_places(path, thread, "needed_bytes", counts.needed_bytes);
    read_places(path, thread, "values_in", counts.values_in);
    /* Unknown without the matrix: taken as if no two values shared a cache line. */
    memcpy(counts.lines_in, counts.values_in, sizeof counts.lines_in);
    read_places(path, thread, "values_out", counts.values_out);
    read_places(path, thread, "messages_in", counts.messages_in);
    read_places(path, thread, "messages_out", counts.messages_out);
    return counts;
}

static void check_count(const char *path, size_t thread, const char *key, uint64_t found,
                        uint64_t owned)
{
    if (found != owned)
        cli_fail(EXIT_FAILURE,
                 "%s: key 'counts': thread %zu: '%s' is %" PRIu64
                 ", and by the run's rows, threads "
                 "and blocksize %" PRIu64,
                 path, thread, key, found, owned);
}

/* Something without the messages or blocks that it comes in. */
static void check_comes_in(const char *path, size_t thread, int place, const char *what,
                           uint64_t count, const char *in, uint64_t units)
{
    if (count > 0 && units == 0)
        cli_fail(EXIT_FAILURE,
                 "%s: key 'counts': thread %zu: '%s' has %" PRIu64 " in '%s', and '%s' none", path,
                 thread, what, count, place_names[place], in);
}

static void check_places(const char *path, const model_layout_t *layout,
                         const model_counts_t *counts, size_t t)
{
    for (int place = MODEL_LOCAL; place < MODEL_PLACES; place++) {
        check_comes_in(path, t, place, "needed_bytes", counts->needed_bytes[place], "needed_blocks",
                       counts->needed_blocks[place]);
        check_comes_in(path, t, place, "values_in", counts->values_in[place], "messages_in",
                       counts->messages_in[place]);
        check_comes_in(path, t, place, "values_out", counts->values_out[place], "messages_out",
                       counts->messages_out[place]);
    }
    check_comes_in(path, t, MODEL_REMOTE, "node_values_out", counts->node_values_out,
                   "node_messages_out", counts->node_messages_out);
    const uint64_t of_node = counts->node_messages_out | counts->node_values_out;
    if (layout->nodes == 1 &&
        (counts->individual[MODEL_REMOTE] | counts->needed_blocks[MODEL_REMOTE] |
         counts->messages_in[MODEL_REMOTE] | counts->messages_out[MODEL_REMOTE] | of_node) != 0)
        cli_fail(EXIT_FAILURE,
                 "%s: key 'counts': thread %zu has counts in 'remote', but the run has one node",
                 path, t);
}

/* The counts of the run; ends the process if they contradict each other or the run's shape. */
static model_counts_t read_own_counts(const char *path, const json_t *thread,
                                      const model_layout_t *layout, size_t t)
{
    model_counts_t counts = read_counts(path, thread);
    check_count(path, t, "rows", counts.rows, model_layout_thread_rows(layout, t));
    check_count(path, t, "blocks", counts.blocks, model_blocks_of_thread(layout, t));
    for (int place = 0; place < MODEL_PLACES; place++)
        if (counts.values_in[place] > counts.individual[place])
            cli_fail(EXIT_FAILURE,
                     "%s: key 'counts': thread %zu: 'values_in' has %" PRIu64 " values in '%s', "
                     "and 'individual' but %" PRIu64,
                     path, t, counts.values_in[place], place_names[place],
                     counts.individual[place]);
    check_places(path, layout, &counts, t);
    return counts;
}

/* Counts from the matrix; ends the process unless they are the run's. */
static model_counts_t *recount(const compare_t *compare, const char *path,
                               const model_layout_t *layout, const model_machine_t *machine)
{
    model_matrix_t matrix;
    command_read_matrix(path, &matrix);
    if (matrix.rows != layout->rows || matrix.row_nonzeros != layout->row_nonzeros)
        cli_fail(EXIT_FAILURE, "%s: %zu rows of %zu; the run %s had %zu of %zu", path, matrix.rows,
                 matrix.row_nonzeros, compare->path, layout->rows, layout->row_nonzeros);
    model_counts_t *counts = command_count(&matrix, layout, machine);
    model_matrix_free(&matrix);
    json_t *ours = command_counts_json(layout, counts);
    const json_t *theirs = run_file_array(compare->path, compare->run, "counts");
    for (size_t t = 0; t < layout->threads; t++) {
        const char *key;
        json_t *value;
        json_object_foreach(
            json_array_get(ours, t), key,
            value) if (!json_equal(value, json_object_get(json_array_get(theirs, t), key)))
            cli_fail(EXIT_FAILURE, "%s: key 'counts': thread %zu: '%s' is not what %s says",
                     compare->path, t, key, path);
    }
    json_decref(ours);
    return counts;
}

static void check_traffic(const compare_t *compare, const json_t *variant, model_variant_t which,
                          const model_layout_t *layout, const model_counts_t *counts)
{
    const char *name = model_variant_name(which);
    const json_t *threads = run_file_array(compare->path, variant, "threads");
    run_file_check_threads(compare->path, threads, layout->threads);
    if (!json_is_true(json_object_get(variant, "traffic_as_predicted")))
        cli_fail(EXIT_FAILURE, "%s: %s: the run itself found its traffic not as predicted",
                 compare->path, name);
    const char *check = json_string_value(json_object_get(variant, "check"));
    if (check != NULL && strcmp(check, "failed") == 0)
        cli_fail(EXIT_FAILURE, "%s: %s: the run itself found its result wrong", compare->path,
                 name);
    for (size_t t = 0; t < layout->threads; t++) {
        const json_t *traffic =
            run_file_array(compare->path, json_array_get(threads, t), "traffic");
        if (!compare_traffic_is_as_counted(traffic, which, layout, &counts[t]))
            cli_fail(EXIT_FAILURE, "%s: %s: the traffic of thread %zu is not what its counts say",
                     compare->path, name, t);
    }
}

/* The predicted parts as they are measured: individual accesses count as computing, waiting for
 * values as time without work. */
static void measurable(const model_prediction_t *prediction, const model_machine_t *machine,
                       size_t thread, double parts[PARTS])
{
    static const double barriers[MODEL_VARIANTS] = {
        [MODEL_NAIVE] = 1.0, [MODEL_V1] = 1.0, [MODEL_V2] = 1.0, [MODEL_V3] = 2.0};
    const model_parts_t *p = &prediction->threads[thread];
    bool overlaps = prediction->variant == MODEL_V4 || prediction->variant == MODEL_V5;
    parts[PACK] = p->pack;
    parts[PUT] = p->put;
    parts[COPY] = p->copy;
    parts[UNPACK] = p->unpack;
    parts[COMPUTE] = p->compute + (overlaps ? 0.0 : p->communication);
    parts[BARRIER] = overlaps ? p->communication : 0.0;
    if (machine->has[MODEL_BARRIER_LATENCY])
        parts[BARRIER] +=
            barriers[prediction->variant] * machine->parameters[MODEL_BARRIER_LATENCY].median;
}

static json_t *parts_json(const double parts[PARTS])
{
    json_t *object = json_object();
    for (int part = 0; part < PARTS; part++)
        json_object_set_new(object, part_names[part], json_real(parts[part]));
    return object;
}

static void print_thread(size_t thread, size_t node, const double measured[PARTS],
                         const double predicted[PARTS])
{
    printf("  %6zu %5zu", thread, node);
    for (int part = 0; part < PARTS; part++)
        printf("  %9.4g %9.4g", measured[part] * 1000.0, predicted[part] * 1000.0);
    printf("\n");
}

/* A variant of the run: what was measured, and what is predicted for it. */
typedef struct variant {
    model_variant_t which;
    model_spread_t measured;
    /* Of every thread. */
    double (*parts)[PARTS];
    bool is_predicted;
    /* If so. */
    model_prediction_t prediction;
} variant_t;

/* The number of the variant; MODEL_VARIANTS if there is none of that name. */
static model_variant_t variant_of(const char *name)
{
    int v = 0;
    while (v < MODEL_VARIANTS && strcmp(model_variant_names[v], name) != 0)
        v++;
    return (model_variant_t)v;
}

static void read_parts(const char *path, const json_t *threads, size_t thread, double parts[PARTS])
{
    const json_t *seconds =
        run_file_object(path, json_array_get(threads, thread), "seconds_per_iteration");
    for (int part = 0; part < PARTS; part++)
        parts[part] = run_file_seconds(path, seconds, part_names[part]);
}

/* Reads and checks a variant; ends the process if something is wrong with it. */
static variant_t read_variant(const compare_t *compare, const json_t *object,
                              const model_layout_t *layout, const model_counts_t *counts)
{
    const char *path = compare->path;
    const char *name = run_file_text(path, object, "variant");
    variant_t variant = {.which = variant_of(name)};
    if (variant.which == MODEL_VARIANTS)
        cli_fail(EXIT_FAILURE, "%s: variant '%s' is not known to the model", path, name);
    check_traffic(compare, object, variant.which, layout, counts);
    variant.measured = run_file_spread(path, object, "seconds_per_1000_iterations");
    variant.parts = command_alloc(layout->threads, sizeof *variant.parts);
    const json_t *threads = run_file_array(path, object, "threads");
    for (size_t t = 0; t < layout->threads; t++)
        read_parts(path, threads, t, variant.parts[t]);
    return variant;
}

/* Reads, checks and predicts all variants of the run before anything is printed. The caller frees
 * them with free_variants. */
static variant_t *read_variants(const compare_t *compare, const model_layout_t *layout,
                                const model_counts_t *counts, const model_machine_t *machine,
                                bool has_all_counts, size_t *count)
{
    mesh_error_t error;
    const json_t *array = run_file_array(compare->path, compare->run, "variants");
    *count = json_array_size(array);
    variant_t *variants = command_alloc(*count, sizeof *variants);
    for (size_t v = 0; v < *count; v++)
        variants[v] = read_variant(compare, json_array_get(array, v), layout, counts);
    for (size_t v = 0; v < *count; v++) {
        variants[v].is_predicted = variants[v].which < MODEL_V4 || has_all_counts;
        if (variants[v].is_predicted && !model_predict(layout, counts, machine, variants[v].which,
                                                       &variants[v].prediction, &error))
            command_fail(&error);
    }
    return variants;
}

static void free_variants(variant_t *variants, size_t count)
{
    for (size_t v = 0; v < count; v++) {
        if (variants[v].is_predicted)
            model_prediction_free(&variants[v].prediction);
        free(variants[v].parts);
    }
    free(variants);
}

static json_t *compare_threads(const compare_t *compare, const variant_t *variant,
                               const model_layout_t *layout, const model_machine_t *machine)
{
    json_t *array = json_array();
    bool print = command_may_print(compare->options);
    if (print) {
        printf("  %6s %5s", "thread", "node");
        for (int part = 0; part < PARTS; part++)
            printf("  %9s %9s", part_names[part], "pred.");
        printf("   s per 1000\n");
    }
    for (size_t t = 0; t < layout->threads; t++) {
        size_t node = model_layout_node(layout, t);
        const double *measured = variant->parts[t];
        double predicted[PARTS];
        measurable(&variant->prediction, machine, t, predicted);
        if (print)
            print_thread(t, node, measured, predicted);
        json_array_append_new(array,
                              json_pack("{s:I, s:I, s:o, s:o}", "thread", (json_int_t)t, "node",
                                        (json_int_t)node, "measured", parts_json(measured),
                                        "predicted", parts_json(predicted)));
    }
    return array;
}

/* One variant: its total, and its threads. */
static json_t *compare_variant(const compare_t *compare, const variant_t *variant,
                               const model_layout_t *layout, const model_machine_t *machine)
{
    const model_spread_t *measured = &variant->measured;
    const model_prediction_t *prediction = &variant->prediction;
    const char *name = model_variant_name(variant->which);
    double ratio = prediction->seconds.predicted * 1000.0 / measured->median;
    double paper_ratio = prediction->paper.predicted * 1000.0 / measured->median;
    json_t *object = json_pack("{s:s, s:o, s:o, s:f}", "variant", name, "measured_seconds",
                               compare_spread_json(measured), "seconds",
                               command_estimate_json(&prediction->seconds, 1000.0), "ratio", ratio);
    if (command_may_print(compare->options)) {
        printf("%s: measured %.4g (%.4g .. %.4g), predicted %.4g (%.4g .. %.4g), ratio %.3f", name,
               measured->median, measured->min, measured->max,
               prediction->seconds.predicted * 1000.0, prediction->seconds.low * 1000.0,
               prediction->seconds.high * 1000.0, ratio);
        if (prediction->has_paper)
            printf("; the paper's %.4g, ratio %.3f", prediction->paper.predicted * 1000.0,
                   paper_ratio);
        printf("\n");
    }
    if (prediction->has_paper) {
        json_object_set_new(object, "paper_seconds",
                            command_estimate_json(&prediction->paper, 1000.0));
        json_object_set_new(object, "paper_ratio", json_real(paper_ratio));
    }
    json_object_set_new(object, "threads", compare_threads(compare, variant, layout, machine));
    return object;
}

static json_t *compare_variants(const compare_t *compare, const variant_t *variants, size_t count,
                                const model_layout_t *layout, const model_machine_t *machine)
{
    json_t *compared = json_array();
    for (size_t v = 0; v < count; v++)
        if (variants[v].is_predicted)
            json_array_append_new(compared,
                                  compare_variant(compare, &variants[v], layout, machine));
        else if (command_may_print(compare->options))
            printf("%s: not predicted without --matrix\n", model_variant_name(variants[v].which));
    return compared;
}

json_t *compare_spmv(const compare_t *compare, const char *matrix)
{
    const char *path = compare->path;
    const json_t *described = run_file_object(path, compare->run, "matrix");
    const json_t *counted = run_file_array(path, compare->run, "counts");
    model_layout_t layout;
    model_machine_t machine;
    model_counts_t *counts;
    size_t variant_count;
    compare_layout(compare, run_file_count(path, described, "rows"),
                   run_file_count(path, described, "row_nonzeros"),
                   run_file_count(path, compare->run, "blocksize"),
                   run_file_count(path, compare->run, "threads"), counted, &layout);
    command_read_machine(compare->options, layout.nodes, &machine);
    if (matrix != NULL) {
        counts = recount(compare, matrix, &layout, &machine);
    } else {
        /* Without the matrix the lines of x are unknown: taken as if the cache size were unknown.
         */
        machine.second_level_cache_bytes = 0.0;
        counts = command_alloc(layout.threads, sizeof *counts);
        for (size_t t = 0; t < layout.threads; t++)
            counts[t] = read_own_counts(path, json_array_get(counted, t), &layout, t);
    }
    variant_t *variants =
        read_variants(compare, &layout, counts, &machine, matrix != NULL, &variant_count);
    if (command_may_print(compare->options)) {
        printf("%s: threads: %zu, nodes: %zu, rows per block: %zu; machine: %s%s\n", path,
               layout.threads, layout.nodes, layout.blocksize, machine.name,
               matrix != NULL ? "; counts as the matrix says" : "");
        command_print_shape(&machine, &layout);
    }
    json_t *object = command_json("compare");
    command_json_add(
        object,
        json_pack("{s:s, s:o, s:o, s:I, s:I, s:I, s:b}", "kind", "spmv", "run", text_to_json(path),
                  "machine", command_machine_json(compare->options, &machine), "threads",
                  (json_int_t)layout.threads, "nodes", (json_int_t)layout.nodes, "blocksize",
                  (json_int_t)layout.blocksize, "recounted", (int)(matrix != NULL)));
    json_object_set_new(object, "variants",
                        compare_variants(compare, variants, variant_count, &layout, &machine));
    free_variants(variants, variant_count);
    free(counts);
    return object;
}
