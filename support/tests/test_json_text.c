/* Names of any bytes become JSON strings: jansson takes each of them, and what is UTF-8 stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/json_text.h"

#define R "\xef\xbf\xbd"

static void expect(const char *text, const char *expected)
{
    json_t *string = text_to_json(text);
    assert_non_null(string);
    assert_string_equal(json_string_value(string), expected);
    json_decref(string);
}

static void test_names(void **state)
{
    (void)state;
    expect("", "");
    expect("a/b.h5", "a/b.h5");
    expect("h5/b\xff\x1b"
           "d.h5",
           "h5/b" R "\x1b"
           "d.h5");
    expect("gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f");
    expect("\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80");
    expect("gr\xfc\xdf", "gr" R R);
    expect("\xe2\x82", R R);
    expect("\xe2\x82x", R R "x");
    expect("\xc0\x80", R R);
    expect("\xed\xa0\x80", R R R);
    expect("\xf4\x90\x80\x80", R R R R);
    expect("\xff\xc3\xbc", R "\xc3\xbc");
}

/* Jansson's own opinion: what it takes stays as it is, and all that it does not take is changed. */
static void test_all_short(void **state)
{
    (void)state;
    for (unsigned bits = 0x010101; bits <= 0xffffff; bits += 0x101) {
        const char text[] = {(char)(bits >> 16), (char)(bits >> 8), (char)bits, '\0'};
        json_t *plain = json_string(text);
        json_t *string = text_to_json(text);
        assert_non_null(string);
        if ((plain != NULL) != (strcmp(json_string_value(string), text) == 0))
            fail_msg("%06x: jansson disagrees", bits);
        json_decref(plain);
        json_decref(string);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_all_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
