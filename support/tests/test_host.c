/* What the processor is called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka.h needs some of the above. */
#include <cmocka.h>

#include "support/host.h"

static void names(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"processor\t: 0\nvendor_id\t: X\ncpu family\t: 26\nmodel\t\t: 2\nmodel name\t: AMD EPYC\n"
         "stepping\t: 1\n\nprocessor\t: 1\nmodel name\t: other\n",
         "AMD EPYC (family 26, model 2)"},
        {"model name\t: Some chip", "Some chip"},
        {"model\t: 3\nmodelname : x\n", "aarch64"},
        {"", "aarch64"},
    };
    char found[64];
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        host_processor_of(cases[c][0], "aarch64", found, sizeof found);
        assert_string_equal(found, cases[c][1]);
    }
    host_processor_of(cases[0][0], "", found, 8);
    assert_string_equal(found, "AMD EPY");
}

static void this_machine(void **state)
{
    (void)state;
    char host[64];
    char processor[128];
    host_name(host, sizeof host);
    host_processor(processor, sizeof processor);
    assert_true(host[0] != '\0' && strchr(host, '.') == NULL);
    assert_true(processor[0] != '\0' && strchr(processor, '\n') == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(this_machine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
