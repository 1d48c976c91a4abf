/* A program linked with a stand-in for MPI, to test the message about it. */
#include "check.h"

int MPI_Initialized(int *flag);

int main(void)
{
    int flag = 0;
    if (MPI_Initialized(&flag) != 0 || pgas_init() != PGAS_OK)
        return 1;
    pgas_barrier();
    pgas_finalize();
    return 0;
}
