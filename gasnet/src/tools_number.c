#include <gasnet_tools.h>

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "real.h"
#include "tools.h"

static const char units[] = "BKMGTP";

char *gasnett_format_number(int64_t val, char *buf, size_t bufsz, int is_mem_size)
{
    size_t unit = 0;
    if (!is_mem_size) {
        snprintf(buf, bufsz, "%" PRId64, val);
        return buf;
    }
    while (val != 0 && val % 1024 == 0 && units[unit + 1] != '\0') {
        val /= 1024;
        unit++;
    }
    if (unit == 0)
        snprintf(buf, bufsz, "%" PRId64 " B", val);
    else
        snprintf(buf, bufsz, "%" PRId64 " %cB", val, units[unit]);
    return buf;
}

/* The multiplier that a unit names, 0 for none: one letter, with or without a B after it. */
static uint64_t multiplier(const char *unit, uint64_t fallback)
{
    if (*unit == '\0')
        return fallback;
    const char *found = strchr(units, toupper((unsigned char)unit[0]));
    bool is_known =
        found != NULL && (unit[1] == '\0' || (found != units && strcasecmp(unit + 1, "B") == 0));
    return is_known ? UINT64_C(1) << (10 * (found - units)) : 0;
}

static const char *skip_spaces(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* A unit may be followed by spaces. */
static uint64_t unit_of(const char *text, uint64_t fallback)
{
    char unit[8];
    size_t length = strlen(text = skip_spaces(text));
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    if (length >= sizeof unit)
        return 0;
    memcpy(unit, text, length);
    unit[length] = '\0';
    return multiplier(unit, fallback);
}

static bool is_hexadecimal(const char *text)
{
    if (*text == '-' || *text == '+')
        text++;
    return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

/* A size with a fraction, as good as a double. */
static bool parse_fraction(const char *text, uint64_t mem_size_multiplier, int64_t *value)
{
    static const double limit = 9223372036854775808.0; /* 2^63 */
    char *end;
    double number = gasneti_real(text, &end);
    uint64_t unit = unit_of(end, mem_size_multiplier);
    double size = number * (double)unit;
    if (end == text || unit == 0 || !(size >= -limit && size < limit))
        return false;
    *value = (int64_t)size;
    return true;
}

/* Whole numbers exactly; others only as sizes. */
bool gasneti_parse_integer(const char *text, uint64_t mem_size_multiplier, int64_t *value)
{
    char *end;
    text = skip_spaces(text);
    bool is_hex = is_hexadecimal(text);
    errno = 0;
    int64_t whole = strtoll(text, &end, is_hex ? 16 : 10);
    if (mem_size_multiplier != 0 && !is_hex && (end == text || *end == '.'))
        return parse_fraction(text, mem_size_multiplier, value);
    if (end == text || errno == ERANGE)
        return false;
    *value = whole;
    if (mem_size_multiplier == 0)
        return *skip_spaces(end) == '\0';
    uint64_t unit = unit_of(end, mem_size_multiplier);
    return unit != 0 && !__builtin_mul_overflow(whole, unit, value);
}

int64_t gasnett_parse_int(const char *str, uint64_t mem_size_multiplier)
{
    int64_t value;
    if (str == NULL || *skip_spaces(str) == '\0')
        return 0;
    if (!gasneti_parse_integer(str, mem_size_multiplier, &value))
        gasnett_fatalerror("'%s' is not a whole number%s, or too large", str,
                           mem_size_multiplier != 0 ? " of bytes" : "");
    return value;
}

/* ---- Data ---- */

uint64_t gasnett_checksum(const void *p, int numbytes)
{
    const unsigned char *bytes = p;
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < numbytes; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return sum;
}

size_t gasnett_count0s(const void *p, size_t numbytes)
{
    const unsigned char *bytes = p;
    size_t zeros = 0;
    size_t i = 0;
    for (; i + sizeof(uint64_t) <= numbytes; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes + i, sizeof word);
        zeros += (size_t)gasnett_count0s_uint64_t(word);
    }
    for (; i < numbytes; i++)
        zeros += bytes[i] == 0;
    return zeros;
}

size_t gasnett_count0s_copy(void *GASNETT_RESTRICT dst, const void *GASNETT_RESTRICT src,
                            size_t numbytes)
{
    return gasnett_count0s(memcpy(dst, src, numbytes), numbytes);
}
