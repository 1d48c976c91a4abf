#include "common/json.h"

#include <meshes/text_file.h>
#include <pgas/pgas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/output.h"

const char *const common_place_names[PGAS_PLACES] = {"own", "local", "remote"};

json_t *common_spread_to_json(const common_spread_t *spread)
{
    return json_pack("{s:f, s:f, s:f}", "median", spread->median, "min", spread->min, "max",
                     spread->max);
}

static json_t *mean_to_json(uint64_t sum, uint64_t times)
{
    if (times > 0 && sum % times != 0)
        return json_real((double)sum / (double)times);
    return json_integer((json_int_t)(times > 0 ? sum / times : sum));
}

json_t *common_traffic_to_json(const pgas_stats_t *stats, uint64_t times)
{
    static const char *const modes[PGAS_MODES] = {"individual", "contiguous", "condensed",
                                                  "am",         "atomic",     "signal"};
    static const char *const directions[PGAS_DIRECTIONS] = {"from", "to"};
    json_t *array = json_array();
    for (int place = 0; place < PGAS_PLACES; place++)
        for (int mode = 0; mode < PGAS_MODES; mode++)
            for (int direction = 0; direction < PGAS_DIRECTIONS; direction++) {
                const pgas_traffic_t *t = &stats->traffic[place][mode][direction];
                if (t->operations > 0)
                    json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:o, s:o}", "place",
                                                           common_place_names[place], "mode",
                                                           modes[mode], "direction",
                                                           directions[direction], "operations",
                                                           mean_to_json(t->operations, times),
                                                           "bytes", mean_to_json(t->bytes, times)));
            }
    return array;
}

void common_json_check(const char *option, const char *path)
{
    if (path != NULL && strcmp(path, "-") != 0)
        common_output_check(option, path);
}

void common_json_write(json_t *root, const char *option, const char *path)
{
    mesh_error_t error;
    char *text = json_dumps(root, JSON_INDENT(2));
    if (text == NULL)
        pgas_fail(1, "%s: %s: not enough memory for the JSON text", option, path);
    json_decref(root);
    if (strcmp(path, "-") == 0)
        puts(text); /* cli_init watches over it */
    else if (!mesh_text_file_write(path, text, strlen(text), &error))
        pgas_fail(1, "%s: %s", option, error.text);
    free(text);
}
