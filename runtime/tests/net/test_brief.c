/**
 * Short active messages in few bytes: what fits comes out as it went in, at the edges of every
 * field and at random; what does not is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "net/ucx/wire.h"
#include "random.h"

enum {
    ROUNDS = 20000
};

void pgasi_tell(const char *format, ...)
{
    (void)format;
}

static void check_message(const pgasi_net_am_t *am, bool fits)
{
    pgasi_ucx_am_brief_t brief;
    pgasi_net_am_t back;
    memset(&back, 0x55, sizeof back);
    size_t size = pgasi_ucx_am_shorten(am, &brief);
    assert_int_equal(size > 0, fits);
    if (!fits)
        return;
    assert_true(pgasi_ucx_open_brief(&brief, size, &back));
    assert_int_equal(back.offset, 0);
    assert_int_equal(back.is_placed, 0);
    assert_int_equal(back.is_reply != 0, am->is_reply != 0);
    assert_int_equal(back.source, am->source);
    assert_int_equal(back.credits, am->credits);
    assert_int_equal(back.handler, am->handler);
    assert_int_equal(back.kind, 0);
    assert_int_equal(back.nargs, am->nargs);
    assert_memory_equal(back.args, am->args, am->nargs * sizeof *am->args);
}

static void test_edges(void **state)
{
    (void)state;
    static const struct {
        pgasi_net_am_t am;
        bool fits;
    } cases[] = {
        {{.source = 0, .handler = 0, .credits = 0}, true},
        {{.source = 65535, .handler = 2047, .credits = 15, .is_reply = 1, .nargs = 16}, true},
        {{.source = 65536, .handler = 1, .credits = 1}, false},
        {{.source = UINT32_MAX, .handler = 1, .credits = 1}, false},
        {{.source = 1, .handler = 2048, .credits = 1}, false},
        {{.source = 1, .handler = 1, .credits = 16}, false},
        {{.source = 1, .handler = 1, .credits = UINT32_MAX}, false},
        {{.source = 1, .handler = 1, .credits = 1, .kind = 1}, false},
        {{.source = 1, .handler = 1, .credits = 1, .is_placed = 1}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_message(&cases[i].am, cases[i].fits);
}

static void test_random(void **state)
{
    (void)state;
    uint64_t random = random_seed();
    for (int round = 0; round < ROUNDS; round++) {
        pgasi_net_am_t am = {
            .source = (uint32_t)random_below(&random, 65536),
            .handler = (uint16_t)random_below(&random, 2048),
            .credits = (uint32_t)random_below(&random, 16),
            .is_reply = (uint8_t)random_below(&random, 2),
            .nargs = (uint8_t)random_below(&random, PGASI_NET_AM_ARGS + 1),
        };
        for (unsigned i = 0; i < am.nargs; i++)
            am.args[i] = (int32_t)random_next(&random);
        check_message(&am, true);
    }
}

/* Of all lengths only those that have whole arguments, and at most 16. */
static void test_lengths(void **state)
{
    (void)state;
    const size_t least = offsetof(pgasi_ucx_am_brief_t, args);
    pgasi_ucx_am_brief_t brief = {.secret = pgasi_ucx_secret};
    pgasi_net_am_t am;
    for (size_t size = 0; size <= sizeof brief; size++) {
        bool is_whole = size >= least && (size - least) % 4 == 0 && (size - least) / 4 <= 16;
        assert_int_equal(pgasi_ucx_open_brief(&brief, size, &am), is_whole);
    }
    brief.secret++;
    assert_false(pgasi_ucx_open_brief(&brief, least, &am));
}

int main(void)
{
    pgasi_ucx_secret = UINT64_C(0x123456789abcdef0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
