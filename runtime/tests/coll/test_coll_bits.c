/* What collectives that combine leave, as one number, printed by thread 0: it must be the same in
 * every run with the same layout, whatever comes first. Operands do not add up exactly, and go
 * through every collective that combines, in sizes that have different algorithms, on teams of all
 * shapes. HURRY, a number, draws who is late, and who waits at once and who later.
 *
 * Usage: runtime_coll_bits HURRY (coll_bits.sh) */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "random.h"

#include "team_shapes.h"

enum {
    MOST = 20000,
    CALLS = 5
};

/* By `linear`, by messages of the meeting, and by slices. */
static const size_t counts[] = {1, 100, 600, 5000, MOST};

static double *operands[CALLS];
static double *results[CALLS];

static void fill(uint64_t seed, size_t count)
{
    for (int call = 0; call < CALLS; call++) {
        uint64_t state = seed + (uint64_t)call * 7919 + (uint64_t)pgas_mythread() * 1000003;
        for (size_t i = 0; i < count; i++) {
            operands[call][i] =
                ldexp((double)random_next(&state), (int)random_below(&state, 90) - 45);
            results[call][i] = 0;
        }
    }
}

/* An operation that is neither commutative nor, in floating point, associative. */
static void blend(const void *in, void *inout, size_t count, pgas_datatype_t type)
{
    const double *left = in;
    double *right = inout;
    CHECK(type == PGAS_DOUBLE);
    for (size_t i = 0; i < count; i++)
        right[i] = left[i] * 0.3 + right[i] * 0.7;
}

static pgas_handle_t start(int call, pgas_team_t *team, size_t count, pgas_op_t op,
                           const size_t *each)
{
    const double *src = operands[call];
    double *dst = results[call];
    switch (call) {
    case 0:
        return pgas_allreduce_async(team, src, dst, count, PGAS_DOUBLE, op);
    case 1:
        return pgas_reduce_async(team, src, dst, count, PGAS_DOUBLE, op, 0);
    case 2:
        return pgas_reduce_scatter_async(team, src, dst, each, PGAS_DOUBLE, op);
    case 3:
        return pgas_scan_inclusive_async(team, src, dst, count, PGAS_DOUBLE, op);
    default:
        return pgas_scan_exclusive_async(team, src, dst, count, PGAS_DOUBLE, op);
    }
}

/* All five, of which some are waited for at once, and the others from the last on. Returns a hash
 * of what the caller got. */
static uint64_t play(pgas_team_t *team, size_t count, pgas_op_t op, uint64_t *hurry)
{
    pgas_handle_t handles[CALLS];
    size_t each[MOST_THREADS];
    size_t size = (size_t)pgas_team_size(team);
    uint64_t hash = count;
    for (size_t rank = 0; rank < size; rank++)
        each[rank] = count / size + (rank < count % size ? 1 : 0);
    for (int call = 0; call < CALLS; call++) {
        dawdle(hurry);
        handles[call] = start(call, team, count, op, each);
        if (random_below(hurry, 2) == 0) {
            pgas_waitsync(handles[call]);
            handles[call] = PGAS_HANDLE_COMPLETE;
        }
    }
    for (int call = CALLS; call-- > 0;) {
        dawdle(hurry);
        pgas_waitsync(handles[call]);
        for (size_t i = 0; i < count; i++) {
            uint64_t bits;
            memcpy(&bits, &results[call][i], sizeof bits);
            hash = (hash ^ bits) * UINT64_C(1099511628211);
        }
    }
    return hash;
}

int main(int argc, char **argv)
{
    pgas_op_t ops[] = {PGAS_SUM, PGAS_PRODUCT, 0};
    uint64_t all[MOST_THREADS];
    uint64_t hash = 0;
    CHECK(pgas_init() == PGAS_OK);
    CHECK(argc == 2 && pgas_threads() <= MOST_THREADS);
    uint64_t hurry = strtoull(argv[1], NULL, 10) + (uint64_t)pgas_mythread() * 31;
    for (int call = 0; call < CALLS; call++) {
        operands[call] = malloc(MOST * sizeof(double));
        results[call] = malloc(MOST * sizeof(double));
        CHECK(operands[call] != NULL && results[call] != NULL);
    }
    CHECK(pgas_op_create(blend, false, &ops[2]) == PGAS_OK);
    shapes_create();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int shape = 0; shape < SHAPES; shape++)
            for (int op = 0; op < 3 && shapes[shape] != NULL; op++) {
                fill(i * 100 + (size_t)shape * 10 + (size_t)op, counts[i]);
                hash = hash * 31 + play(shapes[shape], counts[i], ops[op], &hurry);
            }
    pgas_allgather(PGAS_TEAM_ALL, &hash, all, sizeof hash);
    for (int thread = 0; thread < pgas_threads() && pgas_mythread() == 0; thread++)
        printf("%016" PRIx64 "\n", all[thread]);
    shapes_free();
    pgas_op_free(ops[2]);
    for (int call = 0; call < CALLS; call++) {
        free(operands[call]);
        free(results[call]);
    }
    pgas_finalize();
    return 0;
}
