/**
 * Signals that arrive before messages with lower numbers are applied after these, in the order of
 * their numbers, and each once: messages are sent out of order by hand, to the next thread.
 */
#include <string.h>

#include "check.h"
#include "job_random.h"
#include "net/ucx/endpoint.h"
#include "net/ucx/numbered.h"
#include "net/ucx/post.h"

enum {
    COUNT = 6,
    ROUNDS = 50
};

static pgas_ptr_t words;
static uint32_t target;
static pgasi_ucx_pool_t pool = {.payload_size = 8};

/* The first word is set to `value`, the second grows by 1. */
static void send_signal(uint64_t number, uint64_t word, uint64_t op, uint64_t value)
{
    pool.pending = &pgasi_ucx_me->awaited;
    pgasi_ucx_desc_t *desc = pgasi_ucx_desc_alloc(&pool, target);
    desc->header.put_signal = (pgasi_ucx_put_signal_t){
        .numbered = {.secret = pgasi_ucx_secret, .number = number, .source = pgasi_job.thread},
        .offset = words.offset + 16,
        .signal = {words.offset + 8 * word, value, op},
    };
    memcpy(desc->payload, &value, sizeof value);
    pgasi_ucx_post_request(pgasi_ucx_endpoint(target), PGASI_UCX_PUT_SIGNAL, desc,
                           sizeof desc->header.put_signal, desc->payload, 8);
}

/* Travels behind the messages, so that they have come: a message itself, by remote memory access or
 * not. */
static uint64_t read_word(uint64_t word)
{
    return PGAS_ATOMIC_LOAD(uint64_t, pgas_ptr_shift(words, (ptrdiff_t)(8 * word)), PGAS_RELAXED);
}

static void shuffle(uint64_t *state, uint64_t *order)
{
    for (uint64_t i = 0; i < COUNT; i++)
        order[i] = i;
    for (uint64_t i = COUNT; i > 1; i--) {
        uint64_t k = random_below(state, i);
        uint64_t other = order[k];
        order[k] = order[i - 1];
        order[i - 1] = other;
    }
}

/* How many from the first on have been sent. */
static uint64_t in_sequence(const bool *sent)
{
    uint64_t count = 0;
    while (count < COUNT && sent[count])
        count++;
    return count;
}

static void one_round(uint64_t *state)
{
    uint64_t order[COUNT];
    bool sent[COUNT] = {false};
    uint64_t sets = read_word(0);
    uint64_t adds = read_word(1);
    uint64_t first = pgasi_ucx_number_parts(target, COUNT);
    shuffle(state, order);
    for (uint64_t i = 0; i < COUNT; i++) {
        uint64_t k = order[i];
        bool is_set = k % 2 == 0;
        send_signal(first + k, is_set ? 0 : 1, is_set ? PGAS_SIGNAL_SET : PGAS_SIGNAL_ADD,
                    is_set ? first + k : 1);
        sent[k] = true;
        uint64_t count = in_sequence(sent);
        CHECK(read_word(1) == adds + count / 2);
        CHECK(read_word(0) == (count == 0 ? sets : first + (count - 1) / 2 * 2));
    }
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    uint64_t state = random_seed_of_thread(random_seed_of_job());
    CHECK(pgas_all_alloc((size_t)pgas_threads(), 24, &words) == PGAS_OK);
    target = (uint32_t)(pgas_mythread() + 1) % pgasi_job.threads;
    memset(pgas_local(pgas_ptr_on(words, pgas_mythread())), 0, 24);
    words.thread = target;
    pgas_barrier();
    for (int i = 0; i < ROUNDS && pgasi_net_is_up && pgasi_job.peers[target].base == NULL; i++)
        one_round(&state);
    pgas_barrier();
    pgasi_ucx_pool_free(&pool);
    words.thread = 0;
    pgas_all_free(words);
    pgas_finalize();
    return 0;
}
