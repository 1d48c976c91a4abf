/* The pieces of JSON that several subcommands write. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "support/cli.h"
#include "support/json_text.h"

json_t *command_json(const char *command)
{
    return json_pack("{s:s, s:s, s:s}", "program", "fathom-model", "version", FATHOM_VERSION,
                     "command", command);
}

void command_json_add(json_t *object, json_t *more)
{
    if (json_object_update(object, more) != 0)
        cli_fail(EXIT_FAILURE, "not enough memory for the JSON text");
    json_decref(more);
}

json_t *command_machine_json(const command_options_t *options, const model_machine_t *machine)
{
    int parameter;
    return json_pack("{s:o, s:o, s:f}", "name", text_to_json(machine->name), "path",
                     text_to_json(options->machines[0]), "disturbance",
                     model_machine_disturbance(machine, &parameter));
}

json_t *command_estimate_json(const model_estimate_t *estimate, double times)
{
    return json_pack("{s:f, s:f, s:f}", "predicted", estimate->predicted * times, "low",
                     estimate->low * times, "high", estimate->high * times);
}

/* What a reader must know besides the parameter's name. */
static const char *remark(int parameter)
{
    if (parameter == MODEL_GATHER_ACCESS)
        return " with second_level_cache_bytes";
    if (parameter == MODEL_MESSAGE_FLOOD || parameter == MODEL_NODE_TURN)
        return "";
    return parameter >= MODEL_RATES ? " and the rates like it" : "";
}

const char *command_parameter_names(model_parameter_set_t parameters, char text[512])
{
    size_t used = 0;
    text[0] = '\0';
    for (int bit = 0; bit < MODEL_SET_BITS; bit++) {
        int p = model_set_parameter(bit);
        if ((parameters & MODEL_BIT(p)) != 0 && used < 512)
            used += (size_t)snprintf(text + used, 512 - used, "%s%s%s", used > 0 ? ", " : "",
                                     model_parameter_name(p), remark(p));
    }
    return text;
}

json_t *command_parameters_json(model_parameter_set_t parameters)
{
    json_t *array = json_array();
    for (int bit = 0; bit < MODEL_SET_BITS; bit++) {
        int p = model_set_parameter(bit);
        if ((parameters & MODEL_BIT(p)) != 0)
            json_array_append_new(array, json_string(model_parameter_name(p)));
    }
    return array;
}
