/*
 * Vector, indexed and strided puts and gets, in their three forms, against a copy made by hand, of
 * random lists. The seed is printed when a check fails; it is the second argument.
 */
#include "client.h"

#include <gasnet_vis.h>

enum {
    AREA = 1 << 16,
    REGIONS = 60,
    ROUNDS = 60
};

static unsigned long seed;
static char *mine;
static char *expected;

static size_t below(size_t limit)
{
    seed = seed * 6364136223846793005UL + 1442695040888963407UL;
    return (size_t)(seed >> 33) % limit;
}

/* Regions of `total` bytes in all, ascending with holes, in an area at `base`. */
static size_t cut(gasnet_memvec_t *list, char *base, size_t total)
{
    size_t count = 0;
    size_t at = below(16);
    while (total > 0 || count == 0) {
        size_t len = count + 1 == REGIONS ? total : below(2000);
        len = len < total ? len : total;
        list[count].addr = len > 0 ? base + at : NULL;
        list[count++].len = len;
        at += len + below(30);
        total -= len;
    }
    return count;
}

static void copy_lists(size_t n, const gasnet_memvec_t *to, size_t m, const gasnet_memvec_t *from)
{
    size_t i = 0;
    size_t k = 0;
    size_t at_to = 0;
    size_t at_from = 0;
    (void)n;
    while (k < m) {
        if (at_from == from[k].len) {
            k++;
            at_from = 0;
        } else if (at_to == to[i].len) {
            i++;
            at_to = 0;
        } else {
            ((char *)to[i].addr)[at_to++] = ((char *)from[k].addr)[at_from++];
        }
    }
}

/* The same list in another area. */
static void shift(gasnet_memvec_t *list, size_t count, char *from, char *to)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].len > 0)
            list[i].addr = to + ((char *)list[i].addr - from);
}

static void complete(int form, gasnet_handle_t handle)
{
    gasnet_wait_syncnb(handle);
    if (form == 2)
        gasnet_wait_syncnbi_all();
}

static void compare(gasnet_node_t node)
{
    char *there = malloc(AREA);
    gasnet_get_bulk(there, node, segment_of(node), AREA);
    CHECK(memcmp(there, expected, AREA) == 0);
    free(there);
}

static void vector(gasnet_node_t node, int form)
{
    gasnet_memvec_t remote[REGIONS];
    gasnet_memvec_t local[REGIONS];
    gasnet_handle_t handle = GASNET_INVALID_HANDLE;
    size_t total = below(AREA / 4);
    size_t n = cut(remote, expected, total);
    size_t m = cut(local, mine, total);
    copy_lists(n, remote, m, local);
    shift(remote, n, expected, segment_of(node));
    if (form == 0)
        gasnet_putv_bulk(node, n, remote, m, local);
    else if (form == 1)
        handle = gasnet_putv_nb_bulk(node, n, remote, m, local);
    else
        gasnet_putv_nbi_bulk(node, n, remote, m, local);
    complete(form, handle);
    compare(node);
    char *back = calloc(1, AREA);
    char *reference = calloc(1, AREA);
    shift(local, m, mine, back);
    if (form == 0)
        gasnet_getv_bulk(m, local, node, n, remote);
    else if (form == 1)
        handle = gasnet_getv_nb_bulk(m, local, node, n, remote);
    else
        gasnet_getv_nbi_bulk(m, local, node, n, remote);
    complete(form, handle);
    shift(local, m, back, reference);
    shift(remote, n, segment_of(node), expected);
    copy_lists(m, local, n, remote);
    CHECK(memcmp(back, reference, AREA) == 0);
    free(back);
    free(reference);
}

static void indexed(gasnet_node_t node, int form)
{
    enum {
        COUNT = 24
    };
    void *remote[COUNT];
    void *local[2 * COUNT];
    gasnet_handle_t handle = GASNET_INVALID_HANDLE;
    size_t len = 2 * (1 + below(300));
    size_t gap = below(20);
    for (size_t i = 0; i < COUNT; i++)
        remote[i] = segment_of(node) + i * (len + gap);
    for (size_t i = 0; i < 2 * COUNT; i++)
        local[i] = mine + (2 * COUNT - 1 - i) * (len / 2 + 3);
    for (size_t i = 0; i < COUNT * len; i++)
        expected[i / len * (len + gap) + i % len] = ((char *)local[i / (len / 2)])[i % (len / 2)];
    if (form == 0)
        gasnet_puti_bulk(node, COUNT, remote, len, 2 * COUNT, local, len / 2);
    else if (form == 1)
        handle = gasnet_puti_nb_bulk(node, COUNT, remote, len, 2 * COUNT, local, len / 2);
    else
        gasnet_puti_nbi_bulk(node, COUNT, remote, len, 2 * COUNT, local, len / 2);
    complete(form, handle);
    compare(node);
    char *back = calloc(1, AREA);
    void *whole[1] = {back};
    if (form == 0)
        gasnet_geti_bulk(1, whole, COUNT * len, node, COUNT, remote, len);
    else if (form == 1)
        handle = gasnet_geti_nb_bulk(1, whole, COUNT * len, node, COUNT, remote, len);
    else
        gasnet_geti_nbi_bulk(1, whole, COUNT * len, node, COUNT, remote, len);
    complete(form, handle);
    for (size_t i = 0; i < COUNT * len; i++)
        CHECK(back[i] == expected[i / len * (len + gap) + i % len]);
    free(back);
}

static void strided(gasnet_node_t node, int form)
{
    size_t count[3] = {1 + below(50), 1 + below(9), 1 + below(7)};
    size_t there[2] = {count[0] + below(9), 0};
    size_t here[2] = {count[0] + below(5), 0};
    there[1] = there[0] * count[1] + below(40);
    here[1] = here[0] * count[1] + below(30);
    gasnet_handle_t handle = GASNET_INVALID_HANDLE;
    char *back = calloc(1, AREA);
    for (size_t i = 0; i < count[2]; i++)
        for (size_t k = 0; k < count[1]; k++)
            memcpy(expected + i * there[1] + k * there[0], mine + i * here[1] + k * here[0],
                   count[0]);
    if (form == 0)
        gasnet_puts_bulk(node, segment_of(node), there, mine, here, count, 2);
    else if (form == 1)
        handle = gasnet_puts_nb_bulk(node, segment_of(node), there, mine, here, count, 2);
    else
        gasnet_puts_nbi_bulk(node, segment_of(node), there, mine, here, count, 2);
    complete(form, handle);
    compare(node);
    if (form == 0)
        gasnet_gets_bulk(back, here, node, segment_of(node), there, count, 2);
    else if (form == 1)
        handle = gasnet_gets_nb_bulk(back, here, node, segment_of(node), there, count, 2);
    else
        gasnet_gets_nbi_bulk(back, here, node, segment_of(node), there, count, 2);
    complete(form, handle);
    for (size_t i = 0; i < count[2]; i++)
        for (size_t k = 0; k < count[1]; k++)
            CHECK(memcmp(back + i * here[1] + k * here[0], mine + i * here[1] + k * here[0],
                         count[0]) == 0);
    free(back);
}

/* What does nothing, whatever the rest; and a section that is contiguous. */
static void edges(gasnet_node_t node)
{
    size_t none[2] = {8, 0};
    size_t bytes[1] = {32};
    gasnet_putv_bulk(node, 0, NULL, 0, NULL);
    gasnet_getv_bulk(0, NULL, node, 0, NULL);
    gasnet_puti_bulk(node, 0, NULL, 0, 0, NULL, 0);
    gasnet_wait_syncnb(gasnet_geti_nb_bulk(0, NULL, 0, node, 0, NULL, 0));
    gasnet_puts_bulk(node, NULL, none, NULL, none, none, 1);
    gasnet_wait_syncnb(gasnet_gets_nb_bulk(NULL, none, node, NULL, none, none, 1));
    /* A count of 0 anywhere, whatever the other arguments are. */
    size_t nothing[4] = {0, (size_t)1 << 20, (size_t)1 << 20, (size_t)1 << 20};
    size_t last[3] = {8, 4, 0};
    size_t wild[3] = {SIZE_MAX, SIZE_MAX, 1};
    gasnet_puts_bulk(node, NULL, NULL, NULL, NULL, nothing, 3);
    gasnet_wait_syncnb(gasnet_gets_nb_bulk(NULL, NULL, node, NULL, NULL, nothing, 3));
    gasnet_puts_bulk(node, NULL, wild, NULL, wild, last, 2);
    gasnet_puts_bulk(node, segment_of(node), NULL, mine, NULL, bytes, 0);
    memcpy(expected, mine, 32);
    compare(node);
}

/* Texts of lists, in no more room than is asked for. */
static void check_texts(void)
{
    char *buf = malloc(gasnett_format_putvgetv_bufsz(2, 1) + gasnett_format_putsgets_bufsz(2) +
                       gasnett_format_putigeti_bufsz(2, 2));
    const gasnet_memvec_t list[] = {{(void *)0x1000, 7}, {(void *)UINTPTR_MAX, SIZE_MAX}};
    void *const lines[] = {(void *)0x20, (void *)0x30};
    const size_t most[] = {SIZE_MAX, SIZE_MAX, 1};
    gasnett_format_memveclist(buf, 2, list);
    CHECK(strcmp(buf, "2 entries, 6 bytes: [{0x1000, 7}, {0xffffffffffffffff, "
                      "18446744073709551615}]") == 0);
    CHECK(strlen(buf) < gasnett_format_memveclist_bufsz(2));
    CHECK(gasnett_format_putvgetv(buf, 3, 1, list, 1, list) == 7);
    CHECK(strcmp(buf, "node 3, dst: 1 entries, 7 bytes: [{0x1000, 7}], src: 1 entries, 7 bytes: "
                      "[{0x1000, 7}]") == 0);
    gasnett_format_addrlist(buf, 2, lines, 5);
    CHECK(strcmp(buf, "2 entries of 5 bytes: [0x20, 0x30]") == 0);
    CHECK(gasnett_format_putigeti(buf, 0, 2, lines, 5, 0, NULL, 5) == 10);
    CHECK(strlen(buf) < gasnett_format_putigeti_bufsz(2, 0));
    CHECK(gasnett_format_putsgets(buf, NULL, 1, lines[0], most, lines[1], most, most, 2) == 1);
    CHECK(strlen(buf) < gasnett_format_putsgets_bufsz(2));
    free(buf);
}

int main(int argc, char **argv)
{
    check_texts();
    seed = argc > 1 ? strtoul(argv[1], NULL, 10) : (unsigned long)getpid();
    start(&argc, &argv, AREA);
    unsigned long first = seed;
    printf("seed %lu\n", first);
    mine = malloc(AREA);
    expected = calloc(1, AREA);
    fill(mine, gasnet_mynode(), AREA);
    /* One node at a time writes to each. */
    for (gasnet_node_t turn = 0; turn < gasnet_nodes(); turn++) {
        for (gasnet_node_t node = 0; node < gasnet_nodes() && turn == gasnet_mynode(); node++) {
            memset(expected, 0, AREA);
            gasnet_memset(node, segment_of(node), 0, AREA);
            for (int round = 0; round < ROUNDS; round++) {
                vector(node, round % 3);
                indexed(node, round % 3);
                strided(node, round % 3);
            }
            edges(node);
        }
        meet();
    }
    gasnet_exit(0);
}
