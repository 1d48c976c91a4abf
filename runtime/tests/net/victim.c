/**
 * A job under attack: it writes its addresses, its ports, and with each port where bytes lie that
 * nobody may change, to files, and works until it is told to stop. All its transfers must be
 * correct meanwhile. See foreign.sh.
 *
 * Usage: runtime_victim DIRECTORY
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ucp/api/ucp.h>

#include "check.h"
#include "job_random.h"

#include "net/ucx/worker.h"

enum {
    BYTES = 150000,
    MOST_FILES = 1024
};

static volatile unsigned char untouched[64];

static FILE *create(const char *directory, const char *what)
{
    char name[512];
    snprintf(name, sizeof name, "%s/%s.%d", directory, what, pgas_mythread());
    FILE *file = fopen(name, "we");
    CHECK(file != NULL);
    return file;
}

static void tell_address(const char *directory)
{
    ucp_address_t *address;
    size_t nbytes;
    CHECK(ucp_worker_get_address(pgasi_ucx_target, &address, &nbytes) == UCS_OK);
    FILE *file = create(directory, "address");
    CHECK(fwrite(address, 1, nbytes, file) == nbytes);
    CHECK(fclose(file) == 0);
    ucp_worker_release_address(pgasi_ucx_target, address);
}

static void tell_ports(const char *directory)
{
    FILE *file = create(directory, "ports");
    FILE *places = create(directory, "places");
    for (int fd = 0; fd < MOST_FILES; fd++) {
        int listens = 0;
        socklen_t length = sizeof listens;
        struct sockaddr_in address = {0};
        socklen_t size = sizeof address;
        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens != 0 &&
            getsockname(fd, (struct sockaddr *)&address, &size) == 0) {
            fprintf(file, "%d\n", ntohs(address.sin_port));
            fprintf(places, "%d:%p\n", ntohs(address.sin_port), (volatile void *)untouched);
        }
    }
    CHECK(fclose(file) == 0 && fclose(places) == 0);
}

static void work(const pgas_array_t *array, uint64_t *state)
{
    static unsigned char bytes[BYTES];
    static unsigned char seen[BYTES];
    pgas_ptr_t room = pgas_array_at(array, (size_t)((pgas_mythread() + 1) % pgas_threads()));
    for (int i = 0; i < 20; i++) {
        size_t nbytes = 1 + random_size(state, BYTES - 1);
        for (size_t k = 0; k < nbytes; k++)
            bytes[k] = (unsigned char)random_next(state);
        pgas_memput(room, bytes, nbytes);
        pgas_memget(seen, room, nbytes);
        CHECK(memcmp(seen, bytes, nbytes) == 0);
    }
    for (size_t k = 0; k < sizeof untouched; k++)
        CHECK(untouched[k] == 0);
    pgas_barrier();
}

int main(int argc, char **argv)
{
    char stop[512];
    CHECK(argc == 2 && pgas_init() == PGAS_OK);
    snprintf(stop, sizeof stop, "%s/stop", argv[1]);
    uint64_t state = random_seed_of_thread(random_seed_of_job());
    pgas_array_t array;
    pgas_array_t goes_on;
    CHECK(pgas_array_create((size_t)pgas_threads(), BYTES, 1, &array) == PGAS_OK);
    CHECK(pgas_array_create(1, sizeof(int), 1, &goes_on) == PGAS_OK);
    work(&array, &state);
    tell_ports(argv[1]);
    tell_address(argv[1]);
    int more = 1;
    while (more != 0) {
        work(&array, &state);
        if (pgas_mythread() == 0)
            PGAS_PUT(int, &goes_on, 0, access(stop, F_OK) != 0);
        pgas_barrier();
        more = PGAS_GET(int, &goes_on, 0);
        pgas_barrier();
    }
    pgas_array_free(&goes_on);
    pgas_array_free(&array);
    if (pgas_mythread() == 0)
        printf("right\n");
    pgas_finalize();
    return 0;
}
