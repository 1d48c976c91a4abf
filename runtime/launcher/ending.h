/**
 * How a thread ended, and what that means for the job.
 */
#ifndef LAUNCHER_ENDING_H
#define LAUNCHER_ENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** What the launcher knows about the life of a thread. */
typedef struct life {
    pid_t pid;
    /** It has called PMIx_Init. */
    bool connected;
    /** It has called PMIx_Finalize since. */
    bool finalized;
    /** Its connection closed without PMIx_Finalize. */
    bool lost;
    /** It has ended; the members below are valid. */
    bool ended;
    /** A signal killed it. */
    bool by_signal;
    /** Exit status or signal. */
    int code;
} life_t;

/** What an ending means for the job. */
typedef enum verdict {
    /** The job goes on. */
    VERDICT_GOOD,
    /** The thread failed, but the others can finish without it. */
    VERDICT_LATE,
    /** The job cannot go on. */
    VERDICT_BAD
} verdict_t;

/** Why a thread ended. An earlier cause may bring about a later one in another thread, never the
 *  other way round: a thread may crash or exit because another one was killed. */
typedef enum cause {
    /** SIGKILL. */
    CAUSE_KILLED,
    /** Any other signal but SIGABRT. */
    CAUSE_SIGNAL,
    /** It has exited, or aborted. Either brings about the other: UCX aborts a thread whose
     *  connection closes while it is being made. So the first to end counts. */
    CAUSE_LEFT,
    CAUSES
} cause_t;

/** Checks whether the process has ended, and records how. It is not reaped: its process and group
 *  numbers stay its own until ending_reap. True if it has ended since the last check. */
bool ending_check(life_t *life);

/** Why a thread that has ended did so. */
cause_t ending_cause(const life_t *life);

/** True if no later event can change what the ending means. The launcher may still learn that a
 *  thread that has exited had called PMIx_Finalize; and a thread that has aborted may have done so
 *  because the connection to another one closed, whose own end is noticed later. */
bool ending_is_clear(const life_t *life);

/** Judges a thread that has ended. `others_connected`: some thread of the job has connected.
 *  `words` (of `size` bytes) receives a description of a bad or late ending, to follow "thread N".
 *  It is empty for a program that gave up before it joined the job: that has said why itself. */
verdict_t ending_judge(const life_t *life, bool others_connected, char *words, size_t size);

/** The exit status that a shell would report: the exit code, or 128 plus the signal. */
int ending_status(const life_t *life);

/** Frees the process numbers of a thread that has ended. */
void ending_reap(const life_t *life);

#endif
