/* What is counted, as JSON: by thread, or summed up over the threads. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "summary.h"

static const char *const place_names[MODEL_PLACES] = {"own", "local", "remote"};

/* A number of model_counts_t, or one for each place. */
typedef struct field {
    const char *name;
    size_t offset;
    bool by_place;
} field_t;

static const field_t fields[] = {
    {"rows", offsetof(model_counts_t, rows), false},
    {"blocks", offsetof(model_counts_t, blocks), false},
    {"individual", offsetof(model_counts_t, individual), true},
    {"needed_blocks", offsetof(model_counts_t, needed_blocks), true},
    {"needed_bytes", offsetof(model_counts_t, needed_bytes), true},
    {"values_in", offsetof(model_counts_t, values_in), true},
    {"values_out", offsetof(model_counts_t, values_out), true},
    {"messages_in", offsetof(model_counts_t, messages_in), true},
    {"messages_out", offsetof(model_counts_t, messages_out), true},
    {"node_messages_out", offsetof(model_counts_t, node_messages_out), false},
    {"node_values_out", offsetof(model_counts_t, node_values_out), false},
};

static uint64_t value_of(const model_counts_t *counts, const field_t *field, int place)
{
    uint64_t value;
    size_t offset = field->offset + (size_t)place * sizeof value;
    memcpy(&value, (const char *)counts + offset, sizeof value);
    return value;
}

static json_t *thread_json(const model_counts_t *counts, const field_t *field)
{
    if (!field->by_place)
        return json_integer((json_int_t)value_of(counts, field, 0));
    json_t *object = json_object();
    for (int place = 0; place < MODEL_PLACES; place++)
        json_object_set_new(object, place_names[place],
                            json_integer((json_int_t)value_of(counts, field, place)));
    return object;
}

json_t *command_counts_json(const model_layout_t *layout, const model_counts_t *counts)
{
    json_t *array = json_array();
    for (size_t t = 0; t < layout->threads; t++) {
        json_t *thread = json_pack("{s:I, s:I}", "thread", (json_int_t)t, "node",
                                   (json_int_t)model_layout_node(layout, t));
        for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++)
            json_object_set_new(thread, fields[f].name, thread_json(&counts[t], &fields[f]));
        json_array_append_new(array, thread);
    }
    return array;
}

static json_t *summed_up(const model_layout_t *layout, const model_counts_t *counts,
                         const field_t *field, int place, double *room)
{
    for (size_t t = 0; t < layout->threads; t++)
        room[t] = (double)value_of(&counts[t], field, place);
    return summary_json(room, layout->threads, true);
}

json_t *command_counts_summary_json(const model_layout_t *layout, const model_counts_t *counts)
{
    double *room = command_alloc(layout->threads, sizeof *room);
    json_t *object = json_object();
    for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++) {
        const field_t *field = &fields[f];
        json_t *value = field->by_place ? json_object() : NULL;
        for (int place = 0; field->by_place && place < MODEL_PLACES; place++)
            json_object_set_new(value, place_names[place],
                                summed_up(layout, counts, field, place, room));
        if (!field->by_place)
            value = summed_up(layout, counts, field, 0, room);
        json_object_set_new(object, field->name, value);
    }
    free(room);
    return object;
}
