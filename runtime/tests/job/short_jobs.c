/**
 * A job that ends as soon as it has begun: the messages of its end are among the first on their
 * connections. See short_jobs.sh.
 */
#include <pgas/pgas.h>

int main(void)
{
    if (pgas_init() != PGAS_OK)
        return 1;
    pgas_barrier();
    pgas_finalize();
    return 0;
}
