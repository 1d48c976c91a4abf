/**
 * The heartbeat monitor notices when a host has gone silent: its link is cut, or it has stopped, so
 * that no connection reports an error.
 *
 * The nodes of a job over several hosts form a ring. The leader of each node sends a heartbeat to
 * the next leader four times in PGAS_PEER_TIMEOUT seconds. A leader that has received none for that
 * long ends the job on its side. The progress thread sends and receives heartbeats, so that a
 * computing thread does not look dead; with PGAS_PROGRESS=poll there is no monitor.
 */
#ifndef PGASI_JOB_HEARTBEAT_H
#define PGASI_JOB_HEARTBEAT_H

/** Starts the monitor. Called by the leader of a node, in a job of several nodes, between
 *  pgasi_net_init and pgasi_net_start. */
void pgasi_heartbeat_start(void);

/** Stops the monitor: silence is not an error any more. */
void pgasi_heartbeat_stop(void);

#endif
