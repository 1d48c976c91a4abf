/**
 * Rings of messages: order, full and empty, messages of two slots, the wrap of turns and positions,
 * many producers at once, and a producer that has reserved slots and not published them yet.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shm/ring.h"

enum {
    PRODUCERS = 3,
    MESSAGES = 200000,
    SANITIZED_MESSAGES = 20000
};

/* Turns wrap after 2^32 rounds. */
#define ROUNDS ((uint64_t)1 << 32)

static pgasi_ring_t ring;

static uint32_t size_of(const pgasi_message_head_t *head)
{
    return head->nbytes;
}

/* As if `position` slots had been used. */
static void preset(uint64_t position)
{
    memset(&ring, 0, sizeof ring);
    atomic_store(&ring.tail, position);
    atomic_store(&ring.head, position);
    ring.next = position;
    for (uint64_t i = 1; i <= PGASI_RING_SLOTS && i <= position; i++)
        atomic_store(&pgasi_ring_slot(&ring, position - i)->turn, pgasi_ring_turn(position - i));
}

static pgasi_message_t message_of(uint32_t source, uint32_t number, uint32_t size)
{
    pgasi_message_t message = {
        .head = {.handler = (uint16_t)number, .source = source, .nbytes = size}, .size = size};
    for (uint32_t i = 0; i < size; i++)
        message.body[i] = (unsigned char)(source * 31 + number * 7 + i);
    return message;
}

static void check_next(uint32_t source, uint32_t number, uint32_t size)
{
    pgasi_message_t message;
    const pgasi_message_t expected = message_of(source, number, size);
    assert_true(pgasi_ring_has_message(&ring));
    assert_true(pgasi_ring_has_message_now(&ring));
    pgasi_ring_take(&ring, &message, size_of);
    assert_int_equal(message.head.source, source);
    assert_int_equal(message.head.handler, (uint16_t)number);
    assert_int_equal(message.size, size);
    assert_memory_equal(message.body, expected.body, size);
}

static uint32_t size_for(uint32_t number)
{
    return number * 37 % (PGASI_BODY_MAX + 1);
}

static void fill_and_empty(uint64_t begin)
{
    preset(begin);
    uint64_t known = begin == 0 ? 0 : begin - 5;
    uint32_t in = 0;
    uint32_t out = 0;
    assert_false(pgasi_ring_has_message(&ring));
    for (int round = 0; round < 20; round++) {
        for (;; in++) {
            const pgasi_message_t message = message_of(1, in, size_for(in));
            if (!pgasi_ring_put(&ring, &known, &message))
                break;
        }
        assert_true(atomic_load(&ring.tail) - ring.next <= PGASI_RING_SLOTS);
        assert_true(atomic_load(&ring.tail) - ring.next > PGASI_RING_SLOTS - PGASI_RING_UNTOLD - 2);
        while (out < in - (uint32_t)round % 2) {
            check_next(1, out, size_for(out));
            out++;
        }
    }
    while (out < in) {
        check_next(1, out, size_for(out));
        out++;
    }
    assert_false(pgasi_ring_has_message(&ring));
}

static void messages_stay_in_order(void **unused)
{
    (void)unused;
    fill_and_empty(0);
}

static void turns_wrap(void **unused)
{
    (void)unused;
    for (uint64_t before = 0; before <= 3 * (uint64_t)PGASI_RING_SLOTS; before += 191)
        fill_and_empty(ROUNDS * PGASI_RING_SLOTS - before);
    fill_and_empty(UINT64_MAX / 2 - 100);
}

/* Only messages of two slots, so that every other slot is never the first one of a message. */
static void second_slots_have_turns(void **unused)
{
    (void)unused;
    uint64_t known = 0;
    preset(0);
    for (uint32_t i = 0; i < PGASI_RING_SLOTS / 2; i++) {
        const pgasi_message_t message = message_of(2, i, PGASI_BODY_MAX);
        assert_true(pgasi_ring_put(&ring, &known, &message));
    }
    for (uint64_t i = 0; i < PGASI_RING_SLOTS; i++)
        assert_int_equal(atomic_load(&pgasi_ring_slot(&ring, i)->turn), pgasi_ring_turn(i));
}

static void unpublished_slots_are_not_taken(void **unused)
{
    (void)unused;
    uint64_t known = 0;
    preset(1000);
    atomic_store(&ring.tail, 1001); /* by a producer that has lost its core */
    const pgasi_message_t message = message_of(3, 1, 8);
    assert_true(pgasi_ring_put(&ring, &known, &message));
    assert_false(pgasi_ring_has_message(&ring));
    atomic_store(&pgasi_ring_slot(&ring, 1000)->turn, pgasi_ring_turn(1000));
    assert_true(pgasi_ring_has_message(&ring));
}

static uint32_t count_of_each;

static void *produce(void *which)
{
    uint32_t source = *(const uint32_t *)which;
    uint64_t known = 0;
    for (uint32_t i = 0; i < count_of_each; i++) {
        const pgasi_message_t message = message_of(source, i, size_for(i * (source + 1)));
        while (!pgasi_ring_put(&ring, &known, &message))
            sched_yield();
    }
    return NULL;
}

static void producers_do_not_disturb_each_other(void **unused)
{
    (void)unused;
    pthread_t producers[PRODUCERS];
    uint32_t names[PRODUCERS];
    uint32_t next[PRODUCERS] = {0};
    count_of_each = getenv("FATHOM_TEST_SANITIZED") != NULL ? SANITIZED_MESSAGES : MESSAGES;
    preset(ROUNDS * PGASI_RING_SLOTS - 50000);
    for (uint32_t i = 0; i < PRODUCERS; i++) {
        names[i] = i;
        assert_int_equal(pthread_create(&producers[i], NULL, produce, &names[i]), 0);
    }
    for (uint32_t taken = 0; taken < PRODUCERS * count_of_each;) {
        pgasi_message_t message;
        if (!pgasi_ring_has_message(&ring)) {
            sched_yield();
            continue;
        }
        pgasi_ring_take(&ring, &message, size_of);
        uint32_t source = message.head.source;
        assert_true(source < PRODUCERS);
        const pgasi_message_t expected =
            message_of(source, next[source], size_for(next[source] * (source + 1)));
        assert_int_equal(message.size, expected.size);
        assert_memory_equal(message.body, expected.body, expected.size);
        next[source]++;
        taken++;
    }
    for (uint32_t i = 0; i < PRODUCERS; i++)
        pthread_join(producers[i], NULL);
    assert_false(pgasi_ring_has_message(&ring));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_stay_in_order),
        cmocka_unit_test(turns_wrap),
        cmocka_unit_test(second_slots_have_turns),
        cmocka_unit_test(unpublished_slots_are_not_taken),
        cmocka_unit_test(producers_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
