/* Expands every macro of the public headers in C++: compiled by headers.sh, never run. headers.sh
 * appends an EXPAND line for each macro that stands for a function. */
#include <pgas/pgas.h>
#include <pgas/upc_coll_names.h>
#include <pgas/upc_names.h>

template <typename T> static T any()
{
    return T();
}

/* Calls the function `name`, through the macro if there is one, with as many arguments as it
 * takes. */
#define EXPAND(name) \
    template <typename R, typename... P> static R expand_##name(R (*)(P...)) \
    { \
        return name(any<P>()...); \
    } \
    void call_##name() \
    { \
        expand_##name(name); \
    }

typedef struct point {
    double x;
    double y;
} point_t;

void send(pgas_am_t am, int value)
{
    pgas_am_lock_t lock = PGAS_AM_LOCK_INITIALIZER;
    pgas_am_lock_init(&lock);
    pgas_am_request_short(0, am, PGAS_AM_ARGS(value, PGAS_AM_64(value + 1LL)));
    pgas_am_request_medium(PGAS_AM_MAX_ARGS, am, PGAS_AM_ARGS(1, value++, 'c'), NULL, 0);
    pgas_am_request_medium(PGAS_AM_MAX_HANDLERS, am, NULL, 0, &value,
                           PGAS_AM_MAX_MEDIUM + PGAS_AM_MAX_LONG);
}

pgas_status_t attach(int attached)
{
    return attached < PGAS_ATTACHED_MAX ? pgas_attach_thread() : PGAS_ERR_UNSUPPORTED;
}

bool tries(upc_handle_t handle)
{
    return upc_sync_attempt(handle) != 0 && upc_synci_attempt() != 0;
}

bool is_tick(pgas_tick_t tick)
{
    return PGAS_TICK_MIN != tick && tick != PGAS_TICK_MAX && UPC_TICK_MIN < UPC_TICK_MAX;
}

bool is_castable(size_t thread)
{
    const int each = UPC_CASTABLE_ALL_ALLOC | UPC_CASTABLE_GLOBAL_ALLOC | UPC_CASTABLE_ALLOC |
                     UPC_CASTABLE_STATIC;
    return each == UPC_CASTABLE_ALL && upc_thread_info(thread).guaranteedCastable == each;
}

pgas_team_t *split(int colour)
{
    pgas_team_t *team = colour > 0 ? PGAS_TEAM_NODE : PGAS_TEAM_LEADERS;
    pgas_team_split(PGAS_TEAM_ALL, colour == 0 ? PGAS_NO_TEAM : colour, 0, &team);
    return team;
}

double combine(pgas_team_t *team, void *elements)
{
    pgas_allreduce(team, elements, elements, 1, PGAS_BYTES(24), PGAS_PRODUCT);
    return pgas_allreduce_double(team, 1, PGAS_SUM);
}

double read_and_write(pgas_ptr_t ptr)
{
    PGAS_WRITE(double, ptr, 1);
    PGAS_WRITE(point_t, ptr, PGAS_READ(point_t, ptr));
    PGAS_WRITE(point_t *, ptr, PGAS_READ(point_t *, ptr));
    return PGAS_READ(double, ptr) + PGAS_READ(point_t, ptr).x;
}

double count(pgas_ptr_t at)
{
    double word = 0;
    PGAS_WAIT_UNTIL(double, &word, PGAS_LE, 1);
    double old = PGAS_ATOMIC_LOAD(double, at, PGAS_ACQUIRE);
    PGAS_ATOMIC_STORE(double, at, 1, PGAS_RELEASE);
    old += PGAS_ATOMIC_SWAP(double, at, 2, PGAS_RELAXED);
    old += PGAS_ATOMIC_COMPARE_SWAP(double, at, old, 2, PGAS_RELAXED);
    old += PGAS_ATOMIC_FETCH_ADD(int, at, 2, PGAS_RELAXED);
    old += PGAS_ATOMIC_FETCH_SUB(unsigned, at, 2, PGAS_RELAXED);
    old +=
        PGAS_ATOMIC_FETCH_INC(int, at, PGAS_RELAXED) + PGAS_ATOMIC_FETCH_DEC(int, at, PGAS_RELAXED);
    old += PGAS_ATOMIC_FETCH_MUL(float, at, 2, PGAS_RELAXED);
    old += PGAS_ATOMIC_FETCH_MIN(float, at, 2, PGAS_RELAXED);
    old += PGAS_ATOMIC_FETCH_MAX(float, at, 2, PGAS_RELAXED);
    old += (double)PGAS_ATOMIC_FETCH_AND(long, at, 2, PGAS_RELAXED);
    old += (double)PGAS_ATOMIC_FETCH_OR(long, at, 2, PGAS_RELAXED);
    old += (double)PGAS_ATOMIC_FETCH_XOR(unsigned long long, at, 2, PGAS_RELAXED);
    PGAS_ATOMIC_UPDATE(double, PGAS_ADD, at, old, PGAS_RELAXED);
    pgas_handle_t handles[] = {
        PGAS_ATOMIC_UPDATE_ASYNC(double, PGAS_ADD, at, old, PGAS_RELAXED),
        PGAS_ATOMIC_FETCH_ASYNC(double, &old, PGAS_ADD, at, 1, PGAS_RELAXED),
        PGAS_ATOMIC_COMPARE_SWAP_ASYNC(double, &old, at, 1, 2, PGAS_RELAXED),
    };
    pgas_waitsync_all(handles, 3);
    PGAS_ATOMIC_UPDATE_ASYNCI(double, PGAS_ADD, at, old, PGAS_RELAXED);
    pgas_atomic_domain_t *domain;
    pgas_atomic_domain_create(PGAS_UINT64, PGAS_OP_SET(PGAS_ADD) | PGAS_OP_SET(PGAS_INC), &domain);
    PGAS_ATOMIC_FETCH_ASYNCI(double, &old, PGAS_ADD, at, 1, PGAS_RELAXED);
    PGAS_ATOMIC_COMPARE_SWAP_ASYNCI(double, &old, at, 1, 2, PGAS_RELAXED);
    return old;
}

double get_and_put(const pgas_array_t *array, size_t i)
{
    PGAS_PUT(int, array, i + 1, PGAS_GET(int, array, PGAS_GET(size_t, array, i)));
    if (i > 0)
        PGAS_PUT(point_t, array, i, PGAS_GET(point_t, array, i));
    else
        PGAS_PUT(double, array, i, 0);
    return PGAS_GET(double, array, i) + PGAS_GET(point_t, array, i).x;
}

size_t loop(const pgas_array_t *array)
{
    size_t sum = 0;
    PGAS_FORBLOCKS (b, array)
        sum += b.end - b.begin;
    int from = -3;
    PGAS_FORALL (i, 0, array->count, pgas_array_at(array, i))
        sum += i;
    PGAS_FORALL (i, 0, array->count, i) {
        if (i == 3)
            continue;
        sum += i;
    }
    if (sum > 0)
        PGAS_FORALL (i, 0, array->count, from + 7)
            sum -= i;
    else
        sum = 1;
    return sum;
}

long loop_as_in_upc(const pgas_array_t *array)
{
    long sum = 0;
    upc_forall (int i = -4; i < 4; i++, i)
        sum += i;
    upc_forall (unsigned i = 0; i < 4; i++, i)
        sum += i;
    upc_forall (size_t i = 0; i < array->count; i++, i)
        sum += (long)i;
    upc_forall (unsigned long long i = 0; i < array->count; i++, i)
        sum += (long)i;
    upc_forall (short i = 0; i < 4; i++, i)
        sum += i;
    upc_forall (size_t i = 0; i < array->count; i++, pgas_array_at(array, i)) {
        sum += (long)i;
    }
    return sum;
}

pgas_handle_t access_region()
{
    pgas_begin_accessregion();
    pgas_end_accessregion();
    upc_begin_accessregion();
    return upc_end_accessregion();
}

void synchronise()
{
    upc_barrier;
    upc_notify;
    upc_wait;
    upc_fence;
    pgas_notify(PGAS_ANONYMOUS);
    pgas_wait(PGAS_ANONYMOUS);
}

bool constants(const pgas_handle_t &handle)
{
    pgas_array_t array;
    bool is_none = pgas_array_create(1, 1, PGAS_BLOCK_EVEN, &array) != PGAS_OK;
    const upc_handle_t handles[] = {PGAS_HANDLE_COMPLETE, UPC_COMPLETE_HANDLE, handle};
    return is_none && pgas_handle_is_complete(handles[0]) && MYTHREAD < THREADS &&
           array.block < UPC_MAX_BLOCK_SIZE && UPC_MAX_ASYNC_INFLIGHT < PGAS_LOCK_PASSES;
}

upccoll_return_t collectives(pgas_ptr_t dst, pgas_ptr_t src)
{
    upc_all_broadcast(dst, src, 8, UPC_IN_NOSYNC | UPC_OUT_NOSYNC);
    upc_all_scatter(dst, src, 8, UPC_IN_MYSYNC | UPC_OUT_MYSYNC);
    upc_all_reduceLD(dst, src, UPC_ADD, 4, 1, NULL, UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC);
    upccoll_wait(UPCCOLL_INVALID_HANDLE);
    return upccoll_barrier(UPC_TEAM_ALL, UPC_ASYNC_FENCE, NULL);
}
