# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The command line over ranks of MPI: a program beside the other one, which runs it in its place.

# What depends on the block size calls factorizations, sweeps and products of the compiled library's objects: they are
# compiled once, and are in this program beside the library, which shows nothing but its C interface. What is left is
# compiled in one file, in a third of the time of several; kernels for GPUs take so long that each size has one there.
set(rank_sizes ${hyperplane_joined_sizes})
if(Kokkos_ENABLE_CUDA)
  string(REPLACE "," ";" rank_sizes ${hyperplane_joined_sizes})
endif()
set(HYPERPLANE_PART rank_sizes)
set(HYPERPLANE_GROUP 0)
set(rank_sources)
foreach(HYPERPLANE_SIZES IN LISTS rank_sizes)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/rank_sizes_${HYPERPLANE_GROUP}.cpp)
  configure_file(${PROJECT_SOURCE_DIR}/src/group.cpp.in ${source} @ONLY)
  list(APPEND rank_sources ${source})
  math(EXPR HYPERPLANE_GROUP "${HYPERPLANE_GROUP} + 1")
endforeach()
# It runs on the faces of parts alone.
set_source_files_properties(${rank_sources} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O1> SKIP_UNITY_BUILD_INCLUSION ON)

hyperplane_add_executable(hyperplane_cli_ranks ranks/part_transfer.cpp ranks/processes.cpp ranks/rank_solver.cpp ${rank_sources})
target_sources(hyperplane_cli_ranks PRIVATE $<FILTER:$<TARGET_OBJECTS:hyperplane_sizes>,EXCLUDE,line_sizes>)
target_include_directories(hyperplane_cli_ranks PRIVATE ranks ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(hyperplane_cli_ranks PRIVATE HYPERPLANE_GROUPS=${hyperplane_groups} HYPERPLANE_RANK_GROUPS=${HYPERPLANE_GROUP})
target_link_libraries(hyperplane_cli_ranks PRIVATE hyperplane_commands Hyperplane::mpi hyperplane_session)
# MPI is found where it is not in the folders of the loader.
set_target_properties(hyperplane_cli_ranks PROPERTIES OUTPUT_NAME hyperplane-ranks INSTALL_RPATH_USE_LINK_PATH ON UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)

target_compile_definitions(hyperplane_cli PRIVATE HYPERPLANE_RANKS_PROGRAM="hyperplane-ranks")
add_dependencies(hyperplane_cli hyperplane_cli_ranks)
list(APPEND programs hyperplane_cli_ranks)
