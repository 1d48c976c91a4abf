#include <pgas/pgas.h>

#include <inttypes.h>
#include <stdio.h>

/* What lies on each thread. */
typedef struct mailbox {
    pgas_signal_t come;
    int64_t from_left;
} mailbox_t;

int main(void)
{
    if (pgas_init() != PGAS_OK)
        return 1;
    pgas_ptr_t boxes;
    if (pgas_all_alloc((size_t)pgas_threads(), sizeof(mailbox_t), &boxes) != PGAS_OK)
        pgas_exit(1);
    int64_t me = pgas_mythread();
    mailbox_t *mine = pgas_local(pgas_ptr_on(boxes, pgas_mythread()));
    pgas_ptr_t right = pgas_ptr_on(boxes, (pgas_mythread() + 1) % pgas_threads());
    pgas_signal_set(&mine->come, 0);
    pgas_barrier();
    pgas_put_signal(pgas_ptr_shift(right, offsetof(mailbox_t, from_left)), &me, sizeof me,
                    pgas_ptr_shift(right, offsetof(mailbox_t, come)), PGAS_SIGNAL_SET, 1);
    pgas_signal_wait(&mine->come, PGAS_EQ, 1);
    int64_t sum = pgas_allreduce_int64(PGAS_TEAM_ALL, mine->from_left, PGAS_SUM);
    if (me == 0)
        printf("sum %" PRId64 "\n", sum);
    pgas_all_free(boxes);
    pgas_finalize();
    return 0;
}
