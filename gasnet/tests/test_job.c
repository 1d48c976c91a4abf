/*
 * Start, end and queries of GASNet's job: what is legal before, between and after gasnet_init and
 * gasnet_attach, error codes, segments of different sizes, one of none, the environment.
 */
#include "client.h"

#include <stdint.h>
#include <string.h>

#if GASNET_SPEC_VERSION_MAJOR != 1 || GASNET_SPEC_VERSION_MINOR != 8 || GASNET_VERSION != 1
#error "not GASNet 1.8"
#endif
#if SIZEOF_GASNET_REGISTER_VALUE_T != 8 || SIZEOF_GASNET_REGISTER_T != 8
#error "the sizes are literals"
#endif
#if GASNET_PAGESIZE < 4096 || GASNET_MAXNODES < 65536 || GASNET_ALIGNED_SEGMENTS != 0
#error "constants of the preprocessor"
#endif
#if GASNET_RELEASE_VERSION_MAJOR < 1 || GASNET_RELEASE_VERSION_MINOR < 0 || \
    GASNET_RELEASE_VERSION_PATCH < 0
#error "no release"
#endif

static void check_errors(void)
{
    CHECK(GASNET_OK == 0);
    CHECK(GASNET_ERR_RESOURCE_FAILURE == GASNET_ERR_RESOURCE);
    CHECK(strcmp(gasnet_ErrorName(GASNET_ERR_BARRIER_MISMATCH), "GASNET_ERR_BARRIER_MISMATCH") ==
          0);
    CHECK(strcmp(gasnet_ErrorName(GASNET_ERR_NOT_READY), "GASNET_ERR_NOT_READY") == 0);
    CHECK(strlen(gasnet_ErrorDesc(GASNET_ERR_RESOURCE)) > 0);
    CHECK(strlen(gasnet_ErrorName(-12345)) > 0);
    CHECK(strlen(gasnet_ErrorDesc(-12345)) > 0);
    CHECK(strstr(GASNET_CONFIG_STRING, "SEQ") != NULL);
}

static void handler(gasnet_token_t token)
{
    (void)token;
}

/* Node n asks for n + 1 pages, the last one for none. */
static uintptr_t size_of(gasnet_node_t node)
{
    return node + 1 == gasnet_nodes() && node > 0 ? 0 : (node + 1) * (uintptr_t)GASNET_PAGESIZE;
}

/* A table that is refused leaves nothing. */
static void check_refused_handlers(void)
{
    gasnet_handlerentry_t low[] = {{129, (void (*)())handler}, {100, (void (*)())handler}};
    gasnet_handlerentry_t twice[] = {
        {0, (void (*)())handler}, {255, (void (*)())handler}, {255, (void (*)())handler}};
    gasnet_handlerentry_t none[] = {{0, (void (*)())handler}, {0, NULL}};
    CHECK(gasnet_attach(low, 2, 0, 0) == GASNET_ERR_BAD_ARG);
    CHECK(gasnet_attach(twice, 3, 0, 0) == GASNET_ERR_BAD_ARG);
    CHECK(gasnet_attach(none, 2, 0, 0) == GASNET_ERR_BAD_ARG);
    CHECK(twice[0].index == 0 && none[0].index == 0);
}

static void check_between(void)
{
    gasnet_seginfo_t info;
    CHECK(gasnet_mynode() < gasnet_nodes());
    CHECK(gasnet_getMaxLocalSegmentSize() > 0);
    CHECK(gasnet_getMaxLocalSegmentSize() % GASNET_PAGESIZE == 0);
    CHECK(gasnet_getMaxGlobalSegmentSize() > 0);
    CHECK(gasnet_getMaxGlobalSegmentSize() <= gasnet_getMaxLocalSegmentSize());
    CHECK(gasnet_getSegmentInfo(&info, 1) == GASNET_ERR_NOT_INIT);
    CHECK(gasnet_attach(NULL, 0, GASNET_PAGESIZE + 1, 0) == GASNET_ERR_BAD_ARG);
    CHECK(gasnet_attach(NULL, 1, 0, 0) == GASNET_ERR_BAD_ARG);
    CHECK(gasnet_attach(NULL, -1, 0, 0) == GASNET_ERR_BAD_ARG);
    check_refused_handlers();
}

/* Indexes that the client leaves open are the lowest that are free, in the table's order. */
static void attach(void)
{
    gasnet_handlerentry_t table[] = {{0, (void (*)())handler},
                                     {129, (void (*)())handler},
                                     {0, (void (*)())handler},
                                     {255, (void (*)())handler},
                                     {0, (void (*)())handler}};
    CHECK(gasnet_attach(table, 5, size_of(gasnet_mynode()), 0) == GASNET_OK);
    CHECK(table[0].index == 128 && table[1].index == 129 && table[2].index == 130);
    CHECK(table[3].index == 255 && table[4].index == 131);
    CHECK(gasnet_attach(table, 5, 0, 0) != GASNET_OK);
}

static void check_segments(void)
{
    gasnet_node_t nodes = gasnet_nodes();
    gasnet_seginfo_t *info = calloc(nodes + 1, sizeof *info);
    gasnet_seginfo_t untouched = {(void *)0x1234, 4321, 0};
    info[nodes] = untouched;
    CHECK(gasnet_getSegmentInfo(info, (int)nodes + 1) == GASNET_OK);
    CHECK(info[nodes].addr == untouched.addr && info[nodes].size == untouched.size);
    for (gasnet_node_t i = 0; i < nodes; i++) {
        CHECK(info[i].size == size_of(i));
        CHECK((uintptr_t)info[i].addr % GASNET_PAGESIZE == 0);
        CHECK(info[i].nodeinfo <= i && info[info[i].nodeinfo].nodeinfo == info[i].nodeinfo);
    }
    char *mine = info[gasnet_mynode()].addr;
    for (uintptr_t i = 0; i < info[gasnet_mynode()].size; i++)
        mine[i] = (char)i;
    gasnet_seginfo_t one = {NULL, 7, 0};
    CHECK(gasnet_getSegmentInfo(&one, 1) == GASNET_OK);
    CHECK(one.addr == info[0].addr && one.size == info[0].size);
    one = untouched;
    CHECK(gasnet_getSegmentInfo(&one, 0) == GASNET_OK && one.size == untouched.size);
    free(info);
}

static void check_nodes(void)
{
    gasnet_node_t nodes = gasnet_nodes();
    gasnet_nodeinfo_t *info = calloc(nodes, sizeof *info);
    CHECK(gasnet_getNodeInfo(info, (int)nodes) == GASNET_OK);
    CHECK(info[gasnet_mynode()].offset == 0);
    for (gasnet_node_t i = 0; i < nodes; i++)
        CHECK(info[i].supernode < nodes && info[i].host < nodes);
    free(info);
}

int main(int argc, char **argv)
{
    char *variable = getenv("FATHOM_TEST_VARIABLE");
    char expected[64];
    check_errors();
    CHECK(gasnet_getMaxNativeSegmentSize() > 0);
    CHECK(gasnet_attach(NULL, 0, 0, 0) == GASNET_ERR_NOT_INIT);
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_init(&argc, &argv) != GASNET_OK);
    CHECK(argc >= 1 && argv[argc] == NULL);
    check_between();
    if (variable != NULL) {
        /* The console's value, whatever this process has. */
        snprintf(expected, sizeof expected, "%s", variable);
        setenv("FATHOM_TEST_VARIABLE", "changed here", 1);
        if (gasnet_nodes() > 1)
            CHECK(strcmp(gasnet_getenv("FATHOM_TEST_VARIABLE"), expected) == 0);
    }
    CHECK(gasnet_getenv("FATHOM_TEST_NO_VARIABLE") == NULL);
    attach();
    CHECK(gasnet_init(&argc, &argv) != GASNET_OK);
    check_segments();
    check_nodes();
    CHECK(gasnet_set_waitmode(GASNET_WAIT_BLOCK) == GASNET_OK);
    CHECK(gasnet_set_waitmode(GASNET_WAIT_SPIN) == GASNET_OK);
    CHECK(gasnet_set_waitmode(GASNET_WAIT_SPINBLOCK) == GASNET_OK);
    CHECK(gasnet_set_waitmode(17) == GASNET_ERR_BAD_ARG);
    GASNET_BEGIN_FUNCTION();
    meet();
    gasnet_exit(0);
}
