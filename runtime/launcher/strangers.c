#include "strangers.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct connection {
    int fd;
    struct sockaddr_in near;
    struct sockaddr_in far;
    bool is_strange;
};

/** A list that grows. */
struct connections {
    struct connection *list;
    size_t count;
    size_t room;
};

/** By descriptor, the far port of the connection that was looked at last. A number that is used
 *  again for another connection has another port at its far end. */
static in_port_t *known;
static size_t known_count;

static bool get_connection(int fd, struct connection *connection)
{
    socklen_t near = sizeof connection->near;
    socklen_t far = sizeof connection->far;
    *connection = (struct connection){.fd = fd};
    return getsockname(fd, (struct sockaddr *)&connection->near, &near) == 0 &&
           connection->near.sin_family == AF_INET &&
           getpeername(fd, (struct sockaddr *)&connection->far, &far) == 0;
}

static bool is_known(const struct connection *connection)
{
    return (size_t)connection->fd < known_count &&
           known[connection->fd] == connection->far.sin_port;
}

/** Without memory it is looked at again the next time. */
static void note(const struct connection *connection)
{
    size_t count = (size_t)connection->fd + 1;
    if (count > known_count) {
        in_port_t *longer = realloc(known, count * sizeof *known);
        if (longer == NULL)
            return;
        for (size_t i = known_count; i < count; i++)
            longer[i] = 0;
        known = longer;
        known_count = count;
    }
    known[connection->fd] = connection->far.sin_port;
}

static void append(struct connections *connections, const struct connection *connection)
{
    if (connections->count == connections->room) {
        size_t room = 2 * connections->room + 16;
        struct connection *longer = realloc(connections->list, room * sizeof *longer);
        if (longer == NULL)
            return;
        connections->list = longer;
        connections->room = room;
    }
    connections->list[connections->count++] = *connection;
}

/** The connections that have not been looked at. */
static void find_new(struct connections *connections)
{
    DIR *descriptors = opendir("/proc/self/fd");
    if (descriptors == NULL)
        return;
    const struct dirent *entry;
    while ((entry = readdir(descriptors)) != NULL) {
        struct connection connection;
        if (entry->d_name[0] != '.' &&
            get_connection((int)strtol(entry->d_name, NULL, 10), &connection) &&
            !is_known(&connection))
            append(connections, &connection);
    }
    closedir(descriptors);
}

/** A line of /proc/net/tcp: whose a socket is. Of one that has been closed it says root. */
static void compare(const char *line, struct connections *connections)
{
    unsigned from;
    unsigned to;
    unsigned from_port;
    unsigned to_port;
    uid_t uid;
    // NOLINTNEXTLINE(cert-err34-c): the kernel's own numbers
    if (sscanf(line, " %*d: %8X:%4X %8X:%4X %*X %*X:%*X %*X:%*X %*X %u", &from, &from_port, &to,
               &to_port, &uid) != 5 ||
        uid == 0 || uid == geteuid())
        return;
    for (size_t i = 0; i < connections->count; i++) {
        struct connection *connection = &connections->list[i];
        if (from == connection->far.sin_addr.s_addr &&
            from_port == ntohs(connection->far.sin_port) &&
            to == connection->near.sin_addr.s_addr && to_port == ntohs(connection->near.sin_port))
            connection->is_strange = true;
    }
}

void strangers_shut(void)
{
    char line[512];
    struct connections connections = {.list = NULL};
    find_new(&connections);
    FILE *sockets = connections.count > 0 ? fopen("/proc/net/tcp", "re") : NULL;
    while (sockets != NULL && fgets(line, sizeof line, sockets) != NULL)
        compare(line, &connections);
    if (sockets != NULL)
        fclose(sockets);
    for (size_t i = 0; i < connections.count; i++) {
        if (connections.list[i].is_strange)
            shutdown(connections.list[i].fd, SHUT_RDWR);
        else
            note(&connections.list[i]);
    }
    free(connections.list);
}
