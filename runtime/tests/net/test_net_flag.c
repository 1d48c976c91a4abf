/**
 * Data, then a flag: a thread that sees the flag in its own memory sees the data. Both directions
 * at once, by value access and by memput, small and large; and with the data in a third thread's
 * memory, where no connection keeps the two in order.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "job_random.h"

enum {
    SMALL_TURNS = 1000,
    LARGE_TURNS = 60,
    LARGEST = (1 << 20) + 24,
    THIRD_PARTY_TURNS = 3,
    /* More than sockets hold. */
    HUGE_WORDS = 3 << 20
};

/* In every segment: written by the thread before, read by the owner. */
typedef struct mailbox {
    uint64_t flag;
    uint64_t nbytes;
    unsigned char away[48]; /* to another cache line */
    unsigned char data[LARGEST];
} mailbox_t;

static pgas_ptr_t mailboxes;

static pgas_ptr_t field(size_t thread, size_t offset)
{
    pgas_ptr_t ptr = mailboxes;
    ptr.thread = (uint32_t)thread;
    ptr.offset += offset;
    return ptr;
}

/* The data of a round: no two rounds agree in any word. */
static uint64_t word_of(uint64_t turn, uint64_t i)
{
    return (turn * UINT64_C(0x9e3779b97f4a7c15)) ^ (i * UINT64_C(0xbf58476d1ce4e5b9));
}

static void raise_flag(size_t thread, uint64_t turn, bool by_memput)
{
    pgas_ptr_t flag = field(thread, offsetof(mailbox_t, flag));
    if (by_memput)
        pgas_memput(flag, &turn, sizeof turn);
    else
        PGAS_WRITE(uint64_t, flag, turn);
}

static void send(size_t thread, uint64_t turn, uint64_t nbytes, unsigned ways)
{
    static uint64_t words[LARGEST / sizeof(uint64_t)];
    size_t count = nbytes / sizeof(uint64_t);
    for (size_t i = 0; i < count; i++)
        words[i] = word_of(turn, i);
    PGAS_WRITE(uint64_t, field(thread, offsetof(mailbox_t, nbytes)), nbytes);
    if (count <= 8 && (ways & 1) != 0)
        for (size_t i = 0; i < count; i++)
            PGAS_WRITE(uint64_t, field(thread, offsetof(mailbox_t, data) + 8 * i), words[i]);
    else
        pgas_memput(field(thread, offsetof(mailbox_t, data)), words, nbytes);
    /* A blocking put is visible before the next begins; between threads of one node the two are
     * plain stores, which the fence orders for the reader. */
    pgas_fence();
    raise_flag(thread, turn, (ways & 2) != 0);
}

static mailbox_t *mailbox(void)
{
    return pgas_local(field((size_t)pgas_mythread(), 0));
}

/* Checks its own memory by plain loads: no call that would fetch anything. */
static void wait_for_flag(uint64_t turn)
{
    const volatile uint64_t *flag = &mailbox()->flag;
    uint64_t seen;
    while ((seen = *flag) != turn) {
        CHECK(seen < turn);
        pgas_fence();
        sched_yield();
    }
    pgas_fence();
}

static void receive(uint64_t turn)
{
    const mailbox_t *mine = mailbox();
    wait_for_flag(turn);
    for (size_t i = 0; i < mine->nbytes / sizeof(uint64_t); i++) {
        uint64_t word;
        memcpy(&word, mine->data + 8 * i, sizeof word);
        CHECK(word == word_of(turn, i));
    }
}

/* Each thread writes to the next one and reads what the previous one wrote; the mailbox is free
 * again when its owner has written so to the writer's memory, or after a barrier. */
static void check_turns(uint64_t *turn, uint64_t turns, size_t most, uint64_t *random)
{
    size_t next = ((size_t)pgas_mythread() + 1) % (size_t)pgas_threads();
    for (uint64_t end = *turn + turns; *turn < end; ++*turn) {
        send(next, *turn, 8 * (1 + random_size(random, most / 8 - 1)),
             (unsigned)random_below(random, 4));
        receive(*turn);
        pgas_barrier();
    }
}

/* Back and forth between two threads without a barrier between the rounds: the reply frees the
 * mailbox. */
static void check_ping_pong(uint64_t *turn, uint64_t turns, uint64_t *random)
{
    size_t me = (size_t)pgas_mythread();
    size_t other = me ^ 1;
    if (other < (size_t)pgas_threads())
        for (uint64_t i = 0; i < turns; i++) {
            uint64_t nbytes = 8 * (1 + random_size(random, 1023));
            unsigned ways = (unsigned)random_below(random, 4);
            if (me % 2 == 0)
                send(other, *turn + i, nbytes, ways);
            receive(*turn + i);
            if (me % 2 == 1)
                send(other, *turn + i, nbytes, ways);
        }
    *turn += turns;
    pgas_barrier();
}

/* `writer` puts into `keeper`'s memory and notifies `reader`, which gets the last part of it at
 * once. */
static void check_third_party(uint64_t turn, size_t writer, size_t keeper, size_t reader,
                              pgas_ptr_t huge)
{
    static uint64_t words[HUGE_WORDS];
    size_t me = (size_t)pgas_mythread();
    huge.thread = (uint32_t)keeper;
    if (me == writer) {
        for (size_t i = 0; i < HUGE_WORDS; i++)
            words[i] = word_of(turn, i);
        pgas_memput(huge, words, sizeof words);
        pgas_fence();
        raise_flag(reader, turn, false);
    }
    if (me == reader) {
        wait_for_flag(turn);
        huge.offset += sizeof(uint64_t) * (HUGE_WORDS - 1);
        CHECK(PGAS_READ(uint64_t, huge) == word_of(turn, HUGE_WORDS - 1));
    }
    pgas_barrier();
}

static void check_third_parties(uint64_t turn)
{
    size_t threads = (size_t)pgas_threads();
    pgas_ptr_t huge;
    if (threads < 3)
        return;
    CHECK(pgas_all_alloc(threads, 8 * (size_t)HUGE_WORDS, &huge) == PGAS_OK);
    for (uint64_t i = 0; i < THIRD_PARTY_TURNS; i++)
        for (size_t writer = 0; writer < threads; writer++)
            check_third_party(turn++, writer, (writer + 1) % threads, (writer + 2) % threads, huge);
    pgas_all_free(huge);
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    uint64_t random = random_seed_of_thread(random_seed_of_job());
    CHECK(pgas_all_alloc((size_t)pgas_threads(), sizeof(mailbox_t), &mailboxes) == PGAS_OK);
    memset(mailbox(), 0, sizeof(mailbox_t));
    pgas_barrier();
    uint64_t turn = 1;
    check_turns(&turn, SMALL_TURNS / 2, 64, &random);
    check_turns(&turn, LARGE_TURNS, LARGEST, &random);
    check_ping_pong(&turn, SMALL_TURNS, &random);
    check_third_parties(turn);
    pgas_all_free(mailboxes);
    pgas_finalize();
    return 0;
}
