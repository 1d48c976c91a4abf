#include "transfers_measure.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

_Noreturn static void refuse(const char *program, const char *text, const char *what)
{
    fprintf(stderr, "%s: '%s' is not %s\n", program, text, what);
    exit(2);
}

static bench_list_t parse_list(const char *program, const char *text, size_t most)
{
    const char *what = "a list of numbers above 0, as 1,8,64, that are small enough";
    bench_list_t list = {.count = 0};
    const char *at = text;
    for (;;) {
        char *end;
        errno = 0;
        unsigned long long value = strtoull(at, &end, 10);
        bool digit = *at >= '0' && *at <= '9';
        if (!digit || errno != 0 || value == 0 || value > most || list.count == BENCH_LIST_MAX)
            refuse(program, text, what);
        list.values[list.count++] = (size_t)value;
        if (*end == '\0')
            return list;
        if (*end != ',')
            refuse(program, text, what);
        at = end + 1;
    }
}

static size_t largest(const bench_list_t *list)
{
    size_t value = 0;
    for (size_t i = 0; i < list->count; i++)
        value = list->values[i] > value ? list->values[i] : value;
    return value;
}

static double parse_seconds(const char *program, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value > 0) || !isfinite(value))
        refuse(program, text, "a number of seconds");
    return value;
}

bench_transfers_options_t bench_transfers_options(int argc, char **argv)
{
    const size_t most_bytes = (size_t)1 << 30;
    const size_t most_depth = 65535;
    bench_transfers_options_t options = {
        .sizes = parse_list(argv[0], argc > 4 ? argv[4] : "1,8,64,512,4096,32768,131072,1048576",
                            most_bytes),
        .depths = parse_list(argv[0], argc > 5 ? argv[5] : "1,8,64", most_depth),
        .operations = bench_argument(argc, argv, 2, 10000),
        .seconds = parse_seconds(argv[0], argc > 3 ? argv[3] : "0.25"),
        .repetitions = bench_argument(argc, argv, 1, 5),
    };
    if (argc > 6)
        refuse(argv[0], argv[6], "an argument");
    options.depth = largest(&options.depths);
    options.nbytes = largest(&options.sizes) * options.depth;
    return options;
}

typedef struct cell {
    const bench_transfers_t *way;
    bench_transfer_t transfer;
    size_t operations;
    double *samples;
} cell_t;

/* The same value in both processes. */
static double time_run(const cell_t *cell, size_t count)
{
    size_t nanoseconds = 0;
    cell->way->share(&nanoseconds);
    double begin = bench_seconds();
    cell->way->run(&cell->transfer, count);
    nanoseconds = (size_t)(1e9 * (bench_seconds() - begin));
    cell->way->share(&nanoseconds);
    return 1e-9 * (double)nanoseconds;
}

/* Another program may have had the processor for most of one turn, or of two. */
static bool fills(const cell_t *cell, size_t count, double seconds)
{
    enum {
        TURNS = 3
    };
    for (int turn = 0; turn < TURNS; turn++)
        if (time_run(cell, count) < seconds)
            return false;
    return true;
}

static size_t fit(const cell_t *cell, const bench_transfers_options_t *options)
{
    size_t most = options->operations;
    size_t count = most < cell->transfer.depth ? most : cell->transfer.depth;
    while (count < most && !fills(cell, count, options->seconds / 2))
        count = count <= most / 2 ? 2 * count : most;
    return count;
}

/* The byte at `i` of process `process`'s memory before cell `number` is checked. */
static char pattern(size_t i, size_t number, int process)
{
    return (char)(i * 31 + number * 7 + (process == 0 ? 0 : 128));
}

/* Moves as many transfers as may be in flight, and looks at what has arrived in this process. */
static bool check(const cell_t *cell, size_t number)
{
    const bench_transfers_t *way = cell->way;
    const size_t nbytes = cell->transfer.nbytes * cell->transfer.depth;
    const int process = way->process;
    char *memory = process == 0 ? way->buffer : way->shared;
    size_t nothing = 0;
    for (size_t i = 0; i < nbytes; i++)
        memory[i] = pattern(i, number, process);
    way->share(&nothing);
    way->run(&cell->transfer, cell->transfer.depth);
    way->share(&nothing);
    const int source = cell->transfer.gets ? 1 : 0;
    for (size_t i = 0; i < nbytes && process != source; i++)
        if (memory[i] != pattern(i, number, source)) {
            fprintf(stderr, "%s, %zu bytes, %zu in flight: byte %zu has not arrived\n", way->mode,
                    cell->transfer.nbytes, cell->transfer.depth, i);
            return false;
        }
    return true;
}

static void print_cell(const cell_t *cell, size_t repetitions, bool last)
{
    bench_summary_t seconds = bench_summarise(cell->samples, repetitions);
    printf("  {\"operation\": \"%s\", \"mode\": \"%s\", \"nbytes\": %zu, \"depth\": %zu, "
           "\"operations\": %zu,\n   \"seconds\": {\"median\": %.6g, \"min\": %.6g, \"max\": "
           "%.6g}}%s\n",
           cell->transfer.gets ? "get" : "put", cell->way->mode, cell->transfer.nbytes,
           cell->transfer.depth, cell->operations, seconds.median, seconds.min, seconds.max,
           last ? "" : ",");
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) {
        fprintf(stderr, "no memory for %zu measurements\n", count);
        exit(1);
    }
    return memory;
}

/* All kinds of transfers of all ways. The caller frees the cells and the samples of the first. */
static cell_t *make_cells(const bench_transfers_t *ways, size_t count,
                          const bench_transfers_options_t *options, size_t *total)
{
    *total = count * options->depths.count * options->sizes.count * 2;
    cell_t *cells = allocate(*total, sizeof *cells);
    double *samples = allocate(*total * options->repetitions, sizeof *samples);
    size_t i = 0;
    for (size_t w = 0; w < count; w++)
        for (size_t d = 0; d < options->depths.count; d++)
            for (size_t s = 0; s < options->sizes.count; s++)
                for (int gets = 1; gets >= 0; gets--, i++)
                    cells[i] = (cell_t){
                        .way = &ways[w],
                        .transfer = {gets, options->sizes.values[s], options->depths.values[d]},
                        .samples = samples + i * options->repetitions,
                    };
    return cells;
}

bool bench_transfers_run(const bench_transfers_t *ways, size_t count,
                         const bench_transfers_options_t *options, const char *program)
{
    size_t total;
    cell_t *cells = make_cells(ways, count, options, &total);
    bool arrived = true;
    for (size_t i = 0; i < total && arrived; i++) {
        arrived = check(&cells[i], i);
        if (arrived)
            cells[i].operations = fit(&cells[i], options);
    }
    for (size_t r = 0; r < options->repetitions && arrived; r++)
        for (size_t i = 0; i < total; i++)
            cells[i].samples[r] =
                time_run(&cells[i], cells[i].operations) / (double)cells[i].operations;
    if (arrived && ways[0].process == 0) {
        printf("{\"program\": \"%s\", \"check\": \"ok\", \"results\": [\n", program);
        for (size_t i = 0; i < total; i++)
            print_cell(&cells[i], options->repetitions, i + 1 == total);
        printf("]}\n");
    }
    free(cells[0].samples);
    free(cells);
    return arrived;
}
