#include "perfmodel/doubt.h"

#include <string.h>

#include "support/steady.h"

double model_machine_disturbance(const model_machine_t *machine, int *parameter)
{
    double most = 1.0;
    *parameter = -1;
    for (int p = MODEL_RATES; p < MODEL_PARAMETERS; p++) {
        const model_spread_t *spread = &machine->parameters[p];
        if (machine->has[p] && steady_is_parameter(model_parameter_name(p)) && spread->min > 0.0 &&
            spread->max / spread->min > most) {
            most = spread->max / spread->min;
            *parameter = p;
        }
    }
    return most;
}

static unsigned doubts_of_machine(const model_machine_t *machine, const model_layout_t *layout,
                                  const char *host, const char *processor)
{
    unsigned doubts = 0;
    if (machine->processor[0] == '\0' || machine->host[0] == '\0')
        doubts |= MODEL_DOUBT_UNKNOWN_ORIGIN;
    else if (strcmp(machine->processor, processor) != 0)
        doubts |= MODEL_DOUBT_PROCESSOR;
    else if (strcmp(machine->host, host) != 0)
        doubts |= MODEL_DOUBT_HOST;
    if ((machine->threads > 0 && machine->threads != layout->threads) ||
        (machine->nodes > 0 && machine->nodes != layout->nodes))
        doubts |= MODEL_DOUBT_SHAPE;
    int unsteady;
    if (model_machine_disturbance(machine, &unsteady) > STEADY_RATIO)
        doubts |= MODEL_DOUBT_DISTURBED;
    return doubts;
}

/* Accuracy on another processor says nothing about this one, whatever the file covers. */
static bool is_of_another(const model_accuracy_t *accuracy, const model_machine_t *machine)
{
    return machine->processor[0] != '\0' && strcmp(accuracy->processor, machine->processor) != 0;
}

const model_pair_errors_t *model_accuracy_pairs(const model_accuracy_t *accuracy,
                                                const model_machine_t *machine)
{
    return accuracy == NULL || is_of_another(accuracy, machine) ? NULL : &accuracy->pairs;
}

unsigned model_doubts(const model_verdict_t *verdict, const model_machine_t *machine,
                      const model_layout_t *layout, const char *host, const char *processor,
                      const model_accuracy_t *accuracy, const double features[MODEL_FEATURES])
{
    unsigned doubts = doubts_of_machine(machine, layout, host, processor);
    if (verdict->rival != verdict->fastest && verdict->gain.spread >= verdict->gain.predicted)
        doubts |= MODEL_DOUBT_SPREAD;
    else if (verdict->rival != verdict->fastest && verdict->gain.error > 0.0 &&
             !model_gap_counts(verdict->gain))
        doubts |= MODEL_DOUBT_ERRORS;
    if (accuracy == NULL)
        return doubts | MODEL_DOUBT_NO_ACCURACY;
    if (is_of_another(accuracy, machine))
        return doubts | MODEL_DOUBT_ACCURACY_PROCESSOR;
    if (model_features_outside(accuracy, features) != 0)
        doubts |= MODEL_DOUBT_COVERAGE;
    return doubts;
}
