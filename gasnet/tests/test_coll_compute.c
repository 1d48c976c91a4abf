/*
 * Reductions and scans against a plain computation: random layouts, counts and sizes of elements, a
 * function that commutes and one that does not, inclusive and exclusive, by every name; and
 * reductions element by element.
 *
 * Usage: gasnet_coll_compute [ROUNDS]
 */
#include <time.h>

#include "coll_model.h"

enum {
    ROUNDS = 120,
    MOST_ELEMENTS = 900,
    MOST_WORDS = 6000, /* of an element: more than a board of 32 KiB */
    ARGUMENT = 77
};

static uint64_t state;

static size_t below(size_t bound)
{
    return random_below(&state, bound);
}

/* An element is any number of pairs. */
static void combine_elements(const pair_t *left, const pair_t *right, pair_t *result, size_t size,
                             bool is_ordered)
{
    for (size_t i = 0; i < size / sizeof(pair_t); i++)
        result[i] = combine(left[i], right[i], is_ordered);
}

static unsigned prefixes;
static unsigned by_element;

static void function(void *results, size_t result_count, const void *left_operands,
                     size_t left_count, const void *right_operands, size_t elem_size, int flags,
                     int arg)
{
    const size_t pairs = elem_size / sizeof(pair_t);
    const bool is_ordered = flags == GASNET_COLL_NONCOMM;
    const pair_t *left = left_operands;
    const pair_t *right = right_operands;
    pair_t *result = results;
    CHECK(arg == ARGUMENT && result_count > 0 && (flags == 0 || is_ordered));
    if (by_element > 0) {
        CHECK(left_count == result_count);
        combine_elements(left, right, result, elem_size * result_count, is_ordered);
        return;
    }
    CHECK(result_count == 1 || prefixes > 0);
    memcpy(result, left_count > 0 ? left : right, elem_size);
    for (size_t i = 1; i < left_count; i++)
        combine_elements(result, left + i * pairs, result, elem_size, is_ordered);
    if (left_count > 0)
        combine_elements(result, right, result, elem_size, is_ordered);
    for (size_t i = 1; i < result_count; i++)
        combine_elements(result + (i - 1) * pairs, right + i * pairs, result + i * pairs, elem_size,
                         is_ordered);
}

static bool find_own(const layout_t *layout, size_t i, size_t *at)
{
    return find(*layout, gasnet_nodes(), gasnet_mynode(), i, at);
}

static layout_t draw_layout(void)
{
    if (below(4) == 0)
        return (layout_t){0, below(gasnet_nodes())};
    if (below(8) == 0) /* one block, however large */
        return (layout_t){SIZE_MAX >> below(3), below(2 * MOST_ELEMENTS)};
    layout_t layout = {.block = 1 + (size_t)(random_next(&state) % MOST_ELEMENTS >> below(10))};
    layout.offset = below(2 * layout.block * gasnet_nodes());
    return layout;
}

static char *own_part(size_t nbytes)
{
    char *part = calloc(1, nbytes);
    CHECK(part != NULL);
    memset(part, 0xa5, nbytes);
    return part;
}

#define CALL(name, plain, list) \
    do { \
        switch (below(4)) { \
        case 0: \
            gasnet_coll_##name plain; \
            break; \
        case 1: \
            gasnet_coll_wait_sync(gasnet_coll_##name##_nb plain); \
            break; \
        case 2: \
            gasnet_coll_##name##m list; \
            break; \
        default: \
            gasnet_coll_wait_sync(gasnet_coll_##name##m_nb list); \
        } \
    } while (0)

static void run(void)
{
    const int sync = GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC;
    const gasnet_team_handle_t team = GASNET_TEAM_ALL;
    bool is_large = below(12) == 0;
    size_t size = sizeof(pair_t) * (is_large ? 1 + below(MOST_WORDS / 2) : 1 + below(3));
    size_t count = below(is_large ? 12 : MOST_ELEMENTS);
    layout_t from = draw_layout();
    layout_t to = draw_layout();
    bool is_ordered = below(2) == 0;
    bool is_inclusive = below(2) == 0;
    gasnet_image_t root = (gasnet_image_t)below(gasnet_nodes());
    size_t room = (3 * MOST_ELEMENTS + count + 2) * (is_large ? 1 : size);
    if (is_large) {
        from = (layout_t){1 + below(3), below(5)};
        to = (layout_t){1 + below(3), below(5)};
        room = 20 * size;
    }
    char *src = own_part(room);
    char *dst = own_part(room);
    char *expected = own_part(room);
    pair_t *all = calloc(count + 1, size);
    for (size_t i = 0; i < count; i++) {
        pair_t *element = (pair_t *)((char *)all + i * size);
        for (size_t j = 0; j < size / sizeof(pair_t); j++)
            element[j] = (pair_t){random_next(&state) | 1, random_next(&state)};
        size_t at;
        if (find_own(&from, i, &at))
            memcpy(src + at * size, element, size);
    }
    int flags = sync | (is_inclusive ? GASNET_COLL_INCLUSIVE_SCAN : GASNET_COLL_EXCLUSIVE_SCAN);
    prefixes++;
    CALL(scan,
         (team, dst, to.block, to.offset, src, from.block, from.offset, size, count, is_ordered,
          ARGUMENT, flags),
         (team, (void *[]){dst}, to.block, to.offset, (void *[]){src}, from.block, from.offset,
          size, count, is_ordered, ARGUMENT, flags));
    prefixes--;
    for (size_t i = 0; i < count; i++) {
        size_t at;
        const char *left = (char *)all + (i > 0 ? i - 1 : 0) * size;
        if (!is_inclusive && i > 0 && find_own(&to, i, &at))
            memcpy(expected + at * size, left, size);
        if (i > 0)
            combine_elements((const pair_t *)left, (pair_t *)((char *)all + i * size),
                             (pair_t *)((char *)all + i * size), size, is_ordered);
        if (is_inclusive && find_own(&to, i, &at))
            memcpy(expected + at * size, (char *)all + i * size, size);
    }
    CHECK(memcmp(dst, expected, room) == 0);
    if (is_by_element(from)) /* the same, as a reduction has it */
        from.block = count > 0 ? count : 1;
    char *result = own_part(size);
    CALL(
        reduce,
        (team, root, result, src, from.block, from.offset, size, count, is_ordered, ARGUMENT, sync),
        (team, root, result, (void *[]){src}, from.block, from.offset, size, count, is_ordered,
         ARGUMENT, sync));
    if (root == gasnet_mynode() && count > 0)
        CHECK(memcmp(result, (char *)all + (count - 1) * size, size) == 0);
    free(result);
    free(all);
    free(expected);
    free(dst);
    free(src);
}

static void run_by_element(void)
{
    const int sync = GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC;
    const gasnet_team_handle_t team = GASNET_TEAM_ALL;
    const bool is_large = below(8) == 0;
    const size_t size = sizeof(pair_t) * (is_large ? 1 + below(MOST_WORDS / 2) : 1 + below(3));
    const size_t count = below(is_large ? 6 : 10 * MOST_ELEMENTS);
    const bool is_ordered = below(2) == 0;
    const gasnet_image_t root = (gasnet_image_t)below(gasnet_nodes());
    const size_t nbytes = count * size;
    char *src = own_part(nbytes + 1);
    char *next = own_part(nbytes + 1);
    char *expected = own_part(nbytes + 1);
    char *dst = own_part(nbytes + 1);
    for (gasnet_node_t node = 0; node < gasnet_nodes(); node++) {
        for (size_t i = 0; i < nbytes / sizeof(pair_t); i++)
            ((pair_t *)(void *)next)[i] = (pair_t){random_next(&state) | 1, random_next(&state)};
        if (node == gasnet_mynode())
            memcpy(src, next, nbytes);
        if (node == 0)
            memcpy(expected, next, nbytes);
        else
            combine_elements((pair_t *)(void *)expected, (pair_t *)(void *)next,
                             (pair_t *)(void *)expected, nbytes, is_ordered);
    }
    by_element++;
    CALL(reduce, (team, root, dst, src, 0, 0, size, count, is_ordered, ARGUMENT, sync),
         (team, root, dst, (void *[]){src}, 0, 0, size, count, is_ordered, ARGUMENT, sync));
    by_element--;
    if (root != gasnet_mynode())
        memset(expected, 0xa5, nbytes);
    CHECK(memcmp(dst, expected, nbytes + 1) == 0);
    free(dst);
    free(expected);
    free(next);
    free(src);
}

int main(int argc, char **argv)
{
    start(&argc, &argv, 1 << 20);
    const char *text = getenv("PGAS_TEST_SEED");
    uint64_t *seed = (uint64_t *)own_segment();
    *seed = text != NULL ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);
    gasnet_coll_fn_entry_t table[] = {{(gasnet_coll_fn_t)function, 0},
                                      {(gasnet_coll_fn_t)function, GASNET_COLL_NONCOMM}};
    gasnet_coll_init(NULL, 0, table, 2, 0);
    memset(table, 0, sizeof table);
    gasnet_coll_broadcast(GASNET_TEAM_ALL, seed, 0, seed, sizeof *seed,
                          GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC);
    state = *seed;
    if (gasnet_mynode() == 0)
        printf("PGAS_TEST_SEED=%llu\n", (unsigned long long)state);
    size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : ROUNDS;
    for (size_t i = 0; i < rounds; i++) {
        run();
        if (i % 2 == 0)
            run_by_element();
    }
    gasnet_exit(0);
}
