/**
 * The PMIx server inside the launcher: answers the job's threads, and tells the launcher what
 * they did.
 *
 * PMIx answers in a thread of its own. What concerns the launcher is put into a queue; the
 * launcher polls server_fd and takes the events out with server_next. What a thread did is told
 * some time after it, in the order of its doings: at the latest after its end, which the launcher
 * may see first. All functions are for the launcher's main thread. One server per process.
 *
 * The server listens on the loopback interface only and makes no file. What the PMIx library has to
 * say itself is not shown unless PMIX_OUTPUT_STDERR_FD (a descriptor's number, as 2) or
 * PMIX_OUTPUT_REDIRECT is set.
 */
#ifndef LAUNCHER_SERVER_H
#define LAUNCHER_SERVER_H

#include <stdbool.h>
#include <stddef.h>

/** Opaque. */
struct server;

/** What a thread did. */
enum server_event_kind {
    SERVER_CONNECTED, /**< it called PMIx_Init */
    SERVER_FINALIZED, /**< it called PMIx_Finalize */
    SERVER_LOST, /**< its connection has closed without that */
    SERVER_ABORTED /**< it called PMIx_Abort */
};

/** One report. */
struct server_event {
    enum server_event_kind kind;
    size_t thread; /**< who, 0-based */
    int status; /**< of PMIx_Abort */
    char *message; /**< of PMIx_Abort, NULL when none */
    void (*reply)(int status, void *data); /**< lets PMIx_Abort return; NULL when none */
    void *reply_data;
};

/** Takes out of the environment what an outer PMIx job has left there, and sets what this one
 *  wants of the PMIx library where the user has set nothing. Call before server_open, while the
 *  process has a single thread. */
void server_prepare_environment(void);

/** Starts the server for a job of `threads` threads on the host named `host`. Logs what fails.
 *  Returns NULL then; the caller owns the result and ends it with server_close. */
struct server *server_open(size_t threads, const char *host);

/** A descriptor that is readable while events are waiting. */
int server_fd(const struct server *server);

/** Takes the oldest event out of the queue. Returns false when there is none. The caller ends it
 *  with server_event_done. */
bool server_next(struct server *server, struct server_event *event);

/** Ends an event that the launcher has acted upon: the thread that called PMIx_Abort waits for
 *  this. */
void server_event_done(struct server_event *event);

/** The environment for thread `thread`: the launcher's own and what PMIx_Init needs to find this
 *  server. Ends with NULL; the caller frees it with server_env_free. NULL, logged, on failure. */
char **server_env_create(const struct server *server, size_t thread);

/** Frees what server_env_create returned. */
void server_env_free(char **env);

/** Ends the server and drops what is still in the queue. Not for a job that failed: PMIx 4.2 may
 *  wait for ever for the lock of a client that was killed while it connected. Returns false when
 *  the library does not stop. A server that is not closed, or not to be closed, keeps its threads
 *  running: the process must then end by _exit, lest they meet its exit handlers. */
bool server_close(struct server *server);

#endif
