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

/** Looks whether the process has ended, and notes how. It is not reaped: its number and that of
 *  its group stay its own until ending_reap. Returns whether it has ended since the last look. */
bool ending_look(struct life *life);

/** Judges a thread that has ended. `others_connected`: some thread of the job has connected.
 *  A bad or late ending is put into `words` (of `size` bytes), to follow "thread N"; it is left
 *  empty for a program that gave up before it joined the job, since it has said why itself. */
enum verdict ending_judge(const struct life *life, bool others_connected, char *words, size_t size);

/** The exit status a shell would give this ending: the code, or 128 plus the signal. */
int ending_status(const struct life *life);

/** Frees the process numbers of a thread that has ended. */
void ending_reap(const struct life *life);

#endif
