#include "net/ucx/arrivals.h"

#include <stdlib.h>
#include <string.h>

/* The first run that ends at or behind `number`; `count` if there is none. */
static size_t find_run(const pgasi_arrivals_t *arrivals, uint64_t number)
{
    size_t first = 0;
    size_t last = arrivals->count;
    while (first < last) {
        size_t middle = first + (last - first) / 2;
        if (arrivals->runs[middle].end < number)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

static void remove_run(pgasi_arrivals_t *arrivals, size_t at)
{
    arrivals->count--;
    memmove(arrivals->runs + at, arrivals->runs + at + 1,
            (arrivals->count - at) * sizeof *arrivals->runs);
}

static bool insert_run(pgasi_arrivals_t *arrivals, size_t at, uint64_t number)
{
    if (arrivals->count == arrivals->size) {
        size_t size = arrivals->size == 0 ? 8 : 2 * arrivals->size;
        pgasi_arrivals_run_t *grown = realloc(arrivals->runs, size * sizeof *grown);
        if (grown == NULL)
            return false;
        arrivals->runs = grown;
        arrivals->size = size;
    }
    memmove(arrivals->runs + at + 1, arrivals->runs + at,
            (arrivals->count - at) * sizeof *arrivals->runs);
    arrivals->runs[at] = (pgasi_arrivals_run_t){number, number + 1};
    arrivals->count++;
    return true;
}

/* A message with a hole before it. */
static pgasi_arrival_t add_beyond(pgasi_arrivals_t *arrivals, uint64_t number)
{
    size_t at = find_run(arrivals, number);
    pgasi_arrivals_run_t *run = arrivals->runs + at;
    bool touches = at < arrivals->count;
    if (touches && run->begin <= number && number < run->end)
        return PGASI_ARRIVAL_REPEATED;
    if (touches && run->end == number) {
        run->end++;
        if (at + 1 < arrivals->count && run[1].begin == run->end) {
            run->end = run[1].end;
            remove_run(arrivals, at + 1);
        }
        return PGASI_ARRIVAL_NEW;
    }
    if (touches && run->begin == number + 1) {
        run->begin--;
        return PGASI_ARRIVAL_NEW;
    }
    return insert_run(arrivals, at, number) ? PGASI_ARRIVAL_NEW : PGASI_ARRIVAL_NO_MEMORY;
}

pgasi_arrival_t pgasi_arrivals_add(pgasi_arrivals_t *arrivals, uint64_t number)
{
    if (number <= arrivals->done)
        return PGASI_ARRIVAL_REPEATED;
    if (number != arrivals->done + 1)
        return add_beyond(arrivals, number);
    arrivals->done = number;
    if (arrivals->count > 0 && arrivals->runs[0].begin == number + 1) {
        arrivals->done = arrivals->runs[0].end - 1;
        remove_run(arrivals, 0);
    }
    return PGASI_ARRIVAL_NEW;
}

void pgasi_arrivals_request(pgasi_arrivals_t *arrivals, uint64_t number)
{
    if (arrivals->lowest_requested == 0 || number < arrivals->lowest_requested)
        arrivals->lowest_requested = number;
    if (number > arrivals->highest_requested)
        arrivals->highest_requested = number;
}

/* Which numbers between the two have been requested is not kept. So while the highest is missing,
 * every step is acknowledged: no one waits for more than was requested. */
uint64_t pgasi_arrivals_due(pgasi_arrivals_t *arrivals)
{
    uint64_t done = arrivals->done;
    if (arrivals->lowest_requested == 0 || done < arrivals->lowest_requested)
        return 0;
    bool is_last = done >= arrivals->highest_requested;
    arrivals->lowest_requested = is_last ? 0 : done + 1;
    if (is_last)
        arrivals->highest_requested = 0;
    return done;
}

void pgasi_arrivals_free(pgasi_arrivals_t *arrivals)
{
    free(arrivals->runs);
    *arrivals = (pgasi_arrivals_t){0};
}
