/*
 * Mistakes with several images per node, of the last node, for wrong_images.sh: its argument names
 * one. Two nodes with two images each; in PARSYNC, with one.
 */
#include "client.h"

#include <gasnet_coll.h>

#include <pthread.h>
#include <string.h>

static const char *how;
static bool is_wrong;
static gasnet_coll_handle_t handle_of_first;
static int is_initiated;

static bool is(const char *text)
{
    return is_wrong && strcmp(how, text) == 0;
}

static void function(void *results, size_t result_count, const void *left_operands,
                     size_t left_count, const void *right_operands, size_t elem_size, int flags,
                     int arg)
{
    (void)results, (void)result_count, (void)left_operands, (void)left_count;
    (void)right_operands, (void)elem_size, (void)flags, (void)arg;
}

static const gasnet_coll_fn_entry_t functions[2] = {{(gasnet_coll_fn_t)function, 0},
                                                    {(gasnet_coll_fn_t)function, 1}};

/* Where one thread is enough for a mistake, the second one makes it. */
static void join(int is_second)
{
    gasnet_image_t images[] = {2, 2};
    gasnet_image_t number = 2 * gasnet_mynode() + (gasnet_image_t)is_second;
    if (is("other nodes"))
        images[0] = 1;
    if (is("one each"))
        images[0] = images[1] = 1;
    if (is("other nodes") || (is_second && is("taken")))
        number--;
    if (is_second && is("zero"))
        images[0] = 0;
    if (is_second && is("differ"))
        images[0] = 3;
    if (is_second && is("number"))
        number = 1;
    if (is("one") || is("count") || (is_second && is("null")))
        gasnet_coll_init(NULL, 0, functions, is("count") ? 2 : 1, 0);
    const bool has_another = is_second && is("function");
    gasnet_coll_init(images, number, functions + has_another, is_second && is("functions") ? 2 : 1,
                     0);
    if (is_second && is("twice"))
        gasnet_coll_init(images, number, functions, 1, 0);
}

static void mistake(int is_second)
{
    const int flags = GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC;
    const gasnet_team_handle_t team = GASNET_TEAM_ALL;
    static char bytes[64];
    const bool differs = is_second != 0;
    if (is("root") && differs)
        gasnet_coll_broadcast(team, bytes, 4, bytes, 1, flags);
    else if (is("operation") && differs)
        gasnet_coll_gather_all_nb(team, bytes + 8, bytes, 1, flags);
    else if (is("size"))
        gasnet_coll_broadcast_nb(team, bytes, 0, bytes, differs ? 2 : 1, flags);
    else if (is("another root"))
        gasnet_coll_broadcast_nb(team, bytes, differs ? 1 : 0, bytes, 1, flags);
    else if (is("flags"))
        gasnet_coll_broadcast_nb(team, bytes, 0, bytes, 1,
                                 differs ? flags | GASNET_COLL_AGGREGATE : flags);
    else if (is("array"))
        gasnet_coll_reduce_nb(team, 0, bytes, bytes + 8, differs ? 2 : 1, 0, 1, 4, 0, 0, flags);
    else if (is("operation"))
        gasnet_coll_broadcast_nb(team, bytes, 0, bytes, 1, flags);
    else if (is("handle") && !differs) {
        handle_of_first = gasnet_coll_broadcast_nb(team, bytes, 0, bytes, 1, flags);
        __atomic_store_n(&is_initiated, 1, __ATOMIC_SEQ_CST);
    } else if (is("handle")) {
        GASNET_BLOCKUNTIL(__atomic_load_n(&is_initiated, __ATOMIC_SEQ_CST));
        gasnet_coll_wait_sync(handle_of_first);
    }
}

#ifdef GASNET_PAR

static void *run_second(void *unused)
{
    join(1);
    mistake(1);
    for (;;)
        gasnet_AMPoll();
    return unused;
}

#endif

static void *run_no_image(void *unused)
{
    char byte;
    void *list[] = {&byte, &byte};
    if (is("no image of a list"))
        gasnet_coll_broadcastm(GASNET_TEAM_ALL, list, 0, &byte, 1,
                               GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC);
    gasnet_coll_broadcast(GASNET_TEAM_ALL, &byte, 0, &byte, 1,
                          GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    start(&argc, &argv, GASNET_PAGESIZE);
    how = argv[1];
    is_wrong = gasnet_mynode() + 1 == gasnet_nodes();
    meet();
#ifdef GASNET_PAR
    if (!is("one each") && !is("one"))
        CHECK(pthread_create(&thread, NULL, run_second, NULL) == 0);
#else
    if (!is_wrong) {
        gasnet_coll_init(NULL, 0, functions, 1, 0);
        for (;;)
            gasnet_AMPoll();
    }
#endif
    join(0);
    if (is("no image") || is("no image of a list")) {
        CHECK(pthread_create(&thread, NULL, run_no_image, NULL) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    mistake(0);
    for (;;)
        gasnet_AMPoll();
}
