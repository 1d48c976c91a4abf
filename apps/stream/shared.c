#include "shared.h"

#include <stdlib.h>

#include "common/large.h"
#include "job.h"

enum {
    /* Elements per bulk copy: three buffers of 64 KiB stay in a second-level cache. */
    CHUNK = 8192
};

const char *const stream_form_names[STREAM_FORMS] = {"pointers", "privatised", "bulk"};

static void create_array(size_t elements, pgas_array_t *array)
{
    if (pgas_array_create(elements * (size_t)pgas_threads(), sizeof(double), elements, array) !=
        PGAS_OK)
        pgas_exit(1);
}

void stream_shared_create(size_t elements, stream_shared_t *shared)
{
    shared->elements = elements;
    create_array(elements, &shared->a);
    create_array(elements, &shared->b);
    create_array(elements, &shared->c);
    shared->buffers.a = common_alloc("buffer", CHUNK, sizeof(double));
    shared->buffers.b = common_alloc("buffer", CHUNK, sizeof(double));
    shared->buffers.c = common_alloc("buffer", CHUNK, sizeof(double));
}

void stream_shared_free(stream_shared_t *shared)
{
    pgas_array_free(&shared->a);
    pgas_array_free(&shared->b);
    pgas_array_free(&shared->c);
    free(shared->buffers.a);
    free(shared->buffers.b);
    free(shared->buffers.c);
}

bool stream_shared_reaches(stream_form_t form, pgas_place_t place)
{
    return form != STREAM_PRIVATISED || place != PGAS_REMOTE;
}

typedef struct run {
    const stream_shared_t *shared;
    stream_form_t form;
    stream_kernel_t kernel;
    /** Elements. */
    size_t count;
    /** The elements where reading and writing begin. */
    size_t from;
    size_t to;
} run_t;

static void run_pointers(const run_t *run)
{
    const pgas_array_t *a = &run->shared->a;
    const pgas_array_t *b = &run->shared->b;
    const pgas_array_t *c = &run->shared->c;
    const size_t from = run->from;
    const size_t to = run->to;
    switch (run->kernel) {
    case STREAM_COPY:
        for (size_t i = 0; i < run->count; i++)
            PGAS_PUT(double, c, to + i, PGAS_GET(double, a, from + i));
        break;
    case STREAM_SCALE:
        for (size_t i = 0; i < run->count; i++)
            PGAS_PUT(double, b, to + i, STREAM_FACTOR * PGAS_GET(double, c, from + i));
        break;
    case STREAM_ADD:
        for (size_t i = 0; i < run->count; i++)
            PGAS_PUT(double, c, to + i,
                     PGAS_GET(double, a, from + i) + PGAS_GET(double, b, from + i));
        break;
    default:
        for (size_t i = 0; i < run->count; i++)
            PGAS_PUT(double, a, to + i,
                     PGAS_GET(double, b, from + i) + STREAM_FACTOR * PGAS_GET(double, c, from + i));
        break;
    }
}

/* What a kernel writes, where it is private; what it reads, where that is. */
static stream_arrays_t choose(stream_kernel_t kernel, const stream_arrays_t *read,
                              const stream_arrays_t *written)
{
    stream_arrays_t arrays = *read;
    if (kernel == STREAM_TRIAD)
        arrays.a = written->a;
    else if (kernel == STREAM_SCALE)
        arrays.b = written->b;
    else
        arrays.c = written->c;
    return arrays;
}

static stream_arrays_t mapped(const stream_shared_t *shared, size_t index)
{
    return (stream_arrays_t){
        pgas_local(pgas_array_at(&shared->a, index)),
        pgas_local(pgas_array_at(&shared->b, index)),
        pgas_local(pgas_array_at(&shared->c, index)),
    };
}

static void run_privatised(const run_t *run)
{
    stream_arrays_t read = mapped(run->shared, run->from);
    stream_arrays_t written = mapped(run->shared, run->to);
    stream_arrays_t arrays = choose(run->kernel, &read, &written);
    stream_kernel_run(run->kernel, &arrays, run->count);
}

static void run_chunk(const run_t *run, size_t first, size_t count)
{
    const stream_shared_t *shared = run->shared;
    const stream_arrays_t *buffers = &shared->buffers;
    const size_t nbytes = count * sizeof(double);
    if (run->kernel == STREAM_COPY || run->kernel == STREAM_ADD)
        pgas_memget(buffers->a, pgas_array_at(&shared->a, run->from + first), nbytes);
    if (run->kernel == STREAM_ADD || run->kernel == STREAM_TRIAD)
        pgas_memget(buffers->b, pgas_array_at(&shared->b, run->from + first), nbytes);
    if (run->kernel == STREAM_SCALE || run->kernel == STREAM_TRIAD)
        pgas_memget(buffers->c, pgas_array_at(&shared->c, run->from + first), nbytes);
    stream_kernel_run(run->kernel, buffers, count);
    if (run->kernel == STREAM_TRIAD)
        pgas_memput(pgas_array_at(&shared->a, run->to + first), buffers->a, nbytes);
    else if (run->kernel == STREAM_SCALE)
        pgas_memput(pgas_array_at(&shared->b, run->to + first), buffers->b, nbytes);
    else
        pgas_memput(pgas_array_at(&shared->c, run->to + first), buffers->c, nbytes);
}

static void run_bulk(const run_t *run)
{
    for (size_t first = 0; first < run->count; first += CHUNK)
        run_chunk(run, first, run->count - first < CHUNK ? run->count - first : CHUNK);
}

static void run_once(void *context, size_t count)
{
    const run_t *run = context;
    for (size_t i = 0; i < count; i++)
        switch (run->form) {
        case STREAM_POINTERS:
            run_pointers(run);
            break;
        case STREAM_PRIVATISED:
            run_privatised(run);
            break;
        default:
            run_bulk(run);
            break;
        }
}

bool stream_shared_measure(stream_shared_t *shared, stream_form_t form, pgas_place_t place,
                           size_t count, size_t repetitions, double *seconds)
{
    stream_values_t expected = stream_start_values;
    run_t run = {.shared = shared, .form = form, .count = count};
    run.to = shared->elements * (size_t)pgas_mythread();
    run.from = shared->elements * (size_t)stream_partner(pgas_mythread(), place);
    stream_arrays_t own = mapped(shared, run.to);
    stream_kernel_start(&own, count);
    for (size_t r = 0; r <= repetitions; r++)
        for (size_t kernel = STREAM_COPY; kernel <= STREAM_TRIAD; kernel++) {
            run.kernel = (stream_kernel_t)kernel;
            double passed = stream_time(run_once, &run, 1);
            stream_kernel_expect(run.kernel, &expected);
            if (r > 0)
                seconds[kernel * repetitions + r - 1] = passed;
        }
    return stream_all(stream_kernel_check(&own, count, &expected));
}
