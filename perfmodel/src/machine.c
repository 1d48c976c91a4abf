#include "perfmodel/machine.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "json_file.h"
#include "perfmodel/layout.h"
#include "rates.h"

static const struct {
    const char *name;
    bool is_bandwidth;
} known[MODEL_RATES] = {
    [MODEL_PRIVATE_BANDWIDTH] = {"private_bandwidth", true},
    [MODEL_REMOTE_BANDWIDTH] = {"remote_bandwidth", true},
    [MODEL_REMOTE_LATENCY] = {"remote_latency", false},
    [MODEL_PRIVATE_READ_BANDWIDTH] = {"private_read_bandwidth", true},
    [MODEL_PRIVATE_COPY_BANDWIDTH] = {"private_copy_bandwidth", true},
    [MODEL_BARRIER_LATENCY] = {"barrier_latency", false},
    [MODEL_MESSAGE_LATENCY] = {"message_latency", false},
    [MODEL_POINTER_ACCESS] = {"pointer_access", false},
    [MODEL_PRODUCT_ACCESS] = {"product_access", false},
    [MODEL_LOCAL_ACCESS] = {"local_access", false},
    [MODEL_LOCAL_ACCESS_CACHED] = {"local_access_cached", false},
    [MODEL_AFFINITY_TEST] = {"affinity_test", false},
    [MODEL_REMOTE_BANDWIDTH_SHARED] = {"remote_bandwidth_shared", true},
    [MODEL_PRIVATE_SCALE_BANDWIDTH] = {"private_scale_bandwidth", true},
    [MODEL_PRODUCT_BANDWIDTH] = {"product_bandwidth", true},
    [MODEL_GATHER_ACCESS] = {"gather_access", false},
    [MODEL_COLUMN_ACCESS] = {"column_access", false},
    [MODEL_EXCHANGE_LATENCY] = {"exchange_latency", false},
    [MODEL_EXCHANGE_BANDWIDTH] = {"exchange_bandwidth", true},
    [MODEL_BLOCK_LATENCY] = {"block_latency", false},
    [MODEL_HEAT_POINT] = {"heat_point", false},
    [MODEL_HEAT_STREAMING_POINT] = {"heat_streaming_point", false},
    [MODEL_HEAT_FIRST_ROW] = {"heat_first_row", false},
    [MODEL_NARROW_COLUMN_ACCESS] = {"narrow_column_access", false},
    [MODEL_HEAT_FIRST_GET] = {"heat_first_get", false},
    [MODEL_HEAT_LAST_ROW] = {"heat_last_row", false},
    [MODEL_EXCHANGE_SEND] = {"exchange_send", false},
    [MODEL_EXCHANGE_SEND_BANDWIDTH] = {"exchange_send_bandwidth", true},
};

#define WIDTHS_OF(name) name "_4", name "_16", name "_64", name "_128"
#define ROWS_OF(kernel) WIDTHS_OF(kernel "_row"), WIDTHS_OF(kernel "_held")
#define LINES_OF(name) WIDTHS_OF(name "_one"), WIDTHS_OF(name "_all")
#define KINDS_OF(kernel) \
    ROWS_OF(kernel), LINES_OF(kernel "_close"), LINES_OF(kernel "_near"), LINES_OF(kernel "_far")
#define SEQUENCES_OF(kernel) kernel "_sequence_row", kernel "_sequence_held"
#define HELD_LINES_OF(kernel) kernel "_close_held_one", kernel "_close_held_all"
#define CLOSE_ROWS_OF(kernel) WIDTHS_OF(kernel "_close_row")
#define KEPT_ROWS "kept_row_half", "kept_row_one", "kept_row_three_halves", "kept_row_two"
#define PLACES_OF(move) "move_" move "_near", "move_" move "_far"

static const char *const rate_names[MODEL_PRICE(0, 0) - MODEL_RATES] = {
    KINDS_OF("product"),       KINDS_OF("sliced"),
    KINDS_OF("pointers"),      ROWS_OF("shifts"),
    ROWS_OF("pointers_turns"), ROWS_OF("shifts_turns"),
    ROWS_OF("pointers_mixed"), ROWS_OF("shifts_mixed"),
    ROWS_OF("naive"),          SEQUENCES_OF("product"),
    SEQUENCES_OF("sliced"),    HELD_LINES_OF("product"),
    HELD_LINES_OF("sliced"),   CLOSE_ROWS_OF("product"),
    CLOSE_ROWS_OF("sliced"),   KEPT_ROWS,
    PLACES_OF("copy"),         PLACES_OF("copy_other"),
    PLACES_OF("put"),          PLACES_OF("pack"),
    PLACES_OF("pack_lines"),   PLACES_OF("unpack"),
    PLACES_OF("unpack_lines"), PLACES_OF("plan"),
    PLACES_OF("plan_lines"),
};

#define PARTNERS_OF(price) price "_own", price "_local", price "_remote"

static const char *const price_names[MODEL_PARAMETERS - MODEL_PRICE(0, 0)] = {
    PARTNERS_OF("fetch_latency"),
    PARTNERS_OF("fetch_flood"),
    PARTNERS_OF("update_latency"),
    PARTNERS_OF("update_flood"),
    PARTNERS_OF("signal_latency"),
    PARTNERS_OF("signal_flood"),
    PARTNERS_OF("signal_bulk"),
    PARTNERS_OF("signal_turn"),
    PARTNERS_OF("am_latency"),
    PARTNERS_OF("am_flood"),
    "fetch_far",
    "fetch_contended",
    "fetch_shared",
    PARTNERS_OF("meeting"),
    PARTNERS_OF("round_8"),
    PARTNERS_OF("round_4096"),
    PARTNERS_OF("round_65536"),
    PARTNERS_OF("round_1048576"),
    PARTNERS_OF("round_16777216"),
    PARTNERS_OF("round_read_8"),
    PARTNERS_OF("round_read_4096"),
    PARTNERS_OF("round_read_65536"),
    PARTNERS_OF("round_read_1048576"),
    PARTNERS_OF("round_read_16777216"),
    "combine_element",
    "round_read_alone_8_remote",
    "round_read_alone_4096_remote",
    "round_read_alone_65536_remote",
    "round_read_alone_1048576_remote",
};

const char *model_parameter_name(int parameter)
{
    if (parameter < MODEL_RATES)
        return known[parameter].name;
    return parameter < MODEL_PRICE(0, 0) ? rate_names[parameter - MODEL_RATES]
                                         : price_names[parameter - MODEL_PRICE(0, 0)];
}

static bool is_bandwidth(int parameter)
{
    return parameter < MODEL_RATES && known[parameter].is_bandwidth;
}

/* What a positive number of a file may be. With numbers in it no prediction overflows, whatever the
 * counts. */
typedef struct range {
    double least;
    double most;
    const char *unit;
    bool may_be_zero;
} range_t;

static const range_t bandwidth_range = {MODEL_LEAST_BANDWIDTH, MODEL_MOST_BANDWIDTH, "bytes/s",
                                        false};
static const range_t seconds_range = {MODEL_LEAST_SECONDS, MODEL_MOST_SECONDS, "seconds", true};
static const range_t line_range = {1.0, MODEL_MOST_LINE_BYTES, "bytes", false};
static const range_t cache_range = {1.0, MODEL_MOST_CACHE_BYTES, "bytes", true};

/* Reads the number at `key` of `object`. `where` names the object in messages. */
static bool read_number(const char *path, const char *where, const json_t *object, const char *key,
                        const range_t *range, double *number, mesh_error_t *error)
{
    const json_t *value = json_object_get(object, key);
    if (value == NULL)
        return modeli_fail(error, "%s: %s: key '%s' is missing", path, where, key);
    double found = json_number_value(value);
    bool is_zero = found == 0.0 && range->may_be_zero;
    if (!json_is_number(value) || (!(found > 0.0) && !is_zero))
        return modeli_fail(error, "%s: %s: '%s' is not %sa positive number", path, where, key,
                           range->may_be_zero ? "0 or " : "");
    if (!is_zero && (found < range->least || found > range->most))
        return modeli_fail(error, "%s: %s: '%s' is %g, not from %g to %g %s", path, where, key,
                           found, range->least, range->most, range->unit);
    *number = found;
    return true;
}

static bool read_parameter(const char *path, const json_t *parameters, int parameter,
                           model_machine_t *machine, mesh_error_t *error)
{
    const char *name = model_parameter_name(parameter);
    const json_t *object = json_object_get(parameters, name);
    if (object == NULL)
        return true;
    char where[96];
    model_spread_t spread;
    snprintf(where, sizeof where, "parameter '%s'", name);
    if (!json_is_object(object))
        return modeli_fail(error, "%s: %s is not an object with median, min and max", path, where);
    const range_t *range = is_bandwidth(parameter) ? &bandwidth_range : &seconds_range;
    if (!read_number(path, where, object, "median", range, &spread.median, error) ||
        !read_number(path, where, object, "min", range, &spread.min, error) ||
        !read_number(path, where, object, "max", range, &spread.max, error))
        return false;
    if (spread.min > spread.median || spread.median > spread.max)
        return modeli_fail(error, "%s: %s: median %g is not between min %g and max %g", path, where,
                           spread.median, spread.min, spread.max);
    machine->parameters[parameter] = spread;
    machine->has[parameter] = true;
    return true;
}

static bool read_cache(const char *path, const json_t *root, const char *key, double *nbytes,
                       mesh_error_t *error)
{
    return json_object_get(root, key) == NULL ||
           read_number(path, "the machine", root, key, &cache_range, nbytes, error);
}

/* cache_line_bytes is required; the sizes of caches are optional. */
static bool read_caches(const char *path, const json_t *root, model_machine_t *machine,
                        mesh_error_t *error)
{
    return read_number(path, "the machine", root, "cache_line_bytes", &line_range,
                       &machine->cache_line_bytes, error) &&
           read_cache(path, root, "first_level_cache_bytes", &machine->first_level_cache_bytes,
                      error) &&
           read_cache(path, root, "second_level_cache_bytes", &machine->second_level_cache_bytes,
                      error) &&
           read_cache(path, root, "last_level_share_bytes", &machine->last_level_share_bytes,
                      error);
}

/* 0 if the key is missing. */
static bool read_count(const char *path, const json_t *root, const char *key, size_t *count,
                       mesh_error_t *error)
{
    const json_t *value = json_object_get(root, key);
    json_int_t found = json_integer_value(value);
    if (value != NULL &&
        (!json_is_integer(value) || found < 1 || (size_t)found > MODEL_THREADS_MAX))
        return modeli_fail(error, "%s: key '%s' is not a whole number from 1 to %zu", path, key,
                           MODEL_THREADS_MAX);
    *count = (size_t)found;
    return true;
}

/* Empty if the key is missing. */
static bool read_text(const char *path, const json_t *root, const char *key, char *text,
                      size_t nbytes, mesh_error_t *error)
{
    const json_t *value = json_object_get(root, key);
    const char *found = json_string_value(value);
    if (value != NULL && found == NULL)
        return modeli_fail(error, "%s: key '%s' is not text", path, key);
    snprintf(text, nbytes, "%s", found != NULL ? found : "");
    return true;
}

/* A job has no more nodes than threads, nor a node. Unknown numbers are 0. */
static bool check_shape(const char *path, const model_machine_t *machine, mesh_error_t *error)
{
    size_t most = machine->threads;
    if (most == 0)
        return true;
    if (machine->nodes > most)
        return modeli_fail(error, "%s: key 'nodes' is %zu, more than 'threads', which is %zu", path,
                           machine->nodes, most);
    if (machine->threads_per_node > most)
        return modeli_fail(error,
                           "%s: key 'threads_per_node' is %zu, more than 'threads', which is %zu",
                           path, machine->threads_per_node, most);
    if (machine->nodes > 0 && machine->threads_per_node > 0 &&
        (most - 1) / machine->threads_per_node >= machine->nodes)
        return modeli_fail(error,
                           "%s: key 'threads' is %zu, which %zu nodes of 'threads_per_node' = %zu "
                           "do not have",
                           path, most, machine->nodes, machine->threads_per_node);
    return true;
}

/* Who measured, where, and in which job. */
static bool read_origin(const char *path, const json_t *root, model_machine_t *machine,
                        mesh_error_t *error)
{
    snprintf(machine->path, sizeof machine->path, "%s", path);
    if (!read_text(path, root, "name", machine->name, sizeof machine->name, error) ||
        !read_text(path, root, "host", machine->host, sizeof machine->host, error) ||
        !read_text(path, root, "processor", machine->processor, sizeof machine->processor, error))
        return false;
    if (machine->name[0] == '\0')
        snprintf(machine->name, sizeof machine->name, "unnamed");
    return read_count(path, root, "threads", &machine->threads, error) &&
           read_count(path, root, "nodes", &machine->nodes, error) &&
           read_count(path, root, "threads_per_node", &machine->threads_per_node, error) &&
           check_shape(path, machine, error);
}

static bool check_format(const char *path, const json_t *root, mesh_error_t *error)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    const json_t *version = json_object_get(root, "version");
    if (format == NULL || strcmp(format, "fathom-machine") != 0)
        return modeli_fail(error,
                           "%s: key 'format' is not 'fathom-machine': not a machine file "
                           "('fathom-stream calibrate' writes them)",
                           path);
    if (json_integer_value(version) != 1)
        return modeli_fail(error, "%s: key 'version' is not 1, which this program reads", path);
    return true;
}

/* What a meeting of so many threads and nodes takes says something of others only with their
 * numbers. */
static bool check_meetings(const char *path, const model_machine_t *machine, mesh_error_t *error)
{
    const struct {
        model_place_t place;
        const char *key;
        size_t count;
    } known_by[] = {{MODEL_LOCAL, "threads_per_node", machine->threads_per_node},
                    {MODEL_REMOTE, "nodes", machine->nodes}};
    for (size_t i = 0; i < sizeof known_by / sizeof known_by[0]; i++) {
        int meeting = MODEL_ROUND_PRICE(MODEL_MEETING, 0, known_by[i].place);
        if (machine->has[meeting] && known_by[i].count < 2)
            return modeli_fail(error, "%s: parameter '%s' needs a key '%s' of at least 2", path,
                               model_parameter_name(meeting), known_by[i].key);
    }
    return true;
}

static bool read_machine(const char *path, const json_t *root, model_machine_t *machine,
                         mesh_error_t *error)
{
    if (!check_format(path, root, error))
        return false;
    const json_t *parameters = json_object_get(root, "parameters");
    if (!read_origin(path, root, machine, error) || !read_caches(path, root, machine, error))
        return false;
    if (!json_is_object(parameters))
        return modeli_fail(error, "%s: key 'parameters' is missing or not an object", path);
    for (int p = 0; p < MODEL_PARAMETERS; p++)
        if (!read_parameter(path, parameters, p, machine, error))
            return false;
    if (!machine->has[MODEL_PRIVATE_BANDWIDTH])
        return modeli_fail(error, "%s: parameter 'private_bandwidth' is missing", path);
    return check_meetings(path, machine, error);
}

bool model_machine_read(const char *path, model_machine_t *machine, mesh_error_t *error)
{
    model_machine_t found = {.threads = 0};
    json_t *root = modeli_json_read(path, error);
    if (root == NULL)
        return false;
    bool read = read_machine(path, root, &found, error);
    json_decref(root);
    if (read)
        *machine = found;
    return read;
}

static int by_value(const void *a, const void *b)
{
    double first = *(const double *)a;
    double second = *(const double *)b;
    return (first > second) - (first < second);
}

static double median_of(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return count % 2 == 1 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

/* Rows of accesses that all go to one thread's counter: the core guesses when the next one sees the
 * sum, and the least of several times is a lucky guess. */
static bool is_guessed(model_kernel_t kernel, model_rate_kind_t kind)
{
    return kind < MODEL_RATE_CLOSE_ONE &&
           (kernel == MODEL_POINTERS_KERNEL || kernel == MODEL_SHIFTS_KERNEL ||
            kernel == MODEL_NAIVE_KERNEL);
}

/* Without lines out of order, in the loop whose rows with such lines are measured. */
static int row_without_lines(model_kernel_t kernel, int w)
{
    return MODEL_RATE(kernel == MODEL_POINTERS_KERNEL ? MODEL_POINTERS_TURNS_KERNEL : kernel,
                      MODEL_RATE_ROW, w);
}

/* Seconds of a row in one calibration: of own columns, or with random ones. */
static double row_seconds(const model_machine_t *machine, model_kernel_t kernel,
                          model_rate_kind_t kind, int w)
{
    double rate = machine->parameters[MODEL_RATE(kernel, kind, w)].median;
    double lines = modeli_rate_lines(kind, w);
    return lines == 0.0 ? rate
                        : machine->parameters[row_without_lines(kernel, w)].median + lines * rate;
}

/* A rate in all calibrations. One's own comes from the least of several times, since other programs
 * and guests can only add to a time; so does that of several. The least rows without lines are
 * known already. */
static void combine_rate(const model_machine_t *machines, size_t count, model_kernel_t kernel,
                         model_rate_kind_t kind, int w, model_machine_t *machine)
{
    double lines = modeli_rate_lines(kind, w);
    double least = INFINITY;
    for (size_t m = 0; m < count; m++)
        least = fmin(least, row_seconds(&machines[m], kernel, kind, w));
    double without = machine->parameters[row_without_lines(kernel, w)].median;
    model_spread_t *spread = &machine->parameters[MODEL_RATE(kernel, kind, w)];
    spread->median = lines == 0.0 ? least : fmax(least - without, 0.0) / lines;
    spread->min = fmin(spread->min, spread->median);
    spread->max = fmax(spread->max, spread->median);
}

static model_rate_kind_t kinds_of(model_kernel_t kernel)
{
    return kernel < MODEL_LINE_KERNELS ? MODEL_RATE_KINDS : MODEL_RATE_CLOSE_ONE;
}

/* Kernels with lines come first: they are combined last. */
static void combine_rates(const model_machine_t *machines, size_t count, model_machine_t *machine)
{
    for (int k = MODEL_KERNELS - 1; k >= 0; k--) {
        model_kernel_t kernel = (model_kernel_t)k;
        for (int kind = 0; kind < (int)kinds_of(kernel); kind++)
            for (int w = 0; w < MODEL_RATE_WIDTHS; w++)
                if (!is_guessed(kernel, (model_rate_kind_t)kind))
                    combine_rate(machines, count, kernel, (model_rate_kind_t)kind, w, machine);
    }
}

static size_t known_of(size_t one, size_t other)
{
    return one > 0 ? one : other;
}

static void combine_origins(const model_machine_t *machines, size_t count, model_machine_t *machine)
{
    static const char others[] = " and others";
    bool differ = false;
    for (size_t m = 1; m < count; m++) {
        const model_machine_t *other = &machines[m];
        differ = differ || strcmp(other->host, machines[0].host) != 0;
        if (other->host[0] == '\0' || other->processor[0] == '\0')
            machine->host[0] = machine->processor[0] = '\0';
        machine->threads = known_of(machine->threads, other->threads);
        machine->nodes = known_of(machine->nodes, other->nodes);
        machine->threads_per_node = known_of(machine->threads_per_node, other->threads_per_node);
    }
    size_t length = strnlen(machine->host, sizeof machine->host - sizeof others);
    if (differ && length > 0)
        memcpy(machine->host + length, others, sizeof others);
}

static bool differ(size_t one, size_t other)
{
    return one > 0 && other > 0 && one != other;
}

bool model_machines_agree(const model_machine_t *machines, size_t count, mesh_error_t *error)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; k < count; k++) {
            const model_machine_t *a = &machines[i];
            const model_machine_t *b = &machines[k];
            if (a->processor[0] != '\0' && b->processor[0] != '\0' &&
                strcmp(a->processor, b->processor) != 0)
                return modeli_fail(error, "%s: measured on %s, and %s on %s, are not combined",
                                   b->path, b->processor, a->path, a->processor);
            if (differ(a->threads, b->threads) || differ(a->nodes, b->nodes) ||
                differ(a->threads_per_node, b->threads_per_node))
                return modeli_fail(error,
                                   "%s: measured by %zu threads on %zu nodes, and %s by %zu on "
                                   "%zu, are not combined",
                                   b->path, b->threads, b->nodes, a->path, a->threads, a->nodes);
        }
    }
    return true;
}

void model_machine_combine(const model_machine_t *machines, size_t count, model_machine_t *machine)
{
    double medians[MODEL_MACHINES_MAX];
    *machine = machines[0];
    combine_origins(machines, count, machine);
    for (int p = 0; p < MODEL_PARAMETERS; p++) {
        model_spread_t *spread = &machine->parameters[p];
        for (size_t m = 0; m < count; m++) {
            machine->has[p] &= machines[m].has[p];
            medians[m] = machines[m].parameters[p].median;
            spread->min = fmin(spread->min, machines[m].parameters[p].min);
            spread->max = fmax(spread->max, machines[m].parameters[p].max);
        }
        spread->median = median_of(medians, count);
        if (p >= MODEL_CLOSE_ROWS && p < MODEL_MOVE(0))
            spread->median = medians[0]; /* the least; see combine_rate */
    }
    combine_rates(machines, count, machine);
}

bool model_machine_suits(const model_machine_t *machine, size_t nodes, mesh_error_t *error)
{
    static const model_parameter_t needed[] = {MODEL_REMOTE_BANDWIDTH, MODEL_REMOTE_LATENCY};
    for (size_t i = 0; nodes > 1 && i < sizeof needed / sizeof needed[0]; i++)
        if (!machine->has[needed[i]])
            return modeli_fail(error,
                               "%s: parameter '%s' is missing, which a job of %zu nodes needs "
                               "(calibrate with at least two nodes)",
                               machine->path, known[needed[i]].name, nodes);
    return true;
}

model_parameters_t model_machine_parameters(const model_machine_t *machine, model_case_t which)
{
    model_parameters_t parameters = {
        .cache_line_bytes = machine->cache_line_bytes,
        .second_level_cache_bytes = machine->second_level_cache_bytes,
        .last_level_share_bytes = machine->last_level_share_bytes,
    };
    for (int p = 0; p < MODEL_PARAMETERS; p++) {
        const model_spread_t *spread = &machine->parameters[p];
        bool largest = (which == MODEL_FASTEST) == is_bandwidth(p);
        double value = largest ? spread->max : spread->min;
        parameters.has[p] = machine->has[p];
        if (machine->has[p])
            parameters.value[p] = which == MODEL_TYPICAL ? spread->median : value;
    }
    return parameters;
}
