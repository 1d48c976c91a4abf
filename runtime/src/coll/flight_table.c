#include "coll/flight_table.h"

#include <stdlib.h>

#include <pgas/detail.h>

#include "base/fatal.h"
#include "copy/in_flight.h"

/* A handle: a mark that handles of the network and of groups do not have, a generation of 32 bits,
 * an index. */
enum {
    SLAB_BITS = 8,
    SLAB_SIZE = 1 << SLAB_BITS,
    INDEX_BITS = 24
};

#define INDEX_MASK (((uint64_t)1 << INDEX_BITS) - 1)

static pgasi_flight_t *_Atomic slabs[1 << (INDEX_BITS - SLAB_BITS)];
static size_t count;
static pgasi_flight_t *free_flights;
static pgasi_coll_memory_t *free_memories;

static PGAS_NORETURN void out_of_memory(const char *name)
{
    pgasi_fatal(name, "no memory for more than %zu collectives in flight", count);
}

static void add_slab(const char *name)
{
    pgasi_flight_t *slab = count <= INDEX_MASK ? calloc(SLAB_SIZE, sizeof *slab) : NULL;
    if (slab == NULL)
        out_of_memory(name);
    atomic_store_explicit(&slabs[count >> SLAB_BITS], slab, memory_order_release);
    for (size_t i = SLAB_SIZE; i-- > 0;) {
        slab[i].index = (uint32_t)(count + i);
        slab[i].next = free_flights;
        free_flights = &slab[i];
    }
    count += SLAB_SIZE;
}

bool pgasi_flight_is_unused(void)
{
    return count == 0;
}

pgasi_flight_t *pgasi_flight_alloc(const pgasi_coll_t *coll)
{
    if (free_flights == NULL)
        add_slab(coll->name);
    pgasi_flight_t *flight = free_flights;
    free_flights = flight->next;
    flight->coll = *coll;
    flight->is_begun = false;
    flight->next = NULL;
    return flight;
}

void pgasi_flight_free(pgasi_flight_t *flight)
{
    flight->next = free_flights;
    free_flights = flight;
}

void pgasi_flight_complete(pgasi_flight_t *flight)
{
    uint32_t generation = atomic_load_explicit(&flight->generation, memory_order_relaxed);
    atomic_store_explicit(&flight->generation, generation + 1, memory_order_release);
}

pgasi_coll_memory_t *pgasi_flight_memory(const char *name)
{
    pgasi_coll_memory_t *memory = free_memories;
    if (memory == NULL)
        memory = calloc(1, sizeof *memory);
    else
        free_memories = memory->next;
    if (memory == NULL)
        out_of_memory(name);
    return memory;
}

void pgasi_flight_memory_free(pgasi_coll_memory_t *memory)
{
    memory->next = free_memories;
    free_memories = memory;
}

uint64_t pgasi_flight_bits(const pgasi_flight_t *flight)
{
    uint64_t generation = atomic_load_explicit(&flight->generation, memory_order_acquire);
    return PGASI_IN_FLIGHT_MARK | generation << INDEX_BITS | flight->index;
}

pgasi_flight_t *pgasi_flight_of(uint64_t bits)
{
    if (bits == 0)
        return NULL;
    uint64_t index = bits & INDEX_MASK;
    pgasi_flight_t *slab = atomic_load_explicit(&slabs[index >> SLAB_BITS], memory_order_acquire);
    pgasi_flight_t *flight = &slab[index % SLAB_SIZE];
    return pgasi_flight_bits(flight) == bits ? flight : NULL;
}
