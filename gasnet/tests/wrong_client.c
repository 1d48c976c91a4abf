/*
 * Makes one mistake, named by its argument, on the last node. For wrong.sh.
 */
#include "client.h"

#include <gasnet_coll.h>
#include <gasnet_tools.h>
#include <gasnet_vis.h>

#include <pthread.h>
#include <string.h>

static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
static gasnet_hsl_t other = GASNET_HSL_INITIALIZER;

enum {
    REQUEST = 128,
    REPLY,
    NOBODY
};

static const char *how;
static gasnet_token_t kept;
static volatile int is_done;

static int was_made;

static int is(const char *name)
{
    int matches = strcmp(how, name) == 0;
    was_made = was_made || matches;
    return matches;
}

static void reply(gasnet_token_t token)
{
    if (is("reply in reply"))
        gasnet_AMReplyShort0(token, REPLY);
    is_done = 1;
}

static void request(gasnet_token_t token)
{
    kept = token;
    if (is("put in handler"))
        gasnet_put_bulk(gasnet_nodes() - 1, segment_of(gasnet_nodes() - 1), how, 1);
    if (is("request in handler"))
        gasnet_AMRequestShort0(0, REPLY);
    if (is("poll in handler"))
        gasnet_AMPoll();
    if (is("barrier in handler"))
        gasnet_barrier_notify(0, 0);
    if (is("lock at reply") || is("lock at end"))
        gasnet_hsl_lock(&lock);
    if (!is("lock at end"))
        gasnet_AMReplyShort0(token, REPLY);
    if (is("two replies"))
        gasnet_AMReplyShort0(token, REPLY);
}

static void *unlock_here(void *unused)
{
    gasnet_hsl_unlock(&lock);
    return unused;
}

static void unlock_elsewhere(void)
{
    pthread_t thread;
    gasnet_hsl_lock(&lock);
    pthread_create(&thread, NULL, unlock_here, NULL);
    pthread_join(thread, NULL);
}

static void mistake_in_lock(void)
{
    if (is("lock twice")) {
        gasnet_hsl_lock(&lock);
        gasnet_hsl_lock(&lock);
    } else if (is("unlock in order")) {
        gasnet_hsl_lock(&lock);
        gasnet_hsl_lock(&other);
        gasnet_hsl_unlock(&lock);
    } else if (is("unlock elsewhere")) {
        unlock_elsewhere();
    } else if (is("unlock unlocked")) {
        gasnet_hsl_unlock(&lock);
    } else if (is("destroy locked")) {
        gasnet_hsl_lock(&lock);
        gasnet_hsl_destroy(&lock);
    } else if (is("null lock")) {
        gasnet_hsl_lock(NULL);
    } else if (is("send with lock")) {
        gasnet_hsl_lock(&lock);
        gasnet_AMRequestShort0(0, REPLY);
    } else if (is("poll with lock")) {
        gasnet_hsl_lock(&lock);
        gasnet_AMPoll();
    } else if (is("poll held")) {
        gasnet_hold_interrupts();
        gasnet_AMPoll();
    } else if (is("hold twice")) {
        gasnet_hold_interrupts();
        gasnet_hold_interrupts();
    } else if (is("resume")) {
        gasnet_resume_interrupts();
    } else if (is("send held")) {
        gasnet_hold_interrupts();
        gasnet_AMRequestShort0(0, REPLY);
    }
}

static void mistake_in_barrier(void)
{
    if (is("notify twice")) {
        gasnet_barrier_notify(0, 0);
        gasnet_barrier_notify(0, 0);
    } else if (is("notify with lock")) {
        gasnet_hsl_lock(&lock);
        gasnet_barrier_notify(0, 0);
    } else if (is("barrier held")) {
        gasnet_hold_interrupts();
        gasnet_barrier(0, 0);
    } else if (is("wait")) {
        gasnet_barrier_wait(0, 0);
    } else if (is("try")) {
        gasnet_barrier_try(0, 0);
    } else if (is("wait twice")) {
        gasnet_barrier_notify(0, 0);
        gasnet_barrier_wait(0, 0);
        gasnet_barrier_wait(0, 0);
    } else if (is("flags")) {
        gasnet_barrier_notify(0, 64);
    }
}

static void mistake_in_copy(void)
{
    char bytes[16] = {0};
    char *end = own_segment() + segments[gasnet_mynode()].size;
    if (is("node"))
        gasnet_put(gasnet_nodes(), own_segment(), bytes, 1);
    else if (is("outside"))
        gasnet_put(gasnet_mynode(), bytes, bytes, 1);
    else if (is("beyond"))
        gasnet_get(bytes, gasnet_mynode(), end - 4, 8);
    else if (is("before"))
        gasnet_put_nbi(gasnet_mynode(), own_segment() - 1, bytes, 8);
    else if (is("far"))
        gasnet_put_nb(0, segment_of(0) - 8, bytes, 4);
    else if (is("value of 0"))
        gasnet_put_val(0, segment_of(0), 1, 0);
    else if (is("value of 9"))
        gasnet_get_val(0, segment_of(0), 9);
    else if (is("sync in region")) {
        gasnet_begin_nbi_accessregion();
        gasnet_wait_syncnbi_all();
    } else if (is("region in region")) {
        gasnet_begin_nbi_accessregion();
        gasnet_begin_nbi_accessregion();
    } else if (is("end of region")) {
        gasnet_end_nbi_accessregion();
    }
}

/* Nothing, which the compiler does not see. */
static void *nothing;

static void mistake_with_null(void)
{
    char bytes[64] = {0};
    gasnet_handle_t handle;
    if (is("null put"))
        gasnet_put(0, segment_of(0), nothing, 8);
    else if (is("null get"))
        gasnet_get(nothing, 0, segment_of(0), 2000);
    else if (is("null put_nb"))
        gasnet_put_nb(0, segment_of(0), nothing, 60);
    else if (is("null put_nbi"))
        gasnet_put_nbi(0, segment_of(0), nothing, 8);
    else if (is("null get_nbi"))
        gasnet_get_nbi(nothing, 0, segment_of(0), 8);
    else if (is("null handles"))
        gasnet_wait_syncnb_all((gasnet_handle_t *)nothing, 3);
    else if (is("try null handles"))
        gasnet_try_syncnb_some((gasnet_handle_t *)nothing, 3);
    else if (is("forged handle"))
        gasnet_wait_syncnb((gasnet_handle_t)(uintptr_t)UINT64_C(0x6000000100000007));
    else if (is("sync twice") || is("try twice")) {
        handle = gasnet_put_nb(0, segment_of(0), bytes, sizeof bytes);
        gasnet_wait_syncnb(handle);
        if (is("sync twice"))
            gasnet_wait_syncnb(handle);
        gasnet_try_syncnb(handle);
    }
}

static void mistake_in_null_list(void)
{
    char bytes[16] = {0};
    void *there[] = {segment_of(0)};
    void *here[] = {nothing};
    gasnet_memvec_t inside = {segment_of(0), 16};
    gasnet_memvec_t local = {bytes, 16};
    gasnet_memvec_t missing = {nothing, 16};
    size_t count[] = {4, 2};
    size_t strides[] = {8};
    if (is("null remote list"))
        gasnet_putv_bulk(0, 1, (gasnet_memvec_t *)nothing, 1, &local);
    else if (is("null local list"))
        gasnet_getv_nbi_bulk(1, (gasnet_memvec_t *)nothing, 0, 1, &inside);
    else if (is("null entry"))
        gasnet_putv_nb_bulk(0, 1, &inside, 1, &missing);
    else if (is("null index"))
        gasnet_puti_nb_bulk(0, 1, there, 16, 1, here, 16);
    else if (is("null index list"))
        gasnet_geti_bulk(1, (void **)nothing, 16, 0, 1, there, 16);
    else if (is("null strides"))
        gasnet_puts_bulk(0, segment_of(0), (size_t *)nothing, bytes, strides, count, 1);
    else if (is("null counts"))
        gasnet_gets_nb_bulk(bytes, strides, 0, segment_of(0), strides, (size_t *)nothing, 1);
    else if (is("null section"))
        gasnet_gets_nb_bulk(nothing, strides, 0, segment_of(0), strides, count, 1);
}

static void mistake_in_list(void)
{
    char bytes[16] = {0};
    gasnet_memvec_t inside = {segment_of(0), 16};
    gasnet_memvec_t outside = {segment_of(0) - 8, 16};
    gasnet_memvec_t local = {bytes, 16};
    gasnet_memvec_t less = {bytes, 8};
    if (is("list outside"))
        gasnet_putv_bulk(0, 1, &outside, 1, &local);
    else if (is("list totals"))
        gasnet_putv_bulk(0, 1, &inside, 1, &less);
    else if (is("team"))
        gasnet_coll_broadcast(GASNET_TEAM_ALL, bytes, 0, bytes, 1, 0);
}

static bool is_in_collective(void)
{
    return strncmp(how, "coll ", 5) == 0;
}

static void reduce_again(void *results, size_t result_count, const void *left_operands,
                         size_t left_count, const void *right_operands, size_t elem_size, int flags,
                         int arg)
{
    (void)result_count;
    (void)left_operands;
    (void)left_count;
    (void)right_operands;
    (void)flags;
    (void)arg;
    gasnet_coll_broadcast_nb(GASNET_TEAM_ALL, results, 0, results, elem_size,
                             GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC);
}

static const gasnet_coll_fn_entry_t functions[] = {{(gasnet_coll_fn_t)reduce_again, 0}};

static void mistake_in_collective(void)
{
    const int sync = GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC;
    const int flags = sync | GASNET_COLL_LOCAL;
    char bytes[16] = {0};
    if (is("coll init twice"))
        gasnet_coll_init(NULL, 0, NULL, 0, 0);
    else if (is("coll scope"))
        gasnet_coll_broadcast(GASNET_TEAM_ALL, bytes, 0, bytes, 1, sync);
    else if (is("coll modes"))
        gasnet_coll_broadcast(GASNET_TEAM_ALL, bytes, 0, bytes, 1, flags | GASNET_COLL_IN_ALLSYNC);
    else if (is("coll image"))
        gasnet_coll_gather(GASNET_TEAM_ALL, 2, bytes, bytes, 1, flags);
    else if (is("coll segment"))
        gasnet_coll_gather_all(GASNET_TEAM_ALL, bytes + 8, bytes, 4,
                               flags | GASNET_COLL_SRC_IN_SEGMENT);
    else if (is("coll function"))
        gasnet_coll_reduce(GASNET_TEAM_ALL, 0, bytes, bytes + 8, 1, 0, 4, 2, 0, 0, flags);
    else if (is("coll scan"))
        gasnet_coll_scan(GASNET_TEAM_ALL, bytes, 1, 0, bytes + 8, 1, 0, 4, 2, 0, 0, flags);
    else if (is("coll nested"))
        gasnet_coll_reduce(GASNET_TEAM_ALL, 0, bytes, bytes + 8, 0, gasnet_mynode(), 4, 2, 0, 0,
                           flags);
    else if (is("coll aggregate"))
        gasnet_coll_exchange(GASNET_TEAM_ALL, bytes, bytes + 8, 4, flags | GASNET_COLL_AGGREGATE);
    else if (is("coll handle"))
        gasnet_coll_wait_sync((gasnet_coll_handle_t)(void *)bytes);
}

/* The handle of an operation that is complete, while another one is in flight. */
static void sync_collective_twice(bool is_wrong)
{
    const int flags = GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC | GASNET_COLL_LOCAL;
    char bytes[16] = {0};
    gasnet_coll_handle_t first =
        gasnet_coll_broadcast_nb(GASNET_TEAM_ALL, bytes, 0, bytes + 8, 4, flags);
    gasnet_coll_wait_sync(first);
    gasnet_coll_handle_t second =
        gasnet_coll_broadcast_nb(GASNET_TEAM_ALL, bytes, 0, bytes + 8, 4, flags);
    if (is_wrong)
        gasnet_coll_wait_sync(first);
    while (gasnet_coll_try_sync(second) != GASNET_OK)
        gasnet_AMPoll();
}

static void mistake_with_message(void)
{
    if (is("no handler"))
        gasnet_AMRequestShort0(0, NOBODY);
    else if (!is("nothing"))
        gasnet_AMRequestShort0(is("late reply") ? gasnet_mynode() : 0, REQUEST);
    while (!is_done)
        gasnet_AMPoll();
    if (is("late reply"))
        gasnet_AMReplyLong0(kept, REPLY, how, 1, own_segment());
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{REQUEST, (void (*)())request}, {REPLY, (void (*)())reply}};
    const char *rank = getenv("PMIX_RANK");
    how = argv[1];
    if (is("early"))
        gasnet_put(0, NULL, argv, 8);
    if (is("init again")) {
        CHECK(gasnet_init(&argc, &argv) == GASNET_ERR_RESOURCE);
        CHECK(gasnet_init(&argc, &argv) == GASNET_ERR_RESOURCE);
        fputs("refused twice\n", stderr);
        abort();
    }
    if (is("early barrier"))
        gasnet_barrier_notify(0, 0);
    if (is("early in a job") && rank != NULL && strcmp(rank, "1") == 0)
        gasnet_put(0, NULL, argv, 8);
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_attach(table, 2, GASNET_PAGESIZE, 0) == GASNET_OK);
    segments = malloc(gasnet_nodes() * sizeof *segments);
    gasnet_getSegmentInfo(segments, (int)gasnet_nodes());
    meet();
    const bool is_wrong = gasnet_mynode() + 1 == gasnet_nodes();
    const gasnet_image_t images[] = {1, 1};
    if (is_in_collective())
        gasnet_coll_init(is_wrong && is("coll init images") ? images : NULL, 0, functions,
                         is("coll nested") ? 1 : 0, is_wrong && is("coll init flags"));
    if (is("coll sync twice"))
        sync_collective_twice(is_wrong);
    if (is_wrong) {
        mistake_in_lock();
        mistake_in_barrier();
        was_made = 0;
        mistake_in_copy();
        mistake_in_list();
        mistake_with_null();
        mistake_in_null_list();
        if (was_made)
            gasnet_exit(0); /* and nobody has noticed */
        if (is_in_collective())
            mistake_in_collective();
        mistake_with_message();
    }
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    for (;;)
        gasnet_AMPoll();
}
