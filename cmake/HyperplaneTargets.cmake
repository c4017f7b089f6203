# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One-line helpers for the project's own executables.

# Warnings, instruction set and sanitizers of the project's own code; never part of the interface of the library.
add_library(hyperplane_own_flags INTERFACE)
target_compile_options(
  hyperplane_own_flags INTERFACE -Wall -Wextra -Wpedantic $<$<BOOL:${HYPERPLANE_WERROR}>:-Werror>
                                 $<$<BOOL:${HYPERPLANE_NATIVE}>:-march=native>)
# Loops that sanitizers watch do not vectorize, and with -Og none does.
target_compile_options(
  hyperplane_own_flags
  INTERFACE $<$<AND:$<COMPILE_LANG_AND_ID:CXX,Clang>,$<OR:$<BOOL:${HYPERPLANE_SANITIZE}>,$<CONFIG:None>>>:-Wno-pass-failed>)
# GCC would spend a sixth of its time, with optimization 7 per cent, on looking for memory to use again. Who installs the
# library alone may have less memory.
if(HYPERPLANE_BUILD_TESTS)
  target_compile_options(hyperplane_own_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1048576>)
endif()
if(HYPERPLANE_SANITIZE)
  target_compile_options(
    hyperplane_own_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(hyperplane_own_flags INTERFACE -fsanitize=address,undefined)
endif()
if(HYPERPLANE_BOUNDS_CHECK)
  # Kokkos checks bounds in its headers, so that this works with a Kokkos that was built without.
  target_compile_definitions(hyperplane_own_flags INTERFACE KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK)
endif()

# Threads that wait in the OpenMP runtime sleep soon, those of LLVM's at once: tests have more threads than there are cores, and
# run beside one another, so that threads which wait for a millisecond keep others from working.
set(hyperplane_waits "GOMP_SPINCOUNT=30000;KMP_BLOCKTIME=0")

# What says how many threads a test has. Kokkos' Threads does not read the variable of OpenMP.
set(hyperplane_thread_count OMP_NUM_THREADS)
if(Kokkos_ENABLE_THREADS)
  set(hyperplane_thread_count KOKKOS_NUM_THREADS)
endif()

# Seconds that a unit test may take. Sanitizers watch code without optimization.
set(hyperplane_unit_test_timeout 300)
if(HYPERPLANE_SANITIZE)
  set(hyperplane_unit_test_timeout 900)
endif()

# hyperplane_add_executable(NAME SOURCE...)
function(hyperplane_add_executable name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE Hyperplane::hyperplane hyperplane_own_flags)
endfunction()

# hyperplane_compile_as_one(TARGET): its files instantiate the same templates, and compile as one file in half the time. nvcc
# would rather have many.
function(hyperplane_compile_as_one target)
  if(NOT Kokkos_ENABLE_CUDA)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  endif()
endfunction()

# hyperplane_add_unit_test(NAME SOURCE...): a GoogleTest executable, one test of CTest.
function(hyperplane_add_unit_test name)
  hyperplane_add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE hyperplane_test_main)
  if(hyperplane_precompiles)
    target_precompile_headers(${name} REUSE_FROM hyperplane_test_main)
  endif()
  hyperplane_compile_as_one(${name})
  add_test(NAME ${name} COMMAND ${name})
  # More threads than the smallest machine has cores, so that tests see thread counts up to four.
  set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT ${hyperplane_unit_test_timeout} ENVIRONMENT
                                                                          "${hyperplane_thread_count}=4;OMP_PROC_BIND=false;${hyperplane_waits}")
endfunction()

# hyperplane_runs_for_long(TEST...): compiled with -Og where there is no optimization. GCC takes a fifth longer then, and their
# runs take a quarter of the time. Of a template that several files instantiate, the linker takes that of the first, so that
# the files of a test matter as much as those of what it tests. A precompiled header is for one level of optimization.
function(hyperplane_runs_for_long)
  if(CMAKE_BUILD_TYPE STREQUAL None)
    foreach(name IN LISTS ARGN)
      target_compile_options(${name} PRIVATE -Og)
      set_target_properties(${name} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
    endforeach()
  endif()
endfunction()

# hyperplane_calls_compiled_code(TEST...): what they test is in a library that is compiled with optimization, and they need
# none. A precompiled header is for one level of optimization.
function(hyperplane_calls_compiled_code)
  if(CMAKE_BUILD_TYPE STREQUAL Release)
    foreach(name IN LISTS ARGN)
      target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-O0>)
      set_target_properties(${name} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
    endforeach()
  endif()
endfunction()

# hyperplane_add_mpi_test(NAME SOURCE...): a GoogleTest executable with a main program of its own, of which CTest has a test
# for each number of ranks, whatever the number of cores.
function(hyperplane_add_mpi_test name)
  hyperplane_add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE Hyperplane::mpi GTest::gtest GTest::gmock)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/unit_tests)
  hyperplane_compile_as_one(${name})
  if(NOT hyperplane_mpiexec)
    message(STATUS "There is no mpiexec: ${name} is built, and not run")
    return()
  endif()
  set(environment ${hyperplane_mpi_environment} ${hyperplane_waits})
  # A rank that waits for another for good is a failure. Sanitizers take several times as long.
  set(timeout 300)
  if(HYPERPLANE_SANITIZE)
    set(timeout 900)
  endif()
  foreach(ranks IN LISTS HYPERPLANE_TEST_RANKS)
    add_test(NAME ${name}_${ranks} COMMAND ${hyperplane_mpiexec} ${ranks} $<TARGET_FILE:${name}> ${MPIEXEC_POSTFLAGS})
    set_tests_properties(${name}_${ranks} PROPERTIES LABELS unit TIMEOUT ${timeout} PROCESSORS ${ranks} ENVIRONMENT
                                                                                                  "${environment}")
  endforeach()
endfunction()

# hyperplane_also_optimized(TEST TARGET...): `run test --all` runs the test with optimization, too, and builds these
# targets for it. The folder that `run test` has without optimization leaves them out there.
function(hyperplane_also_optimized test)
  set_property(TEST ${test} APPEND PROPERTY LABELS optimized)
  add_dependencies(optimized_tests ${ARGN})
  if(HYPERPLANE_OPTIMIZED STREQUAL APART)
    set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# hyperplane_also_optimized_files(TEST SOURCE...): the same for some files of a unit test. `run test --all` compiles these with
# optimization alone, and the other ones without.
function(hyperplane_also_optimized_files test)
  get_target_property(sources ${test} SOURCES)
  foreach(source IN LISTS ARGN)
    if(NOT source IN_LIST sources)
      message(FATAL_ERROR "${source} is no file of ${test}")
    endif()
  endforeach()
  if(HYPERPLANE_OPTIMIZED STREQUAL APART)
    list(REMOVE_ITEM sources ${ARGN})
    set_target_properties(${test} PROPERTIES SOURCES "${sources}")
    return()
  endif()
  hyperplane_also_optimized(${test} ${test})
  if(HYPERPLANE_OPTIMIZED STREQUAL ALONE)
    set_target_properties(${test} PROPERTIES SOURCES "${ARGN}")
  endif()
endfunction()
