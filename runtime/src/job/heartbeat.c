#include "job/heartbeat.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/config.h"
#include "base/log.h"
#include "net/net.h"

enum {
    BEATS_PER_TIMEOUT = 4
};

static atomic_bool watching;
static uint32_t watched;
static uint32_t watcher;
static char watched_host[64];

/* Only whoever drives the serving side touches these, one at a time. */
static uint64_t heard;
static uint64_t last_beat;
static uint64_t last_look;

static size_t hear(uint32_t source, const void *beat, size_t nbytes, void *reply)
{
    (void)source;
    (void)reply;
    heard = pgasi_milliseconds();
    snprintf(watched_host, sizeof watched_host, "%.*s", (int)nbytes, (const char *)beat);
    return 0;
}

static void beat(void)
{
    const char *host = pgasi_log_host();
    pgasi_net_send(watcher, PGASI_SERVICE_HEARTBEAT, host, strnlen(host, sizeof watched_host - 1));
}

static void look(void)
{
    if (!atomic_load(&watching))
        return;
    uint64_t timeout = pgasi_settings.peer_timeout * 1000;
    uint64_t now = pgasi_milliseconds();
    /* Who was stopped itself cannot blame the other. */
    if (now - last_look > timeout / BEATS_PER_TIMEOUT)
        heard = now;
    last_look = now;
    if (now - last_beat >= timeout / BEATS_PER_TIMEOUT) {
        last_beat = now;
        beat();
    }
    if (now - heard > timeout)
        pgasi_fatal("network",
                    "no sign of life from thread %u%s%s for %zu s (PGAS_PEER_TIMEOUT): its host, "
                    "or the way there, is down",
                    watched, watched_host[0] != '\0' ? " on " : "", watched_host,
                    pgasi_settings.peer_timeout);
}

void pgasi_heartbeat_start(uint32_t before, uint32_t after)
{
    if (pgasi_settings.peer_timeout == 0)
        return;
    watched = before;
    watcher = after;
    heard = last_look = pgasi_milliseconds();
    pgasi_net_serve(PGASI_SERVICE_HEARTBEAT, hear);
    pgasi_net_every_interval(look);
    atomic_store(&watching, true);
}

void pgasi_heartbeat_stop(void)
{
    atomic_store(&watching, false);
}
