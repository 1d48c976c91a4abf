/* The rules of pgas/team.h, each broken once by the thread that is chosen: MODE THREAD. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static const char *mode;
static bool is_chosen;
static pgas_team_t *team;

static bool is_mode(const char *name)
{
    return strcmp(mode, name) == 0;
}

static void handler(pgas_am_token_t *token, const int32_t *args, unsigned nargs, void *payload,
                    size_t nbytes)
{
    (void)token, (void)args, (void)nargs, (void)payload, (void)nbytes;
    pgas_team_barrier(PGAS_TEAM_ALL);
}

static void call_alone(pgas_am_t am)
{
    if (is_mode("flies")) {
        /* The others come to the first. */
        pgas_team_barrier_asynci(team);
        pgas_team_barrier_asynci(team);
        pgas_team_free(team);
    }
    if (is_mode("nowhere"))
        pgas_team_split(team, 0, 0, NULL);
    if (is_mode("no_ranks"))
        pgas_team_create(team, NULL, 2, &team);
    if (is_mode("null"))
        pgas_team_barrier(NULL);
    if (is_mode("stranger"))
        pgas_team_barrier(PGAS_TEAM_LEADERS);
    if (is_mode("twice"))
        pgas_team_notify(team);
    if (is_mode("twice") || is_mode("between") || is_mode("not_waited"))
        pgas_team_notify(team);
    if (is_mode("not_waited"))
        pgas_finalize();
    if (is_mode("between"))
        pgas_team_barrier(team);
    if (is_mode("alone"))
        pgas_team_wait(team);
    if (is_mode("rank"))
        pgas_team_thread(team, 99);
    if (is_mode("negative"))
        pgas_team_translate(team, -1, PGAS_TEAM_ALL);
    if (is_mode("no_other"))
        pgas_team_translate(team, 0, NULL);
    if (is_mode("predefined"))
        pgas_team_free(PGAS_TEAM_ALL);
    if (is_mode("handler")) {
        pgas_am_request_short(pgas_mythread(), am, NULL, 0);
        for (;;)
            pgas_poll();
    }
    if (is_mode("killed"))
        raise(SIGKILL);
    if (is_mode("exit"))
        pgas_exit(7);
}

/* Lists of a team of three, whose ranks are the threads. */
static void list(void)
{
    int ranks[3] = {0, 1, 2};
    size_t count = 3;
    pgas_team_t *child;
    if (is_chosen && is_mode("listed_twice"))
        ranks[2] = ranks[1];
    if (is_chosen && is_mode("listed_more"))
        count = (size_t)1 << 62;
    if (is_chosen && is_mode("listed_beyond"))
        ranks[0] = 3;
    if (is_chosen && is_mode("not_listed")) {
        ranks[pgas_mythread()] = ranks[2];
        count = 2;
    }
    if (is_chosen && is_mode("lists_differ")) {
        ranks[0] = 2;
        ranks[2] = 0;
    }
    if (is_chosen && is_mode("does_not_list"))
        count = 0;
    pgas_team_create(team, ranks, count, &child);
}

/* Of as many as are remembered, the first and the last; the others wait for the chosen one. */
static void use_freed(void)
{
    pgas_team_t *alone;
    CHECK(pgas_team_split(team, pgas_mythread(), 0, &alone) == PGAS_OK);
    pgas_team_t *first = team;
    pgas_team_t *last = team;
    pgas_team_free(first);
    for (int i = 1; i < 256; i++) {
        CHECK(pgas_team_split(alone, 0, 0, &last) == PGAS_OK);
        CHECK(last != first);
        pgas_team_free(last);
    }
    CHECK(!pgas_team_has_me(first) && !pgas_team_has_me(last));
    team = PGAS_TEAM_ALL;
    if (is_chosen && is_mode("freed_used"))
        pgas_team_barrier(last);
    if (is_chosen && is_mode("freed_twice"))
        pgas_team_free(last);
    if (is_chosen && is_mode("freed_first"))
        pgas_team_rank(first);
}

int main(int argc, char **argv)
{
    CHECK(argc >= 3);
    mode = argv[1];
    if (is_mode("before"))
        pgas_team_barrier(PGAS_TEAM_ALL);
    pgas_am_t am = pgas_am_register("handler", handler, PGAS_AM_POLL);
    CHECK(pgas_init() == PGAS_OK);
    is_chosen = pgas_mythread() == atoi(argv[2]);
    CHECK(pgas_team_split(PGAS_TEAM_ALL, 0, 0, &team) == PGAS_OK);
    if (strstr(mode, "list") != NULL)
        list();
    else if (strstr(mode, "freed") != NULL)
        use_freed();
    else if (is_chosen && is_mode("differ"))
        pgas_team_free(team);
    else if (is_chosen)
        call_alone(am);
    pgas_team_barrier(team);
    pgas_finalize();
    return 0;
}
