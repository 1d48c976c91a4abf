/**
 * The order in which threads acquire a lock that all of them want: waiting threads get it in the
 * order of the queue, and the first may be passed as often as pgas/lock.h says, and no more. The
 * test counts: the lock's owner reads the queue, and every holder records that it has the lock.
 */
#include <unistd.h>

#include "check.h"
#include "lock/lock_home.h"
#include "node/segment.h"

enum {
    MOST_THREADS = 16,
    ROUNDS = 8,
    /* How often each thread acquires the lock again at once. */
    AGAIN = 4,
    /* How often the owner does. */
    OWNER_AGAIN = 3 * PGAS_LOCK_PASSES,
    LOG_SIZE = OWNER_AGAIN + MOST_THREADS * (AGAIN + 1) + 1
};

static size_t threads;
static size_t me;

/* The holders of the lock, in order, and their number: on thread 0. */
typedef struct diary {
    pgas_array_t entries;
    pgas_array_t count;
} diary_t;

static void write_down(const diary_t *diary)
{
    size_t count = PGAS_GET(size_t, &diary->count, 0);
    CHECK(count < LOG_SIZE);
    PGAS_PUT(size_t, &diary->entries, count, me);
    PGAS_PUT(size_t, &diary->count, 0, count + 1);
}

static void use(pgas_lock_t lock, const diary_t *diary)
{
    pgas_lock(lock);
    write_down(diary);
    pgas_unlock(lock);
}

/* Finds the threads that wait for a lock of this node that the caller holds; returns their
 * number. */
static size_t read_queue(pgas_lock_t lock, size_t *queue)
{
    pgasi_lock_home_t *home = pgas_local(lock.state);
    const _Atomic uint32_t *next = pgasi_node_memory.control->next_in_queue;
    uint32_t word = (uint32_t)(me + 1) | PGASI_LOCK_QUEUED;
    size_t count = 0;
    if (!atomic_compare_exchange_strong(&home->word, &word, word | PGASI_LOCK_GUARDED))
        return 0;
    for (uint32_t waiting = atomic_load(&home->first); waiting != 0;) {
        size_t thread = (waiting & ~PGASI_LOCK_REMOTE) - 1;
        queue[count++] = thread;
        waiting = atomic_load(&next[thread]);
    }
    atomic_store(&home->word, word);
    return count;
}

/* After the owner's first entry, the threads of the queue follow in its order. */
static void check_order(const diary_t *diary, const size_t *queue)
{
    size_t count = PGAS_GET(size_t, &diary->count, 0);
    size_t at = 0;
    size_t passes = 0;
    CHECK(PGAS_GET(size_t, &diary->entries, 0) == me);
    for (size_t i = 1; i < count && at < threads - 1; i++) {
        size_t thread = PGAS_GET(size_t, &diary->entries, i);
        if (thread == queue[at]) {
            at++;
            passes = 0;
            continue;
        }
        for (size_t later = at; later < threads - 1; later++)
            CHECK(thread != queue[later]);
        bool is_far = pgas_place_of((int)queue[at]) == PGAS_REMOTE;
        CHECK(++passes <= (is_far ? 0 : PGAS_LOCK_PASSES));
    }
    CHECK(at == threads - 1);
}

static void check_round(pgas_lock_t lock, size_t owner, const diary_t *diary)
{
    size_t queue[MOST_THREADS];
    if (me == owner) {
        PGAS_PUT(size_t, &diary->count, 0, (size_t)0);
        pgas_lock(lock);
    }
    pgas_barrier();
    if (me == owner) {
        while (read_queue(lock, queue) < threads - 1)
            pgas_fence();
        write_down(diary);
        pgas_unlock(lock);
    }
    for (int i = 0; i < (me == owner ? OWNER_AGAIN : AGAIN + 1); i++)
        use(lock, diary);
    pgas_barrier();
    if (me == owner)
        check_order(diary, queue);
    pgas_barrier();
}

/* Makes a thread of the calling thread's node check its lock, as a late notification would. */
static void tell_to_look(size_t thread)
{
    pgasi_event_raise(&pgasi_header_of((uint32_t)thread)->look, 1);
}

static size_t leader_of(size_t thread)
{
    size_t leader = 0;
    while (pgas_node_of((int)leader) != pgas_node_of((int)thread))
        leader++;
    return leader;
}

/* No thread takes a late notification as a sign that the lock is free, on the owner's node or on
 * another. The lowest thread of each node, and the owner on its own node, notify the others there;
 * these wait for the lock until the owner releases it. */
static void check_late_words(pgas_lock_t lock, size_t owner, const pgas_array_t *released)
{
    enum {
        WORDS = 200
    };
    bool tells =
        me == owner || (me == leader_of(me) && pgas_node_of((int)me) != pgas_node_of((int)owner));
    if (me == owner) {
        PGAS_PUT(int, released, 0, 0);
        pgas_lock(lock);
    }
    pgas_barrier();
    for (int word = 0; tells && (word < WORDS || (me != owner && PGAS_GET(int, released, 0) == 0));
         word++) {
        for (size_t thread = 0; thread < threads; thread++)
            if (pgas_place_of((int)thread) == PGAS_LOCAL)
                tell_to_look(thread);
        pgas_fence();
        usleep(1);
    }
    if (me != owner && !tells) {
        pgas_lock(lock);
        CHECK(PGAS_GET(int, released, 0) == 1);
    } else if (me == owner) {
        PGAS_PUT(int, released, 0, 1);
    }
    if (me == owner || !tells)
        pgas_unlock(lock);
    pgas_barrier();
}

int main(void)
{
    CHECK(pgas_init() == PGAS_OK);
    threads = (size_t)pgas_threads();
    me = (size_t)pgas_mythread();
    CHECK(threads <= MOST_THREADS);
    diary_t diary;
    pgas_array_t handle;
    pgas_array_t released;
    CHECK(pgas_array_create(LOG_SIZE, sizeof(size_t), LOG_SIZE, &diary.entries) == PGAS_OK);
    CHECK(pgas_array_create(1, sizeof(size_t), 1, &diary.count) == PGAS_OK);
    CHECK(pgas_array_create(1, sizeof(pgas_lock_t), 1, &handle) == PGAS_OK);
    CHECK(pgas_array_create(1, sizeof(int), 1, &released) == PGAS_OK);
    for (size_t owner = 0; owner < threads; owner++) {
        if (me == owner) {
            pgas_lock_t made;
            CHECK(pgas_global_lock_alloc(&made) == PGAS_OK);
            PGAS_PUT(pgas_lock_t, &handle, 0, made);
        }
        pgas_barrier();
        pgas_lock_t lock = PGAS_GET(pgas_lock_t, &handle, 0);
        for (int round = 0; round < ROUNDS; round++)
            check_round(lock, owner, &diary);
        check_late_words(lock, owner, &released);
        if (me == owner)
            pgas_lock_free(lock);
        pgas_barrier();
    }
    pgas_array_free(&released);
    pgas_array_free(&handle);
    pgas_array_free(&diary.count);
    pgas_array_free(&diary.entries);
    pgas_finalize();
    return 0;
}
