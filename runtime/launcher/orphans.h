/**
 * Processes that outlive the thread that started them.
 */
#ifndef LAUNCHER_ORPHANS_H
#define LAUNCHER_ORPHANS_H

/** Makes the launcher the parent of its descendants whose own parents end. Call before it has
 *  children of its own: those that it has now, of a shell that has become the launcher by exec, are
 *  none of the job. If it cannot list them, it adopts nobody. */
void orphans_adopt(void);

/** Kills all other children of a launcher that adopts with SIGKILL and waits for them, half a
 * second at most. Call at the end of the job, when every child that is left is an orphan: of the
 * job, whose processes have `mark` (server_mark) in their environment; or, where the launcher has
 * inherited children, of one of these, which is left alone. */
void orphans_end(const char *mark);

#endif
