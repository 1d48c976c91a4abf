/**
 * Processes that outlive the thread that started them.
 */
#ifndef LAUNCHER_ORPHANS_H
#define LAUNCHER_ORPHANS_H

/** Makes the launcher the parent of its descendants whose own parents end. */
void orphans_adopt(void);

/** Kills all children of the launcher with SIGKILL and waits for them, half a second at most. Call
 *  at the end of the job, when every child that is left is an orphan. */
void orphans_end(void);

#endif
