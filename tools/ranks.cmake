# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The command line over ranks of MPI: a program beside the other one, which runs it in its place.

# What depends on the block size is compiled in the groups of the compiled library, and calls its factorizations and
# sweeps: they are compiled once, and are in this program beside the library, which shows nothing but its C interface.
add_library(hyperplane_rank_sizes OBJECT ${hyperplane_rank_group_sources})
target_include_directories(hyperplane_rank_sizes PRIVATE ranks ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(hyperplane_rank_sizes PRIVATE Hyperplane::mpi hyperplane_own_flags)
target_compile_options(hyperplane_rank_sizes PRIVATE $<$<CONFIG:Release>:-O2>)
if(hyperplane_precompiles)
  target_precompile_headers(hyperplane_rank_sizes PRIVATE <Kokkos_Core.hpp> ../src/compiled_blocks.hpp ranks/rank_system.hpp)
endif()

hyperplane_add_executable(hyperplane_cli_ranks ranks/part_transfer.cpp ranks/processes.cpp ranks/rank_solver.cpp)
target_sources(hyperplane_cli_ranks PRIVATE $<TARGET_OBJECTS:hyperplane_rank_sizes>
                                            $<FILTER:$<TARGET_OBJECTS:hyperplane_sizes>,EXCLUDE,line_sizes>)
target_include_directories(hyperplane_cli_ranks PRIVATE ranks)
target_link_libraries(hyperplane_cli_ranks PRIVATE hyperplane_commands Hyperplane::mpi hyperplane_session)
set_target_properties(hyperplane_cli_ranks PROPERTIES OUTPUT_NAME hyperplane-ranks UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
target_compile_definitions(hyperplane_cli_ranks PRIVATE HYPERPLANE_GROUPS=${hyperplane_groups})

target_compile_definitions(hyperplane_cli PRIVATE HYPERPLANE_RANKS_PROGRAM="hyperplane-ranks")
add_dependencies(hyperplane_cli hyperplane_cli_ranks)
list(APPEND programs hyperplane_cli_ranks)
