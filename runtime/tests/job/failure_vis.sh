#!/bin/bash
# Arguments of copies and values that end the job, with one line.
#
# usage: failure_vis.sh FATHOM-RUN RUNTIME-FAIL-VIS DEBUG-CHECKS(0 or 1)
# shellcheck source=runtime/tests/job/failure.bash
source "$(dirname "$0")/failure.bash"
debug=$3

# refused MODE LINE: the arguments of a copy or a value access end the job.
refused()
{
    local chosen=$((RANDOM % 2))
    begin "$1"
    job "$run" -n 2 -- "$program" "$1" $chosen
    expect 1 "^fathom: thread $chosen on .+: $2\$"
}

test_vis()
{
    refused vlist_totals 'pgas_memput_vlist: 20 bytes of destination, but 19 bytes of source'
    refused vlist_one_side 'pgas_memget_vlist: 1 bytes of destination, but 0 bytes of source'
    refused vlist_overflow 'pgas_memcpy_vlist: the lengths of a list add up to more .*'
    refused vlist_null 'pgas_memget_vlist_asynci: the private pointer is NULL'
    refused vlist_no_thread 'pgas_memput_vlist_async: 8 bytes at thread 2, .*: no such thread'
    refused vlist_beyond 'pgas_memcpy_vlist: 8 bytes at thread 0, .*: beyond the end of its segment'
    refused vlist_wrapped 'pgas_memget_vlist: .*: beyond the end of its segment'
    refused ilist_wrapped 'pgas_memget_ilist: .*: beyond the end of its segment'
    refused ilist_huge 'pgas_memput_ilist: 18446744073709551608 bytes at .*: beyond the end of its segment'
    refused ilist_totals 'pgas_memput_ilist: 16 bytes of destination, but 15 bytes of source'
    refused ilist_one_side 'pgas_memput_ilist: 8 bytes of destination, but 0 bytes of source'
    refused ilist_no_length 'pgas_memcpy_ilist: regions of 0 bytes'
    refused ilist_overflow 'pgas_memcpy_ilist: 4294967296 regions of 4294967296 bytes .*'
    refused ilist_null 'pgas_memget_ilist_async: 8 bytes at thread 0, offset 0: the null pointer'
    refused ilist_private_null 'pgas_memput_ilist: the private pointer is NULL'
    refused ilist_no_thread 'pgas_memcpy_ilist_asynci: 8 bytes at thread 1000000, .*: no such thread'
    refused ilist_no_such_thread 'pgas_memget_ilist: 8 bytes at thread 2, .*: no such thread'
    refused ilist_beyond 'pgas_memcpy_ilist: 8 bytes at .*: beyond the end of its segment'
    refused fstrided_totals 'pgas_memget_fstrided: 3 chunks of 5 bytes to 2 of 8'
    refused fstrided_overflow 'pgas_memget_fstrided: 2 chunks of 9223372036854775808 bytes .*'
    refused fstrided_stride 'pgas_memput_fstrided: a stride of 7 bytes, but chunks of 8'
    refused fstrided_beyond 'pgas_memput_fstrided: .*: beyond the end of its segment'
    refused fstrided_far_beyond 'pgas_memput_fstrided: 5 chunks every 4611686018427387904 .*'
    refused strided_first 'pgas_memget_strided: dststrides.0. is 7, but count.0. is 8, .*'
    refused strided_second 'pgas_memget_strided: srcstrides.1. is 47, but count.1. is 3, of 16 .*'
    refused strided_beyond 'pgas_memget_strided_async: .*: beyond the end of its segment'
    refused strided_null 'pgas_memput_strided: the private pointer is NULL'
    refused row_too_short 'pgas_memcpy_2d: dstrow is 8, but a row has 9 bytes'
    refused plane_too_short 'pgas_memget_3d: srcplane is 23, but a plane has 3 rows, one every 8 bytes'
    refused transposed_below 'pgas_memget_transposed: the section begins [0-9]+ bytes before .*'
    refused transposed_repeat 'pgas_memget_transposed: dststrides.0. is 0: 2 elements .*'
    refused transposed_empty 'pgas_memget_transposed: elements of 0 bytes'
    refused reblock_beyond 'pgas_reblock_get: 6 elements from 5 on of an array of 10'
    refused reblock_wrapped 'pgas_reblock_get: 18446744073709551615 elements from 5 on of an array of 10'
    refused vlist_no_list 'pgas_memput_vlist: the list of 1 regions is missing: the pointer is NULL'
    refused ilist_no_list 'pgas_memget_ilist: the list of 2 regions is missing: the pointer is NULL'
    refused strided_no_count 'pgas_memput_strided: the counts are missing: the pointer is NULL'
    refused strided_no_strides 'pgas_memget_strided: the strides are missing: the pointer is NULL'
    refused transposed_no_count 'pgas_memput_transposed: the counts are missing: the pointer is NULL'
    refused transposed_no_strides 'pgas_memget_transposed: the strides are missing: the pointer is NULL'
    refused plan_none 'pgas_plan_begin: there is no plan: the pointer is NULL'
    refused plan_no_array 'pgas_plan_scatter_begin: there is no array: the pointer is NULL'
    refused plan_no_length 'pgas_plan_length: there is no plan: the pointer is NULL'
    refused plan_no_option 'pgas_plan_create: 8 is none of the options'
    refused stats_thread 'pgas_stats_with: thread 2 of 2'
    refused stats_mode 'pgas_stats_with: there is no mode 99, or no direction 0'
    refused reblock_sizes 'pgas_reblock: elements of 8 bytes to elements of 4'
    refused reblock_no_array 'pgas_reblock: the array is NULL'
    refused ilist_null_page 'pgas_memget_ilist: 8 bytes at thread [01], offset 8: the null pointer'
    refused ilist_null_page_apart 'pgas_memget_ilist: 8 bytes at thread [01], offset 8: the null pointer'
    refused vlist_null_page 'pgas_memget_vlist: 8 bytes at thread [01], offset 8: the null pointer'
    refused ilist_before_heap 'pgas_memget_ilist: 8 bytes at thread [01], offset 16777215: before the heap'
    refused ilist_before_heap_apart 'pgas_memget_ilist: 8 bytes at thread [01], offset 16777215: before the heap'
    refused vlist_before_heap 'pgas_memget_vlist: 8 bytes at thread [01], offset 16777215: before the heap'
    refused plan_sum_size 'pgas_plan_scatter_begin: a function that adds elements of 8 bytes, but the array has 4'
    refused reblock_null 'pgas_reblock_put: the private pointer is NULL'
    refused value_size 'pgas_get_val: a value of 9 bytes: 1 to 8 are possible'
    refused value_empty 'pgas_put_val: a value of 0 bytes: 1 to 8 are possible'
    refused value_null 'pgas_put_val_async: 8 bytes at thread 0, offset 0: the null pointer'
    refused value_nowhere 'pgas_wait_val: this read is not in flight, or has been waited for'
    [ "$debug" = 1 ] || return
    refused overlap_dst 'pgas_memput_ilist: a destination region overlaps another region'
    refused overlap_src 'pgas_memcpy_vlist: a destination region overlaps another region'
    refused strided_across 'pgas_memput_strided: 1200 bytes at .*: beyond the end of the allocation, .*'
}

start_ticks "$run" -n 2 -- "$program" finish none
test_vis

[ "$failures" -eq 0 ] || exit 1
echo "all passed; the slowest job took $slowest ticks"
