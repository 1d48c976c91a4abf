#include "strangers.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct connection {
    int fd;
    struct sockaddr_in local;
    struct sockaddr_in remote;
    bool is_strange;
} connection_t;

/* A list that grows. */
typedef struct connections {
    connection_t *list;
    size_t count;
    size_t capacity;
} connections_t;

/* By descriptor, the remote port of the connection that was checked last. If the number is reused
 * for another connection, the remote port differs. */
static in_port_t *known;
static size_t known_count;

static bool get_connection(int fd, connection_t *connection)
{
    socklen_t local = sizeof connection->local;
    socklen_t remote = sizeof connection->remote;
    *connection = (connection_t){.fd = fd};
    return getsockname(fd, (struct sockaddr *)&connection->local, &local) == 0 &&
           connection->local.sin_family == AF_INET &&
           getpeername(fd, (struct sockaddr *)&connection->remote, &remote) == 0;
}

static bool is_known(const connection_t *connection)
{
    return (size_t)connection->fd < known_count &&
           known[connection->fd] == connection->remote.sin_port;
}

/* Without memory the connection is checked again next time. */
static void note(const connection_t *connection)
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
    known[connection->fd] = connection->remote.sin_port;
}

static void append(connections_t *connections, const connection_t *connection)
{
    if (connections->count == connections->capacity) {
        size_t capacity = 2 * connections->capacity + 16;
        connection_t *longer = realloc(connections->list, capacity * sizeof *longer);
        if (longer == NULL)
            return;
        connections->list = longer;
        connections->capacity = capacity;
    }
    connections->list[connections->count++] = *connection;
}

/* The connections that have not been checked. */
static void find_new(connections_t *connections)
{
    DIR *descriptors = opendir("/proc/self/fd");
    if (descriptors == NULL)
        return;
    const struct dirent *entry;
    while ((entry = readdir(descriptors)) != NULL) {
        connection_t connection;
        if (entry->d_name[0] != '.' &&
            get_connection((int)strtol(entry->d_name, NULL, 10), &connection) &&
            !is_known(&connection))
            append(connections, &connection);
    }
    closedir(descriptors);
}

/* Reads a line of /proc/net/tcp, which says who owns a socket; of a closed one it says root. */
static void compare(const char *line, connections_t *connections)
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
        connection_t *connection = &connections->list[i];
        if (from == connection->remote.sin_addr.s_addr &&
            from_port == ntohs(connection->remote.sin_port) &&
            to == connection->local.sin_addr.s_addr && to_port == ntohs(connection->local.sin_port))
            connection->is_strange = true;
    }
}

void strangers_shut(void)
{
    char line[512];
    connections_t connections = {.list = NULL};
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
