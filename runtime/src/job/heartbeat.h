/**
 * Notices when a host has gone silent: its link is cut, or it has stopped, so that no connection
 * tells.
 *
 * The nodes of a job over several hosts form a ring. The leader of each sends a beat to the next
 * one four times in PGAS_PEER_TIMEOUT seconds; who has heard nothing for that long ends the job on
 * its side. The progress thread does both, so that a computing thread does not look dead; with
 * PGAS_PROGRESS=poll nobody watches.
 */
#ifndef PGASI_JOB_HEARTBEAT_H
#define PGASI_JOB_HEARTBEAT_H

#include <stdint.h>

/** Starts watching `before`, the leader of the node before, and beating for `after`, the leader of
 *  the node after. Called by a node's leader between pgasi_net_init and pgasi_net_start. */
void pgasi_heartbeat_start(uint32_t before, uint32_t after);

/** Stops expecting beats. */
void pgasi_heartbeat_stop(void);

#endif
