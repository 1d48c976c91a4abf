/**
 * The collectives of UPC 1.2 against a plain computation on an image of all memory: every function,
 * random sizes, roots, layouts, types, operations and flags, with threads that are late.
 *
 * Orders that must do no harm, by flags:
 *   - IN_ALLSYNC: another thread writes the caller's data just before it calls itself
 *   - IN_MYSYNC: each thread writes its own data just before it calls
 *   - OUT_ALLSYNC: as soon as a call returns, another thread's data are read
 *   - OUT_MYSYNC: as soon as a call returns, the caller's data are read, and overwritten
 *   - NOSYNC: a thread enters when all others have returned
 *
 * Usage: runtime_upc_all [ROUNDS]
 */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include <pgas/upc_coll_names.h>

#include "check.h"
#include "job_random.h"

#include "coll/team_shapes.h"

enum {
    ROUNDS = 600,
    MOST = 6000,
    MOST_ELEMENTS = 1500,
    MOST_BLOCK = 200
};

typedef unsigned char byte_t;

/* A round: everything is drawn alike by all threads. */
typedef struct round {
    uint64_t state;
    size_t nbytes;
    /* Where source and destination begin in each thread's area. */
    size_t src_at;
    size_t dst_at;
    int root;
    upc_flag_t in;
    upc_flag_t out;
} round_t;

/* Each thread's areas: first source, then destination; what they have, and what they should. */
static pgas_ptr_t areas[2];
static byte_t *images[2][MOST_THREADS];
/* Bytes of results that mean nothing. */
static byte_t *padding[MOST_THREADS];
static byte_t *scratch;
static size_t area_size;
static int threads;
static int me;

/* With a phase that differs between threads, and that is ignored. */
static pgas_ptr_t place(int area, int thread, size_t at)
{
    pgas_ptr_t ptr = pgas_ptr_shift(pgas_ptr_on(areas[area], thread), (ptrdiff_t)at);
    ptr.phase = (uint32_t)me;
    return ptr;
}

/* ---- A round ---- */

/* New contents of the first bytes of all areas. */
static void fill_images(round_t *round, size_t nbytes)
{
    for (int i = 0; i < 2 * threads; i++)
        for (size_t at = 0; at < nbytes; at += sizeof(uint64_t)) {
            uint64_t bits = random_next(&round->state);
            memcpy(images[i % 2][i / 2] + at, &bits, sizeof bits);
        }
}

static void write_area(int thread)
{
    for (int area = 0; area < 2; area++)
        pgas_memput(place(area, thread, 0), images[area][thread], area_size);
}

static void check_area(int thread)
{
    for (int area = 0; area < 2; area++) {
        pgas_memget(scratch, place(area, thread, 0), area_size);
        for (size_t i = 0; i < area_size; i++)
            CHECK(scratch[i] == images[area][thread][i] || (area == 1 && padding[thread][i]));
    }
}

/* Puts what the images have into memory, as late as the flag allows. */
static void begin(const round_t *round, uint64_t *own)
{
    if (round->in == UPC_IN_ALLSYNC)
        write_area((me + 1) % threads);
    else
        write_area(me);
    if (round->in == UPC_IN_NOSYNC)
        pgas_barrier();
    dawdle(own);
}

/* Compares memory with the images, as early as the flag allows. */
static void end(const round_t *round)
{
    if (round->out == UPC_OUT_NOSYNC)
        pgas_barrier();
    check_area(round->out == UPC_OUT_ALLSYNC ? (me + 1) % threads : me);
    if (round->out == UPC_OUT_MYSYNC) {
        memset(scratch, 0xa5, area_size);
        for (int area = 0; area < 2; area++)
            pgas_memput(place(area, me, 0), scratch, area_size);
    }
    pgas_barrier();
}

static upc_flag_t flags_of(round_t *round)
{
    static const upc_flag_t ins[] = {UPC_IN_NOSYNC, UPC_IN_MYSYNC, UPC_IN_ALLSYNC};
    static const upc_flag_t outs[] = {UPC_OUT_NOSYNC, UPC_OUT_MYSYNC, UPC_OUT_ALLSYNC};
    round->in = ins[random_below(&round->state, 3)];
    round->out = outs[random_below(&round->state, 3)];
    bool says_in = round->in != UPC_IN_ALLSYNC || random_below(&round->state, 2) == 0;
    bool says_out = round->out != UPC_OUT_ALLSYNC || random_below(&round->state, 2) == 0;
    return (says_in ? round->in : 0) | (says_out ? round->out : 0);
}

static byte_t *src_of(const round_t *round, int thread)
{
    return images[0][thread] + round->src_at;
}

static byte_t *dst_of(const round_t *round, int thread)
{
    return images[1][thread] + round->dst_at;
}

/* ---- Moving: what should come, and the call ---- */

static void broadcast(round_t *round, upc_flag_t flags)
{
    for (int i = 0; i < threads; i++)
        memcpy(dst_of(round, i), src_of(round, round->root), round->nbytes);
    upc_all_broadcast(place(1, 0, round->dst_at), place(0, round->root, round->src_at),
                      round->nbytes, flags);
}

static void scatter(round_t *round, upc_flag_t flags)
{
    for (int i = 0; i < threads; i++)
        memcpy(dst_of(round, i), src_of(round, round->root) + (size_t)i * round->nbytes,
               round->nbytes);
    upc_all_scatter(place(1, 0, round->dst_at), place(0, round->root, round->src_at), round->nbytes,
                    flags);
}

static void gather(round_t *round, upc_flag_t flags)
{
    for (int i = 0; i < threads; i++)
        memcpy(dst_of(round, round->root) + (size_t)i * round->nbytes, src_of(round, i),
               round->nbytes);
    upc_all_gather(place(1, round->root, round->dst_at), place(0, 0, round->src_at), round->nbytes,
                   flags);
}

static void gather_all(round_t *round, upc_flag_t flags)
{
    for (int i = 0; i < threads; i++)
        for (int j = 0; j < threads; j++)
            memcpy(dst_of(round, i) + (size_t)j * round->nbytes, src_of(round, j), round->nbytes);
    upc_all_gather_all(place(1, 0, round->dst_at), place(0, 0, round->src_at), round->nbytes,
                       flags);
}

static void exchange(round_t *round, upc_flag_t flags)
{
    size_t nbytes = round->nbytes;
    for (int i = 0; i < threads; i++)
        for (int j = 0; j < threads; j++)
            memcpy(dst_of(round, i) + (size_t)j * nbytes, src_of(round, j) + (size_t)i * nbytes,
                   nbytes);
    upc_all_exchange(place(1, 0, round->dst_at), place(0, 0, round->src_at), nbytes, flags);
}

/* The permutation is behind the source, aligned. */
static void permute(round_t *round, upc_flag_t flags)
{
    size_t at = area_size - sizeof(int);
    for (int i = 0; i < threads; i++) {
        int to;
        memcpy(&to, images[0][i] + at, sizeof to);
        memcpy(dst_of(round, to), src_of(round, i), round->nbytes);
    }
    upc_all_permute(place(1, 0, round->dst_at), place(0, 0, round->src_at), place(0, 0, at),
                    round->nbytes, flags);
}

static void draw_permutation(round_t *round)
{
    int perm[MOST_THREADS] = {0};
    for (int i = 0; i < threads; i++) {
        int j = (int)random_below(&round->state, (size_t)i + 1);
        perm[i] = perm[j];
        perm[j] = i;
    }
    for (int i = 0; i < threads; i++)
        memcpy(images[0][i] + area_size - sizeof(int), &perm[i], sizeof(int));
}

static void move(round_t *round, int function, uint64_t *own)
{
    static void (*const functions[])(round_t *, upc_flag_t) = {broadcast,  scatter,  gather,
                                                               gather_all, exchange, permute};
    round->nbytes = random_size(&round->state, MOST - 64);
    round->root = (int)random_below(&round->state, (size_t)threads);
    round->src_at = random_below(&round->state, 16);
    round->dst_at = random_below(&round->state, 16);
    fill_images(round, round->nbytes * (size_t)threads + 32);
    draw_permutation(round);
    upc_flag_t flags = flags_of(round);
    begin(round, own);
    functions[function](round, flags);
    end(round);
}

/* ---- Combining ---- */

typedef struct reduction {
    upc_op_t op;
    size_t nelems;
    size_t block;
    size_t phase;
    bool is_prefix;
} reduction_t;

/* A reduction's pointer: `phase` elements into the block at `at`, which is aligned. */
static pgas_ptr_t element_pointer(int area, int thread, size_t at, size_t phase, size_t size)
{
    pgas_ptr_t ptr = place(area, thread, at + phase * size);
    ptr.phase = (uint32_t)phase;
    return ptr;
}

/* Element `i` of the source in its image. */
static byte_t *element(pgas_ptr_t ptr, size_t i, size_t size, size_t block)
{
    pgas_ptr_t at = pgas_ptr_add(ptr, (ptrdiff_t)i, size, block);
    return images[0][at.thread] + (at.offset - areas[0].offset);
}

/* The bytes of an element that are no padding. */
static size_t significant(size_t size)
{
    return size == sizeof(long double) && LDBL_MANT_DIG == 64 ? 10 : size;
}

/* Sets an element of the destination's image. */
static void set(pgas_ptr_t at, const void *value, size_t size)
{
    size_t offset = at.offset - areas[1].offset;
    size_t used = significant(size);
    memcpy(images[1][at.thread] + offset, value, used);
    memset(padding[at.thread] + offset + used, 1, size - used);
}

/* The last that is not 0: associative, and not commutative. */
#define LAST(a, b) ((b) != 0 ? (b) : (a))
#define GREATER(a, b) ((a) > (b) ? (a) : (b))
#define BITS(a, operator, b, type) (type)((uint64_t)(a) operator(uint64_t)(b))

/* NOLINTBEGIN(bugprone-macro-parentheses): a type. */
#define TYPE(suffix, type, is_integer) \
    static type last_##suffix(type a, type b) \
    { \
        return LAST(a, b); \
    } \
    static type greater_##suffix(type a, type b) \
    { \
        return GREATER(a, b); \
    } \
    static type plain_##suffix(upc_op_t op, type a, type b) \
    { \
        switch (op) { \
        case UPC_ADD: \
            return is_integer ? BITS(a, +, b, type) : (type)(a + b); \
        case UPC_MULT: \
            return is_integer ? BITS(a, *, b, type) : (type)(a * b); \
        case UPC_AND: \
            return BITS(a, &, b, type); \
        case UPC_OR: \
            return BITS(a, |, b, type); \
        case UPC_XOR: \
            return BITS(a, ^, b, type); \
        case UPC_LOGAND: \
            return a != 0 && b != 0; \
        case UPC_LOGOR: \
            return a != 0 || b != 0; \
        case UPC_MIN: \
            return a < b ? a : b; \
        case UPC_NONCOMM_FUNC: \
            return LAST(a, b); \
        default: \
            return GREATER(a, b); \
        } \
    } \
    static void reduce_##suffix(round_t *round, const reduction_t *r, uint64_t *own) \
    { \
        pgas_ptr_t src = element_pointer(0, round->root, round->src_at, r->phase, sizeof(type)); \
        int to = r->is_prefix ? round->root : threads - 1 - round->root; \
        pgas_ptr_t dst = element_pointer(1, to, round->dst_at, r->phase, sizeof(type)); \
        type all = 0; \
        for (size_t i = 0; i < r->nelems; i++) { \
            /* Floating-point results are exact in any order. */ \
            uint64_t bits = random_next(&round->state); \
            type value = is_integer          ? (type)bits \
                         : r->op == UPC_MULT ? (type)(bits % 2 == 0 ? 1 : -1) \
                                             : (type)((int)(bits % 64) - 20); \
            if (r->op == UPC_NONCOMM_FUNC && bits >> 60 != 0) \
                value = 0; \
            memcpy(element(src, i, sizeof value, r->block), &value, significant(sizeof value)); \
        } \
        upc_flag_t flags = flags_of(round); \
        begin(round, own); \
        for (size_t i = 0; i < r->nelems; i++) { \
            type value; \
            memcpy(&value, element(src, i, sizeof value, r->block), sizeof value); \
            all = i == 0 ? value : plain_##suffix(r->op, all, value); \
            if (r->is_prefix) \
                set(pgas_ptr_add(dst, (ptrdiff_t)i, sizeof all, r->block), &all, sizeof all); \
        } \
        if (!r->is_prefix && r->nelems > 0) \
            set(dst, &all, sizeof all); \
        type (*function)(type, type) = r->op == UPC_NONCOMM_FUNC ? last_##suffix \
                                       : r->op == UPC_FUNC       ? greater_##suffix \
                                                                 : NULL; \
        if (r->block == 0) \
            src.phase = (uint32_t)me; \
        if (r->block == 0 || !r->is_prefix) \
            dst.phase = (uint32_t)me; \
        if (r->is_prefix) \
            upc_all_prefix_reduce##suffix(dst, src, r->op, r->nelems, r->block, function, flags); \
        else \
            upc_all_reduce##suffix(dst, src, r->op, r->nelems, r->block, function, flags); \
        end(round); \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

TYPE(C, signed char, true)
TYPE(UC, unsigned char, true)
TYPE(S, short, true)
TYPE(US, unsigned short, true)
TYPE(I, int, true)
TYPE(UI, unsigned, true)
TYPE(L, long, true)
TYPE(UL, unsigned long, true)
TYPE(F, float, false)
TYPE(D, double, false)
TYPE(LD, long double, false)

enum {
    TYPES = 11,
    INTEGERS = 8
};

static void combine(round_t *round, bool is_prefix, uint64_t *own)
{
    static void (*const reductions[TYPES])(round_t *, const reduction_t *, uint64_t *) = {
        reduce_C, reduce_UC, reduce_S, reduce_US, reduce_I, reduce_UI,
        reduce_L, reduce_UL, reduce_F, reduce_D,  reduce_LD};
    static const upc_op_t ops[] = {UPC_ADD,    UPC_MULT,  UPC_MIN,  UPC_MAX,
                                   UPC_LOGAND, UPC_LOGOR, UPC_FUNC, UPC_NONCOMM_FUNC,
                                   UPC_AND,    UPC_OR,    UPC_XOR};
    size_t type = random_below(&round->state, TYPES);
    reduction_t reduction = {
        .op = ops[random_below(&round->state, type < INTEGERS ? 11 : 8)],
        .nelems = random_size(&round->state, MOST_ELEMENTS),
        .is_prefix = is_prefix,
    };
    /* All on one thread, or blocks, of which a thread may have one or many. */
    size_t least = reduction.nelems / (size_t)threads + 1;
    switch (random_below(&round->state, 4)) {
    case 0:
        break;
    case 1:
        reduction.block = least + random_below(&round->state, 3);
        break;
    default:
        reduction.block = 1 + random_size(&round->state, MOST_BLOCK);
    }
    if (reduction.block > 0)
        reduction.phase = random_below(&round->state, reduction.block);
    round->root = (int)random_below(&round->state, (size_t)threads);
    round->src_at = 16 * random_below(&round->state, 3);
    round->dst_at = 16 * random_below(&round->state, 3);
    for (int i = 0; i < threads; i++)
        memset(padding[i], 0, area_size);
    reductions[type](round, &reduction, own);
    for (int i = 0; i < threads; i++)
        memset(padding[i], 0, area_size);
}

/* ---- NOSYNC ---- */

/* The last thread enters each function when all others have left it. */
static void enter_late(round_t *round)
{
    const upc_flag_t none = UPC_IN_NOSYNC | UPC_OUT_NOSYNC;
    static void (*const functions[])(round_t *, upc_flag_t) = {broadcast,  scatter,  gather,
                                                               gather_all, exchange, permute};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        round->nbytes = 5000;
        round->in = UPC_IN_NOSYNC;
        round->out = UPC_OUT_NOSYNC;
        draw_permutation(round);
        write_area(me);
        pgas_barrier();
        if (me == threads - 1)
            pgas_barrier();
        functions[i](round, none);
        if (me != threads - 1)
            pgas_barrier();
        end(round);
    }
}

/* Of no bytes and no elements no pointer is followed. */
static void move_nothing(void)
{
    static const upc_flag_t flags[] = {0, UPC_IN_MYSYNC | UPC_OUT_MYSYNC,
                                       UPC_IN_NOSYNC | UPC_OUT_NOSYNC};
    pgas_ptr_t null = pgas_ptr_null();
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        upc_all_broadcast(null, null, 0, flags[i]);
        upc_all_scatter(null, null, 0, flags[i]);
        upc_all_gather(null, null, 0, flags[i]);
        upc_all_gather_all(null, null, 0, flags[i]);
        upc_all_exchange(null, null, 0, flags[i]);
        upc_all_permute(null, null, null, 0, flags[i]);
        upc_all_reduceD(null, null, UPC_ADD, 0, 1, NULL, flags[i]);
        upc_all_prefix_reduceD(null, null, UPC_ADD, 0, 1, NULL, flags[i]);
    }
}

int main(int argc, char **argv)
{
    CHECK(pgas_init() == PGAS_OK);
    threads = pgas_threads();
    me = pgas_mythread();
    CHECK(threads <= MOST_THREADS);
    size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : ROUNDS;
    area_size = (size_t)threads * MOST;
    if (area_size < MOST_ELEMENTS * sizeof(long double) * 3)
        area_size = MOST_ELEMENTS * sizeof(long double) * 3;
    uint64_t seed = random_seed_of_job();
    uint64_t own = random_seed_of_thread(seed);
    for (int area = 0; area < 2; area++) {
        CHECK(pgas_all_alloc((size_t)threads, area_size, &areas[area]) == PGAS_OK);
        for (int i = 0; i < threads; i++)
            images[area][i] = calloc(1, area_size);
    }
    for (int i = 0; i < threads; i++)
        padding[i] = calloc(1, area_size);
    scratch = malloc(area_size);
    round_t round = {.state = seed};
    fill_images(&round, area_size);
    enter_late(&round);
    move_nothing();
    for (size_t i = 0; i < rounds; i++) {
        size_t function = random_below(&round.state, 10);
        if (function < 6)
            move(&round, (int)function, &own);
        else
            combine(&round, function < 8, &own);
    }
    pgas_finalize();
    return 0;
}
