#include "access.h"

#include <math.h>
#include <stdlib.h>

#include "common/large.h"
#include "job.h"

/* Keeps the compiler from dropping an unused value, without making other values wait for it. */
static inline void use(double value)
{
    __asm__ volatile("" : : "r"(value));
}

/* xorshift64*: the same numbers on every machine. */
static uint32_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)((*state * UINT64_C(2685821657736338717)) >> 32);
}

static uint64_t seed(void)
{
    return UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(pgas_mythread() + 1);
}

/* Random indexes of elements whose owners lie in `place`; the own ones of a thread that has no
 * partner there but itself. */
static void randomize(pgas_place_t place, size_t elements, uint64_t *indices, size_t count)
{
    if (!stream_has_other(place))
        place = PGAS_OWN;
    uint64_t state = seed();
    size_t threads = (size_t)pgas_threads();
    for (size_t i = 0; i < count; i++) {
        size_t owner = next_random(&state) % threads;
        while (pgas_place_of((int)owner) != place)
            owner = (owner + 1) % threads;
        indices[i] = owner * elements + next_random(&state) % elements;
    }
}

void stream_reads_create(pgas_place_t place, size_t elements, size_t index_count,
                         stream_reads_t *reads)
{
    size_t total = elements * (size_t)pgas_threads();
    if (elements == 0 || !stream_has_partners(place))
        pgas_fail(1, "random reads: there is nothing to read");
    *reads = (stream_reads_t){.index_count = index_count, .turns = index_count};
    if (pgas_array_create(total, sizeof(double), elements, &reads->v) != PGAS_OK)
        pgas_exit(1);
    double *mine = pgas_array_mine(&reads->v);
    for (size_t i = 0; i < elements; i++)
        mine[i] = (double)((size_t)pgas_mythread() * elements + i);
    reads->indices = common_alloc("indices", index_count, sizeof *reads->indices);
    randomize(place, elements, reads->indices, index_count);
    pgas_barrier();
}

void stream_reads_free(stream_reads_t *reads)
{
    pgas_array_free(&reads->v);
    free(reads->indices);
}

static void read_turns(void *context, size_t count)
{
    const stream_reads_t *reads = context;
    const pgas_array_t *v = &reads->v;
    const size_t mask = reads->index_count - 1;
    for (size_t i = 0; i < count; i++)
        use(PGAS_GET(double, v, reads->indices[i & mask]));
}

static void traverse_turns(void *context, size_t count)
{
    const stream_reads_t *reads = context;
    const size_t mask = reads->index_count - 1;
    for (size_t i = 0; i < count; i++)
        __asm__ volatile("" : : "r"(reads->indices[i & mask]));
}

void stream_reads_fit(stream_reads_t *reads, double seconds)
{
    reads->turns = stream_fit(read_turns, reads, seconds);
}

double stream_reads_measure(stream_reads_t *reads)
{
    double reading = stream_time(read_turns, reads, reads->turns);
    double traversal = stream_time(traverse_turns, reads, reads->turns);
    return fmax(reading - traversal, 0.0) / (double)reads->turns;
}

bool stream_reads_check(const stream_reads_t *reads)
{
    bool right = true;
    for (size_t i = 0; i < reads->index_count; i++)
        right &= PGAS_GET(double, &reads->v, reads->indices[i]) == (double)reads->indices[i];
    return stream_all(right);
}

enum {
    ROW = 16,
    ROWS = 64,
    PRODUCTS = ROW * ROWS,
    /* Not a power of two, as with most block sizes: an address then takes multiplications. */
    OWN_ELEMENTS = 1000
};

void stream_pointers_create(stream_pointers_t *pointers)
{
    size_t first = OWN_ELEMENTS * (size_t)pgas_mythread();
    uint64_t state = seed();
    *pointers = (stream_pointers_t){
        .indices = common_alloc("indices", PRODUCTS, sizeof(uint32_t)),
        .own_indices = common_alloc("indices", PRODUCTS, sizeof(uint32_t)),
        .factors = common_alloc("factors", PRODUCTS, sizeof(double)),
        .sums = common_alloc("sums", ROWS, sizeof(double)),
    };
    if (pgas_array_create((size_t)OWN_ELEMENTS * (size_t)pgas_threads(), sizeof(double),
                          OWN_ELEMENTS, &pointers->x) != PGAS_OK)
        pgas_exit(1);
    for (size_t i = 0; i < PRODUCTS; i++) {
        pointers->own_indices[i] = next_random(&state) % OWN_ELEMENTS;
        pointers->indices[i] = (uint32_t)first + pointers->own_indices[i];
        pointers->factors[i] = 0.5;
    }
    for (size_t i = 0; i < OWN_ELEMENTS; i++)
        PGAS_PUT(double, &pointers->x, first + i, 1.0);
    pgas_barrier();
}

void stream_pointers_free(stream_pointers_t *pointers)
{
    pgas_array_free(&pointers->x);
    free(pointers->indices);
    free(pointers->own_indices);
    free(pointers->factors);
    free(pointers->sums);
}

static void global_rows(void *context, size_t count)
{
    const stream_pointers_t *p = context;
    const pgas_array_t *x = &p->x;
    for (size_t turn = 0; turn < count; turn++)
        for (size_t row = 0; row < ROWS; row++) {
            double sum = 0.0;
            for (size_t j = row * ROW; j < (row + 1) * ROW; j++)
                sum += p->factors[j] * PGAS_GET(double, x, p->indices[j]);
            p->sums[row] = sum;
        }
}

static void plain_rows(void *context, size_t count)
{
    const stream_pointers_t *p = context;
    const double *x = pgas_array_mine(&p->x);
    for (size_t turn = 0; turn < count; turn++) {
        for (size_t row = 0; row < ROWS; row++) {
            double sum = 0.0;
            for (size_t j = row * ROW; j < (row + 1) * ROW; j++)
                sum += p->factors[j] * x[p->own_indices[j]];
            p->sums[row] = sum;
        }
        __asm__ volatile("" : : "r"(p->sums) : "memory");
    }
}

/* The iterations of the next thread: in a job of several threads none of them runs here. */
static void affinity_turns(void *context, size_t count)
{
    stream_pointers_t *p = context;
    const pgas_array_t *x = &p->x;
    size_t next = (size_t)(pgas_mythread() + 1) % (size_t)pgas_threads();
    for (size_t turn = 0; turn < count; turn++) {
        PGAS_FORALL (i, next * OWN_ELEMENTS, (next + 1) * OWN_ELEMENTS, pgas_array_at(x, i))
            p->sums[i % ROWS] = 0.0;
        __asm__ volatile("" : : "r"(p->sums) : "memory");
    }
}

void stream_pointers_fit(stream_pointers_t *pointers, double seconds)
{
    pointers->global_turns = stream_fit(global_rows, pointers, seconds / 2);
    pointers->plain_turns = stream_fit(plain_rows, pointers, seconds / 2);
    pointers->affinity_turns = stream_fit(affinity_turns, pointers, seconds / 2);
}

/* The least of several alternating times: a disturbance of one of the two would look like a
 * difference. */
double stream_pointers_measure(stream_pointers_t *p)
{
    enum {
        TIMES = 3
    };
    double global = INFINITY;
    double plain = INFINITY;
    for (int i = 0; i < TIMES; i++) {
        global = fmin(global, stream_time(global_rows, p, p->global_turns));
        plain = fmin(plain, stream_time(plain_rows, p, p->plain_turns));
    }
    p->product_seconds = plain / (double)p->plain_turns / PRODUCTS;
    double difference = global / (double)p->global_turns - plain / (double)p->plain_turns;
    return fmax(difference, 0.0) / PRODUCTS;
}

/* The block copies of v2, as short as possible. */
static void copy_blocks(void *context, size_t count)
{
    enum {
        BLOCK = 8
    };
    const stream_pointers_t *p = context;
    size_t first = OWN_ELEMENTS * (size_t)pgas_mythread();
    double block[BLOCK];
    for (size_t turn = 0; turn < count; turn++)
        for (size_t i = 0; i + BLOCK <= OWN_ELEMENTS; i += BLOCK) {
            pgas_memget(block, pgas_array_at(&p->x, first + i), sizeof block);
            __asm__ volatile("" : : "r"(block) : "memory");
        }
}

double stream_blocks_measure(stream_pointers_t *p)
{
    enum {
        BLOCKS = OWN_ELEMENTS / 8
    };
    size_t turns = p->plain_turns;
    return stream_time(copy_blocks, p, turns) / (double)(turns * BLOCKS);
}

double stream_affinity_measure(stream_pointers_t *p)
{
    return stream_time(affinity_turns, p, p->affinity_turns) / (double)p->affinity_turns /
           OWN_ELEMENTS;
}
