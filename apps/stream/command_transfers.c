/* latency and flood: the same transfers, one at a time or many in flight. */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "common/json.h"
#include "common/large.h"
#include "common/nodes.h"
#include "job.h"
#include "report.h"
#include "support/progress.h"
#include "transfer.h"

#define PLACE \
    STREAM_OPTION_PLACE("where thread 0's partner is: local (the same node) or remote (default: " \
                        "remote, if there is another node)")

static const struct argp_option latency_options[] = {
    STREAM_OPTION_SIZES,
    PLACE,
    STREAM_OPTION_OPERATIONS("10000"),
    STREAM_OPTION_MOST_SECONDS("0.25"),
    STREAM_OPTION_REPETITIONS("5"),
    STREAM_OPTION_GASNET,
    STREAM_OPTION_JSON,
    {0},
};

static const struct argp_option flood_options[] = {
    STREAM_OPTION_SIZES,
    STREAM_OPTION_DEPTHS,
    PLACE,
    STREAM_OPTION_OPERATIONS("10000"),
    STREAM_OPTION_MOST_SECONDS("0.25"),
    STREAM_OPTION_REPETITIONS("5"),
    STREAM_OPTION_GASNET,
    STREAM_OPTION_JSON,
    {0},
};

/* All transfers of a command: for each depth and size a row with a column per operation and mode,
 * of each one by every interface. */
typedef struct table {
    size_t count;
    stream_transfer_t *transfers;
    size_t *turns;
    double *samples;
    common_spread_t *seconds;
    /** With gasnet.h's beside Fathom's. */
    size_t interfaces;
} table_t;

enum {
    COLUMNS = STREAM_OPERATIONS * STREAM_MODES
};

static table_t make_table(const stream_options_t *options)
{
    size_t interfaces = options->gasnet ? STREAM_INTERFACES : 1;
    size_t count = options->depths.count * options->sizes.count * COLUMNS * interfaces;
    table_t table = {
        .count = count,
        .transfers = common_alloc("table", count, sizeof *table.transfers),
        .turns = common_alloc("table", count, sizeof *table.turns),
        .samples = common_alloc("table", count * options->repetitions, sizeof *table.samples),
        .seconds = common_alloc("table", count, sizeof *table.seconds),
        .interfaces = interfaces,
    };
    size_t i = 0;
    for (size_t d = 0; d < options->depths.count; d++)
        for (size_t s = 0; s < options->sizes.count; s++)
            for (int mode = 0; mode < STREAM_MODES; mode++)
                for (int operation = 0; operation < STREAM_OPERATIONS; operation++)
                    for (size_t one = 0; one < interfaces; one++)
                        table.transfers[i++] = (stream_transfer_t){
                            (stream_interface_t)one, (stream_operation_t)operation,
                            (stream_mode_t)mode, options->sizes.values[s],
                            options->depths.values[d]};
    return table;
}

static void free_table(table_t *table)
{
    free(table->transfers);
    free(table->turns);
    free(table->samples);
    free(table->seconds);
}

/* Repetitions alternate between the transfers: if the machine drifts, it does so for all. */
static bool measure(const stream_link_t *link, const stream_options_t *options, table_t *table)
{
    bool right = true;
    progress_begin("transfers", table->count * (options->repetitions + 1));
    for (size_t i = 0; i < table->count; i++) {
        right = stream_transfer_check(link, &table->transfers[i]) && right;
        table->turns[i] =
            stream_transfer_fit(link, &table->transfers[i], options->seconds, options->operations);
    }
    for (size_t r = 0; r < options->repetitions; r++)
        for (size_t i = 0; i < table->count; i++) {
            table->samples[i * options->repetitions + r] =
                stream_transfer_measure(link, &table->transfers[i], table->turns[i]);
            if (pgas_mythread() == 0)
                progress_update((r + 1) * table->count + i + 1);
        }
    progress_end();
    for (size_t i = 0; i < table->count; i++)
        table->seconds[i] =
            common_spread(&table->samples[i * options->repetitions], options->repetitions);
    return right;
}

static void add_rows(stream_report_t *report, const table_t *table, bool flood)
{
    for (size_t i = 0; i < table->count; i++) {
        const stream_transfer_t *t = &table->transfers[i];
        common_spread_t bandwidth = stream_rate((double)t->nbytes, &table->seconds[i]);
        json_t *row = json_pack(
            "{s:s, s:s, s:s, s:I, s:I, s:o}", "interface", stream_interface_names[t->interface],
            "operation", stream_operation_names[t->operation], "mode", stream_mode_names[t->mode],
            "nbytes", (json_int_t)t->nbytes, "operations", (json_int_t)table->turns[i], "seconds",
            common_spread_to_json(&table->seconds[i]));
        if (flood) {
            json_object_set_new(row, "depth", json_integer((json_int_t)t->depth));
            json_object_set_new(row, "bytes_per_second", common_spread_to_json(&bandwidth));
        }
        stream_report_add(report, row);
    }
}

/* What the tables of one depth show: their cells begin at `first`. */
typedef struct block {
    const table_t *table;
    const stream_list_t *sizes;
    size_t first;
} block_t;

/* A block's values by one interface: `per_second` units of time, or megabytes per second if that is
 * 0. */
static void print_interface(const block_t *block, size_t interface, double per_second)
{
    printf("%10s", "bytes");
    for (int mode = 0; mode < STREAM_MODES; mode++)
        for (int operation = 0; operation < STREAM_OPERATIONS; operation++)
            printf("  %8s %s", stream_mode_names[mode], stream_operation_names[operation]);
    printf("\n");
    for (size_t s = 0; s < block->sizes->count; s++) {
        printf("%10zu", block->sizes->values[s]);
        for (size_t column = 0; column < COLUMNS; column++) {
            size_t cell = (s * COLUMNS + column) * block->table->interfaces + interface;
            double seconds = block->table->seconds[block->first + cell].median;
            double megabytes = (double)block->sizes->values[s] * 1e-6;
            printf("  ");
            stream_print_number(12, per_second > 0 ? seconds * per_second : megabytes / seconds);
        }
        printf("\n");
    }
}

static void print_block(const block_t *block, double per_second)
{
    for (size_t one = 0; one < block->table->interfaces; one++) {
        if (block->table->interfaces > 1)
            printf("%s\n", one == STREAM_GASNET ? "through gasnet.h:" : "by Fathom's calls:");
        print_interface(block, one, per_second);
    }
}

/* Of all interfaces, so that their times can be compared. */
static stream_unit_t choose_unit(const block_t *block)
{
    const common_spread_t *seconds = &block->table->seconds[block->first];
    double least = seconds[0].median;
    for (size_t i = 0; i < block->sizes->count * COLUMNS * block->table->interfaces; i++)
        least = seconds[i].median < least ? seconds[i].median : least;
    return stream_unit_of(least);
}

static void print_latency(const block_t *block)
{
    stream_unit_t unit = choose_unit(block);
    printf("\nround-trip latency, %s (GASNet's Table 1 by its row of 1 byte; Figures 4 and 6)\n",
           unit.name);
    print_block(block, unit.per_second);
}

static void print_flood(const block_t *block, size_t depth)
{
    stream_unit_t unit = choose_unit(block);
    printf("\nflood bandwidth, MB/s, %zu in flight (GASNet's Table 2 by 128 KiB and depth 8; "
           "Figures 5 and 7)\n",
           depth);
    print_block(block, 0);
    printf("\ninverse throughput, %s per message, %zu in flight (GASNet's Table 3 by its row of 1 "
           "byte; Figures 5 and 8)\n",
           unit.name, depth);
    print_block(block, unit.per_second);
}

static void print_tables(const char *what, const stream_options_t *options, const table_t *table,
                         bool flood)
{
    printf("%s: thread 0 and a partner that is %s; threads: %d, nodes: %d\n", what,
           common_place_names[options->place], pgas_threads(), common_nodes());
    for (size_t d = 0; d < options->depths.count; d++) {
        const block_t block = {table, &options->sizes,
                               d * options->sizes.count * COLUMNS * table->interfaces};
        if (flood)
            print_flood(&block, options->depths.values[d]);
        else
            print_latency(&block);
    }
}

static void run(const char *command, stream_options_t *options, bool flood)
{
    stream_link_t link;
    stream_report_t report = stream_report_begin(command, options);
    pgas_place_t place = stream_options_other_place(options);
    table_t table = make_table(options);
    stream_link_create(place, stream_list_largest(&options->sizes),
                       stream_list_largest(&options->depths), options->gasnet, &link);
    report.right = measure(&link, options, &table);
    add_rows(&report, &table, flood);
    if (stream_report_prints(&report))
        print_tables(command, options, &table, flood);
    stream_link_free(&link);
    free_table(&table);
    stream_report_end(&report);
}

int command_latency(int argc, char **argv)
{
    stream_options_t options = {
        .repetitions = 5,
        .seconds = 0.25,
        .operations = 10000,
        .place = -1,
        .sizes = {{1, 8, 64, 512, 4096, 32768, 131072, 1 << 20}, 8},
        .depths = {{1}, 1},
    };
    stream_options_start(latency_options,
                         "Round-trip latency of blocking, explicit and implicit gets and puts: "
                         "Table 1 and Figures 4 and 6 of the GASNet paper.",
                         argc, argv, &options);
    run("latency", &options, false);
    return stream_options_finish(&options);
}

int command_flood(int argc, char **argv)
{
    stream_options_t options = {
        .repetitions = 5,
        .seconds = 0.25,
        .operations = 10000,
        .place = -1,
        .sizes = {{1, 8, 64, 512, 4096, 32768, 131072, 1 << 20}, 8},
        .depths = {{1, 8, 64}, 3},
    };
    stream_options_start(flood_options,
                         "Gets and puts one after the other, as many in flight as --depths says: "
                         "bandwidth and inverse throughput, Tables 2 and 3 and Figures 5, 7 and 8 "
                         "of the GASNet paper. Blocking ones are never in flight together.",
                         argc, argv, &options);
    run("flood", &options, true);
    return stream_options_finish(&options);
}
