#include "common/json.h"

#include <errno.h>
#include <limits.h>
#include <pgas/pgas.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const common_place_names[PGAS_PLACES] = {"own", "local", "remote"};

json_t *common_spread_to_json(const common_spread_t *spread)
{
    return json_pack("{s:f, s:f, s:f}", "median", spread->median, "min", spread->min, "max",
                     spread->max);
}

json_t *common_traffic_to_json(const pgas_stats_t *stats)
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
                    json_array_append_new(
                        array, json_pack("{s:s, s:s, s:s, s:I, s:I}", "place",
                                         common_place_names[place], "mode", modes[mode],
                                         "direction", directions[direction], "operations",
                                         (json_int_t)t->operations, "bytes", (json_int_t)t->bytes));
            }
    return array;
}

/* The name under which a file is written before it is renamed. No system has longer names. */
typedef struct temporary {
    char path[PATH_MAX + 32];
} temporary_t;

static temporary_t temporary_for(const char *path)
{
    temporary_t temporary;
    snprintf(temporary.path, sizeof temporary.path, "%s.%d.part", path, (int)getpid());
    return temporary;
}

PGAS_NORETURN static void refuse(const char *path, int reason)
{
    pgas_fail(1, "'%s' cannot be written: %s", path, strerror(reason));
}

void common_json_write(json_t *root, const char *path)
{
    if (strcmp(path, "-") == 0) {
        json_dumpf(root, stdout, JSON_INDENT(2));
        printf("\n");
        json_decref(root);
        return;
    }
    temporary_t temporary = temporary_for(path);
    if (json_dump_file(root, temporary.path, JSON_INDENT(2)) != 0 ||
        rename(temporary.path, path) != 0) {
        int reason = errno;
        unlink(temporary.path);
        refuse(path, reason);
    }
    json_decref(root);
}

void common_json_check(const char *path)
{
    struct stat status;
    if (path == NULL || strcmp(path, "-") == 0)
        return;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        refuse(path, EISDIR);
    temporary_t temporary = temporary_for(path);
    FILE *file = fopen(temporary.path, "w");
    if (file == NULL)
        refuse(path, errno);
    fclose(file);
    unlink(temporary.path);
}
