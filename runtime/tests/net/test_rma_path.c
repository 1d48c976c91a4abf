/* Which way puts and gets take, chosen from recorded attributes of transports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <uct/api/uct.h>

#include "net/ucx/rma_path.h"
#include "net/ucx/transport.h"

/* Of tcp, posix, sysv, self and cma: as uct_md_query and uct_iface_query of UCX 1.13.1 said on
 * Linux 6.18 (x86-64), and `ucx_info -d` shows. */
#define MM_FLAGS UINT64_C(0x11804000023b)

/* Of cards, as the sources of UCX 1.13.1 set them for a ConnectX-5: uct_rc_iface_query,
 * uct_rc_mlx5_iface_common_query, uct_dc_mlx5_iface_query, uct_ud_iface_query (src/uct/ib), without
 * the flags of tag matching. */
#define IB_DOMAIN \
    (UCT_MD_FLAG_REG | UCT_MD_FLAG_NEED_MEMH | UCT_MD_FLAG_NEED_RKEY | UCT_MD_FLAG_ADVISE)
#define RC_FLAGS \
    (UCT_IFACE_FLAG_AM_BCOPY | UCT_IFACE_FLAG_AM_ZCOPY | UCT_IFACE_FLAG_PUT_BCOPY | \
     UCT_IFACE_FLAG_PUT_ZCOPY | UCT_IFACE_FLAG_GET_BCOPY | UCT_IFACE_FLAG_GET_ZCOPY | \
     UCT_IFACE_FLAG_PENDING | UCT_IFACE_FLAG_CB_SYNC | UCT_IFACE_FLAG_ERRHANDLE_PEER_FAILURE | \
     UCT_IFACE_FLAG_AM_SHORT | UCT_IFACE_FLAG_PUT_SHORT | UCT_IFACE_FLAG_ERRHANDLE_ZCOPY_BUF | \
     UCT_IFACE_FLAG_ERRHANDLE_REMOTE_MEM | UCT_IFACE_FLAG_EP_CHECK | UCT_IFACE_FLAG_ATOMIC_DEVICE)
#define UD_FLAGS \
    (UCT_IFACE_FLAG_AM_BCOPY | UCT_IFACE_FLAG_AM_ZCOPY | UCT_IFACE_FLAG_CONNECT_TO_EP | \
     UCT_IFACE_FLAG_CONNECT_TO_IFACE | UCT_IFACE_FLAG_PENDING | UCT_IFACE_FLAG_EP_CHECK | \
     UCT_IFACE_FLAG_CB_SYNC | UCT_IFACE_FLAG_CB_ASYNC | UCT_IFACE_FLAG_ERRHANDLE_PEER_FAILURE | \
     UCT_IFACE_FLAG_AM_SHORT)

static const pgasi_transport_t tcp = {"tcp", true, 0xa, 0x53c00000004f, 0, 0, 0, 0};
static const pgasi_transport_t posix = {"posix", false, 0x69, MM_FLAGS, 0xf, 0x3f, 0xf, 0x3f};
static const pgasi_transport_t sysv = {"sysv", false, 0x69, MM_FLAGS, 0xf, 0x3f, 0xf, 0x3f};
static const pgasi_transport_t self = {"self", false, 0xa, MM_FLAGS, 0xf, 0x3f, 0xf, 0x3f};
static const pgasi_transport_t cma = {"cma", false, 0x2, 0x1c000000448, 0, 0, 0, 0};
static const pgasi_transport_t rc = {
    "rc_mlx5", true, IB_DOMAIN, RC_FLAGS | UCT_IFACE_FLAG_CONNECT_TO_EP, 0xf, 0x3f, 0xf, 0x3f};
static const pgasi_transport_t dc = {
    "dc_mlx5", true, IB_DOMAIN, RC_FLAGS | UCT_IFACE_FLAG_CONNECT_TO_IFACE, 0xf, 0x3f, 0xf, 0x3f};
static const pgasi_transport_t ud = {"ud_mlx5", true, IB_DOMAIN, UD_FLAGS, 0, 0, 0, 0};

static pgasi_rma_path_t choose(const char *setting, const char *tls, bool one_host, bool by_ucx)
{
    const pgasi_transport_t all[] = {self, tcp, sysv, posix, cma, ud, dc, rc};
    const pgasi_rma_wish_t wish = {setting, tls, one_host, by_ucx};
    pgasi_rma_path_t path;
    pgasi_rma_choose(&wish, all, sizeof all / sizeof all[0], &path);
    return path;
}

static void expect(const pgasi_rma_path_t *path, pgasi_rma_kind_t kind, const char *name,
                   const char *reason, bool is_refused)
{
    assert_int_equal(path->kind, kind);
    assert_string_equal(path->transport.name, name);
    if (strstr(path->reason, reason) == NULL || (*reason == '\0' && path->reason[0] != '\0'))
        fail_msg("'%s' says nothing of '%s'", path->reason, reason);
    assert_int_equal(path->is_refused, is_refused);
}

static void test_tcp_and_ud_are_messages(void **state)
{
    (void)state;
    const char *lists[] = {"tcp", "ud", "ud_mlx5,tcp", "self,tcp,cma"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        pgasi_rma_path_t path = choose("auto", lists[i], false, false);
        expect(&path, PGASI_RMA_NONE, "", "no transport", false);
        path = choose("on", lists[i], false, false);
        expect(&path, PGASI_RMA_NONE, "", lists[i], true);
        path = choose("off", lists[i], false, false);
        expect(&path, PGASI_RMA_NONE, "", "PGAS_RMA=off", false);
    }
}

static void test_cards_are_used_only_if_asked(void **state)
{
    (void)state;
    const char *const names[][2] = {{"rc_mlx5", "rc_mlx5"},
                                    {"rc", "rc_mlx5"},
                                    {"rc_x", "rc_mlx5"},
                                    {"dc", "dc_mlx5"},
                                    {"ud,dc_x", "dc_mlx5"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        pgasi_rma_path_t path = choose("auto", names[i][0], false, false);
        expect(&path, PGASI_RMA_NONE, names[i][1], "PGAS_RMA=on", false);
        path = choose("on", names[i][0], false, false);
        expect(&path, PGASI_RMA_CARD, names[i][1], "", false);
        assert_true(pgasi_rma_reports_loss(&path));
        assert_false(pgasi_rma_has_atomics(&path, PGAS_UINT64, 1U << PGAS_ADD));
        path = choose("off", names[i][0], false, false);
        expect(&path, PGASI_RMA_NONE, "", "PGAS_RMA=off", false);
    }
}

static void test_posix_needs_memory_of_ucx(void **state)
{
    (void)state;
    pgasi_rma_path_t path = choose("auto", "posix,self", true, true);
    expect(&path, PGASI_RMA_SHARED, "posix", "", false);
    assert_false(pgasi_rma_reports_loss(&path));
    assert_true(pgasi_rma_has_atomics(&path, PGAS_UINT64, 1U << PGAS_ADD));
    path = choose("on", "posix,self", true, true);
    expect(&path, PGASI_RMA_SHARED, "posix", "", false);
    path = choose("off", "posix,self", true, true);
    expect(&path, PGASI_RMA_NONE, "", "PGAS_RMA=off", false);
    path = choose("auto", "posix,self", true, false);
    expect(&path, PGASI_RMA_NONE, "", "PGAS_SEGMENT=ucx", false);
    path = choose("on", "posix,self", true, false);
    expect(&path, PGASI_RMA_NONE, "", "PGAS_SEGMENT=ucx", true);
}

/* Wherever the segment cannot be made as asked, whatever PGAS_RMA says. */
static void test_memory_of_ucx_is_refused_without_posix(void **state)
{
    (void)state;
    const char *const settings[] = {"auto", "on", "off"};
    for (size_t i = 0; i < 3; i++) {
        pgasi_rma_path_t path = choose(settings[i], "tcp", true, true);
        expect(&path, PGASI_RMA_NONE, "", "posix", true);
        path = choose(settings[i], "sysv,self", true, true);
        expect(&path, PGASI_RMA_NONE, "", "posix", true);
        path = choose(settings[i], "posix,rc", false, true);
        expect(&path, PGASI_RMA_NONE, "", "one host", true);
    }
}

/* Of UCX's operations; a card's that are atomic with processors' have other flags. */
static void test_atomics(void **state)
{
    (void)state;
    const uint32_t bits =
        1U << PGAS_LOAD | 1U << PGAS_STORE | 1U << PGAS_SWAP | 1U << PGAS_COMPARE_SWAP;
    const uint32_t numbers =
        bits | 1U << PGAS_ADD | 1U << PGAS_SUB | 1U << PGAS_INC | 1U << PGAS_DEC;
    pgasi_rma_path_t path = choose("auto", "posix,self", true, true);
    assert_true(pgasi_rma_has_atomics(&path, PGAS_INT32, numbers));
    assert_true(pgasi_rma_has_atomics(&path, PGAS_UINT64, numbers));
    assert_true(pgasi_rma_has_atomics(&path, PGAS_FLOAT, bits));
    assert_false(pgasi_rma_has_atomics(&path, PGAS_DOUBLE, bits | 1U << PGAS_ADD));
    assert_false(pgasi_rma_has_atomics(&path, PGAS_INT64, numbers | 1U << PGAS_MIN));
    assert_false(pgasi_rma_has_atomics(&path, PGAS_INT64, 1U << PGAS_MUL));
    for (unsigned op = PGAS_AND; op <= PGAS_XOR; op++) /* wrong in UCX 1.13.1 */
        assert_false(pgasi_rma_has_atomics(&path, PGAS_UINT64, 1U << op));
    path.transport.fetch64 &= ~(UINT64_C(1) << UCT_ATOMIC_OP_CSWAP);
    assert_false(pgasi_rma_has_atomics(&path, PGAS_INT64, bits));
    assert_true(pgasi_rma_has_atomics(&path, PGAS_INT64, 1U << PGAS_ADD));
    assert_true(pgasi_rma_has_atomics(&path, PGAS_INT32, bits));
    path.transport.ops32 = 0;
    assert_false(pgasi_rma_has_atomics(&path, PGAS_INT32, 1U << PGAS_ADD));
    assert_true(pgasi_rma_has_atomics(&path, PGAS_INT32, 1U << PGAS_LOAD));
    path = choose("off", "posix,self", true, true);
    assert_false(pgasi_rma_has_atomics(&path, PGAS_UINT64, 1U << PGAS_ADD));
}

static void test_lists_of_transports(void **state)
{
    (void)state;
    assert_true(pgasi_transport_is_enabled("all", "posix"));
    assert_true(pgasi_transport_is_enabled("tcp,sm", "posix"));
    assert_true(pgasi_transport_is_enabled("shm", "cma"));
    assert_true(pgasi_transport_is_enabled("\\rc_mlx5", "rc_mlx5"));
    assert_true(pgasi_transport_is_enabled("^shm", "tcp"));
    assert_true(pgasi_transport_is_enabled("ib", "dc_mlx5"));
    assert_false(pgasi_transport_is_enabled("^shm", "posix"));
    assert_false(pgasi_transport_is_enabled("^tcp", "tcp"));
    assert_false(pgasi_transport_is_enabled("rc", "dc_mlx5"));
    assert_false(pgasi_transport_is_enabled("rc", "ud_mlx5"));
    assert_false(pgasi_transport_is_enabled("posix2,tcp", "posix"));
    assert_false(pgasi_transport_is_enabled("posi", "posix"));
    assert_false(pgasi_transport_is_enabled("", "tcp"));
}

/* What UCT says here is what was recorded, as far as the choice depends on it. */
static void test_recorded_is_what_uct_says(void **state)
{
    (void)state;
    const pgasi_transport_t recorded[] = {tcp, posix, self};
    const uint64_t rma = UCT_IFACE_FLAG_PUT_SHORT | UCT_IFACE_FLAG_PUT_BCOPY |
                         UCT_IFACE_FLAG_GET_BCOPY | UCT_IFACE_FLAG_PENDING |
                         UCT_IFACE_FLAG_ERRHANDLE_PEER_FAILURE | UCT_IFACE_FLAG_ATOMIC_CPU;
    const uint64_t memory = UCT_MD_FLAG_ALLOC | UCT_MD_FLAG_REG | UCT_MD_FLAG_NEED_RKEY;
    pgasi_transport_t found[PGASI_TRANSPORTS_MAX];
    size_t count = pgasi_transports_query("tcp,posix,self", found);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++)
            if (strcmp(found[i].name, recorded[k].name) == 0) {
                assert_int_equal(found[i].is_network, recorded[k].is_network);
                assert_int_equal(found[i].flags & rma, recorded[k].flags & rma);
                assert_int_equal(found[i].domain_flags & memory, recorded[k].domain_flags & memory);
                assert_int_equal(found[i].fetch64, recorded[k].fetch64);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tcp_and_ud_are_messages),
        cmocka_unit_test(test_cards_are_used_only_if_asked),
        cmocka_unit_test(test_posix_needs_memory_of_ucx),
        cmocka_unit_test(test_memory_of_ucx_is_refused_without_posix),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_lists_of_transports),
        cmocka_unit_test(test_recorded_is_what_uct_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
