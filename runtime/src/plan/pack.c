#include "plan/pack.h"

#include <string.h>

#include <pgas/detail.h>

/* A size known to the compiler turns each copy into one load and one store. */
static inline __attribute__((always_inline)) void pack(char *restrict to, const char *restrict from,
                                                       const uint32_t *indices, size_t count,
                                                       size_t size)
{
    for (size_t j = 0; j < count; j++)
        memcpy(to + j * size, from + (size_t)indices[j] * size, size);
}

static inline __attribute__((always_inline)) void unpack(char *restrict to,
                                                         const char *restrict from,
                                                         const uint32_t *indices, size_t count,
                                                         size_t size)
{
    for (size_t j = 0; j < count; j++)
        memcpy(to + (size_t)indices[j] * size, from + j * size, size);
}

void pgasi_plan_pack(void *to, const void *from, const uint32_t *indices, size_t count,
                     size_t elem_size)
{
    if (count == 0)
        return;
    if (indices == NULL)
        pgasi_copy(to, from, count * elem_size);
    else if (elem_size == sizeof(double))
        pack(to, from, indices, count, sizeof(double));
    else if (elem_size == sizeof(float))
        pack(to, from, indices, count, sizeof(float));
    else if (elem_size == sizeof(short))
        pack(to, from, indices, count, sizeof(short));
    else
        pack(to, from, indices, count, elem_size);
}

static void overwrite(void *to, const void *from, const uint32_t *indices, size_t count,
                      size_t elem_size)
{
    if (indices == NULL)
        pgasi_copy(to, from, count * elem_size);
    else if (elem_size == sizeof(double))
        unpack(to, from, indices, count, sizeof(double));
    else if (elem_size == sizeof(float))
        unpack(to, from, indices, count, sizeof(float));
    else if (elem_size == sizeof(short))
        unpack(to, from, indices, count, sizeof(short));
    else
        unpack(to, from, indices, count, elem_size);
}

#define ADD(type, into, value) \
    do { \
        type a; \
        type b; \
        memcpy(&a, into, sizeof a); \
        memcpy(&b, value, sizeof b); \
        a += b; \
        memcpy(into, &a, sizeof a); \
    } while (0)

void pgas_add_double(void *into, const void *value)
{
    ADD(double, into, value);
}

void pgas_add_float(void *into, const void *value)
{
    ADD(float, into, value);
}

void pgas_add_int32(void *into, const void *value)
{
    ADD(uint32_t, into, value);
}

void pgas_add_int64(void *into, const void *value)
{
    ADD(uint64_t, into, value);
}

size_t pgasi_plan_combine_size(pgas_combine_t *combine)
{
    if (combine == pgas_add_double)
        return sizeof(double);
    if (combine == pgas_add_float)
        return sizeof(float);
    if (combine == pgas_add_int32)
        return sizeof(int32_t);
    return combine == pgas_add_int64 ? sizeof(int64_t) : 0;
}

/* A function known to the compiler is inlined. */
static inline __attribute__((always_inline)) void combine_all(char *to, const char *from,
                                                              const uint32_t *indices, size_t count,
                                                              size_t size, pgas_combine_t *combine)
{
    for (size_t j = 0; j < count; j++)
        combine(to + (indices != NULL ? (size_t)indices[j] : j) * size, from + j * size);
}

void pgasi_plan_unpack(void *to, const void *from, const uint32_t *indices, size_t count,
                       size_t elem_size, pgas_combine_t *combine)
{
    if (count == 0)
        return;
    if (combine == NULL)
        overwrite(to, from, indices, count, elem_size);
    else if (combine == pgas_add_double)
        combine_all(to, from, indices, count, sizeof(double), pgas_add_double);
    else if (combine == pgas_add_float)
        combine_all(to, from, indices, count, sizeof(float), pgas_add_float);
    else if (combine == pgas_add_int32)
        combine_all(to, from, indices, count, sizeof(int32_t), pgas_add_int32);
    else if (combine == pgas_add_int64)
        combine_all(to, from, indices, count, sizeof(int64_t), pgas_add_int64);
    else
        combine_all(to, from, indices, count, elem_size, combine);
}

void pgasi_plan_reduce(void *to, const void *from, const uint32_t *indices, const uint32_t *sources,
                       size_t count, size_t elem_size, pgas_combine_t *combine)
{
    for (size_t j = 0; j < count; j++) {
        char *into = (char *)to + (size_t)indices[sources[j]] * elem_size;
        const char *value = (const char *)from + (size_t)sources[j] * elem_size;
        if (j > 0 && indices[sources[j]] == indices[sources[j - 1]])
            combine(into, value);
        else
            memcpy(into, value, elem_size);
    }
}
