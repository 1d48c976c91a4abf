/*
 * Named split-phase barriers of version 1.8: what is a mismatch and what not, on every node; the
 * phases after a mismatch; try; ids that are extreme; operations that barriers do not complete.
 * With LATER the barriers of 1.20 and later releases. gasnet_barrier in parentheses is the
 * function, which does not tell that the program is one for these.
 */
#include "client.h"

#include <limits.h>

enum {
    GOOD_PHASES = 100
};

#ifdef LATER
/* A program that asks for the name of a barrier: 1.20 and later releases. */
enum {
    FLAGS_DIFFER = GASNET_OK
};

static void check_result(int is_named, int name)
{
    int id = 4711;
    CHECK((gasnet_barrier_result(&id) == 0) == (is_named != 0));
    CHECK(id == (is_named ? name : 4711));
}
#else
enum {
    FLAGS_DIFFER = GASNET_ERR_BARRIER_MISMATCH
};

static void check_result(int is_named, int name)
{
    (void)is_named;
    (void)name;
}
#endif

static int phase(int id, int notify_flags, int wait_id, int wait_flags)
{
    gasnet_barrier_notify(id, notify_flags);
    return gasnet_barrier_wait(wait_id, wait_flags);
}

static int named(int id)
{
    return phase(id, 0, id, 0);
}

static int anonymous(int id)
{
    return phase(id, GASNET_BARRIERFLAG_ANONYMOUS, id, GASNET_BARRIERFLAG_ANONYMOUS);
}

static int mismatch_if(int condition)
{
    return condition ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK;
}

static void check_good_phases(void)
{
    for (int i = 0; i < GOOD_PHASES; i++) {
        CHECK(named(i) == GASNET_OK);
        CHECK(anonymous((int)gasnet_mynode()) == GASNET_OK);
    }
}

static void check_arguments_of_wait(void)
{
    const int anonymous_flag = GASNET_BARRIERFLAG_ANONYMOUS;
    const int mismatch_flag = GASNET_BARRIERFLAG_MISMATCH;
    check_result(false, 0);
    CHECK(phase(1, 0, 2, 0) == GASNET_ERR_BARRIER_MISMATCH);
    CHECK(phase(1, anonymous_flag, 1, 0) == FLAGS_DIFFER);
    check_result(false, 0);
    CHECK(phase(1, 0, 1, anonymous_flag) == FLAGS_DIFFER);
    check_result(true, 1);
    CHECK(phase(1, anonymous_flag, 2, anonymous_flag) == GASNET_OK);
    check_result(false, 0);
    const int unnamed_flag = GASNET_BARRIERFLAG_UNNAMED;
    CHECK(phase(3, unnamed_flag, 3, unnamed_flag) == GASNET_OK);
    check_result(false, 0);
    CHECK(phase(1, 0, 1, mismatch_flag) == GASNET_ERR_BARRIER_MISMATCH);
    CHECK(phase(1, anonymous_flag, 1, mismatch_flag) == GASNET_ERR_BARRIER_MISMATCH);
    CHECK(named(INT_MIN) == GASNET_OK);
    check_result(true, INT_MIN);
    CHECK(named(INT_MAX) == GASNET_OK);
    CHECK(phase(INT_MIN, 0, 3, 0) == GASNET_ERR_BARRIER_MISMATCH);
    CHECK(named(-1) == GASNET_OK);
    CHECK((gasnet_barrier)(4, 0) == GASNET_OK);
}

/* One node differs from the others, each in turn. */
static void check_one(gasnet_node_t one)
{
    const int is_one = gasnet_mynode() == one;
    const int several = gasnet_nodes() > 1;
    CHECK(named(is_one) == mismatch_if(several));
    CHECK(named(is_one ? INT_MIN : 7) == mismatch_if(several));
    check_result(!several, INT_MIN);
    CHECK((is_one ? anonymous(123) : named(456)) == GASNET_OK);
    check_result(several, 456);
    CHECK((is_one ? named(123) : anonymous(456)) == GASNET_OK);
    check_result(true, 123);
    CHECK((is_one ? phase(1, GASNET_BARRIERFLAG_ANONYMOUS, 456, 0) : named(456)) ==
          (is_one ? FLAGS_DIFFER : GASNET_OK));
    check_result(several, 456);
    CHECK((is_one ? phase(1, GASNET_BARRIERFLAG_ANONYMOUS, 1, 0) : named(456)) ==
          (is_one && several ? GASNET_ERR_BARRIER_MISMATCH
           : is_one          ? FLAGS_DIFFER
                             : GASNET_OK));
    check_result(several, 456);
    int flags = is_one ? GASNET_BARRIERFLAG_MISMATCH : 0;
    CHECK(phase(0, flags, 0, flags) == GASNET_ERR_BARRIER_MISMATCH);
    flags = is_one ? GASNET_BARRIERFLAG_MISMATCH : GASNET_BARRIERFLAG_ANONYMOUS;
    CHECK(phase(0, flags, 0, flags) == GASNET_ERR_BARRIER_MISMATCH);
    check_result(false, 0);
    CHECK(named(8) == GASNET_OK);
    check_result(true, 8);
    CHECK((gasnet_barrier)(is_one, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_OK);
    check_result(false, 0);
}

/* Two names among anonymous ones. */
static void check_two(gasnet_node_t one, gasnet_node_t other)
{
    if (gasnet_mynode() == one)
        CHECK(named(1) == GASNET_ERR_BARRIER_MISMATCH);
    else if (gasnet_mynode() == other)
        CHECK(named(2) == GASNET_ERR_BARRIER_MISMATCH);
    else
        CHECK(anonymous(3) == GASNET_ERR_BARRIER_MISMATCH);
}

static void check_pairs(void)
{
    for (gasnet_node_t i = 0; i < gasnet_nodes(); i++) {
        check_one(i);
        for (gasnet_node_t j = 0; j < gasnet_nodes(); j++)
            if (i != j)
                check_two(i, j);
    }
}

enum {
    ASK = 128,
    ANSWER,
    TELL
};

static volatile gasnet_node_t answers;

static void take_ask(gasnet_token_t token)
{
    CHECK(gasnet_AMReplyShort0(token, ANSWER) == GASNET_OK);
}

static void take_answer(gasnet_token_t token)
{
    (void)token;
    answers++;
}

/* Who tries runs handlers: node 0 notifies when all others, which do nothing but try, have replied
 * to it. */
static void ask_all(void)
{
    for (gasnet_node_t i = 1; i < gasnet_nodes(); i++)
        CHECK(gasnet_AMRequestShort0(i, ASK) == GASNET_OK);
    GASNET_BLOCKUNTIL(answers == gasnet_nodes() - 1);
}

/* Not ready while a node is missing: node 0 notifies when all others have found that. */
static void check_try(void)
{
    uint64_t *count = (uint64_t *)(void *)own_segment();
    const gasnet_node_t others = gasnet_nodes() - 1;
    if (gasnet_mynode() != 0) {
        gasnet_barrier_notify(5, 0);
        for (int i = 0; i < 100; i++)
            CHECK(gasnet_barrier_try(5, 0) == GASNET_ERR_NOT_READY);
        gasnet_put_val(0, segment_of(0) + 8 * gasnet_mynode(), 1, 8);
    } else {
        gasnet_node_t seen = 0;
        while (seen < others) {
            CHECK(gasnet_AMPoll() == GASNET_OK);
            seen = 0;
            for (gasnet_node_t i = 1; i <= others; i++)
                seen += gasnet_get_val(0, &count[i], 8) != 0;
        }
        ask_all();
        gasnet_barrier_notify(5, 0);
    }
    int result;
    while ((result = gasnet_barrier_try(5, 0)) == GASNET_ERR_NOT_READY)
        continue;
    CHECK(result == GASNET_OK);
    gasnet_barrier_notify(6, 0);
    while ((result = gasnet_barrier_try(7, 0)) == GASNET_ERR_NOT_READY)
        continue;
    CHECK(result == GASNET_ERR_BARRIER_MISMATCH);
}

/* A barrier between start and sync changes nothing. */
static void check_in_flight(void)
{
    const gasnet_node_t next = (gasnet_mynode() + 1) % gasnet_nodes();
    char *mine = malloc(GASNET_PAGESIZE);
    fill(mine, gasnet_mynode(), GASNET_PAGESIZE);
    gasnet_handle_t handle = gasnet_put_nb_bulk(next, segment_of(next), mine, GASNET_PAGESIZE);
    gasnet_put_nbi(next, segment_of(next) + GASNET_PAGESIZE, mine, 64);
    CHECK(named(9) == GASNET_OK);
    gasnet_wait_syncnb(handle);
    gasnet_wait_syncnbi_puts();
    CHECK(named(10) == GASNET_OK);
    gasnet_node_t before = (gasnet_mynode() + gasnet_nodes() - 1) % gasnet_nodes();
    CHECK(is_filled(own_segment(), before, GASNET_PAGESIZE));
    CHECK(is_filled(own_segment() + GASNET_PAGESIZE, before, 64));
    free(mine);
}

static volatile gasnet_node_t tells;

static void take_tell(gasnet_token_t token)
{
    (void)token;
    tells++;
}

/* What the own supernode has sent before the barrier has run when the wait returns. */
static void check_run(gasnet_node_t round)
{
    enum {
        EACH = 5 /* a poll runs a bounded number */
    };
    gasnet_nodeinfo_t *all = (gasnet_nodeinfo_t *)malloc(gasnet_nodes() * sizeof *all);
    gasnet_node_t senders = 0;
    CHECK(all != NULL && gasnet_getNodeInfo(all, (int)gasnet_nodes()) == GASNET_OK);
    for (gasnet_node_t i = 1; i < gasnet_nodes(); i++)
        senders += all[i].supernode == all[0].supernode;
    if (gasnet_mynode() != 0 && all[gasnet_mynode()].supernode == all[0].supernode)
        for (int i = 0; i < EACH; i++)
            CHECK(gasnet_AMRequestShort0(0, TELL) == GASNET_OK);
    CHECK(named(11) == GASNET_OK);
    CHECK(gasnet_mynode() != 0 || tells >= EACH * senders * round);
    free(all);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t handlers[] = {{ASK, (void (*)())take_ask},
                                        {ANSWER, (void (*)())take_answer},
                                        {TELL, (void (*)())take_tell}};
    start_with(&argc, &argv, 2 * GASNET_PAGESIZE, handlers, 3);
    memset(own_segment(), 0, 2 * GASNET_PAGESIZE);
    check_good_phases();
    check_arguments_of_wait();
    check_pairs();
    check_good_phases();
    check_try();
    meet();
    check_in_flight();
    for (gasnet_node_t round = 1; round <= 20; round++)
        check_run(round);
    check_good_phases();
    gasnet_exit(0);
}
