#include "strangers.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct connection {
    struct sockaddr_in near;
    struct sockaddr_in far;
};

static bool get_connection(int fd, struct connection *connection)
{
    socklen_t near = sizeof connection->near;
    socklen_t far = sizeof connection->far;
    return getsockname(fd, (struct sockaddr *)&connection->near, &near) == 0 &&
           connection->near.sin_family == AF_INET &&
           getpeername(fd, (struct sockaddr *)&connection->far, &far) == 0;
}

/** A line of /proc/net/tcp: whose the socket is, if it is the connection's other end. */
static bool is_other_end(const char *line, const struct connection *connection, uid_t *uid)
{
    unsigned from;
    unsigned to;
    unsigned from_port;
    unsigned to_port;
    // NOLINTNEXTLINE(cert-err34-c): the kernel's own numbers
    if (sscanf(line, " %*d: %8X:%4X %8X:%4X %*X %*X:%*X %*X:%*X %*X %u", &from, &from_port, &to,
               &to_port, uid) != 5)
        return false;
    return from == connection->far.sin_addr.s_addr &&
           from_port == ntohs(connection->far.sin_port) && to == connection->near.sin_addr.s_addr &&
           to_port == ntohs(connection->near.sin_port);
}

static bool is_strange(const struct connection *connection)
{
    char line[512];
    uid_t uid = 0; // what the kernel says of an end that has been closed
    FILE *sockets = fopen("/proc/net/tcp", "re");
    bool found = false;
    while (sockets != NULL && !found && fgets(line, sizeof line, sockets) != NULL)
        found = is_other_end(line, connection, &uid);
    if (sockets != NULL)
        fclose(sockets);
    return found && uid != 0 && uid != geteuid();
}

/** Descriptors that have been looked at and belong to this user. A number that is used again for
 *  another connection has another port at its far end. */
static in_port_t *known;
static size_t known_count;

static bool is_known(int fd, in_port_t port)
{
    return (size_t)fd < known_count && known[fd] == port;
}

static void note(int fd, in_port_t port)
{
    size_t count = (size_t)fd + 1;
    if (count > known_count) {
        in_port_t *longer = realloc(known, count * sizeof *known);
        if (longer == NULL)
            return;
        for (size_t i = known_count; i < count; i++)
            longer[i] = 0;
        known = longer;
        known_count = count;
    }
    known[fd] = port;
}

static void look_at(int fd)
{
    struct connection connection = {0};
    if (!get_connection(fd, &connection) || is_known(fd, connection.far.sin_port))
        return;
    if (is_strange(&connection))
        shutdown(fd, SHUT_RDWR);
    else
        note(fd, connection.far.sin_port);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void strangers_shut(void)
{
    static double last = -1;
    double now = seconds();
    if (last >= 0 && now - last < STRANGERS_LOOK_MS / 1000.0)
        return;
    last = now;
    DIR *descriptors = opendir("/proc/self/fd");
    if (descriptors == NULL)
        return;
    const struct dirent *entry;
    while ((entry = readdir(descriptors)) != NULL)
        if (entry->d_name[0] != '.')
            look_at((int)strtol(entry->d_name, NULL, 10));
    closedir(descriptors);
}
