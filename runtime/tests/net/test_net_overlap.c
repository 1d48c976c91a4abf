/**
 * Copies of more than 96 KiB make progress while both sides compute and call nothing: the initiator
 * of a get sees the last bytes arrive in its memory, and so does the target of a put. The same
 * holds for a copy between two other threads.
 *
 * Usage: runtime_net_overlap DIRECTORY
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "pause.h"

enum {
    SMALLEST = (96 << 10) + 1,
    LARGEST = 2 << 20,
    ROUNDS = 6,
    /* Seconds without progress; a copy takes milliseconds. */
    LIMIT = 60
};

static pgas_ptr_t rooms;
static char *buffer;
static const char *directory;
static size_t nbytes; /* of this round's copies */

static pgas_ptr_t room_of(int thread)
{
    pgas_ptr_t ptr = rooms;
    ptr.thread = (uint32_t)thread;
    return ptr;
}

static void name_of(char *name, size_t size, const char *what, int round)
{
    snprintf(name, size, "%s/%s.%d", directory, what, round);
}

/* Announces, without a call of the runtime, that something has arrived, */
static void tell(const char *what, int round)
{
    char name[512];
    name_of(name, sizeof name, what, round);
    FILE *file = fopen(name, "we");
    CHECK(file != NULL && fclose(file) == 0);
}

/* and computes until there is an announcement, or until `byte` is `value`, again without a call. */
static void compute_until(const char *what, int round, const volatile char *byte, char value)
{
    char name[512];
    volatile double sum = 0;
    name_of(name, sizeof name, what, round);
    for (double end = seconds_now() + LIMIT;;) {
        for (int i = 1; i < 10000; i++)
            sum = sum + 1.0 / i;
        if (byte != NULL ? *byte == value : access(name, F_OK) == 0)
            return;
        CHECK(seconds_now() < end);
    }
}

static const volatile char *last_of(const char *bytes)
{
    return bytes + nbytes - 1;
}

static void put_while_computing(int round, int target)
{
    int me = pgas_mythread();
    char value = (char)(round + 1);
    if (me == 0) {
        memset(buffer, value, nbytes);
        pgas_handle_t handle = pgas_memput_async(room_of(target), buffer, nbytes);
        compute_until("put", round, NULL, 0);
        pgas_waitsync(handle);
    } else if (me == target) {
        compute_until(NULL, round, last_of(pgas_local(room_of(me))), value);
        tell("put", round);
    }
    pgas_barrier();
}

static void get_while_computing(int round, int target)
{
    int me = pgas_mythread();
    char value = (char)(round + 51);
    if (me == target)
        memset(pgas_local(room_of(me)), value, nbytes);
    pgas_barrier();
    if (me == 0) {
        memset(buffer, 0, nbytes);
        pgas_handle_t handle = pgas_memget_async(buffer, room_of(target), nbytes);
        compute_until(NULL, round, last_of(buffer), value);
        tell("get", round);
        pgas_waitsync(handle);
    } else if (me == target) {
        compute_until("get", round, NULL, 0);
    }
    pgas_barrier();
}

static void copy_while_computing(int round, int from, int to)
{
    int me = pgas_mythread();
    char value = (char)(round + 101);
    if (me == from)
        memset(pgas_local(room_of(me)), value, nbytes);
    pgas_barrier();
    if (me == 0) {
        pgas_handle_t handle = pgas_memcpy_async(room_of(to), room_of(from), nbytes);
        compute_until("copy", round, NULL, 0);
        pgas_waitsync(handle);
    } else if (me == to) {
        compute_until(NULL, round, last_of(pgas_local(room_of(me))), value);
        tell("copy", round);
    } else if (me == from) {
        compute_until("copy", round, NULL, 0);
    }
    pgas_barrier();
}

int main(int argc, char **argv)
{
    CHECK(argc == 2 && pgas_init() == PGAS_OK);
    directory = argv[1];
    CHECK(pgas_all_alloc((size_t)pgas_threads(), LARGEST, &rooms) == PGAS_OK);
    buffer = malloc(LARGEST);
    CHECK(buffer != NULL);
    for (int round = 0; round < ROUNDS; round++) {
        int last = pgas_threads() - 1;
        nbytes = round % 2 == 0 ? SMALLEST : LARGEST;
        put_while_computing(round, last);
        get_while_computing(round, last);
        if (last > 1)
            copy_while_computing(round, 1, last);
    }
    free(buffer);
    pgas_all_free(rooms);
    pgas_finalize();
    return 0;
}
