# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One-line helpers for the project's own executables.

# Warnings, instruction set and sanitizers of the project's own code; never part of the interface of the library.
add_library(hyperplane_own_flags INTERFACE)
target_compile_options(
  hyperplane_own_flags INTERFACE -Wall -Wextra -Wpedantic $<$<BOOL:${HYPERPLANE_WERROR}>:-Werror>
                                 $<$<BOOL:${HYPERPLANE_NATIVE}>:-march=native>)
if(HYPERPLANE_SANITIZE)
  target_compile_options(
    hyperplane_own_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(hyperplane_own_flags INTERFACE -fsanitize=address,undefined)
endif()
if(HYPERPLANE_BOUNDS_CHECK)
  # Kokkos checks bounds in its headers, so that this works with a Kokkos that was built without.
  target_compile_definitions(hyperplane_own_flags INTERFACE KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK)
endif()

# hyperplane_add_executable(NAME SOURCE...)
function(hyperplane_add_executable name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE Hyperplane::hyperplane hyperplane_own_flags)
endfunction()

# hyperplane_add_unit_test(NAME SOURCE...): a GoogleTest executable, one test of CTest.
function(hyperplane_add_unit_test name)
  hyperplane_add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE hyperplane_test_main)
  add_test(NAME ${name} COMMAND ${name})
  # More threads than the smallest machine has cores, so that tests see thread counts up to four.
  set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 300 ENVIRONMENT "OMP_NUM_THREADS=4;OMP_PROC_BIND=false")
endfunction()

# hyperplane_add_benchmark(NAME SOURCE...): a Google Benchmark executable. Tests add a smoke run.
function(hyperplane_add_benchmark name)
  hyperplane_add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE benchmark::benchmark)
endfunction()
