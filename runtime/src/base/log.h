/**
 * Lines for people, on standard error.
 */
#ifndef PGASI_BASE_LOG_H
#define PGASI_BASE_LOG_H

#include <stdbool.h>

/** Reports a failure: writes one line, "fathom: thread T on HOST: text", in one system call. */
void pgasi_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** The same if the calling thread is thread 0, else nothing: for what every thread finds alike. */
void pgasi_log_once(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** The same for what every thread probably finds alike and what ends the job: thread 0 writes it at
 *  once, the others only if thread 0 has not ended the job by it a second later. */
void pgasi_log_alike(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Keeps the first line of pgasi_log_alike back, and the job from ending by it: for work after
 * which all threads meet, whatever came of it. */
void pgasi_log_hold(void);

/** Ends pgasi_log_hold; says now what was kept back, or, where thread 0 is known to say the same,
 *  only if that has not ended the job a good while later. */
void pgasi_log_release(bool is_for_thread_0);

/** Notes that thread 0 has reported a failure that is this thread's too. */
void pgasi_log_told(void);

/** Whether the reason is known, should this thread end the job now: it has reported a failure,
 * itself or through thread 0. Where it left the words to thread 0, it waits until those must be
 * out. */
bool pgasi_log_has_failed(void);

/** Tells something that is no failure; thread 0 for all. */
void pgasi_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Tells something that is no failure, from any thread. */
void pgasi_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** The host's name, for messages. */
const char *pgasi_log_host(void);

#endif
