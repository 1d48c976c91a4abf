/**
 * Private memory that is lent: what is asked for is found only if it lies inside, however the
 * question is made, and nothing when it is back; and how many pieces there are at once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/ucx/lent.h"
#include "net/ucx/rma.h"

enum {
    NBYTES = 1000,
    MOST = 64
};

bool pgasi_ucx_rma_is_on;

static char bytes[NBYTES];

static void test_bounds(void **state)
{
    (void)state;
    uint64_t lent = pgasi_net_lend(bytes, NBYTES);
    assert_true(pgasi_net_is_lent(lent));
    assert_ptr_equal(pgasi_ucx_lent_find(lent, NBYTES), bytes);
    assert_ptr_equal(pgasi_ucx_lent_find(lent + 7, NBYTES - 7), bytes + 7);
    assert_ptr_equal(pgasi_net_lent_at(lent + 8), bytes + 8);
    assert_null(pgasi_ucx_lent_find(lent, NBYTES + 1));
    assert_null(pgasi_ucx_lent_find(lent + 7, NBYTES - 6));
    assert_null(pgasi_ucx_lent_find(lent + NBYTES + 1, 0));
    assert_null(pgasi_ucx_lent_find(lent + 1, UINT64_MAX));
    assert_null(pgasi_ucx_lent_find(lent & ~PGASI_NET_IS_LENT, 1));
    assert_null(pgasi_ucx_lent_find(lent | UINT64_C(1) << 63, 1));
    assert_null(pgasi_ucx_lent_find(lent | (uint64_t)MOST << 48, 1));
    assert_null(pgasi_ucx_lent_find(UINT64_MAX, 1));
    pgasi_net_lent_back(lent);
    assert_null(pgasi_ucx_lent_find(lent, 1));
    assert_null(pgasi_ucx_lent_find(lent, 0));
}

static void test_many(void **state)
{
    (void)state;
    uint64_t lent[MOST];
    for (size_t i = 0; i < MOST; i++) {
        lent[i] = pgasi_net_lend(bytes + i, NBYTES - i);
        assert_true(pgasi_net_is_lent(lent[i]));
    }
    for (size_t i = 0; i < MOST; i++)
        assert_ptr_equal(pgasi_ucx_lent_find(lent[i], NBYTES - i), bytes + i);
    assert_int_equal(pgasi_net_lend(bytes, 1), 0);
    pgasi_net_lent_back(lent[MOST / 2]);
    assert_int_equal(pgasi_net_lend(bytes, 1), lent[MOST / 2]);
    for (size_t i = 0; i < MOST; i++)
        pgasi_net_lent_back(lent[i]);
}

/* Where gets go by remote memory access, nobody serves them; and what is too long. */
static void test_not(void **state)
{
    (void)state;
    pgasi_ucx_rma_is_on = true;
    assert_int_equal(pgasi_net_lend(bytes, NBYTES), 0);
    pgasi_ucx_rma_is_on = false;
    assert_int_equal(pgasi_net_lend(bytes, (size_t)1 << 48), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
