#include "report.h"

#include <stdio.h>
#include <string.h>

#include "common/json.h"
#include "common/nodes.h"
#include "support/json_text.h"

static const char *const part_names[SPMV_PARTS] = {"pack",   "put",     "copy",
                                                   "unpack", "compute", "barrier"};

/* Formula (6): bytes per row that must come from or go to memory. */
static double bytes_per_row(const spmv_problem_t *problem)
{
    return (double)(problem->r_nz * (sizeof(double) + sizeof(int32_t)) + 3 * sizeof(double));
}

static double gb_per_s(const spmv_report_t *report, const spmv_result_t *result)
{
    double bytes = bytes_per_row(report->problem) * (double)report->problem->n;
    return bytes * 1000.0 / result->seconds_per_1000.median * 1e-9;
}

static const spmv_result_t *find_naive(const spmv_report_t *report)
{
    for (size_t v = 0; v < report->result_count; v++)
        if (strcmp(report->results[v].variant, "naive") == 0)
            return &report->results[v];
    return NULL;
}

static const char *check_word(const spmv_result_t *result)
{
    return !result->checked ? "none" : spmv_result_passed(result) ? "ok" : "failed";
}

/* The matrix makes values grow, in the same way for all variants. */
static void print_overflow(const spmv_report_t *report)
{
    size_t v = 0;
    while (v < report->result_count && report->results[v].overflow == 0)
        v++;
    if (v == report->result_count)
        return;
    const spmv_result_t *result = &report->results[v];
    printf("(values overflow in product %zu of %zu, those of the sequential product too; the check "
           "compares the first %zu\nproducts from the start, before and after the repetitions)\n",
           result->overflow, report->settings->iterations, result->compared);
}

static double padding(const spmv_storage_t *storage)
{
    return storage->entries > 0 ? 1.0 - (double)storage->nonzeros / (double)storage->entries : 0.0;
}

/* The product of v4 and v5, and how much of the file's rows they leave out. */
static void print_storage(const spmv_report_t *report)
{
    enum {
        HURTS = 2 /* times as many places as off-diagonals */
    };
    const spmv_problem_t *problem = report->problem;
    const spmv_storage_t *storage = NULL;
    for (size_t v = 0; v < report->result_count; v++) {
        if (report->results[v].storage.product == NULL)
            continue;
        storage = &report->results[v].storage;
        printf("(%s: product %s; %.1f %% of its places for off-diagonals are padding)\n",
               report->results[v].variant, storage->product, 100.0 * padding(storage));
    }
    if (storage != NULL && storage->nonzeros > 0 &&
        storage->nonzeros * HURTS < (uint64_t)problem->n * problem->r_nz)
        printf("(the file's rows have %.1f off-diagonals on average in %zu places: naive to v3 "
               "read %.1f times what\nthere is, v4 and v5 %.2f times)\n",
               (double)storage->nonzeros / (double)problem->n, problem->r_nz,
               (double)problem->n * (double)problem->r_nz / (double)storage->nonzeros,
               (double)storage->entries / (double)storage->nonzeros);
}

void spmv_report_print(const spmv_report_t *report)
{
    const spmv_problem_t *problem = report->problem;
    const spmv_result_t *naive = find_naive(report);
    printf("%s: %zu rows, %zu off-diagonals per row; threads: %d, nodes: %d, rows per block: %zu\n",
           report->matrix, problem->n, problem->r_nz, pgas_threads(), common_nodes(),
           problem->blocksize);
    printf("%-8s %12s %21s %10s %8s  %s\n", "variant", "s/1000 it.", "(min .. max)", "speed-up",
           "GB/s", "check");
    for (size_t v = 0; v < report->result_count; v++) {
        const spmv_result_t *result = &report->results[v];
        const common_spread_t *seconds = &result->seconds_per_1000;
        char speedup[32] = "-";
        if (naive != NULL)
            snprintf(speedup, sizeof speedup, "%.2f",
                     naive->seconds_per_1000.median / seconds->median);
        printf("%-8s %12.4g (%8.4g .. %8.4g) %10s %8.2f  %s", result->variant, seconds->median,
               seconds->min, seconds->max, speedup, gb_per_s(report, result), check_word(result));
        if (result->checked)
            printf(" (error %.1e, traffic %s)", result->error,
                   result->traffic_as_predicted ? "as predicted" : "NOT as predicted");
        printf("\n");
    }
    print_storage(report);
    print_overflow(report);
}

static json_t *places_to_json(const uint64_t *values)
{
    json_t *object = json_object();
    for (int place = 0; place < PGAS_PLACES; place++)
        json_object_set_new(object, common_place_names[place],
                            json_integer((json_int_t)values[place]));
    return object;
}

static json_t *counts_to_json(int thread, const spmv_counts_t *counts)
{
    return json_pack(
        "{s:i, s:i, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I}", "thread", thread,
        "node", pgas_node_of(thread), "rows", (json_int_t)counts->rows, "blocks",
        (json_int_t)counts->blocks, "individual", places_to_json(counts->individual),
        "needed_blocks", places_to_json(counts->needed_blocks), "needed_bytes",
        places_to_json(counts->needed_bytes), "values_in", places_to_json(counts->values_in),
        "values_out", places_to_json(counts->values_out), "messages_in",
        places_to_json(counts->messages_in), "messages_out", places_to_json(counts->messages_out),
        "node_messages_out", (json_int_t)counts->node_messages_out, "node_values_out",
        (json_int_t)counts->node_values_out);
}

static json_t *thread_to_json(int thread, const spmv_settings_t *settings,
                              const spmv_thread_result_t *result)
{
    json_t *seconds = json_object();
    for (int part = 0; part < SPMV_PARTS; part++)
        json_object_set_new(seconds, part_names[part], json_real(result->part_seconds[part]));
    uint64_t iterations = (uint64_t)settings->iterations * settings->repetitions;
    return json_pack("{s:i, s:o, s:o}", "thread", thread, "seconds_per_iteration", seconds,
                     "traffic", common_traffic_to_json(&result->traffic, iterations));
}

static json_t *result_to_json(const spmv_report_t *report, const spmv_result_t *result)
{
    json_t *threads = json_array();
    for (int thread = 0; thread < pgas_threads(); thread++)
        json_array_append_new(threads,
                              thread_to_json(thread, report->settings, &result->threads[thread]));
    json_t *object =
        json_pack("{s:s, s:o, s:f, s:f, s:s, s:b, s:o}", "variant", result->variant,
                  "seconds_per_1000_iterations", common_spread_to_json(&result->seconds_per_1000),
                  "gb_per_s", gb_per_s(report, result), "prepare_seconds", result->prepare_seconds,
                  "check", check_word(result), "traffic_as_predicted", result->traffic_as_predicted,
                  "threads", threads);
    if (result->storage.product != NULL)
        json_object_set_new(object, "storage",
                            json_pack("{s:s, s:I, s:I, s:I}", "product", result->storage.product,
                                      "entries", (json_int_t)result->storage.entries, "nonzeros",
                                      (json_int_t)result->storage.nonzeros, "bytes",
                                      (json_int_t)result->storage.bytes));
    if (result->checked)
        json_object_set_new(object, "error", json_real(result->error));
    if (result->overflow > 0)
        json_object_set_new(object, "overflow_after", json_integer((json_int_t)result->overflow));
    const spmv_result_t *naive = find_naive(report);
    if (naive != NULL)
        json_object_set_new(
            object, "speedup_over_naive",
            json_real(naive->seconds_per_1000.median / result->seconds_per_1000.median));
    return object;
}

static json_t *report_to_json(const spmv_report_t *report)
{
    const spmv_problem_t *problem = report->problem;
    json_t *counts = json_array();
    json_t *variants = json_array();
    for (int thread = 0; thread < pgas_threads(); thread++)
        json_array_append_new(counts, counts_to_json(thread, &report->counts[thread]));
    for (size_t v = 0; v < report->result_count; v++)
        json_array_append_new(variants, result_to_json(report, &report->results[v]));
    return json_pack(
        "{s:s, s:s, s:{s:o, s:I, s:I}, s:i, s:i, s:I, s:I, s:I, s:o, s:o}", "program",
        "fathom-spmv", "version", FATHOM_VERSION, "matrix", "path", text_to_json(report->matrix),
        "rows", (json_int_t)problem->n, "row_nonzeros", (json_int_t)problem->r_nz, "threads",
        pgas_threads(), "nodes", common_nodes(), "blocksize", (json_int_t)problem->blocksize,
        "iterations", (json_int_t)report->settings->iterations, "repetitions",
        (json_int_t)report->settings->repetitions, "counts", counts, "variants", variants);
}

void spmv_report_write(const spmv_report_t *report, const char *path)
{
    common_json_write(report_to_json(report), "--json", path);
}
