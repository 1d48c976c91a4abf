/**
 * Memory is freed and allocated again while others have keys to it, or are just getting them, and
 * while they write by remote memory access to what lies beside it.
 *
 * Usage: runtime_rma_free [granules]: keys by granules, as a network card has them
 *
 * Each thread has blocks of all sizes. In every phase a thread of another node writes to every
 * second block and reads it back; meanwhile the owner frees and allocates the others, fills them
 * and looks whether they keep what is in them. In the next phase they change places.
 *
 * Hostile orders: the pages of a freed block go back to the system when its granule has a key, has
 * none, or is just being asked for; a block ends in the granule, or the page, in which its
 * neighbour begins; a key that was got for a block serves what has been allocated there since;
 * puts in flight to one block when the block beside it is freed; the owner sleeps between two
 * frees.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "job_random.h"
#include "net/net.h"
#include "net/ucx/rma_memory.h"
#include "pause.h"

enum {
    BLOCKS = 12,
    PHASES = 10,
    CHANGES = 30,
    ACCESSES = 60,
    LARGEST = 3 << 20,
    IN_FLIGHT = 4
};

/* What the owner tells of a block, and the one who writes to it: what should be there. */
typedef struct block {
    pgas_ptr_t at;
    uint64_t nbytes;
    uint64_t key;
} block_t;

static pgas_ptr_t tables;
static uint64_t state;
static int me;
static int threads;

static block_t *own_blocks(void)
{
    return pgas_local(pgas_ptr_on(tables, me));
}

/* What a block holds: it depends on the place, so that bytes of another block are noticed. */
static uint64_t word_of(uint64_t key, size_t i)
{
    return key ^ (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static void fill(uint64_t *words, uint64_t nbytes, uint64_t key)
{
    for (size_t i = 0; i < nbytes / sizeof *words; i++)
        words[i] = word_of(key, i);
}

static bool is_filled(const uint64_t *words, uint64_t nbytes, uint64_t key)
{
    for (size_t i = 0; i < nbytes / sizeof *words; i++)
        if (words[i] != word_of(key, i))
            return false;
    return true;
}

static void allocate(block_t *block)
{
    size_t most = random_below(&state, 2) == 0 ? LARGEST : 9000;
    block->nbytes = 8 * (1 + random_below(&state, most / 8));
    block->key = random_next(&state);
    CHECK(pgas_alloc(block->nbytes, &block->at) == PGAS_OK);
    fill(pgas_local(block->at), block->nbytes, block->key);
}

static void check_and_free(block_t *block)
{
    CHECK(is_filled(pgas_local(block->at), block->nbytes, block->key));
    pgas_free(block->at);
}

/* The owner's part: the blocks with this parity. */
static void change(unsigned parity)
{
    for (int i = 0; i < CHANGES; i++) {
        block_t *block = &own_blocks()[2 * random_below(&state, BLOCKS / 2) + parity];
        check_and_free(block);
        if (random_below(&state, 8) == 0)
            sleep_microseconds(random_below(&state, 300));
        allocate(block);
        pgas_poll();
    }
}

/* A part of the block gets the bytes of a new key, in several puts in flight. */
static void write_block(pgas_ptr_t table, unsigned index, const block_t *block, uint64_t *buffer)
{
    pgas_handle_t handles[IN_FLIGHT];
    uint64_t key = random_next(&state);
    fill(buffer, block->nbytes, key);
    uint64_t part = block->nbytes / 8 / IN_FLIGHT * 8;
    for (unsigned i = 0; i < IN_FLIGHT; i++) {
        uint64_t from = i * part;
        uint64_t end = i + 1 < IN_FLIGHT ? from + part : block->nbytes;
        handles[i] = pgas_memput_async(pgas_ptr_shift(block->at, (ptrdiff_t)from),
                                       buffer + from / 8, end - from);
    }
    ptrdiff_t note = (ptrdiff_t)(index * sizeof(block_t) + offsetof(block_t, key));
    pgas_waitsync_all(handles, IN_FLIGHT);
    pgas_memput(pgas_ptr_shift(table, note), &key, sizeof key);
}

/* The part of another node's thread: the other blocks, which the owner leaves alone. */
static void access_blocks(pgas_ptr_t table, unsigned parity)
{
    static uint64_t buffer[LARGEST / 8];
    for (int i = 0; i < ACCESSES; i++) {
        unsigned index = 2 * (unsigned)random_below(&state, BLOCKS / 2) + parity;
        block_t block;
        pgas_memget(&block, pgas_ptr_shift(table, (ptrdiff_t)(index * sizeof block)), sizeof block);
        if (random_below(&state, 2) == 0) {
            pgas_memget(buffer, block.at, block.nbytes);
            CHECK(is_filled(buffer, block.nbytes, block.key));
        } else {
            write_block(table, index, &block, buffer);
        }
    }
}

/* Each thread writes to one, so that the writer of a block is the only one. A thread changes its
 * own blocks and accesses the other's by turns. */
static void run_phase(unsigned phase)
{
    pgas_ptr_t table = pgas_ptr_on(tables, (me + (threads + 1) / 2) % threads);
    unsigned parity = phase % 2;
    if (random_below(&state, 2) == 0) {
        change(parity);
        access_blocks(table, 1 - parity);
    } else {
        access_blocks(table, 1 - parity);
        change(parity);
    }
    pgas_barrier();
}

int main(int argc, char **argv)
{
    (void)argv;
    pgasi_ucx_keys_by_granule = argc > 1;
    CHECK(pgas_init() == PGAS_OK);
    me = pgas_mythread();
    threads = pgas_threads();
    state = random_seed_of_thread(random_seed_of_job());
    CHECK(pgas_all_alloc((size_t)threads, BLOCKS * sizeof(block_t), &tables) == PGAS_OK);
    for (int i = 0; i < BLOCKS; i++)
        allocate(&own_blocks()[i]);
    pgas_barrier();
    for (unsigned phase = 0; phase < PHASES; phase++)
        run_phase(phase);
    for (int i = 0; i < BLOCKS; i++)
        check_and_free(&own_blocks()[i]);
    CHECK(pgasi_net_rma_operations() > 0);
    pgas_barrier();
    pgas_all_free(tables);
    pgas_finalize();
    return 0;
}
