/**
 * Collectives that combine, against a plain computation: every type with every operation that it
 * has, counts of 0, 1 and around what a board's slot holds, in place and not, teams of all shapes.
 *
 *   - the program's own operations that do not commute (a product of matrices, a concatenation of
 *     strings) keep the order of ranks, on teams whose ranks interleave nodes or run backwards
 *   - sums of numbers that do not add up exactly have the same bits on every member, and again
 *   - operands that come from other nodes in several pieces
 *   - a fast member overwrites its operands while a slow one has not read the others'
 *
 * Usage: runtime_coll_values [ROUNDS]
 */
#include <complex.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "job_random.h"

#include "team_shapes.h"

enum {
    ROUNDS = 400,
    MOST = 4200,
    LARGEST = 64, /* bytes of an element */
    LETTERS = LARGEST - 1
};

typedef enum form {
    REDUCE,
    ALLREDUCE,
    REDUCE_SCATTER,
    INCLUSIVE,
    EXCLUSIVE,
    FORMS
} form_t;

typedef struct round {
    pgas_team_t *team;
    int rank;
    int size;
    uint64_t seed;
    form_t form;
    pgas_datatype_t type;
    pgas_op_t op;
    size_t count;
    int root;
    bool in_place;
} round_t;

/* An element of any type: a number, with an index in a pair. */
typedef struct element {
    int64_t value;
    int index;
} element_t;

static char *src;
static char *dst;
static pgas_op_t matrix_product;
static pgas_op_t concatenation;

/* ---- Elements ---- */

static bool is_pair(pgas_datatype_t type)
{
    return type >= PGAS_SHORT_INT && type <= PGAS_LONG_DOUBLE_INT;
}

static bool is_integer(pgas_datatype_t type)
{
    return type <= PGAS_UINT64 || (type >= PGAS_INT8 && type <= PGAS_UINT16);
}

static bool is_complex(pgas_datatype_t type)
{
    return type >= PGAS_COMPLEX_FLOAT && type <= PGAS_COMPLEX_LONG_DOUBLE;
}

/* Stores an element as the type has it; what is not part of it is 0. */
#define STORE(code, c) \
    case code: { \
        c number = (c)element.value; \
        memcpy(at, &number, sizeof number); \
        return; \
    }
#define STORE_PAIR(code, c) \
    case code: { \
        struct { \
            c value; \
            int index; \
        } pair; \
        memset(&pair, 0, sizeof pair); \
        pair.value = (c)element.value; \
        pair.index = element.index; \
        memcpy(at, &pair, sizeof pair); \
        return; \
    }

static void store(pgas_datatype_t type, void *at, element_t element)
{
    switch (type) {
        STORE(PGAS_INT8, int8_t)
        STORE(PGAS_UINT8, uint8_t)
        STORE(PGAS_INT16, int16_t)
        STORE(PGAS_UINT16, uint16_t)
        STORE(PGAS_INT32, int32_t)
        STORE(PGAS_UINT32, uint32_t)
        STORE(PGAS_INT64, int64_t)
        STORE(PGAS_UINT64, uint64_t)
        STORE(PGAS_FLOAT, float)
        STORE(PGAS_DOUBLE, double)
        STORE(PGAS_LONG_DOUBLE, long double)
        STORE(PGAS_COMPLEX_FLOAT, float complex)
        STORE(PGAS_COMPLEX_DOUBLE, double complex)
        STORE(PGAS_COMPLEX_LONG_DOUBLE, long double complex)
        STORE_PAIR(PGAS_SHORT_INT, short)
        STORE_PAIR(PGAS_2INT, int)
        STORE_PAIR(PGAS_LONG_INT, long)
        STORE_PAIR(PGAS_FLOAT_INT, float)
        STORE_PAIR(PGAS_DOUBLE_INT, double)
        STORE_PAIR(PGAS_LONG_DOUBLE_INT, long double)
    default:
        CHECK(false);
    }
}

static bool same_number(const void *a, const void *b, pgas_datatype_t type)
{
    size_t size = pgas_datatype_size(type);
    if (type == PGAS_LONG_DOUBLE) /* 10 of 16 bytes count */
        return memcmp(a, b, 10) == 0;
    if (type == PGAS_COMPLEX_LONG_DOUBLE)
        return memcmp(a, b, 10) == 0 && memcmp((const char *)a + 16, (const char *)b + 16, 10) == 0;
    if (type == PGAS_LONG_DOUBLE_INT)
        return memcmp(a, b, 10) == 0 && memcmp((const char *)a + 16, (const char *)b + 16, 4) == 0;
    if (type == PGAS_SHORT_INT)
        return memcmp(a, b, 2) == 0 && memcmp((const char *)a + 4, (const char *)b + 4, 4) == 0;
    if (type == PGAS_LONG_INT || type == PGAS_DOUBLE_INT)
        return memcmp(a, b, 12) == 0;
    return memcmp(a, b, size) == 0;
}

static bool is_signed(pgas_datatype_t type)
{
    return type == PGAS_INT8 || type == PGAS_INT16 || type == PGAS_INT32 || type == PGAS_INT64;
}

/* Small numbers, so that all is exact in all types but what wraps in integers. No products of
 * negative ones in floating point: they make zeros of both signs. */
static element_t element_of(const round_t *round, int rank, size_t i)
{
    uint64_t state = round->seed + (uint64_t)rank * 1000003 + i * 7919;
    uint64_t bits = random_next(&state);
    bool has_sign = is_integer(round->type) ? is_signed(round->type) : round->op != PGAS_MUL;
    return (element_t){.value = (int64_t)(bits % 5) - (has_sign ? 2 : 0),
                       .index = (int)(bits >> 8 & 7)};
}

static bool first_wins(element_t x, element_t y, bool least)
{
    if (x.value == y.value)
        return x.index <= y.index;
    return least ? x.value < y.value : x.value > y.value;
}

static element_t combine(pgas_op_t op, element_t x, element_t y)
{
    switch (op) {
    case PGAS_ADD:
        return (element_t){.value = x.value + y.value};
    case PGAS_MUL:
        return (element_t){.value = x.value * y.value};
    case PGAS_MIN:
        return x.value < y.value ? x : y;
    case PGAS_MAX:
        return x.value > y.value ? x : y;
    case PGAS_AND:
        return (element_t){.value = x.value & y.value};
    case PGAS_OR:
        return (element_t){.value = x.value | y.value};
    case PGAS_XOR:
        return (element_t){.value = x.value ^ y.value};
    case PGAS_LOGICAL_AND:
        return (element_t){.value = x.value != 0 && y.value != 0};
    case PGAS_LOGICAL_OR:
        return (element_t){.value = x.value != 0 || y.value != 0};
    case PGAS_MIN_INDEX:
    case PGAS_MAX_INDEX:
        return first_wins(x, y, op == PGAS_MIN_INDEX) ? x : y;
    default:
        CHECK(false);
    }
    return x;
}

/* The operations that the document gives to a type. */
static bool has_operation(pgas_datatype_t type, pgas_op_t op)
{
    if (op == PGAS_MIN_INDEX || op == PGAS_MAX_INDEX)
        return is_pair(type);
    if (is_pair(type))
        return false;
    if (op == PGAS_AND || op == PGAS_OR || op == PGAS_XOR)
        return is_integer(type);
    if (op == PGAS_MIN || op == PGAS_MAX)
        return !is_complex(type);
    return op == PGAS_ADD || op == PGAS_MUL || op == PGAS_LOGICAL_AND || op == PGAS_LOGICAL_OR;
}

/* ---- The program's own operations ---- */

typedef struct matrix {
    uint32_t at[2][2];
} matrix_t;

static void multiply(const void *in, void *inout, size_t count, pgas_datatype_t type)
{
    CHECK(count > 0 && type == PGAS_BYTES(sizeof(matrix_t)));
    const matrix_t *xs = in;
    matrix_t *ys = inout;
    for (size_t k = 0; k < count; k++) {
        matrix_t y = ys[k];
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                ys[k].at[i][j] = xs[k].at[i][0] * y.at[0][j] + xs[k].at[i][1] * y.at[1][j];
    }
}

static void concatenate(const void *in, void *inout, size_t count, pgas_datatype_t type)
{
    CHECK(count > 0 && type == PGAS_BYTES(LARGEST));
    const char *xs = in;
    char *ys = inout;
    for (size_t k = 0; k < count; k++, xs += LARGEST, ys += LARGEST) {
        char both[2 * LARGEST];
        snprintf(both, sizeof both, "%s%s", xs, ys);
        memset(ys, 0, LARGEST);
        memcpy(ys, both, strnlen(both, LETTERS));
    }
}

/* ---- What comes out ---- */

static void store_operand(const round_t *round, void *at, int rank, size_t i)
{
    uint64_t state = round->seed + (uint64_t)rank * 31 + i;
    if (round->op == matrix_product) {
        matrix_t matrix;
        for (int k = 0; k < 4; k++)
            matrix.at[k / 2][k % 2] = (uint32_t)random_next(&state);
        memcpy(at, &matrix, sizeof matrix);
    } else if (round->op == concatenation) {
        memset(at, 0, LARGEST);
        snprintf(at, LARGEST, "%c%c", 'a' + rank, 'A' + (int)(i % 26));
    } else {
        store(round->type, at, element_of(round, rank, i));
    }
}

/* Combines element i of the ranks 0 to `last`, from the left. */
static void store_result(const round_t *round, void *at, int last, size_t i)
{
    if (round->op == matrix_product || round->op == concatenation) {
        _Alignas(16) char next[LARGEST];
        _Alignas(16) char so_far[LARGEST];
        store_operand(round, so_far, 0, i);
        for (int rank = 1; rank <= last; rank++) {
            store_operand(round, next, rank, i);
            if (round->op == matrix_product)
                multiply(so_far, next, 1, round->type);
            else
                concatenate(so_far, next, 1, round->type);
            memcpy(so_far, next, sizeof so_far);
        }
        memcpy(at, so_far, pgas_datatype_size(round->type));
        return;
    }
    element_t element = element_of(round, 0, i);
    for (int rank = 1; rank <= last; rank++)
        element = combine(round->op, element, element_of(round, rank, i));
    store(round->type, at, element);
}

static void check_results(const round_t *round, const char *results, int last, size_t first,
                          size_t count)
{
    size_t size = pgas_datatype_size(round->type);
    for (size_t i = 0; i < count; i++) {
        _Alignas(16) char expected[LARGEST];
        store_result(round, expected, last, first + i);
        CHECK(same_number(results + i * size, expected, round->type));
    }
}

/* ---- Rounds ---- */

static void choose_operation(round_t *round, uint64_t *common)
{
    size_t kind = random_below(common, 8);
    if (kind == 0) {
        round->op = matrix_product;
        round->type = PGAS_BYTES(sizeof(matrix_t));
    } else if (kind == 1) {
        round->op = concatenation;
        round->type = PGAS_BYTES(LARGEST);
    } else {
        do {
            round->type = (pgas_datatype_t)random_below(common, PGAS_DATATYPES);
            round->op = (pgas_op_t)random_below(common, PGAS_PREDEFINED_OPS);
        } while (!has_operation(round->type, round->op));
    }
}

static size_t choose_count(const round_t *round, uint64_t *common)
{
    size_t size = pgas_datatype_size(round->type);
    size_t special[] = {0, 1, 2, 4096 / size, 4096 / size + 1, (size_t)round->size};
    if (random_below(common, 2) == 0)
        return special[random_below(common, sizeof special / sizeof special[0])];
    return random_size(common, MOST);
}

static void reduce_scatter(const round_t *round, char *result)
{
    size_t counts[MOST_THREADS];
    size_t left = round->count;
    size_t first = 0;
    uint64_t state = round->seed;
    for (int rank = 0; rank < round->size; rank++) {
        counts[rank] = rank == round->size - 1 ? left : random_below(&state, left + 1);
        left -= counts[rank];
        first += rank < round->rank ? counts[rank] : 0;
    }
    pgas_reduce_scatter(round->team, src, result, counts, round->type, round->op);
    check_results(round, result, round->size - 1, first, counts[round->rank]);
}

/* Rank 0 of an exclusive scan. */
static void check_first(const round_t *round, const char *result)
{
    size_t size = pgas_datatype_size(round->type);
    for (size_t i = 0; i < round->count && round->op >= PGAS_PREDEFINED_OPS; i++) {
        char before[LARGEST];
        store_operand(round, before, 0, i);
        CHECK(memcmp(result + i * size, before, size) == 0);
    }
}

static void run(const round_t *round)
{
    char *result = round->in_place ? src : dst;
    size_t count = round->count;
    int last = round->size - 1;
    switch (round->form) {
    case REDUCE:
        pgas_reduce(round->team, src, round->rank == round->root ? result : NULL, count,
                    round->type, round->op, round->root);
        if (round->rank == round->root)
            check_results(round, result, last, 0, count);
        break;
    case ALLREDUCE:
        pgas_allreduce(round->team, src, result, count, round->type, round->op);
        check_results(round, result, last, 0, count);
        break;
    case INCLUSIVE:
        pgas_scan_inclusive(round->team, src, result, count, round->type, round->op);
        check_results(round, result, round->rank, 0, count);
        break;
    case EXCLUSIVE:
        memcpy(dst, src, count * pgas_datatype_size(round->type));
        pgas_scan_exclusive(round->team, src, result, count, round->type, round->op);
        if (round->rank > 0)
            check_results(round, result, round->rank - 1, 0, count);
        else
            check_first(round, result);
        break;
    default:
        reduce_scatter(round, dst);
    }
}

static void play(pgas_team_t *team, uint64_t common, uint64_t *own)
{
    round_t round = {.team = team,
                     .rank = pgas_team_rank(team),
                     .size = pgas_team_size(team),
                     .seed = common,
                     .form = (form_t)random_below(&common, FORMS),
                     .in_place = random_below(own, 2) == 0};
    choose_operation(&round, &common);
    round.count = choose_count(&round, &common);
    round.root = (int)random_below(&common, (size_t)round.size);
    size_t size = pgas_datatype_size(round.type);
    for (size_t i = 0; i < round.count; i++)
        store_operand(&round, src + i * size, round.rank, i);
    run(&round);
    memset(src, 0xee, round.count * size);
}

/* ---- Neutral elements, by value, bits ---- */

/* A neutral element, combined with a value by the operation itself, leaves it. */
static void check_neutral(void)
{
    for (pgas_datatype_t type = 0; type < PGAS_DATATYPES; type++)
        for (pgas_op_t op = 0; op < PGAS_PREDEFINED_OPS; op++) {
            if (!has_operation(type, op))
                continue;
            char value[LARGEST];
            char neutral[LARGEST];
            bool is_logical = op == PGAS_LOGICAL_AND || op == PGAS_LOGICAL_OR;
            bool joins = pgas_mythread() == 0;
            store(type, value, (element_t){.value = is_logical ? 1 : 3, .index = 5});
            pgas_scan_exclusive(PGAS_TEAM_ALL, value, neutral, 1, type, op);
            const void *operand = joins ? neutral : value;
            pgas_scan_inclusive(PGAS_TEAM_ALL, operand, dst, 1, type, op);
            bool keeps = op != PGAS_ADD && op != PGAS_MUL && op != PGAS_XOR;
            if (pgas_mythread() == 1 || (pgas_mythread() > 1 && keeps))
                CHECK(same_number(dst, value, type));
        }
}

static void check_by_value(void)
{
    int me = pgas_mythread();
    int threads = pgas_threads();
    CHECK(pgas_allreduce_double(PGAS_TEAM_ALL, 0.5, PGAS_SUM) == 0.5 * threads);
    CHECK(pgas_allreduce_float(PGAS_TEAM_ALL, 2, PGAS_PRODUCT) == ldexpf(1, threads));
    CHECK(pgas_allreduce_int32(PGAS_TEAM_ALL, me, PGAS_MAX) == threads - 1);
    CHECK(pgas_allreduce_uint64(PGAS_TEAM_ALL, UINT64_MAX, PGAS_ADD) == 0 - (uint64_t)threads);
    CHECK(pgas_broadcast_int64(PGAS_TEAM_ALL, me - 7, threads - 1) == threads - 8);
    CHECK(pgas_scan_inclusive_uint32(PGAS_TEAM_ALL, 3, PGAS_ADD) == 3 * ((uint32_t)me + 1));
    CHECK(pgas_scan_exclusive_int32(PGAS_TEAM_ALL, 3, PGAS_ADD) == 3 * me);
    double least = pgas_scan_exclusive_double(PGAS_TEAM_ALL, me + 1.0, PGAS_MIN);
    CHECK(me == 0 ? isinf(least) && least > 0 : least == 1);
}

/* NaN, and zeros of both signs: the result is the same whoever computes it. */
static void check_special(void)
{
    int me = pgas_mythread();
    double least = pgas_allreduce_double(PGAS_TEAM_ALL, me == 0 ? NAN : (double)me, PGAS_MIN);
    CHECK(pgas_threads() == 1 ? isnan(least) : least == 1);
    CHECK(isnan(pgas_allreduce_double(PGAS_TEAM_ALL, NAN, PGAS_MAX)));
    double zero = pgas_allreduce_double(PGAS_TEAM_ALL, me == 0 ? -0.0 : 0.0, PGAS_MAX);
    CHECK(signbit(zero) != 0);
}

/* Pairs whose values are all NaN: the lowest rank's stays, whatever the order of the members'
 * ranks, and where many elements are combined by nodes, or only some. */
static void check_pairs_of(const int ranks[], size_t count)
{
    enum {
        PAIRS = 8192
    };
    typedef struct pair {
        double value;
        int index;
    } pair_t;
    static pair_t pairs[PAIRS];
    pgas_team_t *team;
    CHECK(count <= PAIRS);
    CHECK(pgas_team_create(PGAS_TEAM_ALL, ranks, (size_t)pgas_threads(), &team) == PGAS_OK);
    for (size_t i = 0; i < count; i++)
        pairs[i] = (pair_t){.value = NAN, .index = pgas_team_rank(team)};
    pgas_allreduce(team, pairs, pairs, count, PGAS_DOUBLE_INT, PGAS_MIN_INDEX);
    for (size_t i = 0; i < count; i++)
        CHECK(pairs[i].index == 0);
    pgas_team_free(team);
}

/* Ranks of two nodes take turns; and they run backwards. */
static void check_pairs_without_value(void)
{
    int mixed[MOST_THREADS] = {1, 2, 0, 3};
    int backwards[MOST_THREADS];
    int threads = pgas_threads();
    if (threads < 4)
        return;
    for (int rank = 4; rank < threads; rank++)
        mixed[rank] = rank;
    for (int rank = 0; rank < threads; rank++)
        backwards[rank] = threads - 1 - rank;
    check_pairs_of(mixed, 8192);
    check_pairs_of(mixed, 1);
    check_pairs_of(backwards, 8192);
    check_pairs_of(backwards, 1);
}

/* Sums that depend on the order, on every member and twice. */
static void check_bits(pgas_team_t *team, size_t count, uint64_t *own)
{
    static double numbers[MOST];
    static double sums[2][MOST];
    uint64_t size = (uint64_t)pgas_team_size(team);
    uint64_t state = *own;
    for (size_t i = 0; i < count; i++)
        numbers[i] = ldexp((double)random_next(&state), (int)random_below(&state, 90) - 45);
    for (int i = 0; i < 2; i++) {
        dawdle(own);
        pgas_allreduce(team, numbers, sums[i], count, PGAS_DOUBLE, PGAS_SUM);
    }
    CHECK(memcmp(sums[0], sums[1], count * sizeof *numbers) == 0);
    double *all = calloc(size * count + 1, sizeof *all);
    CHECK(all != NULL);
    pgas_allgather(team, sums[0], all, count * sizeof *all);
    for (uint64_t rank = 0; rank < size; rank++)
        CHECK(memcmp(all + rank * count, sums[0], count * sizeof *all) == 0);
    free(all);
}

/* Operands that are read from other nodes in several pieces. */
static void check_pieces(void)
{
    enum {
        COUNT = 150000
    };
    uint64_t *operand = malloc(COUNT * sizeof *operand);
    uint64_t *result = malloc(COUNT * sizeof *result);
    uint64_t rank = (uint64_t)pgas_mythread();
    CHECK(operand != NULL && result != NULL);
    for (uint64_t i = 0; i < COUNT; i++)
        operand[i] = (rank + 1) * (i + 1);
    pgas_scan_inclusive(PGAS_TEAM_ALL, operand, result, COUNT, PGAS_UINT64, PGAS_SUM);
    for (uint64_t i = 0; i < COUNT; i++)
        CHECK(result[i] == (rank + 1) * (rank + 2) / 2 * (i + 1));
    free(operand);
    free(result);
}

int main(int argc, char **argv)
{
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_threads() <= MOST_THREADS);
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : ROUNDS;
    uint64_t seed = random_seed_of_job();
    uint64_t own = random_seed_of_thread(seed);
    uint64_t common = seed;
    pgas_ptr_t shared;
    CHECK(pgas_alloc((size_t)MOST * LARGEST, &shared) == PGAS_OK);
    char *places[] = {pgas_local(shared), malloc((size_t)MOST * LARGEST)};
    dst = malloc((size_t)MOST * LARGEST);
    CHECK(places[1] != NULL && dst != NULL);
    CHECK(pgas_op_create(multiply, false, &matrix_product) == PGAS_OK);
    CHECK(pgas_op_create(concatenate, false, &concatenation) == PGAS_OK);
    shapes_create();
    check_by_value();
    check_special();
    check_pairs_without_value();
    check_neutral();
    check_pieces();
    for (uint64_t i = 0; i < rounds; i++) {
        pgas_team_t *team = shapes[random_below(&common, SHAPES)];
        src = places[random_below(&own, 2)];
        dawdle(&own);
        if (team != NULL)
            play(team, shapes_seed(team, seed, i), &own);
    }
    for (int shape = 0; shape < SHAPES; shape++)
        for (size_t count = 1; count <= MOST && shapes[shape] != NULL; count += MOST - 1)
            check_bits(shapes[shape], count, &own);
    pgas_op_free(concatenation);
    pgas_op_free(matrix_product);
    shapes_free();
    free(places[1]);
    free(dst);
    pgas_finalize();
    return 0;
}
