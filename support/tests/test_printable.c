/**
 * What commands a terminal is replaced byte by byte, and all else stays: whole texts, texts that
 * end within a character, and every text of three bytes that begins like such a character.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/printable.h"

static void expect(const char *text, const char *shown, bool is_utf8)
{
    char copy[64];
    size_t length = strlen(text);
    memcpy(copy, text, length + 1);
    printable_make(copy, length, is_utf8);
    assert_string_equal(copy, shown);
}

static bool commands(unsigned first, unsigned second, unsigned third)
{
    unsigned code = (first & 0xf) << 12 | (second & 0x3f) << 6 | (third & 0x3f);
    return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

static void test_three_bytes(void **state)
{
    (void)state;
    for (unsigned second = 0x80; second < 0xc0; second++) {
        for (unsigned third = 0x80; third < 0xc0; third++) {
            const char text[] = {(char)0xe2, (char)second, (char)third};
            assert_int_equal(printable_command(text, 3), commands(0xe2, second, third) ? 3 : 0);
            assert_int_equal(printable_command(text, 2), 0);
        }
    }
}

static void test_texts(void **state)
{
    (void)state;
    expect("plain text, \xc3\xa9 and \xe2\x82\xac", "plain text, \xc3\xa9 and \xe2\x82\xac", true);
    expect("plain text, \xc3\xa9", "plain text, ??", false);
    expect("a\x1b[31mb\nc\x7f", "a?[31mb?c?", true);
    expect("a\x1b[31mb\nc\x7f", "a?[31mb?c?", false);
    expect("\xc2\x9b"
           "31m\xc2\xa0",
           "??31m\xc2\xa0", true);
    expect("user\xe2\x80\xae"
           "h5.\xe2\x81\xa9",
           "user???h5.???", true);
    expect("cut \xe2\x80", "cut \xe2\x80", true);
    expect("cut \xc2", "cut \xc2", true);
    expect("", "", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_three_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
