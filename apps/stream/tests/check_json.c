/* Checks that a JSON file is right: every object with a median has min <= median <= max, none below
 * 0 (and none 0 but differences of times), and there is at least one.
 * usage: stream_check_json FILE [NAME...] [!NAME...]: names in dots that must, or must not, exist;
 * NAME=TEXT: with this value. */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int spreads;

_Noreturn static void fail(const char *what, const char *name)
{
    fprintf(stderr, "%s: %s\n", name, what);
    exit(1);
}

/* Differences of two times: a disturbance of the smaller one can reduce them to 0. */
static bool may_be_zero(const char *name)
{
    return strcmp(name, "remote_latency") == 0 || strcmp(name, "pointer_access") == 0 ||
           strcmp(name, "local_access") == 0 || strcmp(name, "local_access_cached") == 0 ||
           strstr(name, "gather_access") != NULL || strstr(name, "_close_") != NULL ||
           strstr(name, "_near_") != NULL || strstr(name, "_far_") != NULL ||
           strstr(name, "_sequence_") != NULL || strncmp(name, "round_read_", 11) == 0 ||
           strcmp(name, "seconds") == 0;
}

static void check_spread(const json_t *spread, const char *name)
{
    double median = json_number_value(json_object_get(spread, "median"));
    double min = json_number_value(json_object_get(spread, "min"));
    double max = json_number_value(json_object_get(spread, "max"));
    if (json_object_size(spread) != 3 || !isfinite(max) || !(min <= median && median <= max))
        fail("no spread", name);
    if (min < 0.0 || (min == 0.0 && !may_be_zero(name)))
        fail("not positive", name);
    spreads++;
}

static void check_all(json_t *value, const char *name)
{
    const char *key;
    json_t *member;
    size_t index;
    if (json_object_get(value, "median") != NULL) {
        check_spread(value, name);
        return;
    }
    json_object_foreach(value, key, member) check_all(member, key);
    json_array_foreach(value, index, member) check_all(member, name);
}

/* The value of a dotted name; numbers are indexes into arrays. */
static const json_t *find(const json_t *value, char *name)
{
    for (const char *word = strsep(&name, "."); word != NULL; word = strsep(&name, "."))
        value = json_is_array(value) ? json_array_get(value, strtoul(word, NULL, 10))
                                     : json_object_get(value, word);
    return value;
}

static void check_name(const json_t *root, const char *name)
{
    bool absent = name[0] == '!';
    char *copy = strdup(name + absent);
    char *text = copy;
    char *path = strsep(&text, "=");
    const json_t *value = find(root, path);
    if ((value == NULL) != absent)
        fail(absent ? "must be absent" : "missing", name);
    if (text != NULL && (json_is_string(value) ? strcmp(json_string_value(value), text) != 0
                                               : json_number_value(value) != strtod(text, NULL)))
        fail("another value", name);
    free(copy);
}

int main(int argc, char **argv)
{
    json_error_t error;
    json_t *root = argc > 1 ? json_load_file(argv[1], 0, &error) : NULL;
    if (root == NULL)
        fail("no JSON", argc > 1 ? argv[1] : "usage");
    check_all(root, argv[1]);
    if (spreads == 0)
        fail("no measurement", argv[1]);
    for (int i = 2; i < argc; i++)
        check_name(root, argv[i]);
    json_decref(root);
    return 0;
}
