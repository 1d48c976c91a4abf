/* Every call that copies a value on its node stores it once and loads it once: what the owner
 * writes when it has seen it stays, and nobody sees halves. The owner steps in behind every
 * instruction of the call. */
#include <pgas/pgas.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

#if defined(__x86_64__)

#include "steps.h"

enum {
    LONGEST = 8,
    APART = 64
};

/* What all calls have in common: puts read the private memory, gets write it. */
typedef void call_t(pgas_ptr_t shared, void *private, size_t nbytes);

static pgas_am_t handler;
static unsigned char *place; /* of the value at the owner */
static volatile size_t length;
static volatile size_t steps;
static volatile bool has_reset;
static volatile bool is_gotten;
static const unsigned char before[LONGEST];
static unsigned char after[LONGEST];

static void on_step(int number)
{
    (void)number;
    steps++;
    if (is_gotten) { /* something new at each step, all bytes alike */
        memset(place, (int)(steps % 256), length);
    } else if (!is_gotten && !has_reset && memcmp(place, after, length) == 0) {
        memcpy(place, before, length);
        has_reset = true;
    }
}

static void put(pgas_ptr_t shared, void *private, size_t nbytes)
{
    pgas_memput(shared, private, nbytes);
}

static void put_async(pgas_ptr_t shared, void *private, size_t nbytes)
{
    pgas_waitsync(pgas_memput_async(shared, private, nbytes));
}

static void put_list(pgas_ptr_t shared, void *private, size_t nbytes)
{
    const void *list[] = {private};
    pgas_memput_ilist(1, &shared, nbytes, 1, list, nbytes);
}

static void put_vector(pgas_ptr_t shared, void *private, size_t nbytes)
{
    const pgas_smemvec_t to = {shared, nbytes};
    const pgas_pmemvec_t from = {private, nbytes};
    pgas_memput_vlist(1, &to, 1, &from);
}

static void put_strided(pgas_ptr_t shared, void *private, size_t nbytes)
{
    const size_t stride[] = {APART};
    const size_t count[] = {nbytes, 1};
    pgas_memput_strided(shared, stride, private, stride, count, 1);
}

static void put_by_message(pgas_ptr_t shared, void *private, size_t nbytes)
{
    pgas_am_request_long(pgas_mythread(), handler, NULL, 0, private, nbytes, shared);
}

static void get(pgas_ptr_t shared, void *private, size_t nbytes)
{
    pgas_memget(private, shared, nbytes);
}

static void get_list(pgas_ptr_t shared, void *private, size_t nbytes)
{
    void *list[] = {private};
    pgas_memget_ilist(1, list, nbytes, 1, &shared, nbytes);
}

static void get_vector(pgas_ptr_t shared, void *private, size_t nbytes)
{
    const pgas_smemvec_t from = {shared, nbytes};
    const pgas_pmemvec_t to = {private, nbytes};
    pgas_memget_vlist(1, &to, 1, &from);
}

static void in_steps(call_t *call, pgas_ptr_t shared, unsigned char *private)
{
    size_t nbytes = length;
    steps = 0;
    step_from_here(true);
    call(shared, private, nbytes);
    step_from_here(false);
    CHECK(steps > 0);
}

static void test_put(call_t *call, pgas_ptr_t shared)
{
    unsigned char private[LONGEST];
    is_gotten = false;
    memcpy(private, after, sizeof private);
    call(shared, private, length); /* finds its functions */
    memcpy(place, before, length);
    has_reset = false;
    in_steps(call, shared, private);
    CHECK(has_reset);
    CHECK(memcmp(place, before, length) == 0);
}

static void test_get(call_t *call, pgas_ptr_t shared)
{
    unsigned char private[LONGEST];
    is_gotten = true;
    call(shared, private, length);
    in_steps(call, shared, private);
    for (size_t i = 1; i < length; i++)
        CHECK(private[i] == private[0]);
}

static void handle(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                   size_t nbytes)
{
    (void)token;
    (void)args;
    (void)nargs;
    (void)payload;
    (void)nbytes;
}

int main(void)
{
    static call_t *const puts[] = {put,        put_async,   put_list,
                                   put_vector, put_strided, put_by_message};
    static call_t *const gets[] = {get, get_list, get_vector};
    pgas_ptr_t shared;
    handler = pgas_am_register("handle", handle, PGAS_AM_POLL);
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_alloc(APART, &shared) == PGAS_OK);
    place = pgas_local(shared);
    memset(after, 0xa5, sizeof after);
    signal(SIGTRAP, on_step);
    for (length = 1; length <= LONGEST; length *= 2) {
        for (size_t i = 0; i < sizeof puts / sizeof *puts; i++)
            test_put(puts[i], shared);
        for (size_t i = 0; i < sizeof gets / sizeof *gets; i++)
            test_get(gets[i], shared);
    }
    signal(SIGTRAP, SIG_DFL);
    pgas_free(shared);
    pgas_finalize();
    return 0;
}

#else

int main(void)
{
    return 77; /* no way to stop behind every instruction */
}

#endif
