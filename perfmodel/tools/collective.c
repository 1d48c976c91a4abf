/* The time of a collective by each algorithm, the best of them, and which one the runtime takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll/algorithm.h"
#include "command.h"
#include "support/cli.h"

enum {
    SIZES_MAX = 64,
    OPTION_ELEMENT_BYTES = 0x200,
    OPTION_SETTING
};

typedef struct options {
    command_options_t common;
    const char *name;
    size_t sizes[SIZES_MAX];
    size_t size_count;
    size_t element_bytes;
    size_t root;
    pgasi_coll_rules_t rules;
} options_t;

/* An algorithm at a size. */
typedef struct candidate {
    const model_collective_t *collective;
    model_estimate_t seconds;
    /* Not told from the fastest. */
    bool is_alike;
} candidate_t;

/* All that serve a size. */
typedef struct point {
    model_collective_call_t call;
    candidate_t candidates[PGASI_COLL_ALGORITHM_COUNT];
    size_t count;
    size_t best;
    const char *chosen;
} point_t;

static const struct argp_option option_list[] = {
    {"bytes", 'b', "LIST", 0,
     "Bytes of a block (broadcast, scatter, gather, allgather, alltoall), or of all elements of a "
     "member (reduce, allreduce, reduce_scatter, scan)",
     0},
    {"threads", 't', "T", 0, "Members: the threads of the job", 0},
    {"element-bytes", OPTION_ELEMENT_BYTES, "SIZE", 0, "Of an element that is combined (default 8)",
     0},
    {"root", 'r', "RANK", 0, "The root (default 0)", 0},
    {"setting", OPTION_SETTING, "RULES", 0, "What PGAS_COLL says in the job", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options_t *options = state->input;
    char wrong[512];
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->common;
        state->child_inputs[1] = &options->common;
        return 0;
    case 'b':
        options->size_count =
            cli_parse_list("--bytes", arg, 0, SIZE_MAX / 2, options->sizes, SIZES_MAX);
        return 0;
    case 't':
        options->common.threads = cli_parse_count("--threads", arg, 1, MODEL_THREADS_MAX);
        return 0;
    case OPTION_ELEMENT_BYTES:
        options->element_bytes = cli_parse_count("--element-bytes", arg, 1, INT32_MAX);
        return 0;
    case 'r':
        options->root = cli_parse_count("--root", arg, 0, MODEL_THREADS_MAX - 1);
        return 0;
    case OPTION_SETTING:
        if (!pgasi_coll_rules_read(arg, &options->rules, wrong, sizeof wrong))
            cli_fail(CLI_EXIT_USAGE, "--setting: %s", wrong);
        return 0;
    case ARGP_KEY_ARG:
        if (options->name != NULL)
            cli_fail(CLI_EXIT_USAGE, "'%s': one COLLECTIVE is enough", arg);
        options->name = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- Predicting ---- */

static pgasi_coll_kind_t find_kind(const char *name)
{
    char known[256] = "";
    size_t used = 0;
    for (int kind = 0; kind < PGASI_COLL_KIND_COUNT; kind++) {
        const char *found = pgasi_coll_kind_name((pgasi_coll_kind_t)kind);
        if (strcmp(found, name) == 0)
            return (pgasi_coll_kind_t)kind;
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "",
                                 found);
    }
    cli_fail(CLI_EXIT_USAGE, "'%s' is no collective; there are %s", name, known);
}

static bool has_elements(pgasi_coll_kind_t kind)
{
    return kind == PGASI_KIND_OF_REDUCE || kind == PGASI_KIND_OF_ALLREDUCE ||
           kind == PGASI_KIND_OF_REDUCE_SCATTER || kind == PGASI_KIND_OF_SCAN;
}

/* The runtime is not told the sizes of blocks of which members know their own alone. */
static size_t told_bytes(pgasi_coll_kind_t kind, size_t nbytes)
{
    return kind != PGASI_KIND_OF_BARRIER && !pgasi_coll_is_uneven(kind) ? nbytes : 0;
}

static candidate_t make_candidate(const char *name, pgasi_coll_algorithm_t algorithm,
                                  const model_collective_call_t *call,
                                  const model_machine_t *machine)
{
    int missing;
    const char *by = pgasi_coll_algorithm_name(algorithm);
    candidate_t candidate = {.collective = model_collective_find(name, by)};
    if (candidate.collective == NULL)
        cli_fail(EXIT_FAILURE, "there is no formula for %s by %s", name, by);
    if (!model_collective_is_priced(candidate.collective, call, machine, &missing))
        cli_fail(EXIT_FAILURE,
                 "%s: parameter '%s' is missing ('fathom-stream calibrate' in the shape of the job "
                 "measures it)",
                 machine->path, model_parameter_name(missing));
    candidate.seconds = model_collective_predict(candidate.collective, call, machine);
    return candidate;
}

static void judge(point_t *point, const model_machine_t *machine)
{
    for (size_t c = 1; c < point->count; c++)
        if (point->candidates[c].seconds.predicted <
            point->candidates[point->best].seconds.predicted)
            point->best = c;
    for (size_t c = 0; c < point->count; c++) {
        model_collective_gap_t gap = model_collective_compare(
            point->candidates[c].collective, point->candidates[point->best].collective,
            &point->call, machine);
        point->candidates[c].is_alike =
            gap.predicted <= MODEL_LEAST_GAIN || gap.predicted <= gap.spread;
    }
}

static point_t make_point(const options_t *options, pgasi_coll_kind_t kind,
                          const model_layout_t *layout, size_t nbytes,
                          const model_machine_t *machine)
{
    size_t told = told_bytes(kind, nbytes);
    const pgasi_coll_shape_t shape = {.members = (uint32_t)layout->threads,
                                      .nodes = (uint32_t)layout->nodes,
                                      .most_on_node = (uint32_t)layout->threads_per_node,
                                      .has_processors = layout->nodes == 1};
    point_t point = {
        .call = {.layout = *layout,
                 .bytes = (double)nbytes,
                 .element_bytes = (double)options->element_bytes,
                 .root = options->root},
        .chosen = pgasi_coll_algorithm_name(pgasi_coll_choose(&options->rules, kind, told, &shape)),
    };
    for (int a = 0; a < PGASI_COLL_ALGORITHM_COUNT; a++)
        if (a != PGASI_ALGORITHM_LIBRARY &&
            pgasi_coll_serves(kind, (pgasi_coll_algorithm_t)a, told, &shape))
            point.candidates[point.count++] =
                make_candidate(options->name, (pgasi_coll_algorithm_t)a, &point.call, machine);
    judge(&point, machine);
    return point;
}

/* ---- In words ---- */

static const char *name_of(const point_t *point, size_t c)
{
    return model_collective_algorithm(point->candidates[c].collective);
}

static size_t count_alike(const point_t *point)
{
    size_t count = 0;
    for (size_t c = 0; c < point->count; c++)
        count += point->candidates[c].is_alike;
    return count;
}

static void print_point(const point_t *point)
{
    size_t alike = count_alike(point);
    for (size_t c = 0; c < point->count; c++) {
        const model_estimate_t *seconds = &point->candidates[c].seconds;
        bool is_chosen = strcmp(name_of(point, c), point->chosen) == 0;
        printf("%12.0f %-14s %11.4g (%10.4g .. %10.4g)%s%s\n", point->call.bytes, name_of(point, c),
               seconds->predicted, seconds->low, seconds->high,
               c == point->best && alike == 1 ? "  best" : "",
               is_chosen ? "  <- the runtime's choice" : "");
    }
    if (alike < 2)
        return;
    printf("%12s no significant difference between ", "");
    for (size_t c = 0, left = alike; c < point->count; c++)
        if (point->candidates[c].is_alike)
            printf("%s%s", name_of(point, c), --left > 0 ? ", " : "\n");
}

/* ---- JSON ---- */

static json_t *places_json(const double values[MODEL_PLACES])
{
    return json_pack("{s:f, s:f, s:f}", model_place_names[MODEL_OWN], values[MODEL_OWN],
                     model_place_names[MODEL_LOCAL], values[MODEL_LOCAL],
                     model_place_names[MODEL_REMOTE], values[MODEL_REMOTE]);
}

/* The traffic is that of all members. */
static json_t *candidate_json(const point_t *point, const candidate_t *candidate)
{
    model_collective_counts_t all = {.meetings = 0.0};
    for (size_t member = 0; member < point->call.layout.threads; member++) {
        model_collective_counts_t counts =
            model_collective_count(candidate->collective, &point->call, member);
        all.meetings = counts.meetings;
        for (int place = 0; place < MODEL_PLACES; place++) {
            all.messages[place] += counts.messages[place];
            all.bytes[place] += counts.bytes[place];
        }
    }
    return json_pack("{s:s, s:o, s:b, s:f, s:o, s:o}", "algorithm",
                     model_collective_algorithm(candidate->collective), "seconds",
                     command_estimate_json(&candidate->seconds, 1.0), "alike",
                     (int)candidate->is_alike, "meetings", all.meetings, "messages",
                     places_json(all.messages), "bytes", places_json(all.bytes));
}

static json_t *point_json(const point_t *point)
{
    json_t *algorithms = json_array();
    for (size_t c = 0; c < point->count; c++)
        json_array_append_new(algorithms, candidate_json(point, &point->candidates[c]));
    return json_pack("{s:f, s:s, s:b, s:s, s:o}", "bytes", point->call.bytes, "best",
                     name_of(point, point->best), "cannot_tell", (int)(count_alike(point) > 1),
                     "chosen", point->chosen, "algorithms", algorithms);
}

static void write_json(const options_t *options, const model_layout_t *layout,
                       const model_machine_t *machine, const point_t *points)
{
    json_t *list = json_array();
    json_t *object = command_json("collective");
    for (size_t p = 0; p < options->size_count; p++)
        json_array_append_new(list, point_json(&points[p]));
    command_json_add(
        object, json_pack("{s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:o}", "collective", options->name,
                          "machine", command_machine_json(&options->common, machine), "threads",
                          (json_int_t)layout->threads, "nodes", (json_int_t)layout->nodes,
                          "threads_per_node", (json_int_t)layout->threads_per_node, "element_bytes",
                          (json_int_t)options->element_bytes, "root", (json_int_t)options->root,
                          "points", list));
    command_write_json(&options->common, object);
}

/* ---- The command ---- */

static void check(const options_t *options, pgasi_coll_kind_t kind)
{
    if (options->root >= options->common.threads)
        cli_fail(CLI_EXIT_USAGE, "--root: there is no rank %zu among %zu threads", options->root,
                 options->common.threads);
    for (size_t s = 0; s < options->size_count && has_elements(kind); s++)
        if (options->sizes[s] % options->element_bytes != 0)
            cli_fail(CLI_EXIT_USAGE, "--bytes: %zu is not a multiple of an element's %zu bytes",
                     options->sizes[s], options->element_bytes);
}

static void run(const options_t *options)
{
    mesh_error_t error;
    model_layout_t layout;
    model_machine_t machine;
    pgasi_coll_kind_t kind = find_kind(options->name);
    const command_options_t *common = &options->common;
    check(options, kind);
    if (!model_layout_make(1, 1, common->threads, common->nodes, common->threads_per_node, 0,
                           &layout, &error))
        cli_fail(CLI_EXIT_USAGE, "%s", error.text);
    command_read_machine(common, layout.nodes, &machine);
    point_t *points = command_alloc(options->size_count, sizeof *points);
    for (size_t s = 0; s < options->size_count; s++)
        points[s] = make_point(options, kind, &layout, options->sizes[s], &machine);
    if (command_may_print(common)) {
        printf("%s: threads: %zu, nodes: %zu; machine: %s\n", options->name, layout.threads,
               layout.nodes, machine.name);
        command_print_shape(&machine, &layout);
        printf("%12s %-14s %11s (%10s .. %10s)\n", "bytes", "algorithm", "s", "low", "high");
        for (size_t s = 0; s < options->size_count; s++)
            print_point(&points[s]);
    }
    if (common->json != NULL)
        write_json(options, &layout, &machine, points);
    free(points);
}

int command_collective(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&command_job_argp, 0, NULL, 0}, {&command_file_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = option_list,
        .parser = parse,
        .args_doc = "COLLECTIVE",
        .doc = "Predicts the time of a collective of all threads by each algorithm that serves it, "
               "and says which one is best and which one the runtime takes.\v"
               "COLLECTIVE is barrier, broadcast, scatter, gather, allgather, alltoall, reduce, "
               "allreduce, reduce_scatter or scan; scatterv, gatherv, allgatherv and alltoallv "
               "have blocks of the same size here. Members come at the same time, and their data "
               "are private.",
        .children = children,
    };
    options_t options = {.element_bytes = 8};
    cli_parse(&argp, 0, argc, argv, &options);
    if (options.name == NULL)
        cli_fail(CLI_EXIT_USAGE, "no COLLECTIVE given; see '%s --help'", argv[0]);
    if (options.size_count == 0 && strcmp(options.name, "barrier") == 0)
        options.size_count = 1;
    if (options.size_count == 0 || options.common.threads == 0 || options.common.machine_count == 0)
        cli_fail(CLI_EXIT_USAGE, "needed: --bytes, --threads and --machine; see '%s --help'",
                 argv[0]);
    command_check_files(&options.common, NULL, NULL);
    run(&options);
    return EXIT_SUCCESS;
}
