/* What the flags and the handles of "UPC Collectives Library 2.0" cost: an all-reduce and a
 * broadcast of 8 bytes and of 4 KiB with each. The arguments are CALLS of a batch and BATCHES; the
 * series take turns. */
#include <pgas/pgas.h>
#include <pgas/upc_coll_names.h>

#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

enum {
    KINDS = 2,
    SIZES = 2,
    FORMS = 6
};

static const size_t counts[SIZES] = {1, 512}; /* doubles */

static const struct {
    const char *name;
    upccoll_flag_t flags;
    int has_handle;
} forms[FORMS] = {
    {"mysync", UPC_IN_MYSYNC | UPC_OUT_MYSYNC, 0},
    {"nosync", UPC_IN_NOSYNC | UPC_OUT_NOSYNC, 0},
    {"in_allsync", UPC_IN_ALLSYNC | UPC_OUT_MYSYNC, 0},
    {"out_allsync", UPC_IN_MYSYNC | UPC_OUT_ALLSYNC, 0},
    {"allsync", UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC, 0},
    {"handle", 0, 1},
};

static pgas_ptr_t src;
static pgas_ptr_t dst;

static void call(int kind, size_t count, int form)
{
    upccoll_handle_t handle = UPCCOLL_INVALID_HANDLE;
    upccoll_handle_t *given = forms[form].has_handle ? &handle : NULL;
    upccoll_return_t result = kind == 0
                                  ? upccoll_allreduce(src, dst, count, UPC_DOUBLE, UPC_ADD,
                                                      UPC_TEAM_ALL, forms[form].flags, given)
                                  : upccoll_bcast(src, count, UPC_DOUBLE, dst, count, UPC_DOUBLE, 0,
                                                  UPC_TEAM_ALL, forms[form].flags, given);
    if (result != UPCCOLL_SUCCESS)
        pgas_exit(1);
    upccoll_wait(handle);
}

static double time_batch(int kind, size_t count, int form, size_t calls)
{
    pgas_barrier();
    double begin = bench_seconds();
    for (size_t i = 0; i < calls; i++)
        call(kind, count, form);
    return (bench_seconds() - begin) * 1e9 / (double)calls;
}

static void measure(int kind, int size, size_t calls, size_t batches, double *times)
{
    for (int form = 0; form < FORMS; form++)
        time_batch(kind, counts[size], form, calls);
    for (size_t b = 0; b < batches; b++)
        for (int form = 0; form < FORMS; form++)
            times[(size_t)form * batches + b] = time_batch(kind, counts[size], form, calls);
    for (int form = 0; form < FORMS && pgas_mythread() == 0; form++) {
        char name[64];
        snprintf(name, sizeof name, "%s_%zu_%s_ns", kind == 0 ? "allreduce" : "bcast",
                 counts[size] * sizeof(double), forms[form].name);
        bench_print(name, bench_summarise(&times[(size_t)form * batches], batches));
    }
}

int main(int argc, char **argv)
{
    size_t calls = bench_argument(argc, argv, 1, 1000);
    size_t batches = bench_argument(argc, argv, 2, 15);
    size_t threads;
    if (pgas_init() != PGAS_OK || upccoll_initialize(&argc, &argv) != UPCCOLL_SUCCESS)
        return 1;
    threads = (size_t)pgas_threads();
    double *times = malloc(FORMS * batches * sizeof *times);
    if (times == NULL || pgas_all_alloc(threads, sizeof(double[512]), &src) != PGAS_OK ||
        pgas_all_alloc(threads, sizeof(double[512]), &dst) != PGAS_OK)
        pgas_exit(1);
    src = pgas_ptr_on(src, pgas_mythread());
    dst = pgas_ptr_on(dst, pgas_mythread());
    for (int kind = 0; kind < KINDS; kind++)
        for (int size = 0; size < SIZES; size++)
            measure(kind, size, calls, batches, times);
    free(times);
    upccoll_finalize();
    pgas_finalize();
    return 0;
}
