/**
 * Judging how a thread ended.
 */
#ifndef LAUNCHER_ENDING_H
#define LAUNCHER_ENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** What the launcher knows of a thread's life. */
struct life {
    pid_t pid;
    bool connected; /**< has called PMIx_Init */
    bool finalized; /**< and PMIx_Finalize after it */
    bool lost; /**< its connection closed without PMIx_Finalize */
    bool ended; /**< is dead; the fields below hold */
    bool by_signal; /**< killed by a signal */
    int code; /**< exit status or signal */
};

/** What an ending means for the job. */
enum verdict {
    VERDICT_GOOD, /**< nothing */
    VERDICT_LATE, /**< the thread failed, but the others can finish without it */
    VERDICT_BAD /**< the job cannot go on */
};

/** Why a thread ended, in the order in which one may have brought about another: nobody is killed
 *  because another thread has ended, but may well crash or exit. */
enum cause {
    CAUSE_KILLED, /**< by SIGKILL */
    CAUSE_SIGNAL, /**< any other signal */
    CAUSE_EXITED
};

/** Looks whether the process has ended, and notes how. It is not reaped: its number and that of
 *  its group stay its own until ending_reap. Returns whether it has ended since the last look. */
bool ending_look(struct life *life);

/** Why it has ended. */
enum cause ending_cause(const struct life *life);

/** Whether nothing that is yet to come changes what the ending means. A thread that has exited may
 *  have called PMIx_Finalize before, which comes to the launcher on a way of its own; one that has
 *  aborted may have found, in the network, the connection to a thread closed that was killed, and
 *  have ended before it. */
bool ending_is_clear(const struct life *life);

/** Judges a thread that has ended. `others_connected`: some thread of the job has connected.
 *  A bad or late ending is put into `words` (of `size` bytes), to follow "thread N"; it is left
 *  empty for a program that gave up before it joined the job, since it has said why itself. */
enum verdict ending_judge(const struct life *life, bool others_connected, char *words, size_t size);

/** The exit status a shell would give this ending: the code, or 128 plus the signal. */
int ending_status(const struct life *life);

/** Frees the process numbers of a thread that has ended. */
void ending_reap(const struct life *life);

#endif
