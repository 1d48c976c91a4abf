/**
 * The limit of open files: every connection over TCP is one.
 */
#ifndef PGASI_NET_UCX_FILES_H
#define PGASI_NET_UCX_FILES_H

/** Raises the limit of open files as far as it goes. */
void pgasi_ucx_files_raise(void);

/** Ends the job, with the number that is needed, if no file can be opened any more. For calls of
 *  UCX that have failed, perhaps for that reason. */
void pgasi_ucx_files_check(void);

#endif
