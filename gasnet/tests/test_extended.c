/*
 * Puts and gets: every form, to every node, of 0 bytes to some MiB; sources that change after a
 * non-bulk put; implicit operations, access regions, syncs of several handles; values; what is
 * legal at the edges. Each argument is evaluated once.
 */
#include "client.h"

#include <pgas/stats.h>

enum {
    LARGE = 4 << 20,
    SMALL = 1 << 16,
    MANY = 65535
};

static const uintptr_t segment_size = (uintptr_t)2 * LARGE;

static const size_t sizes[] = {1,   2,   3,    4,     7,     8,     9,     16,      64,   255,
                               256, 257, 4096, 16384, 16385, 98304, 98305, 1 << 20, LARGE};

enum {
    SIZES = sizeof sizes / sizeof *sizes
};

static char *source;
static char *target;

/* The node at distance `i`, so that all nodes write to different ones at the same time. */
static gasnet_node_t neighbour(gasnet_node_t i)
{
    gasnet_node_t nodes = gasnet_nodes();
    CHECK(nodes > 0);
    return (gasnet_mynode() + i) % nodes;
}

/* All nodes write to their neighbours by `form`, and check what came. */
static void put_by(int form, gasnet_node_t distance, size_t nbytes)
{
    gasnet_node_t to = neighbour(distance);
    gasnet_node_t from = neighbour(gasnet_nodes() - distance);
    size_t seed = gasnet_mynode() + nbytes + (size_t)form;
    gasnet_handle_t handle = GASNET_INVALID_HANDLE;
    char *there = segment_of(to) + 3;
    fill(source, seed, nbytes);
    memset(own_segment(), 0x55, nbytes + 8);
    meet();
    switch (form) {
    case 0:
        gasnet_put(to, there, source, nbytes);
        break;
    case 1:
        gasnet_put_bulk(to, there, source, nbytes);
        break;
    case 2:
        handle = gasnet_put_nb(to, there, source, nbytes);
        break;
    case 3:
        handle = gasnet_put_nb_bulk(to, there, source, nbytes);
        break;
    case 4:
        gasnet_put_nbi(to, there, source, nbytes);
        break;
    default:
        gasnet_put_nbi_bulk(to, there, source, nbytes);
    }
    if (form == 2 || form == 4)
        memset(source, 0xee, nbytes); /* its own again */
    if (form == 3 && nbytes % 2 != 0)
        while (gasnet_try_syncnb(handle) == GASNET_ERR_NOT_READY)
            continue;
    else
        gasnet_wait_syncnb(handle);
    if (form == 4)
        gasnet_wait_syncnbi_puts();
    else if (form == 5)
        while (gasnet_try_syncnbi_all() != GASNET_OK)
            continue;
    meet();
    CHECK(is_filled(own_segment() + 3, from + nbytes + (size_t)form, nbytes));
    CHECK(own_segment()[2] == 0x55 && own_segment()[3 + nbytes] == 0x55);
}

static void get_by(int form, gasnet_node_t distance, size_t nbytes)
{
    gasnet_node_t from = neighbour(distance);
    gasnet_handle_t handle = GASNET_INVALID_HANDLE;
    char *there = segment_of(from) + 5;
    memset(target, 0x33, nbytes + 2);
    switch (form) {
    case 0:
        gasnet_get(target + 1, from, there, nbytes);
        break;
    case 1:
        gasnet_get_bulk(target + 1, from, there, nbytes);
        break;
    case 2:
        handle = gasnet_get_nb(target + 1, from, there, nbytes);
        break;
    case 3:
        handle = gasnet_get_nb_bulk(target + 1, from, there, nbytes);
        break;
    case 4:
        gasnet_get_nbi(target + 1, from, there, nbytes);
        break;
    default:
        gasnet_get_nbi_bulk(target + 1, from, there, nbytes);
    }
    gasnet_wait_syncnb(handle);
    if (form == 4)
        gasnet_wait_syncnbi_gets();
    else if (form == 5)
        while (gasnet_try_syncnbi_gets() != GASNET_OK)
            continue;
    CHECK(is_filled(target + 1, from, nbytes));
    CHECK(target[0] == 0x33 && target[nbytes + 1] == 0x33);
}

static void check_sizes(void)
{
    for (gasnet_node_t distance = 0; distance < gasnet_nodes(); distance++)
        for (int form = 0; form < 6; form++)
            for (int i = 0; i < SIZES; i++)
                put_by(form, distance, sizes[i]);
    fill(own_segment() + 5, gasnet_mynode(), LARGE);
    meet();
    for (gasnet_node_t distance = 0; distance < gasnet_nodes(); distance++)
        for (int form = 0; form < 6; form++)
            for (int i = 0; i < SIZES; i++)
                get_by(form, distance, sizes[i]);
    meet();
}

static void check_memset(void)
{
    gasnet_node_t to = neighbour(1);
    char *there = segment_of(to);
    memset(own_segment(), 0, SMALL);
    meet();
    gasnet_memset(to, there, 0x1ff, 10);
    gasnet_wait_syncnb(gasnet_memset_nb(to, there + 10, 2, 1000));
    gasnet_memset_nbi(to, there + 1010, 3, SMALL - 1010);
    gasnet_wait_syncnbi_puts();
    meet();
    for (int i = 0; i < SMALL; i++)
        CHECK(own_segment()[i] == (i < 10 ? (char)0xff : i < 1010 ? 2 : 3));
    meet();
}

/* Nothing happens, whatever the addresses. */
static void check_zero_bytes(void)
{
    gasnet_node_t to = neighbour(1);
    char *there = segment_of(to) + 1;
    gasnet_put(to, there, NULL, 0);
    gasnet_get(NULL, to, there, 0);
    gasnet_put_bulk(to, segment_of(to) + segment_size, NULL, 0);
    CHECK(gasnet_try_syncnb(gasnet_put_nb(to, there, NULL, 0)) == GASNET_OK);
    CHECK(gasnet_try_syncnb(gasnet_get_nb_bulk(NULL, to, there, 0)) == GASNET_OK);
    gasnet_put_nbi(to, there, NULL, 0);
    gasnet_get_nbi_bulk(NULL, to, there, 0);
    gasnet_memset(to, there, 1, 0);
    gasnet_wait_syncnb(gasnet_memset_nb(to, there, 1, 0));
    gasnet_wait_syncnbi_all();
}

/* The same bytes as source and destination. */
static void check_same(void)
{
    char *mine = own_segment();
    fill(mine, 77, SMALL);
    gasnet_put(gasnet_mynode(), mine, mine, 8);
    gasnet_put_bulk(gasnet_mynode(), mine, mine, SMALL);
    gasnet_get_bulk(mine, gasnet_mynode(), mine, SMALL);
    gasnet_wait_syncnb(gasnet_put_nb_bulk(gasnet_mynode(), mine, mine, SMALL));
    CHECK(is_filled(mine, 77, SMALL));
    meet();
}

static gasnet_register_value_t value_at(const void *at, size_t nbytes)
{
    GASNETT_VALUE_RETURN(at, nbytes);
}

static void check_values(void)
{
    const uint64_t value = UINT64_C(0x8182838485868788);
    gasnet_node_t to = neighbour(1);
    char *mine = own_segment();
    for (size_t n = 1; n <= 8; n++) {
        uint64_t low = n == 8 ? value : value & ((UINT64_C(1) << 8 * n) - 1);
        char *there = segment_of(to);
        memset(mine, 0, 64);
        meet();
        uint64_t word = 0;
        GASNETT_VALUE_ASSIGN((char *)&word + 8 - n, value, n);
        CHECK(word == (n == 8 ? value : value << 8 * (8 - n)));
        CHECK(value_at((char *)&word + 8 - n, n) == low);
        gasnet_put_val(to, there + 1, value, n);
        gasnet_wait_syncnb(gasnet_put_nb_val(to, there + 16, value, n));
        gasnet_put_nbi_val(to, there + 32, value, n);
        gasnet_wait_syncnbi_puts();
        meet();
        for (int at = 0; at < 3; at++) {
            uint64_t seen = 0;
            memcpy(&seen, mine + (at == 0 ? 1 : 16 * at), 8);
            CHECK(seen == low);
        }
        CHECK(gasnet_get_val(to, there + 1, n) == low);
        gasnet_valget_handle_t first = gasnet_get_nb_val(to, there + 16, n);
        gasnet_valget_handle_t second = gasnet_get_nb_val(to, there + 32, n);
        CHECK(gasnet_wait_syncnb_valget(second) == low);
        CHECK(gasnet_wait_syncnb_valget(first) == low);
        meet();
    }
}

static void check_several(void)
{
    gasnet_node_t to = neighbour(1);
    gasnet_handle_t handles[10] = {0};
    char *there = segment_of(to);
    CHECK(gasnet_try_syncnb_all(handles, 10) == GASNET_OK);
    CHECK(gasnet_try_syncnb_some(handles, 10) == GASNET_OK);
    CHECK(gasnet_try_syncnb_all(NULL, 0) == GASNET_OK);
    CHECK(gasnet_try_syncnb_some(NULL, 0) == GASNET_OK);
    gasnet_wait_syncnb_all(handles, 10);
    gasnet_wait_syncnb_some(handles, 10);
    for (int way = 0; way < 4; way++) {
        for (int i = 0; i < 10; i++)
            handles[i] = i % 3 == 2 ? GASNET_INVALID_HANDLE
                                    : gasnet_put_nb(to, there + i * SMALL, source, SMALL);
        if (way == 0)
            gasnet_wait_syncnb_all(handles, 10);
        while (way == 1 && gasnet_try_syncnb_all(handles, 10) == GASNET_ERR_NOT_READY)
            continue;
        for (int left = 1; way >= 2 && left > 0;) {
            left = 0;
            if (way == 2)
                gasnet_wait_syncnb_some(handles, 10);
            else
                while (gasnet_try_syncnb_some(handles, 10) == GASNET_ERR_NOT_READY)
                    continue;
            for (int i = 0; i < 10; i++)
                left += handles[i] != GASNET_INVALID_HANDLE;
        }
        for (int i = 0; i < 10; i++)
            CHECK(handles[i] == GASNET_INVALID_HANDLE);
    }
    meet();
}

/* The most that a client may have in flight, synchronised backwards, with a barrier between. */
static void check_many(void)
{
    gasnet_node_t to = neighbour(1);
    gasnet_handle_t *handles = malloc(MANY * sizeof(gasnet_handle_t));
    gasnet_valget_handle_t *values = malloc(MANY * sizeof *values);
    uint64_t *mine = (uint64_t *)(void *)own_segment();
    for (uint64_t i = 0; i < MANY; i++)
        handles[i] = gasnet_put_nb(to, segment_of(to) + 8 * i, &i, 8);
    meet();
    for (uint64_t i = MANY; i-- > 0;)
        gasnet_wait_syncnb(handles[i]);
    meet();
    for (uint64_t i = 0; i < MANY; i++)
        CHECK(mine[i] == i);
    for (uint64_t i = 0; i < MANY; i++)
        values[i] = gasnet_get_nb_val(to, segment_of(to) + 8 * i, 8);
    for (uint64_t i = MANY; i-- > 0;)
        CHECK(gasnet_wait_syncnb_valget(values[i]) == i);
    meet();
    for (uint64_t i = 0; i < MANY; i++) {
        uint64_t other[2] = {~i, i};
        gasnet_put_nbi(to, segment_of(to) + 16 * i, other, 16);
    }
    gasnet_wait_syncnbi_all();
    meet();
    for (uint64_t i = 0; i < MANY; i++)
        CHECK(mine[2 * i] == ~i && mine[2 * i + 1] == i);
    free(handles);
    free(values);
    meet();
}

/* Operations of a region belong to its handle alone. */
static void check_regions(void)
{
    gasnet_node_t to = neighbour(1);
    char *there = segment_of(to);
    memset(own_segment(), 0, LARGE);
    fill(own_segment() + LARGE, gasnet_mynode(), SMALL);
    fill(source, 5, LARGE);
    meet();
    gasnet_begin_nbi_accessregion();
    gasnet_handle_t empty = gasnet_end_nbi_accessregion();
    CHECK(empty == GASNET_INVALID_HANDLE);
    gasnet_put_nbi(to, there, source, SMALL);
    gasnet_begin_nbi_accessregion();
    gasnet_put_nbi(to, there + SMALL, source, SMALL);
    gasnet_put_nbi_val(to, there + 2 * SMALL, 9, 1);
    gasnet_get_nbi(target, to, there + LARGE, SMALL);
    gasnet_handle_t explicit = gasnet_put_nb_bulk(to, there + 4 * SMALL, source, SMALL);
    gasnet_wait_syncnb(explicit);
    gasnet_memset_nbi(to, there + 3 * SMALL, 6, SMALL);
    gasnet_handle_t region = gasnet_end_nbi_accessregion();
    gasnet_wait_syncnbi_all();
    gasnet_wait_syncnb(region);
    CHECK(is_filled(target, to, SMALL));
    meet();
    CHECK(is_filled(own_segment(), 5, SMALL) && is_filled(own_segment() + SMALL, 5, SMALL));
    CHECK(own_segment()[2 * SMALL] == 9);
    CHECK(own_segment()[3 * SMALL] == 6 && own_segment()[4 * SMALL - 1] == 6);
    CHECK(is_filled(own_segment() + 4 * SMALL, 5, SMALL));
    meet();
}

/* Memory that nobody has touched yet. */
static void check_untouched(void)
{
    gasnet_node_t to = neighbour(1);
    char *last = segment_of(to) + segment_size - GASNET_PAGESIZE;
    CHECK(gasnet_get_val(to, last + 8, 8) == 0);
    gasnet_put_val(to, last + 16, 4, 4);
    meet();
    CHECK(own_segment()[segment_size - GASNET_PAGESIZE + 16] == 4);
    meet();
}

/* What the inline functions count is what Fathom's own copies would. PAR adds it up at the end. */
static void check_counts(void)
{
#ifndef GASNET_PAR
    gasnet_node_t to = neighbour(1);
    uint64_t value = 1;
    pgas_traffic_t puts = pgas_stats_with((int)to, PGAS_CONTIGUOUS, PGAS_TO);
    pgas_traffic_t gets = pgas_stats_with((int)to, PGAS_CONTIGUOUS, PGAS_FROM);
    gasnet_put(to, segment_of(to), &value, 8);
    gasnet_put_bulk(to, segment_of(to), source, 1000);
    gasnet_memset(to, segment_of(to), 0, 100);
    gasnet_get(&value, to, segment_of(to), 4);
    pgas_traffic_t more_puts = pgas_stats_with((int)to, PGAS_CONTIGUOUS, PGAS_TO);
    pgas_traffic_t more_gets = pgas_stats_with((int)to, PGAS_CONTIGUOUS, PGAS_FROM);
    CHECK(more_puts.operations == puts.operations + 3 && more_puts.bytes == puts.bytes + 1108);
    CHECK(more_gets.operations == gets.operations + 1 && more_gets.bytes == gets.bytes + 4);
#endif
}

static int evaluations;

static gasnet_node_t once(gasnet_node_t node)
{
    evaluations++;
    return node;
}

static void check_evaluations(void)
{
    char *at = own_segment();
    gasnet_node_t me = gasnet_mynode();
    char value = 1;
    size_t n = 1;
    int id = 3;
    gasnet_put(once(me), at++, &value, n++);
    gasnet_put_nb(once(me), at++, &value, 1);
    gasnet_put_val(once(me), at++, n++, 1);
    gasnet_get(&value, once(me), at++, 1);
    gasnet_memset(once(me), at++, 0, 1);
    CHECK(evaluations == 5 && at == own_segment() + 5 && n == 3);
    gasnet_barrier_notify(id++, 0);
    CHECK(gasnet_barrier_wait(id++ - 1, 0) == GASNET_OK);
    gasnet_barrier_notify(id++);
    CHECK(gasnet_barrier_wait(id++ - 1) == GASNET_OK);
    CHECK(id == 7);
}

int main(int argc, char **argv)
{
    source = malloc(LARGE);
    target = malloc(LARGE + 2);
    start(&argc, &argv, segment_size);
    check_untouched();
    check_sizes();
    check_memset();
    check_zero_bytes();
    check_same();
    check_values();
    check_several();
    check_many();
    check_regions();
    check_evaluations();
    check_counts();
    meet();
    gasnet_exit(0);
}
