#include "shm/bell_socket.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int own_socket = -1;

static socklen_t name_of(const pgasi_bell_t *bell, struct sockaddr_un *name)
{
    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length =
        snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "fathom-%016" PRIx64, bell->socket);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

bool pgasi_bell_socket_open(pgasi_bell_t *bell)
{
    struct sockaddr_un name;
    if (getrandom(&bell->socket, sizeof bell->socket, 0) != sizeof bell->socket)
        return false;
    own_socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (own_socket < 0)
        return false;
    socklen_t size = name_of(bell, &name);
    if (bind(own_socket, (struct sockaddr *)&name, size) == 0)
        return true;
    pgasi_bell_socket_close();
    return false;
}

int pgasi_bell_socket_begin(pgasi_bell_t *bell)
{
    if (own_socket < 0)
        return -1;
    atomic_store(&bell->asleep, PGASI_BELL_POLLING);
    return own_socket;
}

/* Who saw the flag may send still: the next sleep is short then. */
void pgasi_bell_socket_end(pgasi_bell_t *bell)
{
    if (own_socket >= 0) {
        char byte;
        atomic_store(&bell->asleep, PGASI_BELL_AWAKE);
        while (recv(own_socket, &byte, 1, MSG_DONTWAIT) > 0)
            continue;
    }
}

/* A full queue of datagrams wakes as well as one more. */
void pgasi_bell_socket_wake(const pgasi_bell_t *bell)
{
    struct sockaddr_un name;
    socklen_t size = name_of(bell, &name);
    if (own_socket >= 0)
        sendto(own_socket, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&name, size);
}

void pgasi_bell_socket_close(void)
{
    if (own_socket >= 0)
        close(own_socket);
    own_socket = -1;
}
