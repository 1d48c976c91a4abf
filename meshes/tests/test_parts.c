/* Parts get exactly the sizes they are to have, wherever vertices have to come from, and need
 * hardly more from each other than before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"
#include "sample.h"

static mesh_error_t error;

static meshi_graph_t cube_graph(size_t side)
{
    meshi_graph_t graph;
    mesh_file_content_t content = {.mesh = sample_cube(side, 0.2, 9)};
    assert_true(meshi_graph_make_product(&content, &graph, &error));
    mesh_file_content_free(&content);
    return graph;
}

static void assert_sizes(const meshi_graph_t *graph, size_t parts, const size_t *sizes,
                         const int32_t *part)
{
    size_t *count = calloc(parts, sizeof *count);
    assert_non_null(count);
    for (size_t i = 0; i < graph->vertices; i++) {
        assert_true(part[i] >= 0 && (size_t)part[i] < parts);
        count[part[i]]++;
    }
    for (size_t p = 0; p < parts; p++)
        assert_int_equal(count[p], sizes[p]);
    free(count);
}

/* Sizes from 1 upwards that add up. */
static void draw_sizes(size_t vertices, size_t parts, uint64_t *seed, size_t *sizes)
{
    size_t left = vertices - parts;
    for (size_t p = 0; p < parts; p++) {
        double share = 2.0 * sample_random(seed) / (double)(parts - p);
        size_t more = p + 1 < parts ? (size_t)(fmin(share, 1.0) * (double)left) : left;
        sizes[p] = 1 + more;
        left -= more;
    }
}

/* Parts that begin as random ones have anything: none at all, too much, far away. */
static void test_random(void **state)
{
    enum {
        VERTICES = 1296
    };
    (void)state;
    uint64_t seed = sample_seed();
    meshi_graph_t graph = cube_graph(6);
    int32_t part[VERTICES];
    size_t sizes[VERTICES];
    assert_int_equal(graph.vertices, VERTICES);
    for (size_t trial = 0; trial < 40; trial++) {
        size_t parts = 1 + (size_t)(sample_random(&seed) * (trial % 4 == 0 ? VERTICES : 20.0));
        double begun = trial % 2 == 0 ? (double)parts : 1.0;
        for (size_t i = 0; i < graph.vertices; i++)
            part[i] = (int32_t)(sample_random(&seed) * begun);
        draw_sizes(graph.vertices, parts, &seed, sizes);
        assert_true(meshi_parts_fit(&graph, parts, sizes, part, &error));
        assert_sizes(&graph, parts, sizes, part);
    }
    meshi_graph_free(&graph);
}

/* Slabs of unequal thickness become slabs of equal thickness: every boundary moves, and vertices of
 * the first travel through all others. */
static void test_slabs(void **state)
{
    static const size_t thickness[] = {9, 1, 2, 1, 1, 2};
    (void)state;
    meshi_graph_t graph = cube_graph(16);
    size_t layer = graph.vertices / 16;
    size_t sizes[4];
    int32_t *part = malloc(graph.vertices * sizeof *part);
    assert_non_null(part);
    for (size_t p = 0, first = 0; p < 6; first += thickness[p++] * layer)
        for (size_t i = first; i < first + thickness[p] * layer; i++)
            part[i] = (int32_t)(p < 4 ? p : 3);
    for (size_t p = 0; p < 4; p++)
        sizes[p] = 4 * layer;
    size_t before = meshi_parts_foreign(&graph, part);
    assert_true(meshi_parts_fit(&graph, 4, sizes, part, &error));
    assert_sizes(&graph, 4, sizes, part);
    size_t after = meshi_parts_foreign(&graph, part);
    printf("slabs: parts need %zu values from each other, %zu before\n", after, before);
    assert_true(after < 2 * before);
    free(part);
    meshi_graph_free(&graph);
}

/* Two pairs of vertices with no edge between the pairs. */
static void test_apart(void **state)
{
    int32_t start[] = {0, 1, 2, 3, 4};
    int32_t adjacent[] = {1, 0, 3, 2};
    int32_t part[] = {0, 0, 0, 1};
    static const size_t sizes[] = {1, 1, 2};
    meshi_graph_t graph = {4, start, adjacent};
    (void)state;
    assert_true(meshi_parts_fit(&graph, 3, sizes, part, &error));
    assert_sizes(&graph, 3, sizes, part);
}

/* A vertex that all others are adjacent to. */
static void test_hub(void **state)
{
    enum {
        VERTICES = 3000
    };
    (void)state;
    meshi_graph_t graph = {.vertices = VERTICES};
    graph.start = malloc((VERTICES + 1) * sizeof *graph.start);
    graph.adjacent = malloc(2 * sizeof *graph.adjacent * VERTICES);
    int32_t *part = calloc(VERTICES, sizeof *part);
    assert_true(graph.start != NULL && graph.adjacent != NULL && part != NULL);
    int32_t count = 0;
    for (int32_t i = 0; i < VERTICES; i++) {
        graph.start[i] = count;
        if (i > 0)
            graph.adjacent[count++] = 0;
        for (int32_t j = 1; i == 0 && j < VERTICES; j++)
            graph.adjacent[count++] = j;
    }
    graph.start[VERTICES] = count;
    static const size_t sizes[] = {1000, 500, 1500};
    assert_true(meshi_parts_fit(&graph, 3, sizes, part, &error));
    assert_sizes(&graph, 3, sizes, part);
    free(part);
    meshi_graph_free(&graph);
}

/* The counting by hand: a path of four vertices in parts 0, 0, 1, 2. */
static void test_foreign(void **state)
{
    int32_t start[] = {0, 1, 3, 5, 6};
    int32_t adjacent[] = {1, 0, 2, 1, 3, 2};
    static const int32_t part[] = {0, 0, 1, 2};
    meshi_graph_t graph = {4, start, adjacent};
    (void)state;
    assert_int_equal(meshi_parts_foreign(&graph, part), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random), cmocka_unit_test(test_slabs),   cmocka_unit_test(test_apart),
        cmocka_unit_test(test_hub),    cmocka_unit_test(test_foreign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
