#include "lock_measure.h"

#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

static double time_of(const bench_lock_t *lock, const bench_lock_loop_t *loop)
{
    double users = loop->is_common ? (double)lock->processes : 1;
    lock->barrier();
    double begin = bench_seconds();
    if (loop->is_common || lock->process == 0)
        loop->run(loop->turns);
    lock->barrier();
    return (bench_seconds() - begin) * 1e9 / (users * (double)loop->turns);
}

void bench_lock_run(const bench_lock_t *lock, size_t batches)
{
    double *times = malloc(lock->count * batches * sizeof *times);
    if (times == NULL) {
        fprintf(stderr, "no memory for %zu batches\n", batches);
        exit(1);
    }
    for (size_t i = 0; i <= batches; i++) /* the first is not counted */
        for (size_t l = 0; l < lock->count; l++) {
            double took = time_of(lock, &lock->loops[l]);
            if (i > 0)
                times[l * batches + i - 1] = took;
        }
    for (size_t l = 0; l < lock->count && lock->process == 0; l++)
        bench_print(lock->loops[l].name, bench_summarise(times + l * batches, batches));
    free(times);
}
