#include "plan/inspect.h"

#include <stdlib.h>
#include <string.h>

#include <pgas/job.h>

#include "base/log.h"
#include "plan/memory.h"

/* An index as it is sorted: the element's number in its owner's part in the upper half, the index's
 * number in the caller's list in the lower one. */
#define ELEMENT(key) ((uint32_t)((key) >> 32))
#define INDEX(key) ((uint32_t)(key))

typedef struct location {
    uint32_t owner;
    uint64_t element;
} location_t;

static location_t location_of(const pgas_array_t *array, size_t index)
{
    pgasi_element_t at = pgasi_array_locate(array, index, 1);
    return (location_t){
        .owner = (uint32_t)at.thread,
        .element = at.offset - array->offset,
    };
}

static pgas_status_t check(const pgas_array_t *array, const size_t *indices, size_t count)
{
    if (count > UINT32_MAX || pgas_array_owned(array, 0) > UINT32_MAX) {
        pgasi_log("pgas_plan_create: %zu indexes into an array with %zu elements per thread; both "
                  "must be below 2^32",
                  count, pgas_array_owned(array, 0));
        return PGAS_ERR_UNSUPPORTED;
    }
    for (size_t i = 0; i < count; i++)
        if (indices[i] >= array->count) {
            pgasi_log("pgas_plan_create: indices[%zu] is %zu, but the array has %zu elements", i,
                      indices[i], array->count);
            return PGAS_ERR_ARGUMENT;
        }
    return PGAS_OK;
}

/* Sorts by element, keeping the order of equal ones; `other` is as large. */
static void sort(uint64_t *keys, uint64_t *other, size_t count)
{
    enum {
        DIGIT_BITS = 11,
        DIGITS = 1 << DIGIT_BITS
    };
    uint64_t *from = keys;
    uint64_t *to = other;
    for (int shift = 32; shift < 64; shift += DIGIT_BITS) {
        size_t begins[DIGITS + 1] = {0};
        for (size_t k = 0; k < count; k++)
            begins[(from[k] >> shift) % DIGITS + 1]++;
        if (count == 0 || begins[(from[0] >> shift) % DIGITS + 1] == count)
            continue; /* all alike */
        for (size_t d = 0; d < DIGITS; d++)
            begins[d + 1] += begins[d];
        for (size_t k = 0; k < count; k++)
            to[begins[(from[k] >> shift) % DIGITS]++] = from[k];
        uint64_t *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != keys)
        memcpy(keys, from, count * sizeof *keys);
}

/* Sorts the indexes by owner; `begins[t]` is where those of thread t begin. */
static void group(const pgas_array_t *array, const size_t *indices, size_t count, uint64_t *keys,
                  size_t *begins)
{
    size_t threads = pgasi_job.threads;
    for (size_t i = 0; i < count; i++)
        begins[location_of(array, indices[i]).owner + 1]++;
    for (size_t t = 0; t < threads; t++)
        begins[t + 1] += begins[t];
    for (size_t i = 0; i < count; i++) {
        location_t location = location_of(array, indices[i]);
        keys[begins[location.owner]++] = location.element << 32 | i;
    }
    for (size_t t = threads; t > 0; t--)
        begins[t] = begins[t - 1];
    begins[0] = 0;
}

/* Gives each element of one group a position, from `*length` on. */
static void number(pgas_plan_t *plan, const uint64_t *keys, size_t count, uint32_t *elements,
                   size_t *length)
{
    for (size_t k = 0; k < count; k++) {
        bool is_again = k > 0 && ELEMENT(keys[k]) == ELEMENT(keys[k - 1]);
        bool comes_again = k + 1 < count && ELEMENT(keys[k]) == ELEMENT(keys[k + 1]);
        if (!is_again)
            elements[(*length)++] = ELEMENT(keys[k]);
        if (is_again || comes_again)
            plan->repeated[plan->repeated_count++] = INDEX(keys[k]);
        plan->positions[INDEX(keys[k])] = (uint32_t)(*length - 1);
    }
}

static size_t count_groups(const size_t *begins)
{
    size_t groups = 0;
    for (size_t t = 0; t < pgasi_job.threads; t++)
        groups += begins[t + 1] > begins[t];
    return groups;
}

static pgas_status_t create_links(pgas_plan_t *plan, uint64_t *keys, uint64_t *other,
                                  const size_t *begins, uint32_t *elements)
{
    pgasi_plan_side_t *side = &plan->receive_side;
    side->links = pgasi_plan_private_alloc(plan, count_groups(begins), sizeof *side->links);
    if (side->links == NULL)
        return PGAS_ERR_NO_MEMORY;
    for (size_t t = 0; t < pgasi_job.threads; t++) {
        size_t count = begins[t + 1] - begins[t];
        if (count == 0)
            continue;
        size_t first = side->length;
        sort(keys + begins[t], other, count);
        number(plan, keys + begins[t], count, elements, &side->length);
        side->links[side->link_count++] = (pgasi_plan_link_t){
            .thread = (uint32_t)t,
            .first = (uint32_t)first,
            .count = (uint32_t)(side->length - first),
            .channel = -1,
        };
    }
    return PGAS_OK;
}

pgas_status_t pgasi_plan_inspect(pgas_plan_t *plan, const size_t *indices, uint32_t **elements)
{
    size_t count = plan->index_count;
    pgas_status_t status = check(&plan->layout, indices, count);
    if (status != PGAS_OK)
        return status;
    size_t *begins = calloc((size_t)pgasi_job.threads + 1, sizeof *begins);
    uint64_t *keys = malloc((count + 1) * sizeof *keys);
    uint64_t *other = malloc((count + 1) * sizeof *other);
    uint32_t *found = malloc((count + 1) * sizeof *found);
    plan->repeated = malloc((count + 1) * sizeof *plan->repeated);
    status = PGAS_ERR_NO_MEMORY;
    if (begins == NULL || keys == NULL || other == NULL || found == NULL || plan->repeated == NULL)
        pgasi_log("pgas_plan_create: no memory for %zu indexes", count);
    else
        plan->positions = pgasi_plan_private_alloc(plan, count, sizeof *plan->positions);
    if (plan->positions != NULL) {
        group(&plan->layout, indices, count, keys, begins);
        status = create_links(plan, keys, other, begins, found);
    }
    free(begins);
    free(keys);
    free(other);
    if (status == PGAS_OK)
        *elements = found;
    else
        free(found);
    return status;
}
