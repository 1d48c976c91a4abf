/**
 * With GASNET_SEGMENT_EVERYTHING, too, a value that a node puts into its own memory, for another
 * thread of its, is stored once, and one that it gets is loaded once. The processor is made to stop
 * behind every instruction, where the other thread steps in.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <gasnet_vis.h>

#include "client.h"
#include "steps.h"

#if defined(__x86_64__)

typedef void call_t(void *there, void *here, size_t nbytes);

static const unsigned char before[8];
static const unsigned char after[] = {165, 165, 165, 165, 165, 165, 165, 165};
static unsigned char place[8] __attribute__((aligned(8)));
static volatile size_t length;
static volatile bool is_gotten;
static volatile bool has_reset;
static volatile size_t steps;

/* The other thread resets a value that it sees, or writes one anew all the time. */
static void on_step(int number)
{
    (void)number;
    steps++;
    if (is_gotten) {
        memset(place, steps % 2 == 0 ? 255 : 0, length);
    } else if (memcmp(place, after, length) == 0 && !has_reset) {
        memcpy(place, before, length);
        has_reset = true;
    }
}

static void put(void *there, void *here, size_t nbytes)
{
    gasnet_put(gasnet_mynode(), there, here, nbytes);
}

static void put_nbi(void *there, void *here, size_t nbytes)
{
    gasnet_put_nbi(gasnet_mynode(), there, here, nbytes);
    gasnet_wait_syncnbi_puts();
}

static void get(void *there, void *here, size_t nbytes)
{
    gasnet_get(here, gasnet_mynode(), there, nbytes);
}

static void put_list(void *there, void *here, size_t nbytes)
{
    gasnet_puti_bulk(gasnet_mynode(), 1, &there, nbytes, 1, (void *const *)&here, nbytes);
}

static void get_list(void *there, void *here, size_t nbytes)
{
    gasnet_geti_bulk(1, &here, nbytes, gasnet_mynode(), 1, (void *const *)&there, nbytes);
}

static void in_steps(call_t *call, void *here)
{
    call(place, here, length); /* finds its functions */
    memcpy(place, before, length);
    has_reset = false;
    steps = 0;
    step_from_here(true);
    call(place, here, length);
    step_from_here(false);
    CHECK(steps > 0);
}

static void test_put(call_t *call)
{
    unsigned char here[sizeof after];
    memcpy(here, after, sizeof here);
    is_gotten = false;
    in_steps(call, here);
    CHECK(has_reset);
    CHECK(memcmp(place, before, length) == 0);
}

static void test_get(call_t *call)
{
    unsigned char here[sizeof after];
    is_gotten = true;
    in_steps(call, here);
    for (size_t i = 1; i < length; i++)
        CHECK(here[i] == here[0]);
}

int main(int argc, char **argv)
{
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_attach(NULL, 0, 0, 0) == GASNET_OK);
    signal(SIGTRAP, on_step);
    for (length = 1; length <= sizeof after; length *= 2) {
        test_put(put);
        test_put(put_nbi);
        test_put(put_list);
        test_get(get);
        test_get(get_list);
    }
    signal(SIGTRAP, SIG_DFL);
    gasnet_exit(0);
    return 1;
}

#else

int main(void)
{
    return 77; /* no way to stop behind every instruction */
}

#endif
