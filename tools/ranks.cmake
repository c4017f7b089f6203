# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The command line over ranks of MPI: a program beside the other one, which runs it in its place.
hyperplane_add_executable(hyperplane_cli_ranks ranks/part_transfer.cpp ranks/processes.cpp ranks/rank_solver.cpp)
target_include_directories(hyperplane_cli_ranks PRIVATE ranks)
target_link_libraries(hyperplane_cli_ranks PRIVATE hyperplane_commands Hyperplane::c_mpi Hyperplane::mpi hyperplane_session)
# MPI is found where it is not in the folders of the loader.
set_target_properties(hyperplane_cli_ranks PROPERTIES OUTPUT_NAME hyperplane-ranks INSTALL_RPATH_USE_LINK_PATH ON UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)

target_compile_definitions(hyperplane_cli PRIVATE HYPERPLANE_RANKS_PROGRAM="hyperplane-ranks")
add_dependencies(hyperplane_cli hyperplane_cli_ranks)
list(APPEND programs hyperplane_cli_ranks)
