#include "number.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORD_DIGITS = 19, /* as many fit into 64 bits, whatever they are */
    KEPT_DIGITS = 800, /* 768 decide how any decimal rounds, one more stands for all others */
    EXACT_POWER = 22 /* the largest power of ten that is a double */
};

static const int64_t exponent_max = INT64_C(1000000000000000);

/* A decimal number: `count` significant digits as a whole number, times ten to the `exponent`. */
typedef struct decimal {
    bool negative;
    const char *digits; /* from the first significant one on, a point perhaps among them */
    size_t count;
    uint64_t leading; /* the first WORD_DIGITS of them */
    int64_t exponent;
} decimal_t;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Skips a sign; true for minus. */
static bool skip_sign(const char **at, const char *end)
{
    bool negative = *at < end && **at == '-';
    if (*at < end && (**at == '-' || **at == '+'))
        (*at)++;
    return negative;
}

bool meshi_number_whole(const char *word, size_t length, int64_t *value)
{
    const char *at = word;
    const char *end = word + length;
    int64_t number = 0;
    bool negative = skip_sign(&at, end);
    if (at == end)
        return false;
    for (; at < end; at++) {
        int digit = *at - '0';
        if (!is_digit(*at) || __builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, negative ? -digit : digit, &number))
            return false;
    }
    *value = number;
    return true;
}

/* Reads digits and at most one point; false if there is no digit. */
static bool split_digits(const char **at, const char *end, decimal_t *decimal)
{
    bool behind_point = false;
    bool has_digits = false;
    for (; *at < end; (*at)++) {
        char c = **at;
        if (c == '.' && !behind_point) {
            behind_point = true;
            continue;
        }
        if (!is_digit(c))
            break;
        has_digits = true;
        decimal->exponent -= behind_point;
        if (c == '0' && decimal->count == 0)
            continue;
        if (decimal->count == 0)
            decimal->digits = *at;
        if (decimal->count < WORD_DIGITS)
            decimal->leading = 10 * decimal->leading + (uint64_t)(c - '0');
        decimal->count++;
    }
    return has_digits;
}

static bool split_exponent(const char **at, const char *end, decimal_t *decimal)
{
    int64_t exponent = 0;
    (*at)++;
    bool negative = skip_sign(at, end);
    if (*at == end)
        return false;
    for (; *at < end && is_digit(**at); (*at)++)
        if (exponent < exponent_max)
            exponent = 10 * exponent + (**at - '0');
    decimal->exponent += negative ? -exponent : exponent;
    return true;
}

static bool split(const char *word, size_t length, decimal_t *decimal)
{
    const char *at = word;
    const char *end = word + length;
    *decimal = (decimal_t){.negative = skip_sign(&at, end)};
    if (!split_digits(&at, end, decimal))
        return false;
    if (at < end && (*at == 'e' || *at == 'E') && !split_exponent(&at, end, decimal))
        return false;
    return at == end;
}

/* Both operands are doubles without rounding, so that the result is rounded once. */
static bool convert_short(const decimal_t *decimal, double *value)
{
    static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (FLT_EVAL_METHOD != 0 || decimal->count > WORD_DIGITS ||
        decimal->leading > UINT64_C(1) << DBL_MANT_DIG || decimal->exponent > EXACT_POWER ||
        decimal->exponent < -EXACT_POWER)
        return false;
    double number = (double)decimal->leading;
    *value = decimal->exponent < 0 ? number / powers[-decimal->exponent]
                                   : number * powers[decimal->exponent];
    return true;
}

static void put_exponent(char *at, int64_t exponent)
{
    const int64_t beyond_doubles = 99999;
    if (exponent > beyond_doubles)
        exponent = beyond_doubles;
    if (exponent < -beyond_doubles)
        exponent = -beyond_doubles;
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    exponent = exponent < 0 ? -exponent : exponent;
    for (int64_t unit = 10000; unit > 0; unit /= 10)
        *at++ = (char)('0' + exponent / unit % 10);
    *at = '\0';
}

/* Uses strtod on digits and an exponent only: how it reads a point depends on the locale. */
static double convert_long(const decimal_t *decimal)
{
    char text[KEPT_DIGITS + 16];
    char *to = text;
    size_t kept = decimal->count < KEPT_DIGITS ? decimal->count : KEPT_DIGITS;
    size_t left = decimal->count - kept;
    const char *from = decimal->digits;
    for (; to < text + kept; from++)
        if (*from != '.')
            *to++ = *from;
    bool is_more = false;
    for (size_t rest = left; rest > 0; from++)
        if (*from != '.') {
            is_more = is_more || *from != '0';
            rest--;
        }
    if (is_more) {
        *to++ = '1';
        left--;
    }
    put_exponent(to, decimal->exponent + (int64_t)left);
    return strtod(text, NULL);
}

bool meshi_number_real(const char *word, size_t length, double *value)
{
    decimal_t decimal;
    double number = 0.0;
    if (!split(word, length, &decimal))
        return false;
    if (decimal.count > 0 && !convert_short(&decimal, &number))
        number = convert_long(&decimal);
    if (!isfinite(number))
        return false;
    *value = decimal.negative ? -number : number;
    return true;
}
