/**
 * Pointers on one thread: the null pointer, arithmetic without other owners, plain addresses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <pgas/pgas.h>

static void test_null(void **state)
{
    (void)state;
    pgas_ptr_t null = pgas_ptr_null();
    pgas_ptr_t zeros = {0, 0, 0};
    pgas_ptr_t other = {0, 0, 64};
    assert_true(pgas_ptr_is_null(null));
    assert_true(pgas_ptr_equal(null, zeros));
    assert_false(pgas_ptr_is_null(other));
    assert_false(pgas_ptr_equal(null, other));
    assert_null(pgas_local(null));
}

/* With one thread, blocks are contiguous: the offset grows evenly. */
static void test_arithmetic(void **state)
{
    (void)state;
    pgas_ptr_t start = {0, 0, 4096};
    for (size_t block = 0; block < 9; block++)
        for (ptrdiff_t i = 0; i < 100; i++) {
            pgas_ptr_t at = pgas_ptr_add(start, i, 8, block);
            assert_int_equal(at.thread, 0);
            assert_int_equal(at.phase, block == 0 ? 0 : (size_t)i % block);
            assert_int_equal(at.offset, 4096 + 8 * (uint64_t)i);
            assert_int_equal(pgas_ptr_diff(at, start, 8, block), i);
            assert_int_equal(pgas_ptr_diff(start, at, 8, block), -i);
            assert_true(pgas_ptr_equal(pgas_ptr_add(at, -i, 8, block), start));
        }
}

static void test_phase(void **state)
{
    (void)state;
    pgas_ptr_t at = {0, 5, 4136};
    assert_int_equal(pgas_phaseof(at), 5);
    assert_int_equal(pgas_phaseof(pgas_resetphase(at)), 0);
    assert_true(pgas_ptr_equal(at, pgas_resetphase(at)));
    assert_int_equal(pgas_addrfield(at), 4136);
    assert_int_equal(pgas_threadof(at), 0);
}

static void test_memory(void **state)
{
    (void)state;
    pgas_ptr_t at;
    assert_int_equal(pgas_alloc(100, &at), PGAS_OK);
    int *plain = pgas_local(at);
    assert_non_null(plain);
    plain[3] = 42;
    assert_int_equal(PGAS_READ(int, pgas_ptr_add(at, 3, sizeof(int), 0)), 42);
    assert_ptr_equal(pgas_local(pgas_ptr_add(at, 3, sizeof(int), 0)), plain + 3);
    pgas_free(at);
}

static int start(void **state)
{
    (void)state;
    unsetenv("PMIX_NAMESPACE"); /* a job of its own, whoever started the test */
    return pgas_init() == PGAS_OK && pgas_threads() == 1 && pgas_mythread() == 0 ? 0 : 1;
}

static int end(void **state)
{
    (void)state;
    pgas_finalize();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_null),
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_phase),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, start, end);
}
