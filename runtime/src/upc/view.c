#include "upc/view.h"

#include <stdlib.h>

#include <pgas/detail.h>
#include <pgas/ptr.h>

#include "copy/transfer.h"
#include "upc/copies.h"

static void *allocate(const char *call, size_t nbytes)
{
    void *memory = malloc(nbytes > 0 ? nbytes : 1);
    if (memory == NULL)
        pgasi_fatal(call, "no memory for %zu bytes", nbytes);
    return memory;
}

pgasi_upc_view_t pgasi_upc_view_fetch(const char *call, const pgasi_upc_layout_t *layout,
                                      const pgasi_upc_range_t *range)
{
    size_t threads = layout->threads;
    pgasi_upc_view_t view = {
        .call = call,
        .layout = layout,
        .range = *range,
        .runs = allocate(call, threads * sizeof *view.runs),
        .before = allocate(call, threads * sizeof *view.before),
        .memory = allocate(call, range->count * layout->size),
    };
    char *run = view.memory;
    for (size_t i = 0; i < threads; i++) {
        size_t thread = pgasi_upc_neighbour(i);
        pgasi_upc_range_t on = pgasi_upc_layout_on(layout, thread, range);
        size_t nbytes = on.count * layout->size;
        pgas_ptr_t at = {.thread = (uint32_t)thread, .offset = on.begin};
        if (nbytes > 0)
            pgasi_check_shared(call, at, nbytes);
        pgasi_upc_get(run, at, nbytes);
        view.runs[thread] = run;
        view.before[thread] = pgasi_upc_layout_before(layout, thread, range->begin);
        run += nbytes;
    }
    pgasi_upc_copies_wait();
    return view;
}

void pgasi_upc_view_store(const pgasi_upc_view_t *view, uint64_t base)
{
    const pgasi_upc_layout_t *layout = view->layout;
    for (size_t i = 0; i < layout->threads; i++) {
        size_t thread = pgasi_upc_neighbour(i);
        pgasi_upc_range_t on = pgasi_upc_layout_on(layout, thread, &view->range);
        size_t nbytes = on.count * layout->size;
        if (nbytes == 0)
            continue;
        pgas_ptr_t at = {.thread = (uint32_t)thread, .offset = on.begin - layout->base + base};
        pgasi_check_shared(view->call, at, nbytes);
        pgasi_upc_put(at, view->runs[thread], nbytes);
    }
    pgasi_upc_copies_wait();
}

char *pgasi_upc_view_at(const pgasi_upc_view_t *view, size_t index)
{
    size_t thread = pgasi_upc_layout_thread(view->layout, index);
    size_t before = pgasi_upc_layout_before(view->layout, thread, index);
    return view->runs[thread] + (before - view->before[thread]) * view->layout->size;
}

size_t pgasi_upc_view_rest(const pgasi_upc_view_t *view, size_t index)
{
    size_t rest = pgasi_upc_layout_rest(view->layout, index);
    size_t left = view->range.begin + view->range.count - index;
    return rest < left ? rest : left;
}

void pgasi_upc_view_free(pgasi_upc_view_t *view)
{
    free(view->runs);
    free(view->before);
    free(view->memory);
}
