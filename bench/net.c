/* Fathom over the network: the blocking value accesses and memput of the public interface, and puts
 * in flight by calls of the network layer below it (runtime/src/net/net.h). */
#include <pgas/pgas.h>

#include <stdint.h>
#include <string.h>

#include "measure.h"
#include "net_measure.h"

#include "net/net.h"

static pgas_ptr_t target;
static char *buffer;

static void get_words(size_t count)
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++)
        word = PGAS_READ(uint64_t, target);
    memcpy(buffer, &word, sizeof word);
}

static void put_words(size_t count)
{
    uint64_t word;
    memcpy(&word, buffer, sizeof word);
    for (size_t i = 0; i < count; i++)
        PGAS_WRITE(uint64_t, target, word);
}

static void put_blocks(size_t count)
{
    for (size_t i = 0; i < count; i++)
        pgas_memput(target, buffer, BENCH_BLOCK);
}

static void wait_all(const pgasi_net_handle_t *handles, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pgasi_net_wait(handles[i]);
}

static void stream_words(size_t count)
{
    static pgasi_net_handle_t handles[BENCH_BLOCK / BENCH_WORD];
    pgas_ptr_t to = target;
    for (size_t i = 0; i < count; i++, to = pgas_ptr_shift(to, BENCH_WORD))
        handles[i] = pgasi_net_put_nb(to, buffer + i * BENCH_WORD, BENCH_WORD);
    wait_all(handles, count);
}

static void stream_blocks(size_t count)
{
    static pgasi_net_handle_t handles[BENCH_BLOCK / BENCH_WORD];
    for (size_t i = 0; i < count; i++)
        handles[i] = pgasi_net_put_nb(target, buffer, BENCH_BLOCK);
    wait_all(handles, count);
}

static void barrier(size_t count)
{
    for (size_t i = 0; i < count; i++)
        pgas_barrier();
}

int main(int argc, char **argv)
{
    size_t batches = bench_argument(argc, argv, 1, BENCH_NET_BATCHES);
    if (pgas_init() != PGAS_OK)
        return 1;
    if (pgas_threads() == 1 || pgas_place_of(pgas_threads() - 1 - pgas_mythread()) != PGAS_REMOTE)
        pgas_fail(2, "the threads must be on two nodes");
    if (pgas_all_alloc((size_t)pgas_threads(), BENCH_BLOCK, &target) != PGAS_OK)
        pgas_exit(1);
    pgas_ptr_t own = pgas_ptr_on(target, pgas_mythread());
    target = pgas_ptr_on(target, pgas_threads() - 1);
    buffer = bench_allocate(BENCH_BLOCK, 0);
    const bench_net_t net = {
        .process = pgas_mythread(),
        .processes = pgas_threads(),
        .buffer = buffer,
        .shared = pgas_local(own),
        .barrier = barrier,
        .get_words = get_words,
        .put_words = put_words,
        .put_blocks = put_blocks,
        .stream_words = stream_words,
        .stream_blocks = stream_blocks,
    };
    if (!bench_net_run(&net, batches))
        pgas_exit(1);
    pgas_finalize();
    return 0;
}
