/* The part of an MPI library that the runtime uses: whether MPI_Init has been called. */
#include <stdlib.h>

__attribute__((visibility("default"))) int MPI_Initialized(int *flag);

int MPI_Initialized(int *flag)
{
    *flag = getenv("TEST_MPI_INITIALIZED") != NULL;
    return 0;
}
