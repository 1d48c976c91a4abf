#include "job/heartbeat.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/config.h"
#include "base/log.h"
#include "net/net.h"
#include "node/node.h"

enum {
    HEARTBEATS_PER_TIMEOUT = 4
};

/* Threads: this one expects heartbeats from the leader before it and sends them to the one after.
 */
static uint32_t before;
static uint32_t after;
static atomic_bool is_running;
static char before_host[64];

/* In milliseconds. Only the thread of execution that progresses the network touches these. */
static uint64_t last_received;
static uint64_t last_sent;
static uint64_t last_check;
static uint64_t last_look;

static size_t receive(uint32_t source, const void *host, size_t nbytes, void *reply)
{
    (void)source;
    (void)reply;
    last_received = pgasi_milliseconds();
    snprintf(before_host, sizeof before_host, "%.*s", (int)nbytes, (const char *)host);
    return 0;
}

static void send_heartbeat(void)
{
    const char *host = pgasi_log_host();
    pgasi_net_send(after, PGASI_SERVICE_HEARTBEAT, host, strnlen(host, sizeof before_host - 1));
}

static void look_at_ring(uint64_t now, uint64_t timeout)
{
    if (now - last_sent >= timeout / HEARTBEATS_PER_TIMEOUT) {
        last_sent = now;
        send_heartbeat();
    }
    if (now - last_received > timeout)
        pgasi_fatal("network",
                    "no sign of life from thread %u%s%s for %zu s (PGAS_PEER_TIMEOUT): its host "
                    "is down or cannot be reached",
                    before, before_host[0] != '\0' ? " on " : "", before_host,
                    pgasi_settings.peer_timeout);
}

static void look_at_connections(uint64_t now, uint64_t timeout)
{
    char address[64];
    if (now - last_look < timeout / HEARTBEATS_PER_TIMEOUT)
        return;
    last_look = now;
    if (pgasi_net_is_cut(timeout, address, sizeof address))
        pgasi_fatal("network",
                    "%s has acknowledged nothing for %zu s (PGAS_PEER_TIMEOUT): the host is down "
                    "or cannot be reached",
                    address, pgasi_settings.peer_timeout);
}

static void check(void)
{
    if (!atomic_load(&is_running))
        return;
    uint64_t timeout = pgasi_settings.peer_timeout * 1000;
    uint64_t longest = timeout / HEARTBEATS_PER_TIMEOUT;
    uint64_t now = pgasi_milliseconds();
    /* A thread that was itself stopped must not report its peer as lost: of such a time no more
     * counts than a peer lets pass between two signs. It was there when it last checked, and when
     * it last received. */
    uint64_t last_there = last_check > last_received ? last_check : last_received;
    if (now - last_there > longest)
        last_received += now - last_there - longest;
    last_check = now;
    if (pgasi_node_is_leader())
        look_at_ring(now, timeout);
    look_at_connections(now, timeout);
}

uint64_t pgasi_heartbeat_silence(void)
{
    return strcmp(pgasi_settings.progress, "poll") == 0 ? 0 : pgasi_settings.peer_timeout;
}

void pgasi_heartbeat_start(void)
{
    if (pgasi_settings.peer_timeout == 0)
        return;
    before = pgasi_nodes.leaders[(pgasi_nodes.mine + pgasi_nodes.count - 1) % pgasi_nodes.count];
    after = pgasi_nodes.leaders[(pgasi_nodes.mine + 1) % pgasi_nodes.count];
    last_received = last_check = last_look = pgasi_milliseconds();
    pgasi_net_serve(PGASI_SERVICE_HEARTBEAT, receive);
    pgasi_net_every_interval(check);
    atomic_store(&is_running, true);
}

void pgasi_heartbeat_stop(void)
{
    atomic_store(&is_running, false);
}
