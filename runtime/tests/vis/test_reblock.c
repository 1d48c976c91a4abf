/**
 * pgas_reblock and its forms from and to private memory: random arrays, block sizes and ranges
 * against a model, what is counted, and the edge cases.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "job_random.h"

enum {
    ARRAYS = 12,
    STEPS = 40,
    MOST = 3000,
    MOST_ELEM = 24
};

/* An array and its expected contents. */
typedef struct modelled {
    pgas_array_t array;
    char bytes[MOST * MOST_ELEM];
} modelled_t;

static modelled_t a;
static modelled_t b;
static char private_bytes[MOST * MOST_ELEM];
static pgas_traffic_t expected[64][PGAS_DIRECTIONS];

static void create(modelled_t *m, size_t elem_size, uint64_t *random)
{
    size_t count = 1 + random_below(random, MOST);
    size_t block = random_below(random, 4) == 0 ? 1 : random_size(random, count);
    CHECK(pgas_array_create(count, elem_size, block, &m->array) == PGAS_OK);
    for (size_t i = 0; i < count * elem_size; i++)
        m->bytes[i] = (char)random_next(random);
}

static void write_by_elements(const modelled_t *m)
{
    size_t size = m->array.elem_size;
    for (size_t i = 0; i < m->array.count; i++)
        pgas_memput_asynci(pgas_array_at(&m->array, i), m->bytes + i * size, size);
    pgas_waitsynci();
}

static void check_by_elements(const modelled_t *m)
{
    size_t size = m->array.elem_size;
    for (size_t i = 0; i < m->array.count; i++)
        pgas_memget_asynci(private_bytes + i * size, pgas_array_at(&m->array, i), size);
    pgas_waitsynci();
    CHECK(memcmp(private_bytes, m->bytes, m->array.count * size) == 0);
}

static void expect(const pgas_array_t *array, size_t first, size_t count,
                   pgas_direction_t direction)
{
    size_t elements[64] = {0};
    for (size_t i = first; i < first + count; i++)
        elements[pgas_array_owner(array, i)]++;
    for (int thread = 0; thread < pgas_threads(); thread++) {
        expected[thread][direction].operations += elements[thread] > 0;
        expected[thread][direction].bytes += elements[thread] * array->elem_size;
    }
}

static void check_counts(void)
{
    for (int thread = 0; thread < pgas_threads(); thread++)
        for (int direction = 0; direction < PGAS_DIRECTIONS; direction++) {
            pgas_traffic_t got =
                pgas_stats_with(thread, PGAS_CONDENSED, (pgas_direction_t)direction);
            CHECK(got.operations == expected[thread][direction].operations);
            CHECK(got.bytes == expected[thread][direction].bytes);
        }
}

static size_t random_range(size_t first_count, size_t second_count, size_t *first, size_t *second,
                           uint64_t *random)
{
    size_t count = random_size(random, first_count < second_count ? first_count : second_count);
    *first = random_below(random, first_count - count + 1);
    *second = random_below(random, second_count - count + 1);
    return count;
}

static void check_reblock(modelled_t *dst, const modelled_t *src, uint64_t *random)
{
    size_t to;
    size_t from;
    size_t count = random_range(dst->array.count, src->array.count, &to, &from, random);
    size_t size = src->array.elem_size;
    switch (random_below(random, 3)) {
    case 0:
        pgas_reblock(&dst->array, to, &src->array, from, count);
        break;
    case 1:
        pgas_waitsync(pgas_reblock_async(&dst->array, to, &src->array, from, count));
        break;
    default:
        pgas_reblock_asynci(&dst->array, to, &src->array, from, count);
        pgas_waitsynci();
    }
    memcpy(dst->bytes + to * size, src->bytes + from * size, count * size);
    expect(&src->array, from, count, PGAS_FROM);
    expect(&dst->array, to, count, PGAS_TO);
}

static void check_get(const modelled_t *src, uint64_t *random)
{
    size_t to;
    size_t from;
    size_t count = random_range(MOST, src->array.count, &to, &from, random);
    size_t size = src->array.elem_size;
    memset(private_bytes, 0x55, sizeof private_bytes);
    switch (random_below(random, 3)) {
    case 0:
        pgas_reblock_get(private_bytes + to * size, &src->array, from, count);
        break;
    case 1:
        pgas_waitsync(pgas_reblock_get_async(private_bytes + to * size, &src->array, from, count));
        break;
    default:
        pgas_reblock_get_asynci(private_bytes + to * size, &src->array, from, count);
        pgas_waitsynci();
    }
    CHECK(memcmp(private_bytes + to * size, src->bytes + from * size, count * size) == 0);
    for (size_t i = 0; i < sizeof private_bytes; i++)
        CHECK((i >= to * size && i < (to + count) * size) || private_bytes[i] == 0x55);
    expect(&src->array, from, count, PGAS_FROM);
}

static void check_put(modelled_t *dst, uint64_t *random)
{
    size_t to;
    size_t from;
    size_t count = random_range(dst->array.count, MOST, &to, &from, random);
    size_t size = dst->array.elem_size;
    for (size_t i = 0; i < count * size; i++)
        private_bytes[from * size + i] = (char)random_next(random);
    switch (random_below(random, 3)) {
    case 0:
        pgas_reblock_put(&dst->array, to, private_bytes + from * size, count);
        break;
    case 1:
        pgas_waitsync(pgas_reblock_put_async(&dst->array, to, private_bytes + from * size, count));
        break;
    default:
        pgas_reblock_put_asynci(&dst->array, to, private_bytes + from * size, count);
        pgas_waitsynci();
    }
    memcpy(dst->bytes + to * size, private_bytes + from * size, count * size);
    expect(&dst->array, to, count, PGAS_TO);
}

/* Two arrays of different random layouts, the same on all threads; then the last thread alone
 * copies.
 */
static void check_arrays(uint64_t *random)
{
    static const size_t sizes[] = {8, 4, 16, 24, 1, 3};
    size_t size = sizes[random_below(random, 6)];
    create(&a, size, random);
    create(&b, size, random);
    if (pgas_mythread() == pgas_threads() - 1) {
        write_by_elements(&a);
        write_by_elements(&b);
        for (int step = 0; step < STEPS; step++) {
            check_reblock(&a, &b, random);
            check_reblock(&b, &a, random);
            check_get(&a, random);
            check_put(&b, random);
            check_counts();
        }
        check_by_elements(&a);
        check_by_elements(&b);
    }
    pgas_barrier();
    pgas_array_free(&a.array);
    pgas_array_free(&b.array);
}

/* No elements: the other arguments are ignored, and nothing is counted. */
static void test_nothing(void)
{
    pgas_array_t small;
    CHECK(pgas_array_create(3, 8, 1, &small) == PGAS_OK);
    pgas_reblock(&small, 3, &small, 3, 0);
    pgas_reblock_get(NULL, &small, 0, 0);
    pgas_reblock_put(&small, 0, NULL, 0);
    CHECK(pgas_handle_is_complete(pgas_reblock_async(&small, 0, &small, 0, 0)));
    pgas_array_free(&small);
    check_counts();
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_threads() <= 64);
    uint64_t seed = random_seed_of_job();
    test_nothing();
    for (uint64_t i = 0; i < ARRAYS; i++) {
        uint64_t random = seed + i;
        check_arrays(&random);
    }
    pgas_finalize();
    return 0;
}
