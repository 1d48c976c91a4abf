#include "net/ucx/sleep.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pgas/detail.h>

#include "net/net.h"
#include "net/ucx/background.h"
#include "net/ucx/initiator.h"
#include "net/ucx/worker.h"

enum {
    SHORTEST_US = 16,
    LONGEST_US = 1000
};

static int target_fd = -1;

bool pgasi_ucx_sleep_init(void)
{
    return ucp_worker_get_efd(pgasi_ucx_target, &target_fd) == UCS_OK;
}

bool pgasi_ucx_sleep_arm(int *background_fd)
{
    *background_fd = -1; /* which poll() ignores */
    if (pgasi_ucx_background_has_deferred())
        return false;
    pgasi_ucx_background_flush();
    if (pgasi_ucx_background_is_busy() &&
        (ucp_worker_get_efd(pgasi_ucx_background, background_fd) != UCS_OK ||
         ucp_worker_arm(pgasi_ucx_background) != UCS_OK))
        return false;
    return ucp_worker_arm(pgasi_ucx_target) == UCS_OK;
}

bool pgasi_ucx_sleep_arm_all(int *background_fd)
{
    return ucp_worker_arm(pgasi_ucx_me->worker) == UCS_OK && pgasi_ucx_sleep_arm(background_fd);
}

pgasi_ucx_slept_t pgasi_ucx_sleep(int background_fd, int wake_fd, int beside_fd,
                                  unsigned microseconds)
{
    struct pollfd fds[] = {{.fd = target_fd, .events = POLLIN},
                           {.fd = background_fd, .events = POLLIN},
                           {.fd = wake_fd, .events = POLLIN},
                           {.fd = beside_fd, .events = POLLIN}};
    unsigned longest = microseconds > 0 ? microseconds : 1000U * PGASI_NET_INTERVAL_MS;
    const struct timespec limit = {.tv_nsec = (long)longest * 1000};
    uint64_t count;
    if (ppoll(fds, 4, &limit, NULL) <= 0)
        return microseconds > 0 ? PGASI_UCX_SLEPT_UNTIL_WOKEN : PGASI_UCX_SLEPT_LONG;
    if (fds[2].revents != 0 && read(wake_fd, &count, sizeof count) < 0 && errno != EAGAIN)
        pgasi_fatal("network", "the progress thread: %s", strerror(errno));
    bool is_ready = fds[0].revents != 0 || fds[1].revents != 0 || fds[3].revents != 0;
    return is_ready ? PGASI_UCX_SLEPT_UNTIL_READY : PGASI_UCX_SLEPT_UNTIL_WOKEN;
}

bool pgasi_ucx_sleep_all(int background_fd, int bell_fd, unsigned milliseconds)
{
    struct pollfd fds[] = {{.fd = pgasi_ucx_me->fd, .events = POLLIN},
                           {.fd = target_fd, .events = POLLIN},
                           {.fd = background_fd, .events = POLLIN},
                           {.fd = bell_fd, .events = POLLIN}};
    if (poll(fds, 4, (int)milliseconds) <= 0)
        return false;
    return fds[0].revents != 0 || fds[1].revents != 0 || fds[2].revents != 0;
}

void pgasi_ucx_sleep_initiator(unsigned microseconds)
{
    struct pollfd fd = {.fd = pgasi_ucx_me->fd, .events = POLLIN};
    const struct timespec limit = {.tv_nsec = (long)microseconds * 1000};
    if (ucp_worker_arm(pgasi_ucx_me->worker) == UCS_OK)
        ppoll(&fd, 1, &limit, NULL);
}

/* A connection that is being made may have its descriptor ready although there is nothing to do
 * until the other side has replied (UCX 1.13, over TCP). A thread that polls it again and again
 * keeps the other side from the processor. */
unsigned pgasi_ucx_sleep_backoff(unsigned count)
{
    return count < 6 ? (unsigned)SHORTEST_US << count : (unsigned)LONGEST_US;
}
