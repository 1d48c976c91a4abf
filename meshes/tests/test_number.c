/* Numbers in text: what is one is decided by a regular expression, what it is by strtod. Random
 * words, decimals of up to a thousand digits, and decimals next to the middle between two
 * doubles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "independent.h"
#include "number.h"
#include "sample.h"

enum {
    ROUNDS = 200000,
    LONGEST = 2000
};

static uint64_t seed;

static size_t below(size_t count)
{
    return (size_t)(sample_random(&seed) * (double)count);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The word stands in memory of just its length, so that a sanitizer sees a step beyond it. */
static void compare(const char *word, size_t length)
{
    char *alone = malloc(length > 0 ? length : 1);
    double real = -7.0;
    double expected_real = -7.0;
    int64_t whole = -7;
    int64_t expected_whole = -7;
    assert_non_null(alone);
    memcpy(alone, word, length);
    bool is_real = meshi_number_real(alone, length, &real);
    bool is_whole = meshi_number_whole(alone, length, &whole);
    free(alone);
    if (is_real != independent_real(word, length, &expected_real) ||
        bits_of(real) != bits_of(expected_real))
        fail_msg("'%.*s' (%zu characters): %s, %a, not %a", (int)length, word, length,
                 is_real ? "a number" : "no number", real, expected_real);
    if (is_whole != independent_whole(word, length, &expected_whole) || whole != expected_whole)
        fail_msg("'%.*s' (%zu characters): %s, %lld, not %lld", (int)length, word, length,
                 is_whole ? "whole" : "not whole", (long long)whole, (long long)expected_whole);
}

static void compare_text(const char *text)
{
    compare(text, strlen(text));
}

static void test_known(void **state)
{
    static const char *const words[] = {
        "0",
        "-0",
        "+0",
        "1",
        "1.",
        ".5",
        "1.5",
        "-1.5e3",
        "+2E-3",
        "1e5",
        "1e+05",
        "0e0",
        "0.0e999",
        "9007199254740993",
        "9007199254740992.999",
        "18446744073709551615",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "1e22",
        "1e23",
        "123456789012345678e22",
        "4.9e-324",
        "2.4e-324",
        "2.5e-324",
        "1e-400",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "1e309",
        "1e400",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "00000000000000000000000000001",
        "0.000000000000000000000000000000000000000000000000000000000000000000000001e72",
        "",
        "+",
        "-",
        ".",
        "e5",
        ".e5",
        "1e",
        "1e+",
        "1..2",
        "1.2.3",
        "--1",
        "+-1",
        "1+",
        "1 ",
        " 1",
        "1,5",
        "0x10",
        "0x1p3",
        "0X1P3",
        "inf",
        "-inf",
        "infinity",
        "nan",
        "nan(1)",
        "1d5",
        "1e5f",
        "1_000",
        "\xd9\xa3"};
    char zeros[80];
    (void)state;
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
        compare_text(words[w]);
    compare("1.5\0junk", 8);
    compare("1\0", 2);
    compare("\0", 1);
    snprintf(zeros, sizeof zeros, "1.%058de-05", 0);
    compare_text(zeros);
    double value;
    assert_true(meshi_number_real(zeros, strlen(zeros), &value));
    assert_true(value == 1e-5);
}

static void test_random_words(void **state)
{
    static const char alphabet[] = "00112345678999....--++eeEExXpPaAfFiInN, \t\0";
    char word[40];
    (void)state;
    for (size_t round = 0; round < ROUNDS; round++) {
        size_t length = below(below(2) == 0 ? 6 : sizeof word);
        size_t letters = below(2) == 0 ? sizeof alphabet : 24;
        for (size_t i = 0; i < length; i++)
            word[i] = alphabet[below(letters)];
        compare(word, length);
    }
}

static size_t put_digits(char *to, size_t count)
{
    bool sparse = below(3) == 0;
    for (size_t i = 0; i < count; i++)
        to[i] = (char)('0' + (sparse && below(20) > 0 ? 0 : below(10)));
    return count;
}

/* Right by their form, with digits in numbers that matter: few, as many as a double has, as many
 * as 64 bits hold, hundreds. */
static void test_random_decimals(void **state)
{
    static const size_t lengths[] = {3, 17, 25, 60, 900};
    char word[LONGEST];
    (void)state;
    for (size_t round = 0; round < ROUNDS; round++) {
        size_t longest = lengths[below(4 + (round % 50 == 0))];
        size_t at = 0;
        if (below(2) == 0)
            word[at++] = "+-"[below(2)];
        at += put_digits(word + at, below(longest));
        if (below(3) > 0)
            word[at++] = '.';
        at += put_digits(word + at, below(longest));
        if (below(2) == 0)
            at += (size_t)snprintf(word + at, LONGEST - at, "%c%+d", "eE"[below(2)],
                                   (int)below(below(2) == 0 ? 700 : 50) - 25);
        compare(word, at);
    }
}

static double random_double(void)
{
    double value;
    do {
        uint64_t bits = ((uint64_t)below(UINT32_MAX) << 32) ^ below(UINT32_MAX);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

/* As programs write them; what comes back is what was written. */
static void test_written_doubles(void **state)
{
    char word[LONGEST];
    (void)state;
    for (size_t round = 0; round < ROUNDS; round++) {
        double value = below(2) == 0 ? random_double() : sample_random(&seed) * 100.0 - 50.0;
        double read;
        size_t length =
            (size_t)snprintf(word, sizeof word, below(2) == 0 ? "%.17g" : "%.16e", value);
        assert_true(meshi_number_real(word, length, &read));
        assert_true(bits_of(read) == bits_of(value));
    }
}

/* The middle between two doubles, all its digits, and the decimals just beside it. */
static void test_middles(void **state)
{
#if LDBL_MANT_DIG > DBL_MANT_DIG
    static char word[LONGEST];
    (void)state;
    for (size_t round = 0; round < ROUNDS / 20; round++) {
        double value = random_double();
        double next = nextafter(value, INFINITY);
        if (!isfinite(next))
            continue;
        long double middle = ((long double)value + (long double)next) / 2;
        size_t length = (size_t)snprintf(word, sizeof word, "%.*Le", 1100, middle);
        compare(word, length);
        char *exponent = strchr(word, 'e');
        exponent[-1] = '1'; /* far behind the last digit that is not 0 */
        compare(word, length);
        char *last = exponent - 1;
        *last = '0';
        while (last > word && (*last == '0' || *last == '.'))
            last--;
        if (*last >= '1' && *last <= '9')
            (*last)--;
        compare(word, length);
    }
#else
    (void)state;
    skip();
#endif
}

/* Where the locale has a decimal comma, a point is a point. */
static void test_locale(void **state)
{
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    double value;
    bool found = false;
    (void)state;
    for (size_t l = 0; l < sizeof locales / sizeof locales[0]; l++)
        found = found || setlocale(LC_NUMERIC, locales[l]) != NULL;
    if (!found)
        skip();
    bool read = meshi_number_real("1.2345678901234567890123", 24, &value);
    bool comma = meshi_number_real("1,5", 3, &value);
    setlocale(LC_NUMERIC, "C");
    assert_true(read);
    assert_true(value == 1.2345678901234567890123);
    assert_false(comma);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),           cmocka_unit_test(test_random_words),
        cmocka_unit_test(test_random_decimals), cmocka_unit_test(test_written_doubles),
        cmocka_unit_test(test_middles),         cmocka_unit_test(test_locale),
    };
    seed = sample_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
