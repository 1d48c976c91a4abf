/* Fuzz target: a word. It is a number where a regular expression says so, and the one that strtod
 * and strtoll say. */
#include <stdlib.h>
#include <string.h>

#include "independent.h"
#include "number.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *word = (const char *)data;
    double real = -7.0;
    double expected_real = -7.0;
    int64_t whole = -7;
    int64_t expected_whole = -7;
    if (meshi_number_real(word, size, &real) != independent_real(word, size, &expected_real) ||
        memcmp(&real, &expected_real, sizeof real) != 0)
        abort();
    if (meshi_number_whole(word, size, &whole) != independent_whole(word, size, &expected_whole) ||
        whole != expected_whole)
        abort();
    return 0;
}
