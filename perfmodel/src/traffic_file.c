/* Counted traffic, as PGAS_STATS writes it. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "json_file.h"
#include "perfmodel/traffic.h"

const char *const model_mode_names[MODEL_MODES] = {"individual", "contiguous", "condensed",
                                                   "am",         "atomic",     "signal"};
const char *const model_direction_names[MODEL_DIRECTIONS] = {"from", "to"};
const char *const model_place_names[MODEL_PLACES] = {"own", "local", "remote"};

/* A whole number below `end`. */
static bool read_number(const char *path, size_t thread, const json_t *object, const char *key,
                        double end, double *number, mesh_error_t *error)
{
    const json_t *value = json_object_get(object, key);
    double found = (double)json_integer_value(value);
    if (!json_is_integer(value) || found < 0.0 || found >= end)
        return modeli_fail(error,
                           "%s: thread %zu: key '%s' is missing or not a number as in files "
                           "of PGAS_STATS",
                           path, thread, key);
    *number = found;
    return true;
}

/* The file that is read, and which threads it has told of: by thread, mode and direction of a
 * destination, the last one that has it, plus one. */
typedef struct reading {
    const char *path;
    model_traffic_t *traffic;
    size_t *told;
} reading_t;

/* The place of a name in a list; `count` if it is not there. */
static size_t find(const json_t *value, const char *const *names, size_t count)
{
    const char *text = json_string_value(value);
    size_t i = 0;
    while (i < count && (text == NULL || strcmp(text, names[i]) != 0))
        i++;
    return i;
}

static bool read_exchange(const reading_t *reading, size_t thread, const json_t *entry,
                          mesh_error_t *error)
{
    const char *path = reading->path;
    model_traffic_t *traffic = reading->traffic;
    double other;
    size_t mode = find(json_object_get(entry, "mode"), model_mode_names, MODEL_MODES);
    size_t direction =
        find(json_object_get(entry, "direction"), model_direction_names, MODEL_DIRECTIONS);
    model_exchange_t *found = &traffic->exchanges[traffic->count];
    if (mode == MODEL_MODES || direction == MODEL_DIRECTIONS)
        return modeli_fail(error, "%s: thread %zu: '%s' of a destination is not known", path,
                           thread, mode == MODEL_MODES ? "mode" : "direction");
    *found = (model_exchange_t){
        .thread = thread, .mode = (model_mode_t)mode, .direction = (model_direction_t)direction};
    if (!read_number(path, thread, entry, "thread", (double)traffic->threads, &other, error) ||
        !read_number(path, thread, entry, "operations", 1e18, &found->operations, error) ||
        !read_number(path, thread, entry, "bytes", 1e18, &found->bytes, error))
        return false;
    found->other = (size_t)other;
    size_t *told =
        &reading->told[(found->other * MODEL_MODES + mode) * MODEL_DIRECTIONS + direction];
    if (*told == thread + 1)
        return modeli_fail(error, "%s: thread %zu: %s %s thread %zu stands there twice", path,
                           thread, model_mode_names[mode], model_direction_names[direction],
                           found->other);
    *told = thread + 1;
    traffic->count++;
    return true;
}

static bool read_thread(const reading_t *reading, size_t thread, const json_t *object,
                        mesh_error_t *error)
{
    const char *path = reading->path;
    model_traffic_t *traffic = reading->traffic;
    double number;
    double node;
    double by_rma = 0.0;
    const json_t *rma = json_object_get(object, "rma");
    const json_t *destinations = json_object_get(object, "destinations");
    if (!read_number(path, thread, object, "thread", (double)traffic->threads, &number, error) ||
        !read_number(path, thread, object, "node", (double)traffic->threads, &node, error) ||
        (rma != NULL && !read_number(path, thread, rma, "operations", 1e18, &by_rma, error)))
        return false;
    if ((size_t)number != thread)
        return modeli_fail(error, "%s: thread %zu stands where %zu is expected", path,
                           (size_t)number, thread);
    traffic->node[thread] = (size_t)node;
    if (traffic->nodes < (size_t)node + 1)
        traffic->nodes = (size_t)node + 1;
    traffic->by_rma += by_rma;
    for (size_t i = 0; i < json_array_size(destinations); i++)
        if (!read_exchange(reading, thread, json_array_get(destinations, i), error))
            return false;
    return true;
}

/* Every node from 0 to the last has threads. The destinations have been read. */
static bool check_nodes(const reading_t *reading, mesh_error_t *error)
{
    const model_traffic_t *traffic = reading->traffic;
    const size_t here = traffic->threads + 1;
    for (size_t t = 0; t < traffic->threads; t++)
        reading->told[traffic->node[t]] = here;
    for (size_t n = 0; n < traffic->nodes; n++)
        if (reading->told[n] != here)
            return modeli_fail(error, "%s: node %zu of %zu has no thread", reading->path, n,
                               traffic->nodes);
    return true;
}

static bool read_list(const reading_t *reading, const json_t *threads, mesh_error_t *error)
{
    for (size_t t = 0; t < reading->traffic->threads; t++)
        if (!read_thread(reading, t, json_array_get(threads, t), error))
            return false;
    return check_nodes(reading, error);
}

static bool read_threads(const char *path, const json_t *threads, model_traffic_t *traffic,
                         mesh_error_t *error)
{
    size_t count = 0;
    for (size_t t = 0; t < json_array_size(threads); t++) {
        const json_t *destinations = json_object_get(json_array_get(threads, t), "destinations");
        if (!json_is_array(destinations))
            return modeli_fail(error, "%s: thread %zu: key 'destinations' is missing", path, t);
        count += json_array_size(destinations);
    }
    traffic->threads = json_array_size(threads);
    traffic->node = calloc(traffic->threads, sizeof *traffic->node);
    traffic->exchanges = calloc(count + 1, sizeof *traffic->exchanges);
    size_t kinds = (size_t)MODEL_MODES * MODEL_DIRECTIONS;
    reading_t reading = {.path = path,
                         .traffic = traffic,
                         .told = calloc(traffic->threads * kinds, sizeof *reading.told)};
    bool read = traffic->node != NULL && traffic->exchanges != NULL && reading.told != NULL
                    ? read_list(&reading, threads, error)
                    : modeli_fail_memory(error, path, count * sizeof *traffic->exchanges);
    free(reading.told);
    return read;
}

bool model_traffic_read(const char *path, model_traffic_t *traffic, mesh_error_t *error)
{
    model_traffic_t found = {.threads = 0};
    json_t *root = modeli_json_read(path, error);
    const json_t *threads = json_object_get(root, "threads");
    if (root == NULL)
        return false;
    bool read = json_array_size(threads) > 0;
    if (read)
        read = read_threads(path, threads, &found, error);
    else
        modeli_report(error,
                      "%s: key 'threads' is not a list of threads: not a file that PGAS_STATS "
                      "writes",
                      path);
    json_decref(root);
    if (read)
        *traffic = found;
    else
        model_traffic_free(&found);
    return read;
}

void model_traffic_free(model_traffic_t *traffic)
{
    free(traffic->node);
    free(traffic->exchanges);
    traffic->node = NULL;
    traffic->exchanges = NULL;
}
