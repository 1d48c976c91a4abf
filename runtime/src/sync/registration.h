/**
 * The threads' agreement about the handlers of active messages (pgas_am_register).
 */
#ifndef PGASI_SYNC_REGISTRATION_H
#define PGASI_SYNC_REGISTRATION_H

/** Compares the tables of all threads, which have been published, in a barrier. Ends the job, in
 * the name of `call`, with a line that shows the first handler that differs. Collective. */
void pgasi_handlers_agree(const char *call);

#endif
