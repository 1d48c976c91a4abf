#include "upc/flight.h"

#include <stdatomic.h>
#include <stdlib.h>

#include <pgas/detail.h>

enum {
    INDEX_BITS = 24
};

/* Of an agent (base/agent.h): all that were ever open at once, and those that are free. */
static _Thread_local pgasi_upc_flight_t **flights;
static _Thread_local size_t flights_count;
static _Thread_local size_t flights_size;
static _Thread_local pgasi_upc_flight_t *free_flights;

/* How many were ever open in the process, so that a handle is of one agent alone. */
static _Atomic uint64_t opened;

static bool grow(void)
{
    size_t size = flights_size == 0 ? 16 : 2 * flights_size;
    if (flights_count < flights_size)
        return true;
    if (size > (size_t)1 << INDEX_BITS)
        return false;
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): pointers. */
    pgasi_upc_flight_t **grown = realloc(flights, size * sizeof *grown);
    if (grown == NULL)
        return false;
    flights = grown;
    flights_size = size;
    return true;
}

static pgasi_upc_flight_t *create(void)
{
    if (!grow())
        return NULL;
    pgasi_upc_flight_t *flight = calloc(1, sizeof *flight);
    if (flight == NULL)
        return NULL;
    flight->index = (uint32_t)flights_count;
    flights[flights_count++] = flight;
    return flight;
}

pgasi_upc_flight_t *pgasi_upc_flight_open(bool is_fenced)
{
    pgasi_upc_flight_t *flight = free_flights;
    if (flight == NULL)
        flight = create();
    else
        free_flights = flight->next_free;
    if (flight == NULL)
        return NULL;
    flight->generation = atomic_fetch_add_explicit(&opened, 1, memory_order_relaxed) + 1;
    flight->is_open = true;
    flight->is_done = false;
    flight->is_fenced = is_fenced;
    return flight;
}

/* Generations begin with 1, so it is never UPCCOLL_INVALID_HANDLE. */
upccoll_handle_t pgasi_upc_flight_handle(const pgasi_upc_flight_t *flight)
{
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): a number. */
    return (upccoll_handle_t)(uintptr_t)(flight->generation << INDEX_BITS | flight->index);
}

static pgasi_upc_flight_t *find(const char *call, upccoll_handle_t handle)
{
    size_t index = (uintptr_t)handle & (((uintptr_t)1 << INDEX_BITS) - 1);
    pgasi_upc_flight_t *flight = index < flights_count ? flights[index] : NULL;
    if (flight == NULL || !flight->is_open || flight->is_fenced ||
        pgasi_upc_flight_handle(flight) != handle)
        pgasi_fatal(call, "there is no such handle: no call has given it, or it was waited for");
    return flight;
}

static void close_flight(pgasi_upc_flight_t *flight)
{
    if (!flight->is_done)
        pgas_waitsync(flight->handle);
    free(flight->memory[0]);
    free(flight->memory[1]);
    flight->is_open = false;
    flight->next_free = free_flights;
    free_flights = flight;
}

int upccoll_test(upccoll_handle_t h)
{
    if (h == UPCCOLL_INVALID_HANDLE)
        return 1;
    pgasi_upc_flight_t *flight = find(__func__, h);
    if (!flight->is_done)
        flight->is_done = pgas_trysync(flight->handle);
    return flight->is_done ? 1 : 0;
}

void upccoll_wait(upccoll_handle_t h)
{
    if (h != UPCCOLL_INVALID_HANDLE)
        close_flight(find(__func__, h));
}

void pgasi_upc_flights_wait(bool only_fenced)
{
    for (size_t i = 0; i < flights_count; i++)
        if (flights[i]->is_open && (flights[i]->is_fenced || !only_fenced))
            close_flight(flights[i]);
}

void pgasi_upc_flights_detach(void)
{
    pgasi_upc_flights_wait(false);
    for (size_t i = 0; i < flights_count; i++)
        free(flights[i]);
    free(flights);
    flights = NULL;
    flights_count = 0;
    flights_size = 0;
    free_flights = NULL;
}

void upccoll_fence(void)
{
    pgasi_upc_flights_wait(true);
}
