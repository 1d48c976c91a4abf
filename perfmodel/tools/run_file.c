#include "run_file.h"

#include <stdbool.h>
#include <stdlib.h>

#include "support/cli.h"

json_t *run_file_read(const char *path)
{
    json_error_t reason;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &reason);
    if (root == NULL && reason.line > 0)
        cli_fail(EXIT_FAILURE, "%s: line %d: %s", path, reason.line, reason.text);
    if (root == NULL)
        cli_fail(EXIT_FAILURE, "%s", reason.text);
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

double run_file_number(const char *path, const json_t *object, const char *key)
{
    return json_number_value(
        get(path, object, key, json_is_number(json_object_get(object, key)), "a number"));
}

uint64_t run_file_count(const char *path, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    bool fits = json_is_integer(value) && json_integer_value(value) >= 0;
    return (uint64_t)json_integer_value(get(path, object, key, fits, "a whole number"));
}

model_spread_t run_file_spread(const char *path, const json_t *object, const char *key)
{
    const json_t *spread = run_file_object(path, object, key);
    return (model_spread_t){
        .median = run_file_number(path, spread, "median"),
        .min = run_file_number(path, spread, "min"),
        .max = run_file_number(path, spread, "max"),
    };
}

void run_file_check_length(const char *path, const json_t *array, const char *key, size_t length)
{
    if (json_array_size(array) != length)
        cli_fail(EXIT_FAILURE, "%s: key '%s' has %zu elements, not one for each of %zu threads",
                 path, key, json_array_size(array), length);
}
