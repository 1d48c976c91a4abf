/**
 * Who is there: every thread says its number and its node.
 *
 *   fathom-run -n 4 --nodes 2 hello
 */
#include <pgas/pgas.h>

#include <stdio.h>

int main(void)
{
    if (pgas_init() != PGAS_OK)
        return 1;
    int me = pgas_mythread();
    printf("thread %d of %d, on node %d\n", me, pgas_threads(), pgas_node_of(me));
    pgas_finalize();
    return 0;
}
