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

static socklen_t name_of(uint64_t number, struct sockaddr_un *name)
{
    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length =
        snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "fathom-%016" PRIx64, number);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

bool pgasi_bell_socket_open(uint64_t *number)
{
    struct sockaddr_un name;
    if (getrandom(number, sizeof *number, 0) != sizeof *number)
        return false;
    own_socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (own_socket < 0)
        return false;
    socklen_t size = name_of(*number, &name);
    if (bind(own_socket, (struct sockaddr *)&name, size) == 0)
        return true;
    pgasi_bell_socket_close();
    return false;
}

int pgasi_bell_socket(void)
{
    return own_socket;
}

void pgasi_bell_socket_drain(void)
{
    char byte;
    while (recv(own_socket, &byte, 1, MSG_DONTWAIT) > 0)
        continue;
}

/* A full queue of datagrams wakes as well as one more. Who has no bell of his own wakes others all
 * the same. */
void pgasi_bell_socket_wake(uint64_t number)
{
    struct sockaddr_un name;
    socklen_t size = name_of(number, &name);
    int from = own_socket >= 0 ? own_socket : socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (from < 0)
        return;
    sendto(from, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&name, size);
    if (from != own_socket)
        close(from);
}

void pgasi_bell_socket_close(void)
{
    if (own_socket >= 0)
        close(own_socket);
    own_socket = -1;
}
