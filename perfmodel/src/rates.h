/**
 * What rows of products cost, from rates measured at a few widths and densities of lines.
 */
#ifndef PERFMODEL_SRC_RATES_H
#define PERFMODEL_SRC_RATES_H

#include "perfmodel/machine.h"

/** Lines of x that rows fetch out of order from one place. */
typedef struct modeli_fetches {
    double lines;
    /** Rows with such a line and none from farther away. */
    double rows;
} modeli_fetches_t;

/** Where the matrix and the vectors of a product come from. */
typedef struct modeli_home {
    /** All of it from the core's second-level cache. */
    bool is_close;
    /** From 0 to 1: the part that some cache still has, in place of memory. */
    double kept;
} modeli_home_t;

/** Rows of a product, and the lines of x that they fetch. */
typedef struct modeli_rows {
    double rows;
    /** Off-diagonals per row. */
    double width;
    modeli_fetches_t close;
    modeli_fetches_t near;
    modeli_fetches_t far;
    /** In sequence from the second-level cache, whatever the row. */
    double sequence_lines;
    modeli_home_t home;
} modeli_rows_t;

/** Random columns per row where a rate is measured, which count as lines; `w` is the number of a
 *  width. */
double modeli_rate_lines(model_rate_kind_t kind, int w);

/** Whether all rates of a kernel are known, prices of lines in sequence aside; a kernel without
 * rates of lines uses those of "pointers". */
bool modeli_knows_rates(const model_parameters_t *machine, model_kernel_t kernel);

/** Where a matrix of that size, including vectors, stays from product to product; a cache of
 * unknown size holds none. Of a matrix of a half to two shares of the last level the part that
 * MODEL_KEPT_ROWS tell, linearly between the measured sizes; without them, or if the largest is not
 * slower than the smallest, all of what the share has room for and none of what is larger. */
modeli_home_t modeli_home_of(double nbytes, const model_parameters_t *machine);

/** Seconds of the rows if all lines came in order: interpolated linearly between the measured
 *  widths, extrapolated linearly beyond them. Rows from the second-level cache cost what those from
 *  the last level do where they have no rates of their own. */
double modeli_rows_seconds(const modeli_rows_t *rows, const model_parameters_t *machine,
                           model_kernel_t kernel);

/**
 * Seconds that their lines add.
 *
 * A core overlaps the lines of a row. So a row pays in full, as measured with one random line in
 * every row, for its farthest line only. Each further line costs its share of what rows take that
 * need a line for every column. It matters which rows have the lines: where a few long rows have
 * most of them, the others pay nothing. The kernel must have rates of lines.
 *
 * A line in sequence costs the same in every row, and nothing if its price is not known.
 */
double modeli_lines_seconds(const modeli_rows_t *rows, const model_parameters_t *machine,
                            model_kernel_t kernel);

#endif
