#include "rates.h"

#include <math.h>

/* As in the names in the file. */
static const double widths[MODEL_RATE_WIDTHS] = {4.0, 16.0, 64.0, 128.0};

double modeli_rate_lines(model_rate_kind_t kind, int w)
{
    if (kind < MODEL_RATE_CLOSE_ONE)
        return 0.0;
    return (kind - MODEL_RATE_CLOSE_ONE) % 2 == 0 ? 1.0 : widths[w];
}

/* Parameters [first, end). */
static bool knows_all(const model_parameters_t *machine, int first, int end)
{
    bool knows = true;
    for (int p = first; p < end; p++)
        knows &= machine->has[p];
    return knows;
}

bool modeli_knows_rates(const model_parameters_t *machine, model_kernel_t kernel)
{
    model_kernel_t lines = kernel < MODEL_LINE_KERNELS ? kernel : MODEL_POINTERS_KERNEL;
    return knows_all(machine, MODEL_FIRST_RATE(lines), MODEL_FIRST_RATE(lines + 1)) &&
           knows_all(machine, MODEL_FIRST_RATE(kernel), MODEL_FIRST_RATE(kernel + 1));
}

/* Between the measured widths, linearly. */
static double interpolated(const double rates[MODEL_RATE_WIDTHS], double width)
{
    int w = 0;
    while (w < MODEL_RATE_WIDTHS - 2 && width >= widths[w + 1])
        w++;
    double slope = (rates[w + 1] - rates[w]) / (widths[w + 1] - widths[w]);
    return fmax(rates[w] + slope * (width - widths[w]), 0.0);
}

static double rate_at(const model_parameters_t *machine, model_kernel_t kernel,
                      model_rate_kind_t kind, double width)
{
    return interpolated(&machine->value[MODEL_RATE(kernel, kind, 0)], width);
}

/* What costs so much from memory, and so much from the last-level cache. */
static double from_home(modeli_home_t home, double from_memory, double from_cache)
{
    return home.kept * from_cache + (1.0 - home.kept) * from_memory;
}

static bool knows_close_rows(const model_parameters_t *machine, model_kernel_t kernel)
{
    return kernel < MODEL_POINTERS_KERNEL &&
           knows_all(machine, MODEL_CLOSE_ROW(kernel, 0), MODEL_CLOSE_ROW(kernel + 1, 0));
}

/* A row narrower than all measured ones takes no less than its share of their bytes: of a value and
 * a column for each off-diagonal, and of the diagonal, its value of x and the result. */
static double row_at(const double rates[MODEL_RATE_WIDTHS], double width)
{
    const double entry = sizeof(double) + sizeof(uint32_t);
    const double row = 3.0 * sizeof(double);
    double share = (row + width * entry) / (row + widths[0] * entry);
    double seconds = interpolated(rates, width);
    return width < widths[0] ? fmax(seconds, rates[0] * share) : seconds;
}

double modeli_rows_seconds(const modeli_rows_t *rows, const model_parameters_t *machine,
                           model_kernel_t kernel)
{
    const double *value = machine->value;
    if (rows->home.is_close && knows_close_rows(machine, kernel))
        return rows->rows * row_at(&value[MODEL_CLOSE_ROW(kernel, 0)], rows->width);
    return rows->rows *
           from_home(rows->home, row_at(&value[MODEL_RATE(kernel, MODEL_RATE_ROW, 0)], rows->width),
                     row_at(&value[MODEL_RATE(kernel, MODEL_RATE_HELD, 0)], rows->width));
}

/* And that they tell something. */
static bool knows_kept_rows(const model_parameters_t *machine)
{
    const double *rows = &machine->value[MODEL_KEPT_ROWS];
    return knows_all(machine, MODEL_KEPT_ROWS, MODEL_KEPT_ROW(MODEL_KEPT_SIZES)) &&
           rows[MODEL_KEPT_SIZES - 1] > rows[0];
}

/* Of a matrix of so many shares of the last level. A disturbance may make a larger one faster: no
 * more is kept of it than of the smaller one. */
static double kept_of(double shares, const model_parameters_t *machine)
{
    static const double sizes[MODEL_KEPT_SIZES] = {0.5, 1.0, 1.5, 2.0};
    const double *rows = &machine->value[MODEL_KEPT_ROWS];
    double none = rows[MODEL_KEPT_SIZES - 1];
    double kept = 1.0;
    for (int size = 1; size < MODEL_KEPT_SIZES; size++) {
        double before = kept;
        kept = fmin(before, fmax((none - rows[size]) / (none - rows[0]), 0.0));
        if (shares < sizes[size]) {
            double part = fmax((shares - sizes[size - 1]) / (sizes[size] - sizes[size - 1]), 0.0);
            return before + part * (kept - before);
        }
    }
    return 0.0;
}

modeli_home_t modeli_home_of(double nbytes, const model_parameters_t *machine)
{
    double share = machine->last_level_share_bytes;
    if (nbytes <= machine->second_level_cache_bytes)
        return (modeli_home_t){true, 1.0};
    if (!(share > 0.0) || !knows_kept_rows(machine))
        return (modeli_home_t){false, nbytes <= share ? 1.0 : 0.0};
    return (modeli_home_t){false, kept_of(nbytes / share, machine)};
}

/* Seconds that a line adds. A close one costs what it does in rows of 16 as far as the matrix is
 * held, if that is known. */
static double line_rate(const modeli_rows_t *rows, const model_parameters_t *machine,
                        model_kernel_t kernel, model_rate_kind_t kind, double width)
{
    bool has_price = kernel < MODEL_POINTERS_KERNEL && kind < MODEL_RATE_NEAR_ONE;
    int price = has_price ? MODEL_HELD_LINE(kernel, kind) : 0;
    double rate = rate_at(machine, kernel, kind, width);
    return has_price && machine->has[price] ? from_home(rows->home, rate, machine->value[price])
                                            : rate;
}

/* Lines from one place, whose rates are those of `one`, a line in every row, and of the kind after
 * it, a line for every column. Beyond the widest measured row a core sees at most one row at a
 * time, and the cost of a line stays the same; so it does below the narrowest, where the two rates
 * would tell less and less of a further line. */
static double fetched(const modeli_rows_t *rows, const modeli_fetches_t *from,
                      const model_parameters_t *machine, model_kernel_t kernel,
                      model_rate_kind_t one)
{
    if (from->lines <= 0.0)
        return 0.0;
    double width = fmax(rows->width, widths[0]);
    double widest = fmin(width, widths[MODEL_RATE_WIDTHS - 1]);
    double alone = line_rate(rows, machine, kernel, one, widest);
    double all = line_rate(rows, machine, kernel, (model_rate_kind_t)(one + 1), widest);
    double further = fmax(width * all - alone, 0.0) / (width - 1.0);
    return from->rows * alone + (from->lines - from->rows) * further;
}

/* By pointers they are no part of the time that could be seen. */
static double in_sequence(const modeli_rows_t *rows, const model_parameters_t *machine,
                          model_kernel_t kernel)
{
    if (kernel >= MODEL_POINTERS_KERNEL)
        return 0.0;
    return rows->sequence_lines *
           from_home(rows->home, machine->value[MODEL_SEQUENCE(kernel, MODEL_RATE_ROW)],
                     machine->value[MODEL_SEQUENCE(kernel, MODEL_RATE_HELD)]);
}

double modeli_lines_seconds(const modeli_rows_t *rows, const model_parameters_t *machine,
                            model_kernel_t kernel)
{
    if (rows->rows <= 0.0)
        return 0.0;
    return fetched(rows, &rows->close, machine, kernel, MODEL_RATE_CLOSE_ONE) +
           fetched(rows, &rows->near, machine, kernel, MODEL_RATE_NEAR_ONE) +
           fetched(rows, &rows->far, machine, kernel, MODEL_RATE_FAR_ONE) +
           in_sequence(rows, machine, kernel);
}
