# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds Kokkos, and says how to get one.

find_package(Kokkos 4.5 QUIET CONFIG)
if(NOT Kokkos_FOUND OR Kokkos_VERSION VERSION_GREATER_EQUAL 6)
  if(Kokkos_FOUND)
    set(found "Kokkos ${Kokkos_VERSION} in ${Kokkos_DIR} is too new.")
  elseif(Kokkos_CONSIDERED_VERSIONS)
    set(found "Found versions that do not serve: ${Kokkos_CONSIDERED_VERSIONS} (${Kokkos_CONSIDERED_CONFIGS}).")
  else()
    set(found "None was found.")
  endif()
  message(
    FATAL_ERROR
      "Hyperplane needs Kokkos >= 4.5 and < 6. ${found}\n"
      "Get one with Spack (spack install kokkos +openmp cxxstd=20), conda-forge (conda install -c conda-forge kokkos), "
      "apt (libkokkos-dev on Debian testing or newer), or from https://github.com/kokkos/kokkos, and pass its prefix as "
      "-DKokkos_ROOT=<prefix>. On a Debian machine without one, ./run sets one up in a private root.")
endif()
message(STATUS "Kokkos ${Kokkos_VERSION} (${Kokkos_DEVICES}) in ${Kokkos_DIR}")

# What many files include is parsed once, where there are precompiled headers: nvcc knows none, and hipcc would need one for
# each of its passes.
set(hyperplane_precompiles ON)
if(Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP)
  set(hyperplane_precompiles OFF)
endif()
