/**
 * Values passed by value: all sizes and alignments, blocking and not, against a model; many in
 * flight; what is counted.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "job_random.h"

enum {
    ROOM = 256,
    STEPS = 3000,
    MANY = 70000,
    MOST_THREADS = 64
};

static pgas_ptr_t rooms;
static unsigned char model[MOST_THREADS][ROOM];
static pgas_traffic_t expected[MOST_THREADS][PGAS_DIRECTIONS];

static pgas_ptr_t at(size_t owner, size_t offset)
{
    pgas_ptr_t ptr = rooms;
    ptr.thread = (uint32_t)owner;
    ptr.offset += (uint64_t)pgas_mythread() * ROOM + offset;
    return ptr;
}

/* The bytes as a number, least significant first. */
static uint64_t modelled(size_t owner, size_t offset, size_t nbytes)
{
    uint64_t value = 0;
    for (size_t i = nbytes; i-- > 0;)
        value = value << 8 | model[owner][offset + i];
    return value;
}

static void put(size_t owner, size_t offset, size_t nbytes, uint64_t *random)
{
    uint64_t value = random_next(random); /* with bytes beyond those that are written */
    switch (random_below(random, 3)) {
    case 0:
        pgas_put_val(at(owner, offset), value, nbytes);
        break;
    case 1:
        pgas_waitsync(pgas_put_val_async(at(owner, offset), value, nbytes));
        break;
    default:
        pgas_put_val_asynci(at(owner, offset), value, nbytes);
        pgas_waitsynci();
    }
    for (size_t i = 0; i < nbytes; i++)
        model[owner][offset + i] = (unsigned char)(value >> (8 * i));
    expected[owner][PGAS_TO].operations++;
    expected[owner][PGAS_TO].bytes += nbytes;
}

static void get(size_t owner, size_t offset, size_t nbytes, uint64_t *random)
{
    uint64_t value = random_below(random, 2) == 0
                         ? pgas_get_val(at(owner, offset), nbytes)
                         : pgas_wait_val(pgas_get_val_async(at(owner, offset), nbytes));
    CHECK(value == modelled(owner, offset, nbytes));
    expected[owner][PGAS_FROM].operations++;
    expected[owner][PGAS_FROM].bytes += nbytes;
}

static void check_random(uint64_t *random)
{
    size_t threads = (size_t)pgas_threads();
    CHECK(threads > 0);
    for (int step = 0; step < STEPS; step++) {
        size_t nbytes = 1 + random_below(random, 8);
        size_t owner = random_below(random, threads);
        size_t offset = random_below(random, ROOM - nbytes + 1);
        put(owner, offset, nbytes, random);
        nbytes = 1 + random_below(random, 8);
        get(random_below(random, threads), random_below(random, ROOM - nbytes + 1), nbytes, random);
    }
}

static void check_counts(void)
{
    for (int thread = 0; thread < pgas_threads(); thread++)
        for (int direction = 0; direction < PGAS_DIRECTIONS; direction++) {
            pgas_traffic_t got =
                pgas_stats_with(thread, PGAS_INDIVIDUAL, (pgas_direction_t)direction);
            CHECK(got.operations == expected[thread][direction].operations);
            CHECK(got.bytes == expected[thread][direction].bytes);
        }
}

/* More than 65,535 reads in flight, waited for in another order. */
static void check_many(void)
{
    pgas_valget_t *reads = malloc(MANY * sizeof *reads);
    size_t threads = (size_t)pgas_threads();
    CHECK(reads != NULL && threads > 0);
    for (size_t round = 0; round < 2; round++) {
        for (size_t i = 0; i < MANY; i++)
            reads[i] = pgas_get_val_async(at(i % threads, i % (ROOM - 8)), 1 + i % 8);
        for (size_t k = 0; k < MANY; k++) {
            size_t i = k * 7919 % MANY;
            CHECK(pgas_wait_val(reads[i]) == modelled(i % threads, i % (ROOM - 8), 1 + i % 8));
        }
    }
    free(reads);
}

/* Puts without handles in flight together, and one handle for those of an access region. */
static void check_puts_in_flight(void)
{
    size_t other = (size_t)(pgas_mythread() + 1) % (size_t)pgas_threads();
    for (size_t i = 0; i < ROOM / 8; i++)
        pgas_put_val_asynci(at(other, 8 * i), i * 0x0101010101010101U, 8);
    pgas_waitsynci();
    pgas_begin_accessregion();
    for (size_t i = 0; i < ROOM / 16; i++)
        pgas_put_val_asynci(at(other, 16 * i), i, 2);
    pgas_waitsync(pgas_end_accessregion());
    for (size_t i = 0; i < ROOM / 8; i++) {
        uint64_t whole = i * 0x0101010101010101U;
        CHECK(pgas_get_val(at(other, 8 * i), 8) ==
              (i % 2 == 0 ? (whole & ~(uint64_t)0xffff) | i / 2 : whole));
    }
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    size_t threads = (size_t)pgas_threads();
    CHECK(threads <= MOST_THREADS);
    uint64_t random = random_seed_of_thread(random_seed_of_job());
    CHECK(pgas_all_alloc(threads, threads * ROOM, &rooms) == PGAS_OK);
    for (size_t owner = 0; owner < threads; owner++)
        pgas_memset(at(owner, 0), 0, ROOM);
    pgas_stats_reset();
    check_random(&random);
    check_counts();
    check_many();
    check_puts_in_flight();
    pgas_all_free(rooms);
    pgas_finalize();
    return 0;
}
