/*
 * Client threads of PAR: several put, get, send and wait at once; barriers by different threads;
 * handlers under locks; threads that come and go; implicit operations and regions of their own;
 * waits that last leave the processor to others; copies in place.
 */
#include "client.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <gasnet_tools.h>

enum {
    THREADS = 4,
    ROUNDS = 200,
    PIECE = 4096,
    SHORT_LIVES = 500,
    LONG_US = 300000,
    REQUEST = 128,
    REPLY,
    BULK
};

static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
static long locked_count;
static gasnett_atomic_t handled = gasnett_atomic_init(0);
static gasnet_threadinfo_t infos[THREADS];
static int flag_of_process;

/* A request carries the address of the flag that its reply raises. */
static void request(gasnet_token_t token, gasnet_handlerarg_t high, gasnet_handlerarg_t low)
{
    gasnet_hsl_lock(&lock);
    locked_count++;
    gasnet_hsl_unlock(&lock);
    gasnett_atomic_increment(&handled, 0);
    gasnet_AMReplyShort2(token, REPLY, high, low);
}

static void reply(gasnet_token_t token, gasnet_handlerarg_t high, gasnet_handlerarg_t low)
{
    (void)token;
    uintptr_t flag = (uintptr_t)(uint32_t)high << 32 | (uint32_t)low;
    __atomic_fetch_add((int *)flag, 1, __ATOMIC_RELEASE);
}

static void bulk(gasnet_token_t token, void *buf, size_t nbytes, gasnet_handlerarg_t high,
                 gasnet_handlerarg_t low)
{
    CHECK(nbytes == PIECE && ((char *)buf)[7] == ((char *)buf)[8]);
    request(token, high, low);
}

static char *place(gasnet_node_t node, size_t thread)
{
    return segment_of(node) + thread * 4 * PIECE;
}

static void send_and_wait(gasnet_node_t to, char *mine)
{
    static _Thread_local int flag;
    gasnet_handlerarg_t high = (gasnet_handlerarg_t)((uintptr_t)&flag >> 32);
    gasnet_handlerarg_t low = (gasnet_handlerarg_t)(uintptr_t)&flag;
    int before = __atomic_load_n(&flag, __ATOMIC_ACQUIRE);
    CHECK(gasnet_AMRequestShort2(to, REQUEST, high, low) == GASNET_OK);
    CHECK(gasnet_AMRequestMedium2(to, BULK, mine, PIECE, high, low) == GASNET_OK);
    GASNET_BLOCKUNTIL(__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == before + 2);
}

static void round_of(gasnet_node_t to, size_t thread, int round, char *mine, char *back)
{
    char *there = place(to, gasnet_mynode() * THREADS + thread);
    memset(mine, round + (int)thread, PIECE);
    gasnet_put_bulk(to, there, mine, PIECE);
    gasnet_get_bulk(back, to, there, PIECE);
    CHECK(memcmp(mine, back, PIECE) == 0);
    gasnet_handle_t put = gasnet_put_nb(to, there + PIECE, mine, PIECE);
    gasnet_put_nbi(to, there + 2 * PIECE, mine, PIECE);
    gasnet_begin_nbi_accessregion();
    gasnet_put_nbi_bulk(to, there + 3 * PIECE, mine, PIECE);
    gasnet_handle_t region = gasnet_end_nbi_accessregion();
    send_and_wait(to, mine);
    gasnet_wait_syncnbi_all();
    gasnet_wait_syncnb(region);
    while (gasnet_try_syncnb(put) != GASNET_OK)
        continue;
    for (int i = 1; i < 4; i++) {
        memset(back, 0, PIECE);
        gasnet_get_nbi(back, to, there + i * PIECE, PIECE);
        gasnet_wait_syncnbi_gets();
        CHECK(memcmp(mine, back, PIECE) == 0);
    }
    CHECK(gasnet_wait_syncnb_valget(gasnet_get_nb_val(to, there, 1)) ==
          (unsigned char)(round + (int)thread));
    gasnet_hsl_lock(&lock);
    locked_count++;
    gasnet_hsl_unlock(&lock);
}

static void *work(void *argument)
{
    size_t thread = (size_t)(uintptr_t)argument;
    char *mine = (char *)malloc(PIECE);
    char *back = (char *)malloc(PIECE);
    infos[thread] = GASNET_GET_THREADINFO();
    CHECK(infos[thread] == GASNET_GET_THREADINFO());
    for (int round = 0; round < ROUNDS; round++)
        round_of((gasnet_mynode() + (gasnet_node_t)round) % gasnet_nodes(), thread, round, mine,
                 back);
    free(mine);
    free(back);
    return NULL;
}

static void run(void *(*body)(void *), size_t count)
{
    pthread_t threads[THREADS];
    for (size_t i = 0; i < count; i++)
        CHECK(pthread_create(&threads[i], NULL, body, (void *)(uintptr_t)i) == 0);
    for (size_t i = 0; i < count; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

/* A thread that leaves operations behind. */
static void *live_shortly(void *argument)
{
    gasnet_node_t to = (gasnet_mynode() + 1) % gasnet_nodes();
    (void)argument;
    gasnet_put_nbi_val(to, place(to, gasnet_mynode() * THREADS), 1, 8);
    gasnet_put_nbi(to, place(to, gasnet_mynode() * THREADS) + 8, infos, sizeof infos);
    return NULL;
}

/* Whose first call copies bytes to themselves. */
static void *copy_in_place(void *argument)
{
    const gasnet_node_t me = gasnet_mynode();
    char *here = place(me, 0);
    switch ((uintptr_t)argument) {
    case 0:
        gasnet_put(me, here, here, PIECE);
        gasnet_put_nbi_bulk(me, here, here, PIECE);
        break;
    case 1:
        gasnet_get_nbi(here, me, here, PIECE);
        break;
    case 2:
        CHECK(gasnet_put_nb(me, here, here, PIECE) == GASNET_INVALID_HANDLE);
        break;
    default:
        CHECK(gasnet_get_nb_bulk(here, me, here, PIECE) == GASNET_INVALID_HANDLE);
    }
    return NULL;
}

/* One thread notifies, another waits, and others poll. */
static void *notify_one(void *argument)
{
    (void)argument;
    gasnet_barrier_notify(1, 0);
    return NULL;
}

static int stop;

static void *poll(void *argument)
{
    (void)argument;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
        gasnet_AMPoll();
    return NULL;
}

static void check_barriers(void)
{
    pthread_t poller;
    CHECK(pthread_create(&poller, NULL, poll, NULL) == 0);
    for (int i = 0; i < 50; i++) {
        run(notify_one, 1);
        CHECK(gasnet_barrier_wait(1, 0) == GASNET_OK);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    CHECK(pthread_join(poller, NULL) == 0);
}

/* Microseconds by a clock. */
static long now_us(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

/* A wait that was not short did not keep a processor busy; both clocks at its begin. */
static void check_naps(long begin, long used)
{
    used = now_us(CLOCK_THREAD_CPUTIME_ID) - used;
    long waited = now_us(CLOCK_MONOTONIC) - begin;
    CHECK(waited < LONG_US / 2 || used < waited / 2);
}

/* Naps get longer: however busy the machine is, a wait looks at most some thousand times, before it
 * naps, and then once in half a millisecond. */
static void *wait_for_flag(void *argument)
{
    (void)argument;
    long begin = now_us(CLOCK_MONOTONIC);
    long used = now_us(CLOCK_THREAD_CPUTIME_ID);
    long looks = 0;
    GASNET_BLOCKUNTIL((looks++, __atomic_load_n(&flag_of_process, __ATOMIC_ACQUIRE) == 2));
    check_naps(begin, used);
    CHECK(looks < 3000 + (now_us(CLOCK_MONOTONIC) - begin) / 200);
    return NULL;
}

/* A thread waits for a handler, which another one makes run, and all wait for the last node. */
static void check_long_waits(void)
{
    gasnet_handlerarg_t high = (gasnet_handlerarg_t)((uintptr_t)&flag_of_process >> 32);
    gasnet_handlerarg_t low = (gasnet_handlerarg_t)(uintptr_t)&flag_of_process;
    pthread_t waiting;
    CHECK(pthread_create(&waiting, NULL, wait_for_flag, NULL) == 0);
    usleep(LONG_US);
    CHECK(gasnet_AMRequestShort2(gasnet_mynode(), REQUEST, high, low) == GASNET_OK);
    CHECK(gasnet_AMRequestShort2(gasnet_mynode(), REQUEST, high, low) == GASNET_OK);
    GASNET_BLOCKUNTIL(__atomic_load_n(&flag_of_process, __ATOMIC_ACQUIRE) == 2);
    CHECK(pthread_join(waiting, NULL) == 0);
    meet();
    if (gasnet_mynode() == gasnet_nodes() - 1)
        usleep(LONG_US);
    long begin = now_us(CLOCK_MONOTONIC);
    long used = now_us(CLOCK_THREAD_CPUTIME_ID);
    meet();
    check_naps(begin, used);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {
        {REQUEST, (void (*)())request}, {REPLY, (void (*)())reply}, {BULK, (void (*)())bulk}};
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_attach(table, 3, gasnet_nodes() * THREADS * 4 * PIECE, 0) == GASNET_OK);
    segments = (gasnet_seginfo_t *)malloc(gasnet_nodes() * sizeof *segments);
    CHECK(gasnet_getSegmentInfo(segments, (int)gasnet_nodes()) == GASNET_OK);
    meet();
    run(work, THREADS);
    meet();
    CHECK(gasnett_atomic_read(&handled, 0) == 2 * THREADS * ROUNDS);
    CHECK(locked_count == 3L * THREADS * ROUNDS);
    for (int i = 0; i < SHORT_LIVES; i++)
        run(live_shortly, 1);
    run(copy_in_place, THREADS);
    meet();
    check_barriers();
    meet();
    check_long_waits();
    meet();
    gasnet_exit(0);
}
