/**
 * A queue that several threads fill while one empties it: every item comes once, those of each
 * thread in their order.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "am/queue.h"

enum {
    PRODUCERS = 3,
    ITEMS = 200000
};

typedef struct item {
    pgasi_queue_link_t link;
    unsigned producer;
    unsigned number;
} item_t;

static pgasi_queue_t queue = PGASI_QUEUE_EMPTY(queue);

static void *produce(void *argument)
{
    item_t *items = argument;
    for (unsigned i = 0; i < ITEMS; i++) {
        pgasi_queue_add(&queue, &items[i].link);
        if (i % 64 == 0)
            sched_yield();
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    static item_t items[PRODUCERS][ITEMS];
    unsigned next[PRODUCERS] = {0};
    pthread_t threads[PRODUCERS];
    for (unsigned p = 0; p < PRODUCERS; p++) {
        for (unsigned i = 0; i < ITEMS; i++)
            items[p][i] = (item_t){.producer = p, .number = i};
        assert_int_equal(pthread_create(&threads[p], NULL, produce, items[p]), 0);
    }
    for (unsigned taken = 0; taken < PRODUCERS * ITEMS;) {
        item_t *item = (item_t *)pgasi_queue_take(&queue);
        if (item == NULL)
            continue;
        assert_int_equal(item->number, next[item->producer]);
        next[item->producer]++;
        taken++;
    }
    for (unsigned p = 0; p < PRODUCERS; p++)
        pthread_join(threads[p], NULL);
    assert_false(pgasi_queue_has_item(&queue));
    assert_null(pgasi_queue_take(&queue));
}

static void test_alone(void **state)
{
    (void)state;
    static item_t items[3];
    assert_null(pgasi_queue_take(&queue));
    for (unsigned round = 0; round < 10; round++) {
        for (unsigned i = 0; i <= round % 3; i++) {
            pgasi_queue_add(&queue, &items[i].link);
            assert_true(pgasi_queue_has_item(&queue));
        }
        for (unsigned i = 0; i <= round % 3; i++) {
            assert_true(pgasi_queue_has_item(&queue));
            assert_ptr_equal(pgasi_queue_take(&queue), &items[i].link);
        }
        assert_false(pgasi_queue_has_item(&queue));
        assert_null(pgasi_queue_take(&queue));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
