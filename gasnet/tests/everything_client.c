/*
 * Names memory of node 0 that node 0 cannot access, on the last node, by the call that its first
 * argument names; "aside": while node 0 makes no calls; "mixed": the nodes have different
 * configurations; "handled": a handler of SIGSEGV at node 0 makes the memory accessible. Those with
 * "twice" can access it, and synchronise a handle twice. For everything.sh.
 */
#include "client.h"

#include <gasnet_coll.h>
#include <gasnet_vis.h>

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

enum {
    LONG = 128,
    REPLY
};

static const char *how;
static char *page;
static volatile int is_done;

static int is(const char *name)
{
    return strcmp(how, name) == 0;
}

static void on_reply(gasnet_token_t token)
{
    (void)token;
    is_done = 1;
}

static void on_long(gasnet_token_t token, void *buf, size_t nbytes)
{
    (void)buf;
    (void)nbytes;
    gasnet_AMReplyShort0(token, REPLY);
}

static void open_page(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    if ((char *)info->si_addr < page || (char *)info->si_addr >= page + GASNET_PAGESIZE)
        _exit(98);
    mprotect(page, GASNET_PAGESIZE, PROT_READ | PROT_WRITE);
}

/* Synchronises the handle of an operation twice. */
static void sync_twice(char *there)
{
    char bytes[8] = "text";
    gasnet_handle_t handle = GASNET_INVALID_HANDLE;
    if (is("put twice"))
        handle = gasnet_put_nb(0, there, bytes, 8);
    if (is("bulk twice"))
        handle = gasnet_put_nb_bulk(0, there, bytes, 8);
    if (is("get twice"))
        handle = gasnet_get_nb(bytes, 0, there, 8);
    if (is("memset twice"))
        handle = gasnet_memset_nb(0, there, 7, 8);
    gasnet_wait_syncnb(handle);
    gasnet_try_syncnb(handle);
}

static void access_it(char *there)
{
    char bytes[64] = "text";
    char *lists[] = {there, bytes};
    gasnet_memvec_t remote = {there, 8};
    gasnet_memvec_t local = {bytes, 8};
    if (is("put") || is("aside") || is("handled"))
        gasnet_put(0, there, bytes, 8);
    if (is("get") || is("handled"))
        gasnet_get(bytes, 0, there, 8);
    if (is("memset"))
        gasnet_memset(0, there, 7, 8);
    if (is("put nbi"))
        gasnet_put_nbi(0, there, bytes, 64);
    if (is("list"))
        gasnet_putv_bulk(0, 1, &remote, 1, &local);
    if (is("long"))
        gasnet_AMRequestLong0(0, LONG, lists, sizeof lists, there);
    void *here[] = {NULL};
    void *two[] = {there, there + 8};
    const size_t none[] = {0, (size_t)1 << 30, (size_t)1 << 30};
    const size_t count[] = {8, 2};
    const size_t close[] = {4};
    const size_t apart[] = {8};
    if (is("null index"))
        gasnet_puti_bulk(0, 1, (void *const *)lists, 8, 1, here, 8);
    if (is("no section")) { /* which is none, however many of it */
        gasnet_puts_bulk(0, there, NULL, bytes, NULL, none, 2);
        gasnet_puti_bulk(0, 0, NULL, 8, 0, NULL, 8);
        gasnet_put(0, (void *)(UINTPTR_MAX - 3), bytes, 8);
    }
    if (is("close rows"))
        gasnet_puts_bulk(0, there, close, bytes, apart, count, 1);
    if (is("many"))
        gasnet_puti_bulk(0, 2, two, (size_t)1 << 63, 0, NULL, 8);
    if (is("wraps"))
        gasnet_put(0, (void *)(UINTPTR_MAX - 3), bytes, 8);
    while (is("long") && !is_done)
        gasnet_AMPoll();
    gasnet_wait_syncnbi_all();
    if (is("handled"))
        CHECK(strcmp(bytes, "text") == 0);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{LONG, (void (*)())on_long}, {REPLY, (void (*)())on_reply}};
    struct sigaction action = {.sa_sigaction = open_page, .sa_flags = SA_SIGINFO};
    how = argv[1];
    if (is("handled"))
        CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    const char *rank = getenv("PMIX_RANK");
    bool differs = is("mixed") && rank != NULL && strcmp(rank, "0") == 0;
    uintptr_t segsize = differs ? 0 : GASNET_SEGSIZE_EVERYTHING;
    CHECK(gasnet_init(&argc, &argv, table, 2, GASNET_SEGBASE_ANY, segsize, 0) == GASNET_OK);
    CHECK(gasnet_AMMaxLongRequest() < 65536);
    bool is_twice = strstr(how, " twice") != NULL;
    int access = is_twice ? PROT_READ | PROT_WRITE : PROT_NONE;
    page = mmap(NULL, GASNET_PAGESIZE, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    gasnet_coll_init(NULL, 0, NULL, 0, 0);
    char *there = page;
    gasnet_coll_broadcast(GASNET_TEAM_ALL, &there, 0, &page, sizeof there,
                          GASNET_COLL_LOCAL | GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC);
    if (gasnet_mynode() + 1 == gasnet_nodes())
        is_twice ? sync_twice(there) : access_it(there);
    while (is("aside"))
        pause();
    meet();
    gasnet_exit(0);
}
