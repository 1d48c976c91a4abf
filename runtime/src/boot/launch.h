/**
 * Whether the job is the one that was started. MPI beside Fathom, and launchers without PMIx, turn
 * one job into many jobs of one thread each.
 */
#ifndef PGASI_BOOT_LAUNCH_H
#define PGASI_BOOT_LAUNCH_H

#include <pgas/types.h>

#include "boot/boot.h"

/** Reports a launcher that cannot join its processes to one job, and MPI in a program that
 * fathom-run has started; logs and returns an error if MPI has made this thread a job of its own.
 * After the bootstrap has joined the job. */
pgas_status_t pgasi_launch_check(const pgasi_boot_job_t *job);

#endif
