#include "stencil.h"

#include <math.h>

static const double widths[MODEL_STENCIL_WIDTHS] = {512.0, 4096.0, 32768.0};

bool modeli_knows_stencil(const model_parameters_t *machine, model_stencil_t kind)
{
    bool knows = true;
    for (int w = 0; w < MODEL_STENCIL_WIDTHS; w++)
        knows &= machine->has[MODEL_STENCIL(kind, w)];
    return knows;
}

/* The line through the measurements at the first two or the last two widths. */
static double on_line(const double *rates, int w, double part)
{
    return rates[w] + (rates[w + 1] - rates[w]) * part;
}

double modeli_stencil_seconds(const model_parameters_t *machine, model_stencil_t kind, double width)
{
    const double *rates = &machine->value[MODEL_STENCIL(kind, 0)];
    double inside = fmin(fmax(width, widths[0]), widths[MODEL_STENCIL_WIDTHS - 1]);
    int w = inside < widths[1] ? 0 : 1;
    return on_line(rates, w, log(inside / widths[w]) / log(widths[w + 1] / widths[w]));
}

double modeli_stencil_row_seconds(const model_parameters_t *machine, double count)
{
    const double *rows = &machine->value[MODEL_STENCIL(MODEL_STENCIL_ROW, 0)];
    double longest = widths[MODEL_STENCIL_WIDTHS - 1];
    if (count > longest)
        return rows[MODEL_STENCIL_WIDTHS - 1] * count / longest;
    int w = count < widths[1] ? 0 : 1;
    return fmax(on_line(rows, w, (count - widths[w]) / (widths[w + 1] - widths[w])), 0.0);
}
