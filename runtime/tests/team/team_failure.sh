#!/bin/bash
# Every rule of pgas/team.h, broken once: the job ends with one line that names the call.
#
# usage: team_failure.sh FATHOM-RUN RUNTIME-TEAM-FAIL
# shellcheck source=runtime/tests/job/failure.bash
source "$(dirname "$0")/../job/failure.bash"
said='^fathom: thread THREAD on .+: '

rules 3 1

begin before
job "$run" -n 1 -- "$program" before 0
expect 1 '^fathom: thread 0 on .+: pgas_team_barrier: called before pgas_init$'
broken null "${said}pgas_team_barrier: there is no team: the pointer is NULL\$"
broken differ '^fathom: thread [0-2] on .+: pgas_team_[a-z]+: on team [0-9a-f]{16} thread [0-2] calls pgas_team_[a-z]+\(\), but thread [0-2] calls pgas_team_[a-z]+\(\)$'
broken twice "${said}pgas_team_notify: called twice without pgas_team_wait\$"
broken between "${said}pgas_team_barrier: called between pgas_team_notify and pgas_team_wait on the same team\$"
broken not_waited "${said}pgas_finalize: called between pgas_team_notify and pgas_team_wait on 1 team\$"
broken alone "${said}pgas_team_wait: called without pgas_team_notify\$"
broken rank "${said}pgas_team_thread: there is no rank 99 in a team of 3\$"
broken negative "${said}pgas_team_translate: there is no rank -1 in a team of 3\$"
broken no_other "${said}pgas_team_translate: there is no team: the pointer is NULL\$"
broken predefined "${said}pgas_team_free: a predefined team is not freed\$"
broken freed_used "${said}pgas_team_barrier: the team has been freed\$"
broken freed_twice "${said}pgas_team_free: the team has been freed\$"
broken freed_first "${said}pgas_team_rank: the team has been freed\$"
broken flies "${said}pgas_team_free: called while (1 collective is|2 collectives are) in flight on the team\$"
broken nowhere "${said}pgas_team_split: there is no place for the team: the pointer is NULL\$"
broken no_ranks "${said}pgas_team_create: there is no list of ranks: the pointer is NULL\$"
broken handler "${said}pgas_team_barrier: called in a handler of active messages\$"
broken listed_twice "${said}pgas_team_create: rank 1 is listed twice\$"
broken listed_more "${said}pgas_team_create: 4611686018427387904 ranks are listed, in a team of 3\$"
broken listed_beyond "${said}pgas_team_create: there is no rank 3 in a team of 3\$"
broken not_listed "${said}pgas_team_create: the list does not have the caller's rank 1\$"
broken lists_differ '^fathom: thread [0-2] on .+: pgas_team_create: thread [0-2] and thread [0-2] give lists that overlap and differ$'
broken does_not_list '^fathom: thread [02] on .+: pgas_team_create: 3 ranks are listed, but 2 of them give this list$'
broken killed '^fathom-run: thread 1 \(pid [0-9]+ on .+\) was killed by signal 9 \(Killed\); the job is ended$' 137
broken exit "${said}pgas_exit\(7\): the job is ended\$" 7
node_counts=1
broken stranger "${said}pgas_team_barrier: this thread is no member of the team\$"
[ "$failures" -eq 0 ] || exit 1
echo "all passed; the slowest job took $slowest ticks"
