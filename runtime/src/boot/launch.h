/**
 * Whether the job is the one that was started. MPI beside Fathom, and launchers without PMIx, turn
 * one job into many jobs of one thread each.
 */
#ifndef PGASI_BOOT_LAUNCH_H
#define PGASI_BOOT_LAUNCH_H

#include <stdbool.h>

#include <pgas/types.h>

#include "boot/boot.h"

/** Whether fathom-run is the launcher of the thread's job, not only of one around it. Of a program
 *  that calls MPI_Init: before that. */
bool pgasi_launch_is_by_fathom_run(void);

/** Before a process may fork: its children and it know from then on who of them has the place. */
void pgasi_launch_share(void);

/** Whether the place belongs to another process, from which this one has forked or which has
 *  started it, or will belong to none but the first: a failure here is none of the job. */
bool pgasi_launch_is_elsewhere(void);

/** Whether the calling process has, or had, the place. */
bool pgasi_launch_had_place(void);

/** Gives the place back: another process may take it. */
void pgasi_launch_release(void);

/** Takes the place in the job that the environment names. Logs and returns an error if another
 *  process has it, which has started this one. Before the bootstrap. */
pgas_status_t pgasi_launch_claim(void);

/** Reports a launcher that cannot join its processes to one job, and MPI in a program that
 * fathom-run has started; logs and returns an error if MPI has made this thread a job of its own.
 * After the bootstrap has joined the job. */
pgas_status_t pgasi_launch_check(const pgasi_boot_job_t *job);

#endif
