#include "kernel.h"

#include "common/product.h"

void spmv_kernel(const spmv_problem_t *problem, const double *x_copy)
{
    const size_t r_nz = problem->r_nz;
    for (size_t mb = 0; mb < problem->mythread_nblks; mb++) {
        size_t offset = spmv_block_offset(problem, mb);
        size_t first = mb * problem->blocksize;
        /* casting shared pointers to local pointers */
        double *loc_y = (double *)pgas_array_mine(problem->y) + first;
        const double *loc_D = (const double *)pgas_array_mine(&problem->D) + first;
        const double *loc_A = (const double *)pgas_array_mine(&problem->A) + first * r_nz;
        const int32_t *loc_J = (const int32_t *)pgas_array_mine(&problem->J) + first * r_nz;
        common_product(spmv_block_rows(problem, offset), r_nz, loc_D, loc_A, loc_J, x_copy, offset,
                       loc_y);
    }
}
