/**
 * Two threads, the first and the last, send each other a message in turns: a put with a signal,
 * which the other one waits for. Prints the time of one way.
 *
 *   fathom-run -n 2 --nodes 2 pingpong TURNS [BYTES]
 */
#include <pgas/pgas.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Sends `nbytes` bytes with signal `turn` to another thread. */
static void send(pgas_ptr_t messages, pgas_ptr_t signals, int to, const char *bytes, size_t nbytes,
                 uint64_t turn)
{
    pgas_put_signal(pgas_ptr_on(messages, to), bytes, nbytes, pgas_ptr_on(signals, to),
                    PGAS_SIGNAL_SET, turn);
}

int main(int argc, char **argv)
{
    if (pgas_init() != PGAS_OK)
        return 1;
    int me = pgas_mythread();
    int last = pgas_threads() - 1;
    size_t turns = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    size_t nbytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 8;
    char *bytes = malloc(nbytes > 0 ? nbytes : 1);
    pgas_ptr_t messages;
    pgas_ptr_t signals;
    if (argc > 3 || turns == 0 || nbytes == 0 || last == 0)
        pgas_fail(2, "usage: pingpong TURNS [BYTES], both at least 1, on two threads or more");
    if (bytes == NULL || pgas_all_alloc((size_t)pgas_threads(), nbytes, &messages) != PGAS_OK ||
        pgas_all_alloc((size_t)pgas_threads(), sizeof(pgas_signal_t), &signals) != PGAS_OK)
        pgas_exit(1);
    memset(bytes, me, nbytes);
    pgas_signal_t *come = pgas_local(pgas_ptr_on(signals, me));
    pgas_signal_set(come, 0);
    pgas_stats_reset(); /* PGAS_STATS tells what comes from here on */
    pgas_barrier();

    pgas_tick_t begin = pgas_ticks_now();
    for (uint64_t turn = 1; turn <= turns && (me == 0 || me == last); turn++) {
        if (me == 0)
            send(messages, signals, last, bytes, nbytes, turn);
        pgas_signal_wait(come, PGAS_GE, turn);
        if (me == last)
            send(messages, signals, 0, bytes, nbytes, turn);
    }
    double took = 1e-9 * (double)pgas_ticks_to_ns(pgas_ticks_now() - begin);

    const char *landed = pgas_local(pgas_ptr_on(messages, me));
    if (me == 0 && (landed[0] != (char)last || landed[nbytes - 1] != (char)last))
        pgas_fail(1, "what has come is not what was sent");
    if (me == 0)
        printf("%zu bytes one way in %.3f us, all in %.2f ms\n", nbytes,
               took * 1e6 / (2.0 * (double)turns), took * 1e3);
    free(bytes);
    pgas_finalize();
    return 0;
}
