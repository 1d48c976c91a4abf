/* Rows and threads are distributed as in the runtime. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka.h needs some of the above. */
#include <cmocka.h>

#include "perfmodel/layout.h"

static model_layout_t made(size_t rows, size_t threads, size_t nodes, size_t per_node,
                           size_t blocksize)
{
    mesh_error_t error;
    model_layout_t layout;
    assert_true(model_layout_make(rows, 16, threads, nodes, per_node, blocksize, &layout, &error));
    return layout;
}

static void five_threads_on_three_nodes(void **state)
{
    (void)state;
    static const size_t expected[] = {0, 0, 1, 1, 2};
    model_layout_t layout = made(100, 5, 3, 0, 7);
    for (size_t t = 0; t < 5; t++)
        assert_int_equal(model_layout_node(&layout, t), expected[t]);
    assert_int_equal(layout.threads_per_node, 2);
    assert_int_equal(model_layout_leader(&layout, 1), 2);
    assert_int_equal(model_layout_leader(&layout, 2), 4);
    assert_int_equal(model_layout_leader(&layout, 3), 5);
}

/* Every node's threads lie between its leader and the next node's. */
static void leaders_fit_nodes(void **state)
{
    (void)state;
    for (size_t threads = 1; threads < 40; threads++)
        for (size_t size = 1; size <= threads; size++)
            for (int by_size = 0; by_size < 2; by_size++) {
                model_layout_t layout =
                    made(100, threads, by_size ? 0 : size, by_size ? size : 0, 1);
                for (size_t node = 0; node < layout.nodes; node++) {
                    size_t begin = model_layout_leader(&layout, node);
                    size_t end = model_layout_leader(&layout, node + 1);
                    assert_true(begin < end && end <= threads);
                    assert_true(end - begin <= layout.threads_per_node);
                    for (size_t t = begin; t < end; t++)
                        assert_int_equal(model_layout_node(&layout, t), node);
                }
                assert_int_equal(model_layout_leader(&layout, layout.nodes), threads);
            }
}

static void rows_add_up(void **state)
{
    (void)state;
    for (size_t rows = 1; rows < 60; rows++)
        for (size_t threads = 1; threads < 9; threads++)
            for (size_t blocksize = 0; blocksize < 70; blocksize++) {
                model_layout_t layout = made(rows, threads, 0, 0, blocksize);
                size_t by_thread = 0;
                size_t by_block = 0;
                for (size_t t = 0; t < threads; t++)
                    by_thread += model_layout_thread_rows(&layout, t);
                for (size_t b = 0; b < model_layout_blocks(&layout); b++)
                    by_block += model_layout_block_rows(&layout, b);
                assert_int_equal(by_thread, rows);
                assert_int_equal(by_block, rows);
            }
    assert_int_equal(made(1001, 4, 0, 0, 0).blocksize, 251);
    assert_int_equal(made(1001, 4, 0, 0, 1002).blocksize, 1001);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    mesh_error_t error;
    model_layout_t layout;
    assert_false(model_layout_make(10, 1, 0, 0, 0, 0, &layout, &error));
    assert_non_null(strstr(error.text, "--threads"));
    assert_false(model_layout_make(10, 1, 4, 5, 0, 0, &layout, &error));
    assert_non_null(strstr(error.text, "--nodes: '5'"));
    assert_false(model_layout_make(10, 1, 4, 2, 2, 0, &layout, &error));
    assert_non_null(strstr(error.text, "only one"));
    assert_false(model_layout_make(0, 1, 4, 2, 0, 0, &layout, &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_threads_on_three_nodes),
        cmocka_unit_test(leaders_fit_nodes),
        cmocka_unit_test(rows_add_up),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
