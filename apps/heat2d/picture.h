/**
 * A picture of the field.
 */
#ifndef HEAT_PICTURE_H
#define HEAT_PICTURE_H

#include "problem.h"

/**
 * Writes a PNG picture of the field: row 0 at the top, column 0 on the left; one pixel a point, or
 * the mean of a rectangle of points so that no side has more than 1000 pixels; from the coldest
 * (black) to the hottest (pale yellow) in steps that the eye sees as even. Collective; includes a
 * barrier. The file appears whole or not at all. Ends the job with one line if it cannot be
 * written.
 */
void heat_picture_write(const char *path, const heat_problem_t *problem);

#endif
