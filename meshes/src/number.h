/**
 * The one reader of numbers in text files: strict, exact, for words of any length.
 *
 * A word is what stands between two blanks; it needs no terminating zero. All of it must be the
 * number: no hexadecimal digits, no infinity, no zero byte in the middle, no decimal comma. The
 * locale does not matter.
 */
#ifndef MESHES_SRC_NUMBER_H
#define MESHES_SRC_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Reads a whole number: an optional sign and decimal digits. False, and `value` as it was, when
 *  the word is anything else or the number does not fit. */
bool meshi_number_whole(const char *word, size_t length, int64_t *value);

/**
 * Reads a decimal number: an optional sign; digits, with a point among, before or behind them; and
 * an optional exponent of 'e' or 'E', an optional sign and digits.
 *
 * @param value receives the double next to it, of two equally near ones the even one: however many
 *              digits there are, all count. What is too small for a double is 0.
 * @return false, and `value` as it was, when the word is anything else, or too large for a double.
 */
bool meshi_number_real(const char *word, size_t length, double *value);

#endif
