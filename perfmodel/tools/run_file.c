#include "run_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "json_file.h"
#include "support/cli.h"

json_t *run_file_read(const char *path)
{
    mesh_error_t error;
    json_t *root = modeli_json_read(path, &error);
    if (root == NULL)
        cli_fail(EXIT_FAILURE, "%s", error.text);
    return root;
}

static const json_t *get(const char *path, const json_t *object, const char *key, bool fits,
                         const char *kind)
{
    const json_t *value = json_object_get(object, key);
    if (value == NULL)
        cli_fail(EXIT_FAILURE, "%s: key '%s' is missing", path, key);
    if (!fits)
        cli_fail(EXIT_FAILURE, "%s: key '%s' is not %s", path, key, kind);
    return value;
}

const json_t *run_file_object(const char *path, const json_t *object, const char *key)
{
    return get(path, object, key, json_is_object(json_object_get(object, key)), "an object");
}

const json_t *run_file_array(const char *path, const json_t *object, const char *key)
{
    return get(path, object, key, json_is_array(json_object_get(object, key)), "an array");
}

const char *run_file_text(const char *path, const json_t *object, const char *key)
{
    return json_string_value(
        get(path, object, key, json_is_string(json_object_get(object, key)), "text"));
}

static bool is_time(double seconds)
{
    return seconds >= MODEL_LEAST_SECONDS && seconds <= MODEL_MOST_SECONDS;
}

double run_file_seconds(const char *path, const json_t *object, const char *key)
{
    char kind[64];
    const json_t *value = json_object_get(object, key);
    double seconds = json_number_value(value);
    bool fits = json_is_number(value) && (seconds == 0.0 || is_time(seconds));
    snprintf(kind, sizeof kind, "0 or a number of seconds from %g to %g", MODEL_LEAST_SECONDS,
             MODEL_MOST_SECONDS);
    get(path, object, key, fits, kind);
    return seconds;
}

uint64_t run_file_count(const char *path, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    bool fits = json_is_integer(value) && json_integer_value(value) >= 0;
    return (uint64_t)json_integer_value(get(path, object, key, fits, "a whole number"));
}

model_spread_t run_file_spread(const char *path, const json_t *object, const char *key)
{
    const json_t *object_at_key = run_file_object(path, object, key);
    model_spread_t spread = {
        .median = run_file_seconds(path, object_at_key, "median"),
        .min = run_file_seconds(path, object_at_key, "min"),
        .max = run_file_seconds(path, object_at_key, "max"),
    };
    /* The model divides by what was measured. */
    if (spread.min == 0.0 || spread.min > spread.median || spread.median > spread.max)
        cli_fail(EXIT_FAILURE,
                 "%s: key '%s': median %g is not between a positive min and max, which are %g and "
                 "%g",
                 path, key, spread.median, spread.min, spread.max);
    return spread;
}

void run_file_check_threads(const char *path, const json_t *threads, size_t count)
{
    if (json_array_size(threads) != count)
        cli_fail(EXIT_FAILURE,
                 "%s: key 'threads' has %zu elements, not one for each of %zu threads", path,
                 json_array_size(threads), count);
}
