/**
 * The heat solver's own rates: what is measured with three widths of a block's rows, at any width.
 */
#ifndef PERFMODEL_SRC_STENCIL_H
#define PERFMODEL_SRC_STENCIL_H

#include "perfmodel/machine.h"

/** Whether a kind is known, with all widths. */
bool modeli_knows_stencil(const model_parameters_t *machine, model_stencil_t kind);

/** Seconds of a point, or of an access to a column, in a block with rows of `width` points: linear
 *  in the logarithm of the width between the measured ones, constant beyond them. */
double modeli_stencil_seconds(const model_parameters_t *machine, model_stencil_t kind,
                              double width);

/** Seconds of reading `count` values in one piece from a thread of the node: linear between the
 *  measured lengths and below them, but at least 0; in proportion beyond them. */
double modeli_stencil_row_seconds(const model_parameters_t *machine, double count);

#endif
