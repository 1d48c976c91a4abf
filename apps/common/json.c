#include "common/json.h"

#include <errno.h>
#include <pgas/pgas.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *const common_place_names[PGAS_PLACES] = {"own", "local", "remote"};

json_t *common_spread_to_json(const common_spread_t *spread)
{
    return json_pack("{s:f, s:f, s:f}", "median", spread->median, "min", spread->min, "max",
                     spread->max);
}

json_t *common_traffic_to_json(const pgas_stats_t *stats)
{
    static const char *const modes[PGAS_MODES] = {"individual", "contiguous", "condensed"};
    static const char *const directions[PGAS_DIRECTIONS] = {"from", "to"};
    json_t *array = json_array();
    for (int place = 0; place < PGAS_PLACES; place++)
        for (int mode = 0; mode < PGAS_MODES; mode++)
            for (int direction = 0; direction < PGAS_DIRECTIONS; direction++) {
                const pgas_traffic_t *t = &stats->traffic[place][mode][direction];
                if (t->operations > 0)
                    json_array_append_new(
                        array, json_pack("{s:s, s:s, s:s, s:I, s:I}", "place",
                                         common_place_names[place], "mode", modes[mode],
                                         "direction", directions[direction], "operations",
                                         (json_int_t)t->operations, "bytes", (json_int_t)t->bytes));
            }
    return array;
}

void common_json_write(json_t *root, const char *path)
{
    if (strcmp(path, "-") == 0) {
        json_dumpf(root, stdout, JSON_INDENT(2));
        printf("\n");
        json_decref(root);
        return;
    }
    char temporary[4096];
    snprintf(temporary, sizeof temporary, "%s.%d.part", path, (int)getpid());
    if (json_dump_file(root, temporary, JSON_INDENT(2)) != 0 || rename(temporary, path) != 0) {
        const char *reason = strerror(errno);
        unlink(temporary);
        pgas_fail(1, "'%s' cannot be written: %s", path, reason);
    }
    json_decref(root);
}
