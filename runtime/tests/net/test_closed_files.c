/**
 * A program that closes its standard files in the job: no connection gets their numbers, since
 * lines of the runtime would go to the peer.
 *
 * Ends with status 3 if one has; nothing can be printed then.
 */
#include <sys/stat.h>
#include <unistd.h>

#include <pgas/pgas.h>

#include "check.h"

static bool is_socket(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
}

int main(void)
{
    enum {
        LONG = 1 << 20
    };
    static char bytes[LONG];
    pgas_ptr_t room;
    CHECK(pgas_init() == PGAS_OK);
    CHECK(pgas_all_alloc((size_t)pgas_threads(), LONG, &room) == PGAS_OK);
    CHECK(!is_socket(STDERR_FILENO));
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        close(fd);
    pgas_barrier();
    for (int thread = 0; thread < pgas_threads(); thread++) {
        pgas_memput(pgas_ptr_on(room, thread), bytes, 8);
        pgas_memget(bytes, pgas_ptr_on(room, thread), LONG);
    }
    pgas_barrier();
    bool has_socket = false;
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        has_socket = has_socket || is_socket(fd);
    pgas_all_free(room);
    pgas_finalize();
    return has_socket ? 3 : 0;
}
