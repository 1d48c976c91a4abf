#include "job/stats_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pgas/coll.h>
#include <pgas/copy.h>
#include <pgas/heap.h>
#include <pgas/job.h>
#include <pgas/ptr.h>
#include <pgas/stats.h>
#include <pgas/sync.h>

#include "base/config.h"
#include "base/in_job.h"
#include "base/log.h"
#include "job/stats_file.h"
#include "net/net.h"
#include "stats/collectives.h"
#include "stats/counter.h"

/* What one thread exchanged with one other. */
typedef struct exchanged {
    pgas_traffic_t traffic[PGAS_MODES][PGAS_DIRECTIONS];
    /* With itself: how many operations went by remote memory access, whoever they were with. */
    uint64_t rma;
} exchanged_t;

enum {
    ALGORITHM_NAME = 32
};

/* What one thread did in collective calls: text, since a name's address is the thread's own. */
typedef struct collective {
    uint32_t is_used;
    char name[ALGORITHM_NAME];
    char algorithm[ALGORITHM_NAME];
    pgas_collective_traffic_t counts;
} collective_t;

/* What a thread tells thread 0: what it exchanged with each, and after that its collectives. */
typedef struct record {
    exchanged_t *row;
    collective_t *collectives;
    /** The most that any thread has. */
    size_t count;
    size_t nbytes;
} record_t;

static const char *const place_names[] = {"own", "local", "remote"};
static const char *const mode_names[PGAS_MODES] = {"individual", "contiguous", "condensed",
                                                   "am",         "atomic",     "signal"};
static const char *const direction_names[] = {"from", "to"};

/* The program may go to another folder. */
static void keep_folder(void)
{
    static char absolute[PATH_MAX];
    char folder[PATH_MAX];
    const char *name = pgasi_settings.stats;
    if (*name != '/' && getcwd(folder, sizeof folder) != NULL &&
        snprintf(absolute, sizeof absolute, "%s/%s", folder, name) < (int)sizeof absolute)
        pgasi_settings.stats = absolute;
}

pgas_status_t pgasi_stats_check(void)
{
    if (!pgasi_stats_is_file())
        return PGAS_OK;
    keep_folder();
    /* Thread 0 writes it, perhaps where other hosts have no such folder. */
    if (pgasi_job.thread == 0 && !pgasi_stats_file_check(pgasi_settings.stats))
        return PGAS_ERR_ARGUMENT;
    return PGAS_OK;
}

static void snapshot_collectives(const pgas_collective_traffic_t *list, size_t count,
                                 record_t *record)
{
    collective_t *collectives = record->collectives;
    memset(collectives, 0, record->count * sizeof *collectives);
    for (size_t i = 0; i < count; i++) {
        collectives[i].is_used = 1;
        collectives[i].counts = list[i];
        snprintf(collectives[i].name, ALGORITHM_NAME, "%s", list[i].collective);
        snprintf(collectives[i].algorithm, ALGORITHM_NAME, "%s", list[i].algorithm);
    }
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

static void print_collectives(int thread, const record_t *record)
{
    const collective_t *of = record->collectives;
    for (size_t i = 0; i < record->count && of[i].is_used; i++) {
        fprintf(stderr, "%6d  %s%s%s: %" PRIu64 " calls, %" PRIu64 " meetings", thread, of[i].name,
                *of[i].algorithm == '\0' ? "" : " by ", of[i].algorithm, of[i].counts.calls,
                of[i].counts.meetings);
        for (int place = 0; place < PGAS_PLACES; place++)
            fprintf(stderr, ", %s %" PRIu64 " messages %" PRIu64 " bytes", place_names[place],
                    of[i].counts.traffic[place].operations, of[i].counts.traffic[place].bytes);
        fprintf(stderr, "\n");
    }
}

static void print_thread(int thread, const record_t *record)
{
    const exchanged_t *row = record->row;
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
    print_collectives(thread, record);
}

static json_t *entry(const char *first, json_t *value, int mode, int direction,
                     const pgas_traffic_t *traffic)
{
    return json_pack("{s:o, s:s, s:s, s:I, s:I}", first, value, "mode", mode_names[mode],
                     "direction", direction_names[direction], "operations",
                     (json_int_t)traffic->operations, "bytes", (json_int_t)traffic->bytes);
}

static json_t *collectives_to_json(const record_t *record)
{
    json_t *list = json_array();
    const collective_t *of = record->collectives;
    for (size_t i = 0; i < record->count && of[i].is_used; i++) {
        json_t *traffic = json_array();
        for (int place = 0; place < PGAS_PLACES; place++) {
            const pgas_traffic_t *sum = &of[i].counts.traffic[place];
            if (sum->operations > 0)
                json_array_append_new(traffic,
                                      json_pack("{s:s, s:I, s:I}", "place", place_names[place],
                                                "operations", (json_int_t)sum->operations, "bytes",
                                                (json_int_t)sum->bytes));
        }
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:I, s:I, s:o}", "collective", of[i].name, "algorithm",
                            of[i].algorithm, "calls", (json_int_t)of[i].counts.calls, "meetings",
                            (json_int_t)of[i].counts.meetings, "traffic", traffic));
    }
    return list;
}

static json_t *thread_to_json(int thread, const record_t *record)
{
    const exchanged_t *row = record->row;
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
    if (record->count > 0 && record->collectives[0].is_used)
        json_object_set_new(root, "collectives", collectives_to_json(record));
    return root;
}

/* Thread 0 gets the record of every thread and prints or writes it; false if it cannot. */
static bool report(pgas_ptr_t records, const record_t *record)
{
    json_t *threads = pgasi_stats_is_file() ? json_array() : NULL;
    if (threads == NULL)
        fprintf(stderr, "thread  place       mode         from: operations          bytes     to: "
                        "operations          bytes\n");
    for (int thread = 0; thread < pgas_threads(); thread++) {
        records.thread = (uint32_t)thread;
        pgas_memget(record->row, records, record->nbytes);
        if (threads == NULL)
            print_thread(thread, record);
        else
            json_array_append_new(threads, thread_to_json(thread, record));
    }
    if (threads == NULL)
        return true;
    json_t *root = json_pack("{s:o}", "threads", threads);
    bool is_written = pgasi_stats_file_write(pgasi_settings.stats, root);
    json_decref(root);
    return is_written;
}

/* What the caller tells. All is counted before threads agree on how much that is. */
static record_t make_record(void)
{
    static pgas_collective_traffic_t list[PGASI_COUNTED_MAX];
    size_t rows = (size_t)pgas_threads() * sizeof(exchanged_t);
    record_t record = {.row = malloc(rows + sizeof(collective_t[PGASI_COUNTED_MAX]))};
    if (record.row == NULL)
        pgasi_fatal("pgas_finalize", "no memory for the statistics of %d threads", pgas_threads());
    snapshot(record.row);
    size_t count = pgas_stats_collectives(list, PGASI_COUNTED_MAX);
    record.collectives = (collective_t *)(void *)((char *)record.row + rows);
    record.count = pgas_allreduce_uint64(PGAS_TEAM_ALL, count, PGAS_MAX);
    record.nbytes = rows + record.count * sizeof *record.collectives;
    snapshot_collectives(list, count, &record);
    return record;
}

void pgas_stats_reset(void)
{
    pgasi_require_no_child(__func__);
    pgasi_stats_reset();
    pgasi_net_rma_reset();
}

bool pgasi_stats_are_wanted(void)
{
    return strcmp(pgasi_settings.stats, "1") == 0 || pgasi_stats_is_file();
}

bool pgasi_stats_report(void)
{
    pgas_ptr_t records;
    if (!pgasi_stats_are_wanted())
        return true;
    record_t record = make_record();
    bool is_done = pgas_all_alloc((size_t)pgas_threads(), record.nbytes, &records) == PGAS_OK;
    if (!is_done && pgas_mythread() == 0)
        pgasi_log("pgas_finalize: no statistics (PGAS_STATS): they need %zu bytes of every heap",
                  record.nbytes);
    if (is_done) {
        pgas_ptr_t mine = records;
        mine.thread = pgasi_job.thread;
        pgas_memput(mine, record.row, record.nbytes);
        pgas_barrier();
        is_done = pgas_mythread() != 0 || report(records, &record);
    }
    free(record.row);
    return is_done || pgas_mythread() != 0;
}
