/* The pieces of JSON that several subcommands write. */
#include <stdio.h>
#include <string.h>

#include "command.h"

json_t *command_json(const char *command)
{
    return json_pack("{s:s, s:s, s:s}", "program", "fathom-model", "version", FATHOM_VERSION,
                     "command", command);
}

void command_json_add(json_t *object, json_t *more)
{
    json_object_update(object, more);
    json_decref(more);
}

json_t *command_machine_json(const command_options_t *options, const model_machine_t *machine)
{
    return json_pack("{s:s, s:s}", "name", machine->name, "path", options->machines[0]);
}

json_t *command_estimate_json(const model_estimate_t *estimate, double times)
{
    return json_pack("{s:f, s:f, s:f}", "predicted", estimate->predicted * times, "low",
                     estimate->low * times, "high", estimate->high * times);
}

const char *command_parameter_names(unsigned parameters, char text[512])
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned p = 0; p < MODEL_PARAMETERS; p++)
        if ((parameters & (1U << p)) != 0)
            used +=
                (size_t)snprintf(text + used, 512 - used, "%s%s%s", used > 0 ? ", " : "",
                                 model_parameter_name((model_parameter_t)p),
                                 p == MODEL_GATHER_ACCESS ? " with second_level_cache_bytes" : "");
    return text;
}

json_t *command_parameters_json(unsigned parameters)
{
    json_t *array = json_array();
    for (unsigned p = 0; p < MODEL_PARAMETERS; p++)
        if ((parameters & (1U << p)) != 0)
            json_array_append_new(array, json_string(model_parameter_name((model_parameter_t)p)));
    return array;
}
