#include "compare_traffic.h"

#include <string.h>

/* One line of traffic. */
typedef struct line {
    model_place_t place;
    const char *mode;
    const char *direction;
    uint64_t operations;
    uint64_t bytes;
} line_t;

enum {
    LINES_MAX = MODEL_PLACES + 1
};

/* x of every off-diagonal and of the row itself; in naive the other arrays too. */
static size_t individual_lines(bool is_naive, const model_layout_t *layout,
                               const model_counts_t *counts, line_t *lines)
{
    uint64_t rows = counts->rows;
    uint64_t elements = rows * layout->row_nonzeros;
    for (int place = 0; place < MODEL_PLACES; place++) {
        uint64_t gets = counts->individual[place] + (place == MODEL_OWN ? rows : 0);
        lines[place] =
            (line_t){(model_place_t)place, "individual", "from", gets, gets * sizeof(double)};
    }
    if (!is_naive)
        return MODEL_PLACES;
    lines[MODEL_OWN].operations += 2 * elements + rows;
    lines[MODEL_OWN].bytes += elements * (sizeof(double) + sizeof(int32_t)) + rows * sizeof(double);
    lines[MODEL_PLACES] = (line_t){MODEL_OWN, "individual", "to", rows, rows * sizeof(double)};
    return MODEL_PLACES + 1;
}

static size_t lines_of(model_variant_t variant, const model_layout_t *layout,
                       const model_counts_t *c, line_t *lines)
{
    if (variant == MODEL_NAIVE || variant == MODEL_V1)
        return individual_lines(variant == MODEL_NAIVE, layout, c, lines);
    for (int p = 0; p < MODEL_PLACES; p++) {
        model_place_t place = (model_place_t)p;
        uint64_t sent = c->values_out[p] * sizeof(double);
        if (variant == MODEL_V2)
            lines[p] =
                (line_t){place, "contiguous", "from", c->needed_blocks[p], c->needed_bytes[p]};
        else if (variant == MODEL_V5 && place == MODEL_REMOTE)
            lines[p] = (line_t){place, "condensed", "to", c->node_messages_out,
                                c->node_values_out * sizeof(double)};
        else
            lines[p] = (line_t){place, variant == MODEL_V3 ? "contiguous" : "condensed", "to",
                                c->messages_out[p], sent};
    }
    return MODEL_PLACES;
}

static bool has_text(const json_t *entry, const char *key, const char *text)
{
    const char *value = json_string_value(json_object_get(entry, key));
    return value != NULL && strcmp(value, text) == 0;
}

static bool is_line(const json_t *entry, const line_t *line)
{
    static const char *const places[MODEL_PLACES] = {"own", "local", "remote"};
    return has_text(entry, "place", places[line->place]) && has_text(entry, "mode", line->mode) &&
           has_text(entry, "direction", line->direction) &&
           (uint64_t)json_integer_value(json_object_get(entry, "operations")) == line->operations &&
           (uint64_t)json_integer_value(json_object_get(entry, "bytes")) == line->bytes;
}

bool compare_traffic_is_as_counted(const json_t *traffic, model_variant_t variant,
                                   const model_layout_t *layout, const model_counts_t *counts)
{
    line_t lines[LINES_MAX];
    size_t expected = 0;
    size_t found = 0;
    size_t count = lines_of(variant, layout, counts, lines);
    for (size_t l = 0; l < count; l++) {
        if (lines[l].operations == 0)
            continue;
        expected++;
        for (size_t e = 0; e < json_array_size(traffic); e++)
            found += is_line(json_array_get(traffic, e), &lines[l]);
    }
    return found == expected && json_array_size(traffic) == expected;
}
