# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Hyperplane::mpi, grid blocks over ranks: the headers of hyperplane/mpi/, where there is MPI. And how tests run ranks:
# hyperplane_mpiexec, to be followed by their number and the program, in hyperplane_mpi_environment.

# The C functions of MPI, which programs in C++ call.
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI QUIET COMPONENTS CXX)
if(NOT MPI_CXX_FOUND)
  message(STATUS "MPI was not found: no Hyperplane::mpi")
  return()
endif()
message(STATUS "MPI ${MPI_CXX_VERSION} (${MPI_CXX_LIBRARIES}): Hyperplane::mpi")

add_library(hyperplane_mpi INTERFACE)
add_library(Hyperplane::mpi ALIAS hyperplane_mpi)
target_sources(hyperplane_mpi INTERFACE FILE_SET HEADERS BASE_DIRS include FILES ${mpi_headers})
target_link_libraries(hyperplane_mpi INTERFACE Hyperplane::hyperplane MPI::MPI_CXX)
set_target_properties(hyperplane_mpi PROPERTIES EXPORT_NAME mpi)
install(TARGETS hyperplane_mpi EXPORT HyperplaneMpiTargets FILE_SET HEADERS)
install(EXPORT HyperplaneMpiTargets NAMESPACE Hyperplane:: FILE HyperplanempiTargets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Hyperplane)

set(hyperplane_mpiexec)
if(MPIEXEC_EXECUTABLE)
  set(hyperplane_mpiexec ${MPIEXEC_EXECUTABLE} ${MPIEXEC_PREFLAGS})
  # Open MPI starts no more ranks than there are cores, and none as root, unless it is told to.
  execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE version ERROR_QUIET)
  if(version MATCHES "Open MPI|OpenRTE")
    list(APPEND hyperplane_mpiexec --oversubscribe)
  endif()
  list(APPEND hyperplane_mpiexec ${MPIEXEC_NUMPROC_FLAG})
endif()
# Ranks that wait let others run.
set(hyperplane_mpi_environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
                               KOKKOS_DISABLE_WARNINGS=1 ${hyperplane_thread_count}=2 OMP_PROC_BIND=false)
if(HYPERPLANE_SANITIZE)
  # MPI does not free all of its memory at the end. Open MPI patches functions of the C library, of which sanitizers have
  # their own.
  list(APPEND hyperplane_mpi_environment ASAN_OPTIONS=detect_leaks=0 "OMPI_MCA_memory=^patcher")
endif()
