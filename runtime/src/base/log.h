/**
 * Lines for people, on standard error.
 */
#ifndef PGASI_BASE_LOG_H
#define PGASI_BASE_LOG_H

#include <stdarg.h>
#include <stdbool.h>

/** Seconds that a line waits for room, where writing does not block and nobody reads. */
#define PGASI_LOG_PATIENCE_S 10U

/** Writes one line, `head` (of up to 512 characters) and the text, in one system call. A line of
 * more than 1000 characters takes memory: a handler of a signal that ends the job may have a small
 * stack, and in the end nothing else. */
void pgasi_log_line(const char *head, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/** Reports a failure: writes one line, "fathom: thread T on HOST: text", in one system call. */
void pgasi_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** The same in thread 0, nothing in the others: for what every thread finds. */
void pgasi_log_once(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** The same for a failure that ends the job and that every thread probably finds: thread 0 writes
 * it at once, the others only if thread 0 has not ended the job a second later. */
void pgasi_log_alike(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Holds the first line of pgasi_log_alike back: for work after which all threads meet, whether it
 *  has failed or not. */
void pgasi_log_hold(void);

/** Ends pgasi_log_hold: writes the line that was held, if any; where thread 0 is known to write the
 *  same one, only if that has not ended the job several seconds later. */
void pgasi_log_release(bool is_for_thread_0);

/** Notes that thread 0 has reported a failure for this thread, too. */
void pgasi_log_told(void);

/** Whether this thread, or thread 0 for it, has reported a failure, so that it can end the job
 *  without another line. Where it relies on thread 0, waits until that must have written its line.
 */
bool pgasi_log_has_failed(void);

/** Reports something that is no failure, in thread 0 only. */
void pgasi_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Reports something that is no failure, from any thread. */
void pgasi_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** The host's name, for messages. */
const char *pgasi_log_host(void);

#endif
