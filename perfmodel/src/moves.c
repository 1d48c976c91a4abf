#include "moves.h"

#include <math.h>

static const double line_values = 8.0;

bool modeli_knows_moves(const model_parameters_t *machine)
{
    bool knows = true;
    for (int p = MODEL_MOVE(0); p < MODEL_MOVE(MODEL_MOVES); p++)
        knows &= machine->has[p];
    return knows;
}

double modeli_held_part(double nbytes, const model_parameters_t *machine)
{
    double share = machine->last_level_share_bytes;
    return nbytes > share ? share / nbytes : 1.0;
}

double modeli_move_seconds(modeli_values_t values, const model_parameters_t *machine,
                           model_move_t move)
{
    const double *rates = &machine->value[MODEL_MOVE(move)];
    return values.count * (values.held * rates[0] + (1.0 - values.held) * rates[1]);
}

double modeli_listed_seconds(modeli_values_t values, const model_parameters_t *machine,
                             model_move_t move)
{
    if (values.count <= 0.0)
        return 0.0;
    double lines = fmin(fmax(values.lines / values.count, 1.0 / line_values), 1.0);
    double scattered = (lines - 1.0 / line_values) / (1.0 - 1.0 / line_values);
    double consecutive = modeli_move_seconds(values, machine, move);
    double by_line = modeli_move_seconds(values, machine, (model_move_t)(move + 1));
    return consecutive + (by_line - consecutive) * scattered;
}
