#include "job/stats_report.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pgas/copy.h>
#include <pgas/heap.h>
#include <pgas/job.h>
#include <pgas/ptr.h>
#include <pgas/stats.h>
#include <pgas/sync.h>

#include "base/config.h"
#include "base/log.h"
#include "net/net.h"

/* What one thread exchanged with one other. */
typedef struct exchanged {
    pgas_traffic_t traffic[PGAS_MODES][PGAS_DIRECTIONS];
    /* With itself: how many operations went by remote memory access, whoever they were with. */
    uint64_t rma;
} exchanged_t;

static const char *const place_names[] = {"own", "local", "remote"};
static const char *const mode_names[PGAS_MODES] = {"individual", "contiguous", "condensed",
                                                   "am",         "atomic",     "signal"};
static const char *const direction_names[] = {"from", "to"};

static bool wants_file(void)
{
    const char *name = pgasi_settings.stats;
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

pgas_status_t pgasi_stats_check(void)
{
    const char *wanted = pgasi_settings.stats;
    if (*wanted == '\0' || strcmp(wanted, "0") == 0 || strcmp(wanted, "1") == 0 || wants_file())
        return PGAS_OK;
    pgasi_log_alike("PGAS_STATS='%s' is not 0, 1 or a name that ends in .json", wanted);
    return PGAS_ERR_ARGUMENT;
}

static void snapshot(exchanged_t *row)
{
    for (int thread = 0; thread < pgas_threads(); thread++)
        for (int mode = 0; mode < PGAS_MODES; mode++)
            for (int direction = 0; direction < PGAS_DIRECTIONS; direction++)
                row[thread].traffic[mode][direction] =
                    pgas_stats_with(thread, (pgas_mode_t)mode, (pgas_direction_t)direction);
    for (int thread = 0; thread < pgas_threads(); thread++)
        row[thread].rma = 0;
    row[pgas_mythread()].rma = pgasi_net_rma_operations();
}

static pgas_place_t place_between(int thread, int other)
{
    if (thread == other)
        return PGAS_OWN;
    return pgas_node_of(thread) == pgas_node_of(other) ? PGAS_LOCAL : PGAS_REMOTE;
}

static pgas_stats_t by_place(int thread, const exchanged_t *row)
{
    pgas_stats_t stats;
    memset(&stats, 0, sizeof stats);
    for (int other = 0; other < pgas_threads(); other++)
        for (int mode = 0; mode < PGAS_MODES; mode++)
            for (int direction = 0; direction < PGAS_DIRECTIONS; direction++) {
                const pgas_traffic_t *with = &row[other].traffic[mode][direction];
                pgas_traffic_t *sum = &stats.traffic[place_between(thread, other)][mode][direction];
                sum->operations += with->operations;
                sum->bytes += with->bytes;
            }
    return stats;
}

static void print_thread(int thread, const exchanged_t *row)
{
    pgas_stats_t stats = by_place(thread, row);
    for (int place = 0; place < PGAS_PLACES; place++)
        for (int mode = 0; mode < PGAS_MODES; mode++) {
            const pgas_traffic_t *from = &stats.traffic[place][mode][PGAS_FROM];
            const pgas_traffic_t *to = &stats.traffic[place][mode][PGAS_TO];
            if (from->operations + to->operations > 0)
                fprintf(stderr,
                        "%6d  %-10s  %-10s %14" PRIu64 " %16" PRIu64 " %14" PRIu64 " %16" PRIu64
                        "\n",
                        thread, place_names[place], mode_names[mode], from->operations, from->bytes,
                        to->operations, to->bytes);
        }
    if (pgasi_net_rma() != NULL)
        fprintf(stderr, "%6d  remote memory access by %s: %" PRIu64 " operations\n", thread,
                pgasi_net_rma(), row[thread].rma);
}

static json_t *entry(const char *first, json_t *value, int mode, int direction,
                     const pgas_traffic_t *traffic)
{
    return json_pack("{s:o, s:s, s:s, s:I, s:I}", first, value, "mode", mode_names[mode],
                     "direction", direction_names[direction], "operations",
                     (json_int_t)traffic->operations, "bytes", (json_int_t)traffic->bytes);
}

static json_t *thread_to_json(int thread, const exchanged_t *row)
{
    pgas_stats_t stats = by_place(thread, row);
    json_t *traffic = json_array();
    json_t *destinations = json_array();
    for (int mode = 0; mode < PGAS_MODES; mode++)
        for (int direction = 0; direction < PGAS_DIRECTIONS; direction++) {
            for (int place = 0; place < PGAS_PLACES; place++) {
                const pgas_traffic_t *sum = &stats.traffic[place][mode][direction];
                if (sum->operations > 0)
                    json_array_append_new(traffic, entry("place", json_string(place_names[place]),
                                                         mode, direction, sum));
            }
            for (int other = 0; other < pgas_threads(); other++) {
                const pgas_traffic_t *with = &row[other].traffic[mode][direction];
                if (with->operations > 0)
                    json_array_append_new(
                        destinations, entry("thread", json_integer(other), mode, direction, with));
            }
        }
    json_t *root = json_pack("{s:i, s:i, s:o, s:o}", "thread", thread, "node", pgas_node_of(thread),
                             "traffic", traffic, "destinations", destinations);
    if (pgasi_net_rma() != NULL)
        json_object_set_new(root, "rma",
                            json_pack("{s:s, s:I}", "transport", pgasi_net_rma(), "operations",
                                      (json_int_t)row[thread].rma));
    return root;
}

/* Thread 0 gets the row of every thread and prints or writes it. */
static void report(pgas_ptr_t rows, exchanged_t *row, size_t nbytes)
{
    json_t *threads = wants_file() ? json_array() : NULL;
    if (threads == NULL)
        fprintf(stderr, "thread  place       mode         from: operations          bytes     to: "
                        "operations          bytes\n");
    for (int thread = 0; thread < pgas_threads(); thread++) {
        rows.thread = (uint32_t)thread;
        pgas_memget(row, rows, nbytes);
        if (threads == NULL)
            print_thread(thread, row);
        else
            json_array_append_new(threads, thread_to_json(thread, row));
    }
    if (threads == NULL)
        return;
    json_t *root = json_pack("{s:o}", "threads", threads);
    if (json_dump_file(root, pgasi_settings.stats, JSON_INDENT(2)) != 0)
        pgasi_log("PGAS_STATS='%s' cannot be written: %s", pgasi_settings.stats, strerror(errno));
    json_decref(root);
}

void pgasi_stats_report(void)
{
    if (strcmp(pgasi_settings.stats, "1") != 0 && !wants_file())
        return;
    size_t nbytes = (size_t)pgas_threads() * sizeof(exchanged_t);
    exchanged_t *row = malloc(nbytes);
    pgas_ptr_t rows;
    if (row == NULL)
        return;
    snapshot(row);
    if (pgas_all_alloc((size_t)pgas_threads(), nbytes, &rows) == PGAS_OK) {
        pgas_ptr_t mine = rows;
        mine.thread = pgasi_job.thread;
        pgas_memput(mine, row, nbytes);
        pgas_barrier();
        if (pgas_mythread() == 0)
            report(rows, row, nbytes);
    }
    free(row);
}
