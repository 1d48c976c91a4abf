/**
 * Lines for people, on standard error.
 */
#ifndef PGASI_LOG_H
#define PGASI_LOG_H

/** Writes one line, "fathom: thread T on HOST: text", in one system call. */
void pgasi_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** The same if the calling thread is thread 0, else nothing: for what every thread finds alike. */
void pgasi_log_once(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** The host's name, for messages. */
const char *pgasi_log_host(void);

#endif
