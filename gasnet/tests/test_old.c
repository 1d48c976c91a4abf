/*
 * A client of version 0.4: gasnet_init with 7 arguments, barriers without flags.
 */
#include "client.h"

static void handler(gasnet_token_t token)
{
    (void)token;
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{200, (void (*)())handler}, {0, (void (*)())handler}};
    gasnet_register_t value = 7;
    CHECK(gasnet_init(&argc, &argv, table, 2, GASNET_SEGBASE_ANY, GASNET_PAGESIZE, 0) == GASNET_OK);
    CHECK(gasnet_init(&argc, &argv, table, 2, GASNET_SEGBASE_ANY, GASNET_PAGESIZE, 0) != GASNET_OK);
    CHECK(table[1].index >= 128);
    CHECK(gasnet_attach(NULL, 0, 0, 0) != GASNET_OK);

    gasnet_barrier_notify(17);
    CHECK(gasnet_barrier_wait(17) == GASNET_OK);
    gasnet_barrier_notify(17);
    CHECK(gasnet_barrier_wait(18) == GASNET_ERR_BARRIER_MISMATCH);
    gasnet_barrier_notify(GASNET_ANONYMOUS_BARRIER);
    CHECK(gasnet_barrier_wait(GASNET_ANONYMOUS_BARRIER) == GASNET_OK);
    /* Anonymous matches everything. */
    gasnet_barrier_notify(5);
    CHECK(gasnet_barrier_wait(GASNET_ANONYMOUS_BARRIER) == GASNET_OK);
    gasnet_barrier_notify(gasnet_mynode() == 0 ? 3 : GASNET_ANONYMOUS_BARRIER);
    CHECK(gasnet_barrier_wait(gasnet_mynode() == 0 ? 3 : GASNET_ANONYMOUS_BARRIER) == GASNET_OK);
    gasnet_barrier_notify((int)gasnet_mynode());
    int result;
    while ((result = gasnet_barrier_try((int)gasnet_mynode())) == GASNET_ERR_NOT_READY)
        continue;
    CHECK(result == (gasnet_nodes() > 1 ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK));
    gasnet_seginfo_t *info = malloc(gasnet_nodes() * sizeof *info);
    CHECK(gasnet_getSegmentInfo(info, (int)gasnet_nodes()) == GASNET_OK);
    gasnet_put_val(0, info[0].addr, value, SIZEOF_GASNET_REGISTER_T);
    gasnet_barrier_notify(0);
    CHECK(gasnet_barrier_wait(0) == GASNET_OK);
    CHECK(gasnet_get_val(0, info[0].addr, sizeof value) == 7);
    gasnet_exit(0);
}
