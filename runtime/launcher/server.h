/**
 * The PMIx server inside the launcher: serves the threads of the job, and reports to the launcher
 * what they did.
 *
 * PMIx runs in a thread of execution of its own. It puts events into a queue; the launcher polls
 * server_fd and takes them out with server_next. Events of one thread come in order, but late: the
 * last of them perhaps after the launcher has seen the thread end. Only the launcher's main thread
 * may call these functions. One server per process.
 *
 * The server listens on the loopback interface only and makes no file. Messages of the PMIx library
 * itself are not shown unless PMIX_OUTPUT_STDERR_FD (a descriptor's number, such as 2) or
 * PMIX_OUTPUT_REDIRECT is set.
 */
#ifndef LAUNCHER_SERVER_H
#define LAUNCHER_SERVER_H

#include <stdbool.h>
#include <stddef.h>

/** Opaque. */
typedef struct server server_t;

/** What a thread did. */
typedef enum server_event_kind {
    /** It called PMIx_Init. */
    SERVER_CONNECTED,
    /** It called PMIx_Finalize. */
    SERVER_FINALIZED,
    /** Its connection closed without PMIx_Finalize. */
    SERVER_LOST,
    /** It called PMIx_Abort. */
    SERVER_ABORTED
} server_event_kind_t;

/** One event. */
typedef struct server_event {
    server_event_kind_t kind;
    /** The thread, 0-based. */
    size_t thread;
    /** The argument of PMIx_Abort. */
    int status;
    /** The message of PMIx_Abort; NULL if there is none. */
    char *message;
    /** Lets PMIx_Abort return; NULL for other events. */
    void (*reply)(int status, void *data);
    void *reply_data;
} server_event_t;

/** Removes from the environment what an outer PMIx job left there, and sets the options of the PMIx
 *  library that this job wants, unless the user has set them. Call before server_open, while the
 *  process has a single thread of execution. */
void server_prepare_environment(void);

/** Starts the server for a job of `threads` threads on the host named `host`. Logs a failure and
 *  returns NULL then. The caller owns the result and ends it with server_close. */
server_t *server_open(size_t threads, const char *host);

/** A descriptor that is readable while events are waiting. */
int server_fd(const server_t *server);

/** Takes the oldest event out of the queue; false if there is none. The caller ends the event with
 *  server_event_done. */
bool server_next(server_t *server, server_event_t *event);

/** Ends an event that the launcher has acted upon. A thread that called PMIx_Abort waits for this.
 */
void server_event_done(server_event_t *event);

/** "PMIX_NAMESPACE=...", which no environment has but those of the job's threads. */
const char *server_mark(const server_t *server);

/** Creates the environment for thread `thread`: the launcher's own, and what PMIx_Init needs to
 *  find this server. It ends with NULL; the caller frees it with server_env_free. Logs a failure
 * and returns NULL then. */
char **server_env_create(const server_t *server, size_t thread);

/** Frees what server_env_create returned. */
void server_env_free(char **env);

/** Ends the server and drops the events still in the queue. False if the PMIx library does not
 * stop. Do not call it for a job that failed: PMIx 4.2 may wait for ever for the lock of a client
 * that was killed while it connected. The threads of execution of a server that is not closed go
 * on; the process must then end by _exit, because its exit handlers would interfere with them. */
bool server_close(server_t *server);

#endif
