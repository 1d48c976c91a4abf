#include <pgas/signal.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/in_job.h"
#include "node/segment.h"
#include "shm/signal.h"
#include "sync/wait.h"

/* Nobody wakes a thread that waits for plain memory. */
enum {
    LONGEST_US = 1000
};

/* What is waited for, and where a search for one that compares so begins. */
typedef struct awaited {
    const char *call;
    const pgas_signal_t *signals;
    size_t count;
    const bool *skip;
    pgas_compare_t compare;
    uint64_t value;
    size_t first;
} awaited_t;

/* The wait that the watchdog reports. */
static _Thread_local const awaited_t *reported;

static pgasi_event_t *signalled(void)
{
    return &pgasi_header_of(pgasi_job.thread)->signalled;
}

static void check_compare(const char *call, pgas_compare_t compare)
{
    if ((unsigned)compare > PGAS_LE)
        pgasi_fatal(call, "comparison %u: there is none such (pgas/signal.h)", compare);
}

static void check_own(const char *call, const pgas_signal_t *signals, size_t count)
{
    uintptr_t base = (uintptr_t)pgasi_job.peers[pgasi_job.thread].base;
    const pgas_ptr_t at = {.thread = pgasi_job.thread, .offset = (uintptr_t)signals - base};
    size_t nbytes;
    if (__builtin_mul_overflow(count, sizeof *signals, &nbytes) || !pgasi_is_in_heap(at, nbytes) ||
        at.offset % sizeof *signals != 0)
        pgasi_fatal(call, "%zu signals at %p: not aligned, or not in the segment of this thread",
                    count, (const void *)signals);
}

static void check(const awaited_t *awaited)
{
    pgasi_require_job(awaited->call);
    check_compare(awaited->call, awaited->compare);
    if (awaited->count > 0)
        check_own(awaited->call, awaited->signals, awaited->count);
}

/* `order` is -1 (less), 0 or 1; 2: of NaNs, which are not equal, and neither less nor greater. */
static bool satisfies(int order, pgas_compare_t compare)
{
    switch (compare) {
    case PGAS_EQ:
        return order == 0;
    case PGAS_NE:
        return order != 0;
    case PGAS_GT:
        return order == 1;
    case PGAS_GE:
        return order == 0 || order == 1;
    case PGAS_LT:
        return order == -1;
    case PGAS_LE:
        return order == 0 || order == -1;
    }
    return false;
}

static int order_of_unsigned(uint64_t is, uint64_t with)
{
    return (is > with) - (is < with);
}

static bool compares_unsigned(uint64_t is, pgas_compare_t compare, uint64_t with)
{
    return satisfies(order_of_unsigned(is, with), compare);
}

static bool compares(const awaited_t *awaited, size_t i)
{
    return compares_unsigned(pgas_signal_fetch(&awaited->signals[i]), awaited->compare,
                             awaited->value);
}

static bool is_skipped(const awaited_t *awaited, size_t i)
{
    return awaited->skip != NULL && awaited->skip[i];
}

/* The first from `first` on that compares so, round the end; `count` if none does. */
static size_t find_any(const awaited_t *awaited)
{
    size_t i = awaited->first;
    for (size_t left = awaited->count; left > 0; left--) {
        if (!is_skipped(awaited, i) && compares(awaited, i))
            return i;
        i = i + 1 < awaited->count ? i + 1 : 0;
    }
    return awaited->count;
}

static bool is_any_done(const void *argument)
{
    const awaited_t *awaited = argument;
    return find_any(awaited) < awaited->count;
}

static bool is_first_done(const void *argument)
{
    return compares(argument, 0);
}

static bool is_all_skipped(const awaited_t *awaited)
{
    for (size_t i = 0; i < awaited->count; i++)
        if (!is_skipped(awaited, i))
            return false;
    return true;
}

static void describe(char *text, size_t size)
{
    static const char *const signs[] = {"==", "!=", ">", ">=", "<", "<="};
    const awaited_t *awaited = reported;
    uint64_t offset =
        (uintptr_t)awaited->signals - (uintptr_t)pgasi_job.peers[pgasi_job.thread].base;
    int used = snprintf(text, size, "a signal of thread %u %s %" PRIu64 ", ", pgasi_job.thread,
                        signs[awaited->compare], awaited->value);
    if (awaited->count == 1)
        snprintf(text + used, size - (size_t)used, "at offset %" PRIu64 ", which is %" PRIu64,
                 offset, pgas_signal_fetch(awaited->signals));
    else
        snprintf(text + used, size - (size_t)used, "one of %zu at offset %" PRIu64, awaited->count,
                 offset);
}

static void wait_for(const awaited_t *awaited, bool (*is_done)(const void *argument))
{
    reported = awaited;
    pgasi_wait(signalled(), is_done, awaited, 0, describe);
}

uint64_t pgas_signal_wait(const pgas_signal_t *signal, pgas_compare_t compare, uint64_t value)
{
    const awaited_t awaited = {__func__, signal, 1, NULL, compare, value, 0};
    check(&awaited);
    uint64_t is = pgas_signal_fetch(signal);
    while (!compares_unsigned(is, compare, value)) { /* it may change again meanwhile */
        wait_for(&awaited, is_first_done);
        is = pgas_signal_fetch(signal);
    }
    return is;
}

bool pgas_signal_test(const pgas_signal_t *signal, pgas_compare_t compare, uint64_t value)
{
    const awaited_t awaited = {__func__, signal, 1, NULL, compare, value, 0};
    check(&awaited);
    if (compares(&awaited, 0))
        return true;
    pgasi_serve();
    bool holds = compares(&awaited, 0);
    pgasi_looked(holds);
    return holds;
}

/* By chance, so that loops over several arrays do not make each other begin at the same signals. */
static size_t begin_by_chance(size_t count)
{
    static _Thread_local uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)((state >> 32) % count);
}

/* The last signals that this thread has waited for one of, and what follows the one found. */
static _Thread_local struct {
    const pgas_signal_t *signals;
    size_t count;
    size_t next;
} turn;

static size_t begin_of_search(const awaited_t *awaited)
{
    bool goes_on = turn.signals == awaited->signals && turn.count == awaited->count;
    return goes_on ? turn.next : begin_by_chance(awaited->count);
}

size_t pgas_signal_wait_any(const pgas_signal_t *signals, size_t count, const bool *skip,
                            pgas_compare_t compare, uint64_t value)
{
    awaited_t awaited = {__func__, signals, count, skip, compare, value, 0};
    check(&awaited);
    if (is_all_skipped(&awaited))
        return count;
    awaited.first = begin_of_search(&awaited);
    size_t found = find_any(&awaited);
    while (found == count) {
        wait_for(&awaited, is_any_done);
        found = find_any(&awaited);
    }
    turn.signals = signals;
    turn.count = count;
    turn.next = found + 1 < count ? found + 1 : 0;
    return found;
}

static size_t find_all(const awaited_t *awaited, size_t *indexes)
{
    size_t found = 0;
    for (size_t i = 0; i < awaited->count; i++)
        if (!is_skipped(awaited, i) && compares(awaited, i))
            indexes[found++] = i;
    return found;
}

size_t pgas_signal_wait_some(const pgas_signal_t *signals, size_t count, const bool *skip,
                             size_t *indexes, pgas_compare_t compare, uint64_t value)
{
    const awaited_t awaited = {__func__, signals, count, skip, compare, value, 0};
    check(&awaited);
    if (is_all_skipped(&awaited))
        return 0;
    size_t found = find_all(&awaited, indexes);
    while (found == 0) {
        wait_for(&awaited, is_any_done);
        found = find_all(&awaited, indexes);
    }
    return found;
}

void pgas_signal_wait_all(const pgas_signal_t *signals, size_t count, const bool *skip,
                          pgas_compare_t compare, uint64_t value)
{
    awaited_t awaited = {__func__, signals, count, skip, compare, value, 0};
    check(&awaited);
    for (size_t i = 0; i < count; i++) {
        const awaited_t one = {__func__, signals + i, 1, NULL, compare, value, 0};
        if (!is_skipped(&awaited, i) && !compares(&one, 0))
            wait_for(&one, is_first_done);
    }
}

void pgas_signal_set(pgas_signal_t *signal, uint64_t value)
{
    if (!pgasi_is_in_job || pgasi_is_child) /* handlers may call it */
        pgasi_outside_job(__func__);
    check_own(__func__, signal, 1);
    pgasi_signal_apply(signal, PGAS_SIGNAL_SET, value, signalled());
}

/* Plain memory. */

typedef struct memory {
    const volatile void *at;
    pgas_type_t type;
    pgas_compare_t compare;
    uint64_t value;
} memory_t;

static int order_of_doubles(double is, double with)
{
    return is < with ? -1 : is > with ? 1 : is == with ? 0 : 2;
}

static int order_of(const memory_t *memory, uint64_t is)
{
    uint64_t with = memory->value;
    float floats[2];
    double doubles[2];
    switch (memory->type) {
    case PGAS_INT32:
        return ((int32_t)is > (int32_t)with) - ((int32_t)is < (int32_t)with);
    case PGAS_UINT32:
        return ((uint32_t)is > (uint32_t)with) - ((uint32_t)is < (uint32_t)with);
    case PGAS_INT64:
        return ((int64_t)is > (int64_t)with) - ((int64_t)is < (int64_t)with);
    case PGAS_FLOAT:
        memcpy(&floats[0], &is, sizeof floats[0]);
        memcpy(&floats[1], &with, sizeof floats[1]);
        return order_of_doubles(floats[0], floats[1]);
    case PGAS_DOUBLE:
        memcpy(&doubles[0], &is, sizeof doubles[0]);
        memcpy(&doubles[1], &with, sizeof doubles[1]);
        return order_of_doubles(doubles[0], doubles[1]);
    default:
        return order_of_unsigned(is, with);
    }
}

static bool is_memory_done(const void *argument)
{
    const memory_t *memory = argument;
    uint64_t is = pgasi_size_of_type(memory->type) == 4
                      ? __atomic_load_n((const volatile uint32_t *)memory->at, __ATOMIC_ACQUIRE)
                      : __atomic_load_n((const volatile uint64_t *)memory->at, __ATOMIC_ACQUIRE);
    return satisfies(order_of(memory, is), memory->compare);
}

static void describe_memory(char *text, size_t size)
{
    snprintf(text, size, "memory of thread %u to change (pgas_wait_until)", pgasi_job.thread);
}

void pgas_wait_until(const volatile void *at, pgas_type_t type, pgas_compare_t compare,
                     uint64_t value)
{
    const memory_t memory = {at, type, compare, value};
    pgasi_require_job(__func__);
    check_compare(__func__, compare);
    if ((unsigned)type >= PGAS_TYPES)
        pgasi_fatal(__func__, "type %u: there is none such (pgas/word.h)", type);
    if (at == NULL || (uintptr_t)at % pgasi_size_of_type(type) != 0)
        pgasi_fatal(__func__, "address %#" PRIxPTR " is null or not aligned", (uintptr_t)at);
    if (!is_memory_done(&memory))
        pgasi_wait(signalled(), is_memory_done, &memory, LONGEST_US, describe_memory);
}
