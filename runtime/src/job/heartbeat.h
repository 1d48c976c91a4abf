/**
 * The heartbeat monitor notices when a host has gone silent: its link is cut, or it has stopped, so
 * that no connection reports an error.
 *
 * The nodes of a job over several hosts form a ring. The leader of each node sends a heartbeat to
 * the next leader four times in PGAS_PEER_TIMEOUT seconds. A leader that has received none for that
 * long ends the job on its side. Two hosts that are no neighbours may be cut off from each other
 * alone: every thread looks as often at its connections over TCP, and ends the job where the other
 * host has acknowledged nothing for that long of what is on its way; hosts acknowledge for threads
 * that are stopped. The progress thread does all that, so that a computing thread does not look
 * dead; with PGAS_PROGRESS=poll there is no monitor.
 */
#ifndef PGASI_JOB_HEARTBEAT_H
#define PGASI_JOB_HEARTBEAT_H

#include <stdint.h>

/** For how many seconds another host may be silent, as this thread is set; 0: it has no monitor. */
uint64_t pgasi_heartbeat_silence(void);

/** Starts the monitor. Called in a job over several hosts, between pgasi_net_init and
 *  pgasi_net_start. */
void pgasi_heartbeat_start(void);

/** Stops the monitor: silence is not an error any more. */
void pgasi_heartbeat_stop(void);

#endif
