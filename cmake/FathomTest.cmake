# How tests are declared. Exit status 77 marks a test as skipped.

# The seconds given for a test are what it may take on a machine that has little else to do. A busy
# machine may need twenty times as long: only a test that takes longer than that counts as hanging.
set(FATHOM_TEST_PATIENCE 20 CACHE STRING "How many times as long as when alone a test may take")

# What all tests have in common. KIND is one of unit (one process), threads (one node), nodes
# (several), cluster, script. Labels of a test: its kind, and the folder of the list file that
# declares it (`lock` for runtime/tests/lock, `spmv` for apps/spmv/tests). Under a sanitizer, tests
# of many sizes and shapes try fewer (FATHOM_TEST_SANITIZED, which names it), since the others are
# tested without one. Errors inside the PMIx library are ignored. ThreadSanitizer does not know
# joins with a time limit, so the thread leaks that it reports are none. UCX's hooks into the memory
# calls run in threads that have just left the sanitizer, and crash there. AddressSanitizer does not
# name functions: it would look up every leak of PMIx, which takes a process 0.1 s; what a report
# has are places in files, for addr2line, or for a second run with ASAN_OPTIONS=symbolize=1.
function(fathom_set_test_properties name timeout kind)
  math(EXPR patient "${timeout} * ${FATHOM_TEST_PATIENCE}")
  set_tests_properties(${name} PROPERTIES TIMEOUT ${patient} SKIP_RETURN_CODE 77)
  string(REGEX REPLACE "/tests$" "" folder ${CMAKE_CURRENT_LIST_DIR})
  cmake_path(GET folder FILENAME folder)
  set_property(TEST ${name} APPEND PROPERTY LABELS ${folder} ${kind})
  if(kind STREQUAL "nodes")
    fathom_needs_network(${name})
  endif()
  if(FATHOM_SANITIZE)
    set(directory ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
    set_property(TEST ${name} PROPERTY ENVIRONMENT_MODIFICATION
      LSAN_OPTIONS=set:suppressions=${directory}/lsan.supp:print_suppressions=0
      TSAN_OPTIONS=set:suppressions=${directory}/tsan.supp:print_suppressions=0:ignore_noninstrumented_modules=1:report_thread_leaks=0:die_after_fork=0:atexit_sleep_ms=0
      ASAN_OPTIONS=path_list_prepend:symbolize=0
      UCX_MEM_EVENTS=set:n
      FATHOM_TEST_SANITIZED=set:${FATHOM_SANITIZE})
  endif()
endfunction()

# fathom_needs_network(NAME...): tests of several nodes, which a build without UCX does not run.
function(fathom_needs_network)
  if(NOT FATHOM_UCX)
    foreach(name ${ARGN})
      if(TEST ${name})
        set_property(TEST ${name} PROPERTY DISABLED TRUE)
      endif()
    endforeach()
  endif()
endfunction()

# fathom_label(LABEL NAME...): gives it to those of the tests that this build has.
function(fathom_label label)
  foreach(name ${ARGN})
    if(TEST ${name})
      set_property(TEST ${name} APPEND PROPERTY LABELS ${label})
    endif()
  endforeach()
endfunction()

# fathom_mark_slow(NAME...): tests of more than about 20 seconds on a quiet machine, here or under a
# sanitizer. They get the label slow and are started first, so that none of them runs alone at the
# end.
function(fathom_mark_slow)
  fathom_label(slow ${ARGN})
  foreach(name ${ARGN})
    if(TEST ${name})
      set_property(TEST ${name} PROPERTY COST 1000)
    endif()
  endforeach()
endfunction()

# fathom_mark_long(NAME...): tests that the check leaves out unless it has the time (--until, --long):
# what they add to the others is worth less than their minutes.
function(fathom_mark_long)
  fathom_label(long ${ARGN})
endfunction()

# fathom_mark_again(NAME...): programs in another layout, or by another way of progress or between
# nodes, than the same program in other tests, and scripts. The check leaves these out too under
# AddressSanitizer, which looks at what a program does with its memory in any of them, and makes each
# of a script's many jobs slow.
function(fathom_mark_again)
  fathom_label(again ${ARGN})
endfunction()

# fathom_add_test(NAME SOURCES... [LINK LIBRARIES...]): one process, cmocka.
function(fathom_add_test name)
  if(NOT FATHOM_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${arg_LINK} PkgConfig::CMOCKA fathom_build)
  add_test(NAME ${name} COMMAND ${name})
  fathom_set_test_properties(${name} 120 unit)
endfunction()

# fathom_add_program(NAME SOURCES... [LINK LIBRARIES...]): a program of the runtime that tests run;
# with LINK fathom_objects it can use what the library hides.
function(fathom_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
  if(NOT arg_LINK)
    set(arg_LINK fathom)
  endif()
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${arg_LINK} fathom_build)
endfunction()

# fathom_add_job_test(NAME THREADS NODES COMMAND...): a program under fathom-run.
function(fathom_add_job_test name threads nodes)
  add_test(NAME ${name} COMMAND fathom-run -n ${threads} --nodes ${nodes} -- ${ARGN})
  set(kind threads)
  if(nodes GREATER 1)
    set(kind nodes)
  endif()
  fathom_set_test_properties(${name} 120 ${kind})
endfunction()

# fathom_add_poll_test(PROGRAM NODES): three threads without a progress thread. On three nodes the
# test is long where there is one on two.
function(fathom_add_poll_test program nodes)
  fathom_add_job_test(${program}.poll_n${nodes} 3 ${nodes} $<TARGET_FILE:${program}>)
  set_property(TEST ${program}.poll_n${nodes} PROPERTY ENVIRONMENT PGAS_PROGRESS=poll)
  fathom_mark_again(${program}.poll_n${nodes})
  if(nodes GREATER 2 AND TEST ${program}.poll_n2)
    fathom_mark_long(${program}.poll_n${nodes})
  endif()
endfunction()

# fathom_add_shared_memory_test(PROGRAM THREADS NODES): between emulated nodes by UCX's shared
# memory, which is fast, and does not tell of lost connections.
function(fathom_add_shared_memory_test program threads nodes)
  set(name ${program}.posix_t${threads}n${nodes})
  fathom_add_job_test(${name} ${threads} ${nodes} $<TARGET_FILE:${program}>)
  set_property(TEST ${name} PROPERTY ENVIRONMENT UCX_TLS=posix,self)
  fathom_mark_again(${name})
endfunction()

# fathom_add_late_test(PROGRAM THREADS NODES): between emulated nodes whose connections overtake each
# other (runtime/tests/net/late_bytes.c). A sanitizer would have to be preloaded before.
function(fathom_add_late_test program threads nodes)
  if(FATHOM_SANITIZE)
    return()
  endif()
  set(name ${program}.late_t${threads}n${nodes})
  fathom_add_job_test(${name} ${threads} ${nodes} $<TARGET_FILE:${program}>)
  set_property(TEST ${name} PROPERTY ENVIRONMENT LD_PRELOAD=$<TARGET_FILE:late_bytes>)
  fathom_mark_again(${name})
endfunction()

# fathom_add_thread_matrix(NAME COMMAND...): a program under fathom-run at 1, 2, 3 and 4 threads, in
# three modes: all threads on one node, every thread its own node, two nodes. Four of these layouts
# have all that threads can be to each other, two of them what one has memory for; the rest is long.
function(fathom_add_thread_matrix name)
  if(NOT FATHOM_TESTS)
    return()
  endif()
  foreach(threads 1 2 3 4)
    set(node_counts 1)
    if(threads GREATER 1)
      list(APPEND node_counts 2)
    endif()
    if(threads GREATER 2)
      list(APPEND node_counts ${threads})
    endif()
    foreach(nodes ${node_counts})
      set(layout t${threads}n${nodes})
      fathom_add_job_test(${name}.${layout} ${threads} ${nodes} ${ARGN})
      if(NOT layout MATCHES "^(t1n1|t4n1|t2n2|t3n2)$")
        fathom_mark_long(${name}.${layout})
      elseif(NOT layout MATCHES "^(t4n1|t3n2)$")
        fathom_mark_again(${name}.${layout})
      endif()
    endforeach()
  endforeach()
endfunction()

# The common part of the tests on a cluster: they are declared for the configuration Cluster alone,
# which `scripts/check --cluster` runs, since they need root and scripts/testcluster.
function(fathom_set_cluster_test_properties name timeout)
  fathom_set_test_properties(${name} ${timeout} cluster)
endfunction()

# fathom_add_cluster_test(NAME COMMAND...): a program on two hosts with two threads each, under Open
# MPI, in one of two orders of the threads, and under Slurm.
function(fathom_add_cluster_test name)
  if(NOT FATHOM_TESTS)
    return()
  endif()
  set(testcluster ${PROJECT_SOURCE_DIR}/scripts/testcluster)
  add_test(NAME ${name}.mpirun CONFIGURATIONS Cluster
           COMMAND ${PROJECT_SOURCE_DIR}/cmake/test_mpirun.sh ${testcluster} ${ARGN})
  add_test(NAME ${name}.srun CONFIGURATIONS Cluster
           COMMAND ${testcluster} srun -N 2 -n 4 ${ARGN})
  foreach(launcher mpirun srun)
    fathom_set_cluster_test_properties(${name}.${launcher} 300)
  endforeach()
endfunction()

# fathom_add_thread_test(NAME SOURCES...): builds the program and runs it under the matrix above,
# and on the cluster. fathom_add_hidden_thread_test: the same for what the library hides.
function(fathom_add_thread_test name)
  if(NOT FATHOM_TESTS)
    return()
  endif()
  fathom_add_program(${name} ${ARGN})
  fathom_add_thread_matrix(${name} $<TARGET_FILE:${name}>)
  fathom_add_cluster_test(${name} $<TARGET_FILE:${name}>)
endfunction()

function(fathom_add_hidden_thread_test name)
  fathom_add_thread_test(${name} ${ARGN} LINK fathom_objects)
endfunction()

# fathom_keep_sanitized(NAME...): scripts that the check runs under AddressSanitizer all the same:
# those of the debug build's own checks, and of programs that nothing else runs.
function(fathom_keep_sanitized)
  foreach(name ${ARGN})
    if(TEST ${name})
      get_property(labels TEST ${name} PROPERTY LABELS)
      list(REMOVE_ITEM labels again)
      set_property(TEST ${name} PROPERTY LABELS ${labels})
    endif()
  endforeach()
endfunction()

# fathom_add_script_test(NAME SCRIPT ARGS...): a shell script as a test.
function(fathom_add_script_test name script)
  if(NOT FATHOM_TESTS)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${ARGN})
  fathom_set_test_properties(${name} 300 script)
  fathom_mark_again(${name})
endfunction()
