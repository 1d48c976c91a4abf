/* Gets and puts by MPI, as transfers_ucx.c has them by UCX. "messages": one at a time, a put is a
 * message and an empty one back, a get the same the other way round; several in flight, the
 * messages follow each other, and one empty message says that all have come. "one-sided": MPI_Put
 * and MPI_Get, and MPI_Win_flush after as many as may be in flight. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "transfers_measure.h"

enum {
    TAG = 1
};

static int process;
static char *buffer;
static char *shared;
static MPI_Win window;
static MPI_Request *requests;

static void send(const char *bytes, size_t nbytes)
{
    MPI_Send(bytes, (int)nbytes, MPI_BYTE, 1 - process, TAG, MPI_COMM_WORLD);
}

static void receive(char *bytes, size_t nbytes)
{
    MPI_Recv(bytes, (int)nbytes, MPI_BYTE, 1 - process, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The process that has the bytes sends first where it puts, and second where it is asked. */
static void ping_pong(const bench_transfer_t *transfer, size_t count)
{
    char *memory = process == 0 ? buffer : shared;
    const size_t out = transfer->gets == (process == 1) ? transfer->nbytes : 0;
    const size_t in = transfer->nbytes - out;
    for (size_t i = 0; i < count; i++) {
        if (process == 0)
            send(memory, out);
        receive(memory, in);
        if (process == 1)
            send(memory, out);
    }
}

static void flood(const bench_transfer_t *transfer, size_t count)
{
    char *memory = process == 0 ? buffer : shared;
    const bool sends = transfer->gets == (process == 1);
    for (size_t slot = 0; slot < transfer->depth; slot++)
        requests[slot] = MPI_REQUEST_NULL;
    for (size_t i = 0, slot = 0; i < count; i++, slot = slot + 1 < transfer->depth ? slot + 1 : 0) {
        char *at = memory + slot * transfer->nbytes;
        MPI_Wait(&requests[slot], MPI_STATUS_IGNORE);
        if (sends)
            MPI_Isend(at, (int)transfer->nbytes, MPI_BYTE, 1 - process, TAG, MPI_COMM_WORLD,
                      &requests[slot]);
        else
            MPI_Irecv(at, (int)transfer->nbytes, MPI_BYTE, 1 - process, TAG, MPI_COMM_WORLD,
                      &requests[slot]);
    }
    MPI_Waitall((int)transfer->depth, requests, MPI_STATUSES_IGNORE);
    if (sends)
        receive(memory, 0);
    else
        send(memory, 0);
}

static void run_messages(const bench_transfer_t *transfer, size_t count)
{
    if (transfer->depth == 1)
        ping_pong(transfer, count);
    else
        flood(transfer, count);
}

static void initiate(const bench_transfer_t *transfer, size_t count)
{
    const int nbytes = (int)transfer->nbytes;
    for (size_t done = 0; done < count; done += transfer->depth) {
        size_t group = count - done < transfer->depth ? count - done : transfer->depth;
        for (size_t slot = 0; slot < group; slot++) {
            size_t offset = slot * transfer->nbytes;
            if (transfer->gets)
                MPI_Get(buffer + offset, nbytes, MPI_BYTE, 1, (MPI_Aint)offset, nbytes, MPI_BYTE,
                        window);
            else
                MPI_Put(buffer + offset, nbytes, MPI_BYTE, 1, (MPI_Aint)offset, nbytes, MPI_BYTE,
                        window);
        }
        MPI_Win_flush(1, window);
    }
}

/* The target waits in a barrier, in which it polls. */
static void run_one_sided(const bench_transfer_t *transfer, size_t count)
{
    if (process == 0)
        initiate(transfer, count);
}

static void share(size_t *value)
{
    unsigned long long number = *value;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(&number, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    MPI_Win_sync(window);
    *value = (size_t)number;
}

int main(int argc, char **argv)
{
    bench_transfers_options_t options = bench_transfers_options(argc, argv);
    MPI_Init(&argc, &argv);
    int processes;
    MPI_Comm_rank(MPI_COMM_WORLD, &process);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (processes != 2) {
        fprintf(stderr, "%s: two processes are needed, not %d\n", argv[0], processes);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    buffer = bench_allocate(options.nbytes, 0);
    requests = bench_allocate(options.depth * sizeof(MPI_Request), 0);
    MPI_Win_allocate((MPI_Aint)options.nbytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
    MPI_Win_lock_all(0, window);
    const bench_transfers_t ways[] = {
        {"messages", process, buffer, shared, share, run_messages},
        {"one-sided", process, buffer, shared, share, run_one_sided},
    };
    if (!bench_transfers_run(ways, 2, &options, "bench-transfers-mpi"))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    free(requests);
    free(buffer);
    MPI_Finalize();
    return 0;
}
