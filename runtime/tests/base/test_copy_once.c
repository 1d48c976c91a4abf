/**
 * A value is loaded once and stored once by a copy: between any two instructions of it, where its
 * owner may step in, the value is the old one or the new one, and what the owner writes when it has
 * seen the new one stays. The processor is made to stop behind every instruction.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pgas/detail.h>

#include "base/chunks.h"

#if defined(__x86_64__)

#include "steps.h"

static unsigned char *place;
static unsigned char before[16];
static unsigned char after[16];
static size_t length;
static volatile bool has_reset;
static volatile bool is_torn;
static volatile size_t steps;

/* The owner of the destination. */
static void on_step(int number)
{
    (void)number;
    unsigned char now[8];
    memcpy(now, place, length);
    steps++;
    if (memcmp(now, after, length) == 0 && !has_reset) {
        memcpy(place, before, length);
        has_reset = true;
    } else if (memcmp(now, before, length) != 0) {
        is_torn = true;
    }
}

/* `length` is no constant for the compiler. */
static void copy_in_steps(bool as_chunk, unsigned char *dst, const unsigned char *src)
{
    size_t nbytes = *(volatile size_t *)&length;
    const pgasi_chunks_t chunks = {.nbytes = nbytes, .count = 1};
    has_reset = is_torn = false;
    steps = 0;
    step_from_here(true);
    if (as_chunk)
        pgasi_chunks_copy((char *)dst, (const char *)src, &chunks);
    else
        pgasi_copy(dst, src, nbytes);
    step_from_here(false);
}

static void test_stores(void **state)
{
    static unsigned char memory[64] __attribute__((aligned(64)));
    (void)state;
    signal(SIGTRAP, on_step);
    for (int as_chunk = 0; as_chunk < 2; as_chunk++)
        for (length = 1; length <= 8; length *= 2) {
            place = memory + length;
            memset(before, 0, sizeof before);
            memset(after, 0xa5, sizeof after);
            memcpy(place, before, length);
            copy_in_steps(as_chunk, place, after);
            assert_true(steps > 0);
            assert_true(has_reset);
            assert_false(is_torn);
            assert_memory_equal(place, before, length);
        }
    signal(SIGTRAP, SIG_DFL);
}

static unsigned char *source;

/* The owner of the source writes it anew between any two instructions. */
static void on_step_of_load(int number)
{
    (void)number;
    memset(source, steps++ % 2 == 0 ? 0xff : 0, length);
}

static void test_loads(void **state)
{
    static unsigned char memory[64] __attribute__((aligned(64)));
    (void)state;
    signal(SIGTRAP, on_step_of_load);
    for (int as_chunk = 0; as_chunk < 2; as_chunk++)
        for (length = 2; length <= 8; length *= 2) {
            unsigned char dst[16] = {0};
            source = memory + length;
            copy_in_steps(as_chunk, dst, source);
            assert_true(steps > 0);
            for (size_t i = 1; i < length; i++)
                assert_int_equal(dst[i], dst[0]);
        }
    signal(SIGTRAP, SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stores),
        cmocka_unit_test(test_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 77; /* no way to stop behind every instruction */
}

#endif
