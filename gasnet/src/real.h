/**
 * Numbers with a decimal point, whatever the language of the program is.
 */
#ifndef GASNETI_REAL_H
#define GASNETI_REAL_H

#include <locale.h>
#include <stdlib.h>

/** As strtod in the C locale. */
static inline double gasneti_real(const char *text, char **end)
{
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return strtod(text, end);
    locale_t before = uselocale(plain);
    double value = strtod(text, end);
    uselocale(before);
    freelocale(plain);
    return value;
}

#endif
