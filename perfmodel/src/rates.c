#include "rates.h"

#include <math.h>

/* As in the names in the file. */
static const double widths[MODEL_RATE_WIDTHS] = {4.0, 16.0, 32.0, 128.0};

/* What a line adds in a mesh in good order. */
static const model_parameter_t in_order[MODEL_LINE_KERNELS] = {
    [MODEL_ROWS_KERNEL] = MODEL_GATHER_ACCESS,
    [MODEL_SLICED_KERNEL] = MODEL_SLICED_GATHER_ACCESS,
    [MODEL_POINTERS_KERNEL] = MODEL_GATHER_ACCESS,
};

bool modeli_knows_rates(const model_parameters_t *machine, model_kernel_t kernel)
{
    model_kernel_t lines = kernel < MODEL_LINE_KERNELS ? kernel : MODEL_POINTERS_KERNEL;
    bool knows = machine->has[in_order[lines]];
    for (int p = MODEL_FIRST_RATE(lines); p < MODEL_FIRST_RATE(lines + 1); p++)
        knows &= machine->has[p];
    for (int p = MODEL_FIRST_RATE(kernel); p < MODEL_FIRST_RATE(kernel + 1); p++)
        knows &= machine->has[p];
    return knows;
}

/* A rate at a width, interpolated linearly between the measured ones. */
static double rate_at(const model_parameters_t *machine, model_kernel_t kernel,
                      model_rate_kind_t kind, double width)
{
    const double *rates = &machine->value[MODEL_RATE(kernel, kind, 0)];
    int w = 0;
    while (w < MODEL_RATE_WIDTHS - 2 && width >= widths[w + 1])
        w++;
    double slope = (rates[w + 1] - rates[w]) / (widths[w + 1] - widths[w]);
    return fmax(rates[w] + slope * (width - widths[w]), 0.0);
}

double modeli_rows_seconds(const modeli_rows_t *rows, const model_parameters_t *machine,
                           model_kernel_t kernel)
{
    model_rate_kind_t kind = rows->is_held ? MODEL_RATE_HELD : MODEL_RATE_ROW;
    return rows->rows * rate_at(machine, kernel, kind, rows->width);
}

bool modeli_is_held(double nbytes, const model_parameters_t *machine)
{
    return nbytes <= machine->last_level_share_bytes;
}

static double lines_of(const modeli_rows_t *rows)
{
    return rows->close + rows->near + rows->far;
}

/* The mean cost of a line in that mixture, in rows that need one or, MODEL_RATE_CLOSE_ALL, a line
 * for every column. */
static double mixed(const modeli_rows_t *rows, const model_parameters_t *machine,
                    model_kernel_t kernel, model_rate_kind_t close, double width)
{
    int near = (int)close + MODEL_RATE_NEAR_ONE - MODEL_RATE_CLOSE_ONE;
    int far = (int)close + MODEL_RATE_FAR_ONE - MODEL_RATE_CLOSE_ONE;
    return (rows->close * rate_at(machine, kernel, close, width) +
            rows->near * rate_at(machine, kernel, (model_rate_kind_t)near, width) +
            rows->far * rate_at(machine, kernel, (model_rate_kind_t)far, width)) /
           lines_of(rows);
}

double modeli_lines_seconds(const modeli_rows_t *rows, const model_parameters_t *machine,
                            model_kernel_t kernel)
{
    double lines = lines_of(rows);
    if (lines <= 0.0 || rows->rows <= 0.0)
        return 0.0;
    double density = lines / rows->rows;
    double few = machine->value[in_order[kernel]];
    /* Beyond the widest measured row a core sees at most one row at a time, and the cost of a line
     * stays the same. */
    double widest = fmin(rows->width, widths[MODEL_RATE_WIDTHS - 1]);
    double one = mixed(rows, machine, kernel, MODEL_RATE_CLOSE_ONE, widest);
    if (density <= 1.0 || rows->width <= 1.0)
        return lines * (few + (one - few) * fmin(density, 1.0));
    double all = mixed(rows, machine, kernel, MODEL_RATE_CLOSE_ALL, widest);
    double part = fmin((density - 1.0) / (rows->width - 1.0), 1.0);
    return rows->rows * (one + fmax(rows->width * all - one, 0.0) * part);
}
