/**
 * The choice of algorithms, and the setting that names them: pure functions, without a job.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "coll/algorithm.h"

static const pgasi_coll_shape_t shapes[] = {
    {1, 1, 1, false, false, false, false},       {2, 1, 2, false, false, false, false},
    {2, 2, 1, false, false, false, false},       {4, 2, 2, false, false, false, false},
    {7, 3, 3, false, false, false, false},       {64, 8, 8, false, false, false, false},
    {1000, 1000, 1, false, false, false, false}, {4, 2, 2, true, false, false, false},
    {2, 2, 1, false, true, false, false},        {4, 2, 2, false, true, false, false},
    {64, 8, 8, false, true, false, false},       {64, 8, 8, false, false, true, false},
};

enum {
    SHAPES = sizeof shapes / sizeof shapes[0]
};

static pgasi_coll_rules_t read_rules(const char *text)
{
    pgasi_coll_rules_t rules;
    char wrong[512] = "";
    if (!pgasi_coll_rules_read(text, &rules, wrong, sizeof wrong))
        fail_msg("'%s': %s", text, wrong);
    return rules;
}

/* Without a setting, and under every rule there can be, whatever is chosen serves. */
static void test_serves(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 8, 100, 4096, 4097, 65536, 1 << 20, (size_t)1 << 40};
    for (int kind = 0; kind < PGASI_COLL_KIND_COUNT; kind++)
        for (int forced = 0; forced < PGASI_COLL_ALGORITHM_COUNT; forced++)
            for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
                for (size_t j = 0; j < SHAPES; j++) {
                    const pgasi_coll_rules_t rules = {
                        .count = 1,
                        .rules = {{(pgasi_coll_kind_t)kind, (pgasi_coll_algorithm_t)forced, 0}}};
                    pgasi_coll_algorithm_t chosen =
                        pgasi_coll_choose(&rules, (pgasi_coll_kind_t)kind, sizes[i], &shapes[j]);
                    assert_true(
                        pgasi_coll_serves((pgasi_coll_kind_t)kind, chosen, sizes[i], &shapes[j]));
                    if (pgasi_coll_serves((pgasi_coll_kind_t)kind, (pgasi_coll_algorithm_t)forced,
                                          sizes[i], &shapes[j]))
                        assert_int_equal(chosen, forced);
                    else
                        assert_int_equal(chosen, pgasi_coll_by_table((pgasi_coll_kind_t)kind,
                                                                     sizes[i], &shapes[j]));
                }
}

static void test_table(void **state)
{
    (void)state;
    const pgasi_coll_rules_t none = {.count = 0};
    const pgasi_coll_shape_t *node = &shapes[1];
    assert_int_equal(pgasi_coll_choose(&none, PGASI_KIND_OF_BARRIER, 0, node),
                     PGASI_ALGORITHM_DISSEMINATION);
    assert_int_equal(pgasi_coll_choose(&none, PGASI_KIND_OF_SCAN, 4097, node),
                     PGASI_ALGORITHM_LINEAR);
    assert_int_equal(pgasi_coll_choose(&none, PGASI_KIND_OF_BROADCAST, 8, node),
                     PGASI_ALGORITHM_LINEAR);
}

static void check_slices(pgasi_coll_kind_t kind, const pgasi_coll_shape_t *shape, size_t most)
{
    const pgasi_coll_rules_t none = {.count = 0};
    assert_int_equal(pgasi_coll_choose(&none, kind, most, shape), PGASI_ALGORITHM_LINEAR);
    assert_int_equal(pgasi_coll_choose(&none, kind, most + 1, shape), PGASI_ALGORITHM_RABENSEIFNER);
}

/* Slices begin where two members would read more than 128 KiB of each other, and where so many as
 * all combine are spared reading 48 KiB. A root spares itself nothing before 128 KiB. */
static void test_slices(void **state)
{
    (void)state;
    const pgasi_coll_rules_t none = {.count = 0};
    static const struct {
        pgasi_coll_shape_t shape;
        size_t most;
        size_t most_to_root;
    } table[] = {{{2, 1, 2, false, false, false, false}, 131072, 131072},
                 {{4, 1, 4, false, false, false, false}, 32767, 43690},
                 {{16, 1, 16, false, false, false, false}, 3743, 8738},
                 {{64, 1, 64, false, false, false, false}, 2047, PGASI_COLL_SHORT}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        check_slices(PGASI_KIND_OF_ALLREDUCE, &table[i].shape, table[i].most);
        check_slices(PGASI_KIND_OF_REDUCE, &table[i].shape, table[i].most_to_root);
    }
    const pgasi_coll_shape_t alone = {1, 1, 1, false, false, false, false};
    assert_int_equal(pgasi_coll_choose(&none, PGASI_KIND_OF_REDUCE, 1 << 20, &alone),
                     PGASI_ALGORITHM_LINEAR);
}

/* A collective in a shape has one algorithm up to `most` bytes, and another above. */
typedef struct limit {
    pgasi_coll_kind_t kind;
    uint32_t shape;
    size_t most;
    pgasi_coll_algorithm_t algorithm;
    pgasi_coll_algorithm_t above;
} limit_t;

static void check_limits(const limit_t table[], size_t count)
{
    const pgasi_coll_rules_t none = {.count = 0};
    for (size_t i = 0; i < count; i++) {
        const pgasi_coll_shape_t *shape = &shapes[table[i].shape];
        assert_int_equal(pgasi_coll_choose(&none, table[i].kind, table[i].most, shape),
                         table[i].algorithm);
        assert_int_equal(pgasi_coll_choose(&none, table[i].kind, table[i].most + 1, shape),
                         table[i].above);
    }
}

/* What travels with signals does so up to the size of an arena: 256 KiB for two nodes of one
 * member, and 512 KiB for 64 members on 8 nodes; of a split team 32 and 64 KiB. */
static void test_arenas(void **state)
{
    (void)state;
    static const limit_t table[] = {
        {PGASI_KIND_OF_BROADCAST, 2, 262144, PGASI_ALGORITHM_BINOMIAL, PGASI_ALGORITHM_LINEAR},
        {PGASI_KIND_OF_BROADCAST, 3, 524288, PGASI_ALGORITHM_BINOMIAL,
         PGASI_ALGORITHM_HIERARCHICAL},
        {PGASI_KIND_OF_SCATTER, 2, 131072, PGASI_ALGORITHM_BINOMIAL, PGASI_ALGORITHM_LINEAR},
        {PGASI_KIND_OF_REDUCE, 2, 131072, PGASI_ALGORITHM_BINOMIAL, PGASI_ALGORITHM_LINEAR},
        {PGASI_KIND_OF_ALLREDUCE, 2, 131072, PGASI_ALGORITHM_BRUCK, PGASI_ALGORITHM_LINEAR},
        {PGASI_KIND_OF_ALLREDUCE, 2, 1 << 30, PGASI_ALGORITHM_LINEAR, PGASI_ALGORITHM_LINEAR},
        {PGASI_KIND_OF_ALLREDUCE, 7, 131072, PGASI_ALGORITHM_BRUCK, PGASI_ALGORITHM_RABENSEIFNER},
        {PGASI_KIND_OF_ALLTOALL, 2, 87376, PGASI_ALGORITHM_BRUCK, PGASI_ALGORITHM_LINEAR},
        {PGASI_KIND_OF_ALLGATHER, 3, 131072, PGASI_ALGORITHM_BRUCK, PGASI_ALGORITHM_HIERARCHICAL},
        {PGASI_KIND_OF_ALLGATHER, 4, 58240, PGASI_ALGORITHM_BRUCK, PGASI_ALGORITHM_LINEAR},
        {PGASI_KIND_OF_ALLGATHER, 5, 8192, PGASI_ALGORITHM_BRUCK, PGASI_ALGORITHM_HIERARCHICAL},
        {PGASI_KIND_OF_ALLTOALL, 5, 320, PGASI_ALGORITHM_BRUCK, PGASI_ALGORITHM_LINEAR},
        {PGASI_KIND_OF_GATHER, 6, 512, PGASI_ALGORITHM_BINOMIAL, PGASI_ALGORITHM_LINEAR},
        {PGASI_KIND_OF_BROADCAST, 8, 32768, PGASI_ALGORITHM_BINOMIAL, PGASI_ALGORITHM_LINEAR},
        {PGASI_KIND_OF_ALLREDUCE, 8, 16384, PGASI_ALGORITHM_BRUCK, PGASI_ALGORITHM_LINEAR},
        {PGASI_KIND_OF_ALLTOALL, 8, 10912, PGASI_ALGORITHM_BRUCK, PGASI_ALGORITHM_LINEAR},
        {PGASI_KIND_OF_ALLREDUCE, 9, 65536, PGASI_ALGORITHM_LINEAR, PGASI_ALGORITHM_HIERARCHICAL},
        {PGASI_KIND_OF_ALLTOALL, 10, 32, PGASI_ALGORITHM_BRUCK, PGASI_ALGORITHM_LINEAR},
    };
    check_limits(table, sizeof table / sizeof table[0]);
}

/* An arena of 512 KiB holds 32768 units, of which a member of four nodes with 50 each takes 450. */
static void test_passes(void **state)
{
    (void)state;
    const pgasi_coll_rules_t none = {.count = 0};
    const pgasi_coll_shape_t fat = {200, 4, 50, false, false, false, false};
    static const struct {
        size_t nbytes;
        uint32_t senders;
        uint32_t passes;
    } table[] = {{0, 50, 1},  {16, 50, 1},   {17, 36, 2},  {64, 18, 3},
                 {80, 14, 4}, {1152, 1, 50}, {1168, 0, 0}, {SIZE_MAX, 0, 0}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        assert_int_equal(pgasi_coll_senders(table[i].nbytes, &fat), table[i].senders);
        assert_int_equal(pgasi_coll_passes(table[i].nbytes, &fat), table[i].passes);
    }
    /* Each spares 32 reads of 150; a setting asks for as many as there must be. */
    assert_int_equal(pgasi_coll_choose(&none, PGASI_KIND_OF_ALLTOALL, 80, &fat),
                     PGASI_ALGORITHM_BRUCK);
    assert_int_equal(pgasi_coll_choose(&none, PGASI_KIND_OF_ALLTOALL, 81, &fat),
                     PGASI_ALGORITHM_LINEAR);
    const pgasi_coll_rules_t rules = read_rules("alltoall=bruck");
    assert_int_equal(pgasi_coll_choose(&rules, PGASI_KIND_OF_ALLTOALL, 1152, &fat),
                     PGASI_ALGORITHM_BRUCK);
    assert_int_equal(pgasi_coll_choose(&rules, PGASI_KIND_OF_ALLTOALL, 1153, &fat),
                     PGASI_ALGORITHM_LINEAR);
}

/* What a node's members have is combined before it travels from 16 KiB on, and where an arena has
 * no room for the operands of all; but for the program's own operations, and for those that need
 * the order of ranks where nodes take turns. */
static void test_combining(void **state)
{
    (void)state;
    static const limit_t table[] = {
        {PGASI_KIND_OF_ALLREDUCE, 3, 16383, PGASI_ALGORITHM_BRUCK, PGASI_ALGORITHM_COMBINING},
        {PGASI_KIND_OF_ALLREDUCE, 3, 174752, PGASI_ALGORITHM_COMBINING,
         PGASI_ALGORITHM_HIERARCHICAL},
        {PGASI_KIND_OF_REDUCE, 4, 16383, PGASI_ALGORITHM_BINOMIAL, PGASI_ALGORITHM_COMBINING},
        {PGASI_KIND_OF_REDUCE, 4, 104848, PGASI_ALGORITHM_COMBINING, PGASI_ALGORITHM_LINEAR},
        {PGASI_KIND_OF_ALLREDUCE, 5, 8192, PGASI_ALGORITHM_BRUCK, PGASI_ALGORITHM_COMBINING},
        {PGASI_KIND_OF_ALLREDUCE, 5, 34944, PGASI_ALGORITHM_COMBINING,
         PGASI_ALGORITHM_HIERARCHICAL},
        {PGASI_KIND_OF_REDUCE_SCATTER, 5, 34944, PGASI_ALGORITHM_COMBINING, PGASI_ALGORITHM_LINEAR},
        {PGASI_KIND_OF_REDUCE_SCATTER, 7, 131072, PGASI_ALGORITHM_BRUCK, PGASI_ALGORITHM_LINEAR},
        {PGASI_KIND_OF_SCAN, 3, 131072, PGASI_ALGORITHM_BRUCK, PGASI_ALGORITHM_LINEAR},
        {PGASI_KIND_OF_ALLREDUCE, 9, 21840, PGASI_ALGORITHM_COMBINING, PGASI_ALGORITHM_LINEAR},
        {PGASI_KIND_OF_ALLREDUCE, 10, 1024, PGASI_ALGORITHM_BRUCK, PGASI_ALGORITHM_COMBINING},
        {PGASI_KIND_OF_ALLREDUCE, 10, 4368, PGASI_ALGORITHM_COMBINING,
         PGASI_ALGORITHM_HIERARCHICAL},
        {PGASI_KIND_OF_ALLREDUCE, 11, 8192, PGASI_ALGORITHM_BRUCK, PGASI_ALGORITHM_HIERARCHICAL},
    };
    check_limits(table, sizeof table / sizeof table[0]);
}

/* Between nodes a root alone reads up to longer operands, and blocks of all and those of a root
 * cross once to each node where that spares a member 128 KiB, as long as they take no more than
 * 8 MiB of its heap. Parts of slices spare a member of an all-reduce 384 KiB. */
static void test_by_node(void **state)
{
    (void)state;
    const pgasi_coll_rules_t none = {.count = 0};
    static const limit_t table[] = {
        {PGASI_KIND_OF_REDUCE, 2, 1048576, PGASI_ALGORITHM_LINEAR, PGASI_ALGORITHM_RABENSEIFNER},
        {PGASI_KIND_OF_REDUCE, 3, 524287, PGASI_ALGORITHM_LINEAR, PGASI_ALGORITHM_HIERARCHICAL},
        {PGASI_KIND_OF_REDUCE, 4, 1048576, PGASI_ALGORITHM_LINEAR, PGASI_ALGORITHM_RABENSEIFNER},
        {PGASI_KIND_OF_REDUCE, 5, 524287, PGASI_ALGORITHM_LINEAR, PGASI_ALGORITHM_HIERARCHICAL},
        {PGASI_KIND_OF_ALLREDUCE, 5, 599183, PGASI_ALGORITHM_HIERARCHICAL,
         PGASI_ALGORITHM_MULTILANE},
        {PGASI_KIND_OF_ALLGATHER, 9, 131072, PGASI_ALGORITHM_LINEAR, PGASI_ALGORITHM_HIERARCHICAL},
        {PGASI_KIND_OF_ALLGATHER, 3, 8 << 20, PGASI_ALGORITHM_HIERARCHICAL, PGASI_ALGORITHM_LINEAR},
        {PGASI_KIND_OF_ALLGATHER, 5, (8 << 20) / 7, PGASI_ALGORITHM_HIERARCHICAL,
         PGASI_ALGORITHM_LINEAR},
        {PGASI_KIND_OF_BROADCAST, 9, 131072, PGASI_ALGORITHM_LINEAR, PGASI_ALGORITHM_HIERARCHICAL},
        {PGASI_KIND_OF_BROADCAST, 3, (16 << 20) + 1, PGASI_ALGORITHM_HIERARCHICAL,
         PGASI_ALGORITHM_LINEAR},
        {PGASI_KIND_OF_BROADCAST, 5, (64 << 20) + 7, PGASI_ALGORITHM_HIERARCHICAL,
         PGASI_ALGORITHM_LINEAR},
    };
    check_limits(table, sizeof table / sizeof table[0]);
    assert_false(
        pgasi_coll_serves(PGASI_KIND_OF_ALLREDUCE, PGASI_ALGORITHM_MULTILANE, 1 << 20, &shapes[3]));
    char text[256];
    assert_string_equal(
        pgasi_coll_describe(&none, PGASI_KIND_OF_ALLGATHER, &shapes[3], text, sizeof text),
        "bruck, from 131073 bytes on hierarchical, from 8388609 bytes on linear");
}

/* On one node with a processor for each, long blocks go in pieces; on others only where a rule says
 * so. */
static void test_pieces(void **state)
{
    (void)state;
    const pgasi_coll_rules_t none = {.count = 0};
    const pgasi_coll_rules_t rules = read_rules("alltoall=pipelined,barrier=dissemination");
    static const pgasi_coll_shape_t own = {5, 1, 5, false, false, false, true};
    static const pgasi_coll_shape_t crowded = {5, 1, 5, false, false, false, false};
    static const pgasi_coll_shape_t nodes = {6, 2, 3, false, false, false, true};
    static const pgasi_coll_shape_t alone = {1, 1, 1, false, false, false, true};
    static const struct {
        pgasi_coll_kind_t kind;
        size_t most;
    } table[] = {
        {PGASI_KIND_OF_BROADCAST, 262144},  {PGASI_KIND_OF_GATHER, 262144},
        {PGASI_KIND_OF_ALLGATHER, 2097152}, {PGASI_KIND_OF_SCATTER, 524288},
        {PGASI_KIND_OF_ALLTOALL, 524288},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        pgasi_coll_kind_t kind = table[i].kind;
        size_t above = table[i].most + 1;
        assert_int_equal(pgasi_coll_choose(&none, kind, table[i].most, &own),
                         PGASI_ALGORITHM_LINEAR);
        assert_int_equal(pgasi_coll_choose(&none, kind, above, &own), PGASI_ALGORITHM_PIPELINED);
        assert_int_equal(pgasi_coll_choose(&none, kind, above, &crowded), PGASI_ALGORITHM_LINEAR);
        assert_int_not_equal(pgasi_coll_choose(&none, kind, above, &nodes),
                             PGASI_ALGORITHM_PIPELINED);
        assert_int_equal(pgasi_coll_choose(&none, kind, above, &alone), PGASI_ALGORITHM_LINEAR);
    }
    assert_int_equal(pgasi_coll_choose(&rules, PGASI_KIND_OF_ALLTOALL, 4096, &crowded),
                     PGASI_ALGORITHM_LINEAR);
    assert_int_equal(pgasi_coll_choose(&rules, PGASI_KIND_OF_ALLTOALL, 4097, &crowded),
                     PGASI_ALGORITHM_PIPELINED);
    assert_int_equal(pgasi_coll_piece(PGASI_KIND_OF_ALLGATHER, 5), 131072);
    assert_int_equal(pgasi_coll_piece(PGASI_KIND_OF_ALLTOALL, 5), 32768);
    assert_int_equal(pgasi_coll_piece(PGASI_KIND_OF_SCATTER, 4), 43648);
    assert_int_equal(pgasi_coll_piece(PGASI_KIND_OF_SCATTER, 1000), 4096);
}

/* Of what the first meeting had no room for: an arena holds it, and what is not used of it is no
 * more than the rest, or a message. */
static void test_rest(void **state)
{
    (void)state;
    static const pgasi_coll_shape_t shape = {.members = 8, .nodes = 4, .most_on_node = 2};
    static const struct {
        pgasi_coll_kind_t kind;
        size_t largest;
        uint64_t all;
        bool is_carried;
    } table[] = {
        {PGASI_KIND_OF_ALLTOALLV, 14560, UINT64_C(56) * 14560, true},
        {PGASI_KIND_OF_ALLTOALLV, 14561, UINT64_C(56) * 14561, false},
        {PGASI_KIND_OF_ALLTOALLV, 4096, UINT64_C(28) * 4096, true},
        {PGASI_KIND_OF_ALLTOALLV, 4096, UINT64_C(28) * 4096 - 1, false},
        {PGASI_KIND_OF_ALLTOALLV, 256, 256, true},
        {PGASI_KIND_OF_GATHERV, 65536, UINT64_C(7) * 65536, true},
        {PGASI_KIND_OF_GATHERV, 65537, UINT64_C(7) * 65537, false},
        {PGASI_KIND_OF_GATHERV, 4096, 12288, true},
        {PGASI_KIND_OF_GATHERV, 4096, 12287, false},
        {PGASI_KIND_OF_SCATTERV, 524288, 524288, true},
        {PGASI_KIND_OF_SCATTERV, 524289, 524289, false},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (pgasi_coll_carries_rest(table[i].kind, table[i].largest, table[i].all, &shape) !=
            table[i].is_carried)
            fail_msg("row %zu", i);
}

static void test_rules(void **state)
{
    (void)state;
    const pgasi_coll_rules_t rules =
        read_rules("allreduce=linear,show,allreduce=rabenseifner:100,allreduce=linear:200");
    assert_true(rules.shows);
    assert_int_equal(pgasi_coll_choose(&rules, PGASI_KIND_OF_ALLREDUCE, 99, &shapes[0]),
                     PGASI_ALGORITHM_LINEAR);
    assert_int_equal(pgasi_coll_choose(&rules, PGASI_KIND_OF_ALLREDUCE, 100, &shapes[0]),
                     PGASI_ALGORITHM_RABENSEIFNER);
    assert_int_equal(pgasi_coll_choose(&rules, PGASI_KIND_OF_ALLREDUCE, 1 << 20, &shapes[0]),
                     PGASI_ALGORITHM_LINEAR);
    assert_int_equal(pgasi_coll_choose(&rules, PGASI_KIND_OF_REDUCE, 1 << 20, &shapes[1]),
                     PGASI_ALGORITHM_RABENSEIFNER);
    char text[256];
    assert_string_equal(
        pgasi_coll_describe(&rules, PGASI_KIND_OF_ALLREDUCE, &shapes[0], text, sizeof text),
        "linear, from 100 bytes on rabenseifner, from 200 bytes on linear");
    const pgasi_coll_rules_t window = read_rules("allreduce=linear:100,allreduce=rabenseifner:120");
    assert_string_equal(
        pgasi_coll_describe(&window, PGASI_KIND_OF_ALLREDUCE, &shapes[0], text, sizeof text),
        "linear, from 120 bytes on rabenseifner");
    const pgasi_coll_rules_t inner =
        read_rules("allreduce=rabenseifner,allreduce=linear:100,allreduce=rabenseifner:120");
    assert_string_equal(
        pgasi_coll_describe(&inner, PGASI_KIND_OF_ALLREDUCE, &shapes[0], text, sizeof text),
        "rabenseifner, from 100 bytes on linear, from 120 bytes on rabenseifner");
    assert_false(read_rules("").shows);
    assert_int_equal(read_rules("").count, 0);
}

static void test_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *says;
    } table[] = {
        {"brodcast=linear", "'brodcast' is no collective; there are barrier, broadcast, scatter"},
        {"reduce", "'' is no algorithm of reduce; there are "},
        {"reduce=", "'' is no algorithm of reduce; there are "},
        {"scan=rabenseifner", "'rabenseifner' is no algorithm of scan; there are "},
        {"scan=linear,", "'' is no collective; "},
        {",scan=linear", "'' is no collective; "},
        {"reduce=linear:", "'' is no number of bytes"},
        {"reduce=linear:-1", "'-1' is no number of bytes"},
        {"reduce=linear:4K", "'4K' is no number of bytes"},
        {"reduce=linear: 4", "' 4' is no number of bytes"},
        {"gatherv=linear:5000", "gatherv has no rules by size: members know their own blocks"},
        {"reduce=linear:99999999999999999999999", "'99999999999999999999999' is no number"},
        {"reduce=line", "'line' is no algorithm of reduce; "},
        {"reduce:4=linear", "'reduce:4' is no collective; "},
        {"Reduce=linear", "'Reduce' is no collective; "},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        pgasi_coll_rules_t rules;
        char wrong[512] = "";
        assert_false(pgasi_coll_rules_read(table[i].text, &rules, wrong, sizeof wrong));
        if (strncmp(wrong, table[i].says, strlen(table[i].says)) != 0)
            fail_msg("%s: '%s' does not begin with '%s'", table[i].text, wrong, table[i].says);
    }
}

static void test_too_many(void **state)
{
    (void)state;
    char text[64 * PGASI_COLL_RULES];
    char wrong[64] = "";
    size_t used = 0;
    pgasi_coll_rules_t rules;
    for (int i = 0; i < PGASI_COLL_RULES; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%sscan=linear", i ? "," : "");
    assert_int_equal(read_rules(text).count, PGASI_COLL_RULES);
    snprintf(text + used, sizeof text - used, ",scan=linear");
    assert_false(pgasi_coll_rules_read(text, &rules, wrong, sizeof wrong));
    assert_string_equal(wrong, "there are more than 32 rules");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_serves),  cmocka_unit_test(test_table),
        cmocka_unit_test(test_slices),  cmocka_unit_test(test_rules),
        cmocka_unit_test(test_wrong),   cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_arenas),  cmocka_unit_test(test_passes),
        cmocka_unit_test(test_by_node), cmocka_unit_test(test_combining),
        cmocka_unit_test(test_pieces),  cmocka_unit_test(test_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
