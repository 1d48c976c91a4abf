/* Accuracy files, and what they cover. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "json_file.h"
#include "perfmodel/doubt.h"

static bool is_share(const json_t *value)
{
    double number = json_number_value(value);
    return json_is_number(value) && isfinite(number) && number >= 0.0;
}

/* {"least", "most"} of every feature. */
static bool read_coverage(const char *path, const json_t *coverage, model_accuracy_t *accuracy,
                          mesh_error_t *error)
{
    for (int f = 0; f < MODEL_FEATURES; f++) {
        const json_t *range = json_object_get(coverage, model_feature_name((model_feature_t)f));
        const json_t *least = json_object_get(range, "least");
        const json_t *most = json_object_get(range, "most");
        if (!is_share(least) || !is_share(most))
            return modeli_fail(error, "%s: key 'coverage' has no least and most '%s'", path,
                               model_feature_name((model_feature_t)f));
        accuracy->least[f] = json_number_value(least);
        accuracy->most[f] = json_number_value(most);
        if (accuracy->least[f] > accuracy->most[f])
            return modeli_fail(error, "%s: key 'coverage': '%s' has at least %g and at most %g",
                               path, model_feature_name((model_feature_t)f), accuracy->least[f],
                               accuracy->most[f]);
    }
    return true;
}

/* -1 if there is none of that name. */
static int find_variant(const char *name)
{
    for (int v = 0; name != NULL && v < MODEL_VARIANTS; v++)
        if (strcmp(name, model_variant_names[v]) == 0)
            return v;
    return -1;
}

/* {"median_percent", "worst_percent"} of the variants that the file has. */
static bool read_variants(const char *path, const json_t *variants, model_accuracy_t *accuracy,
                          mesh_error_t *error)
{
    if (!json_is_object(variants))
        return modeli_fail(error, "%s: key 'variants' is no object", path);
    for (int v = 0; v < MODEL_VARIANTS; v++) {
        const json_t *found = json_object_get(variants, model_variant_names[v]);
        const json_t *middle = json_object_get(found, "median_percent");
        const json_t *worst = json_object_get(found, "worst_percent");
        if (found == NULL)
            continue;
        if (!is_share(middle) || !is_share(worst) ||
            json_number_value(middle) > json_number_value(worst))
            return modeli_fail(error,
                               "%s: variant '%s' has no median_percent and worst_percent, in "
                               "this order of size",
                               path, model_variant_names[v]);
        accuracy->has[v] = true;
        accuracy->median[v] = json_number_value(middle) / 100.0;
        accuracy->worst[v] = json_number_value(worst) / 100.0;
    }
    return true;
}

/* {"variants": [two], "median_percent"} of pairs. */
static bool read_pairs(const char *path, const json_t *pairs, model_accuracy_t *accuracy,
                       mesh_error_t *error)
{
    bool has_pair[MODEL_VARIANTS][MODEL_VARIANTS] = {0};
    if (pairs != NULL && !json_is_array(pairs))
        return modeli_fail(error, "%s: key 'pairs' is not a list", path);
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        const json_t *pair = json_array_get(pairs, i);
        const json_t *names = json_object_get(pair, "variants");
        const json_t *middle = json_object_get(pair, "median_percent");
        int one = find_variant(json_string_value(json_array_get(names, 0)));
        int other = find_variant(json_string_value(json_array_get(names, 1)));
        if (json_array_size(names) != 2 || one < 0 || other < 0 || one == other ||
            !is_share(middle) || has_pair[one][other])
            return modeli_fail(error,
                               "%s: 'pairs', number %zu, has no two variants and median_percent, "
                               "or they are there twice",
                               path, i + 1);
        has_pair[one][other] = true;
        has_pair[other][one] = true;
        accuracy->pairs.of[one][other] = json_number_value(middle) / 100.0;
        accuracy->pairs.of[other][one] = accuracy->pairs.of[one][other];
    }
    return true;
}

static bool read_accuracy(const char *path, const json_t *root, model_accuracy_t *accuracy,
                          mesh_error_t *error)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    const char *processor = json_string_value(json_object_get(root, "processor"));
    if (format == NULL || strcmp(format, "fathom-accuracy") != 0)
        return modeli_fail(error,
                           "%s: key 'format' is not 'fathom-accuracy': not an accuracy file "
                           "('scripts/verify' writes them)",
                           path);
    if (json_integer_value(json_object_get(root, "version")) != 1)
        return modeli_fail(error, "%s: key 'version' is not 1, which this program reads", path);
    if (processor == NULL)
        return modeli_fail(error, "%s: key 'processor' is missing", path);
    snprintf(accuracy->path, sizeof accuracy->path, "%s", path);
    snprintf(accuracy->processor, sizeof accuracy->processor, "%s", processor);
    return read_coverage(path, json_object_get(root, "coverage"), accuracy, error) &&
           read_variants(path, json_object_get(root, "variants"), accuracy, error) &&
           read_pairs(path, json_object_get(root, "pairs"), accuracy, error);
}

bool model_accuracy_read(const char *path, model_accuracy_t *accuracy, mesh_error_t *error)
{
    model_accuracy_t found = {.path = ""};
    json_t *root = modeli_json_read(path, error);
    if (root == NULL)
        return false;
    bool read = read_accuracy(path, root, &found, error);
    json_decref(root);
    if (read)
        *accuracy = found;
    return read;
}

unsigned model_features_outside(const model_accuracy_t *accuracy,
                                const double features[MODEL_FEATURES])
{
    /* A line in a hundred rows is as good as none. */
    static const double slack[MODEL_FEATURES] = {[MODEL_FEATURE_ROW_LINES] = 0.01};
    unsigned outside = 0;
    for (int f = 0; f < MODEL_FEATURES; f++)
        if (features[f] < accuracy->least[f] - slack[f] ||
            features[f] > accuracy->most[f] + slack[f])
            outside |= 1U << (unsigned)f;
    return outside;
}
