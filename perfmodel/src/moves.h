/**
 * What it costs to move values of x between two products, from rates measured with values that the
 * last-level cache holds and with values in memory.
 */
#ifndef PERFMODEL_SRC_MOVES_H
#define PERFMODEL_SRC_MOVES_H

#include "perfmodel/machine.h"

/** Values that are moved. */
typedef struct modeli_values {
    double count;
    /** Lines of eight values that they lie in. */
    double lines;
    /** The part of them that the thread's share of the last-level cache holds, 0 to 1. */
    double held;
} modeli_values_t;

/** Whether the rates of all moves are known. */
bool modeli_knows_moves(const model_parameters_t *machine);

/** The part of a thread's values that its share of the last-level cache holds if `nbytes` come into
 *  it between two uses of a value: the latest that fit. */
double modeli_held_part(double nbytes, const model_parameters_t *machine);

/** Seconds of a move that does not depend on the lines. */
double modeli_move_seconds(modeli_values_t values, const model_parameters_t *machine,
                           model_move_t move);

/** Seconds of a move by a list of indexes: MODEL_MOVE_PACK, ..._UNPACK or ..._PLAN. Between the
 *  cost of consecutive values and that of one in every line, by the number of lines. */
double modeli_listed_seconds(modeli_values_t values, const model_parameters_t *machine,
                             model_move_t move);

#endif
