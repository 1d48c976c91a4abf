#include "ending.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

bool ending_check(life_t *life)
{
    siginfo_t info = {0};
    if (life->ended || waitid(P_PID, (id_t)life->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == 0)
        return false;
    life->ended = true;
    life->by_signal = info.si_code != CLD_EXITED;
    life->code = info.si_status;
    return true;
}

cause_t ending_cause(const life_t *life)
{
    if (!life->by_signal || life->code == SIGABRT)
        return CAUSE_LEFT;
    return life->code == SIGKILL ? CAUSE_KILLED : CAUSE_SIGNAL;
}

bool ending_is_clear(const life_t *life)
{
    if (life->by_signal)
        return life->code != SIGABRT;
    return !life->connected || life->finalized || (life->lost && life->code != 0);
}

verdict_t ending_judge(const life_t *life, bool others_connected, char *words, size_t size)
{
    if (life->by_signal) {
        snprintf(words, size, "was killed by signal %d (%s); the job is ended", life->code,
                 strsignal(life->code));
        return VERDICT_BAD;
    }
    if (life->finalized) {
        snprintf(words, size, "exited with status %d after pgas_finalize", life->code);
        return life->code == 0 ? VERDICT_GOOD : VERDICT_LATE;
    }
    if (life->connected) {
        snprintf(words, size, "exited with status %d before pgas_finalize; the job is ended",
                 life->code);
        return VERDICT_BAD;
    }
    if (life->code != 0) {
        words[0] = '\0';
        if (others_connected)
            snprintf(words, size, "exited with status %d before pgas_init; the job is ended",
                     life->code);
        return VERDICT_BAD;
    }
    snprintf(words, size,
             "exited with status 0 without pgas_init, which other threads have "
             "called; the job is ended");
    return others_connected ? VERDICT_BAD : VERDICT_GOOD;
}

int ending_status(const life_t *life)
{
    return life->by_signal ? 128 + life->code : life->code;
}

void ending_reap(const life_t *life)
{
    if (life->ended)
        waitpid(life->pid, NULL, 0);
}
