#include "shm/attendance.h"

enum {
    /* More are counted in groups, of at least so many. */
    MOST_IN_A_LINE = 8,
    LEAST_IN_A_GROUP = 4
};

static uint32_t size_of_groups(uint32_t count)
{
    uint32_t size = (count + PGASI_ATTENDANCE_GROUPS - 1) / PGASI_ATTENDANCE_GROUPS;
    return size < LEAST_IN_A_GROUP ? LEAST_IN_A_GROUP : size;
}

/* The last group may be smaller. */
static bool completes_group(pgasi_attendance_t *attendance, const pgasi_attendant_t *attendant,
                            uint64_t step, uint64_t *sum)
{
    uint32_t size = size_of_groups(attendant->count);
    uint32_t group = attendant->place / size;
    uint32_t left = attendant->count - group * size;
    return pgasi_attend_one(&attendance->groups[group].some, step, left < size ? left : size, sum);
}

/* The sum of a group has a variable of its own: where one variable takes the place of the other,
 * gcc 12 adds the counter to itself (x = atomic_fetch_add(&c, x) + x behind a branch). */
bool pgasi_attend_many(pgasi_attendance_t *attendance, const pgasi_attendant_t *attendant,
                       uint64_t step, uint64_t *sum)
{
    uint64_t group;
    if (attendant->count <= MOST_IN_A_LINE)
        return pgasi_attend_one(&attendance->all, step, attendant->count, sum);
    return completes_group(attendance, attendant, step, &group) &&
           pgasi_attend_one(&attendance->all, group, attendant->count, sum);
}

uint32_t pgasi_attendance_count(const pgasi_attendance_t *attendance,
                                const pgasi_attending_t *beside)
{
    uint32_t count = (uint32_t)atomic_load(beside) + (uint32_t)atomic_load(&attendance->all);
    for (uint32_t i = 0; i < PGASI_ATTENDANCE_GROUPS; i++)
        count += (uint32_t)atomic_load(&attendance->groups[i].some);
    return count;
}
