# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What was compiled before is taken from ccache where it is installed, unless CMAKE_CXX_COMPILER_LAUNCHER says something
# else; empty: nothing. nvcc compiles one source several times, which ccache does not follow.
if(NOT PROJECT_IS_TOP_LEVEL OR DEFINED CMAKE_CXX_COMPILER_LAUNCHER OR Kokkos_ENABLE_CUDA)
  return()
endif()
find_program(HYPERPLANE_CCACHE ccache DOC "Compiler cache for the project's own build")
mark_as_advanced(HYPERPLANE_CCACHE)
if(HYPERPLANE_CCACHE)
  # Without this, ccache refuses files with a precompiled header, whose macros and __TIME__ it does not look at. None of
  # them depends on more than what it does look at.
  set(hyperplane_ccache_environment CCACHE_SLOPPINESS=pch_defines,time_macros)
  # Names of a clone's own folders would keep others from what it has compiled.
  set(CMAKE_UNITY_BUILD_RELOCATABLE ON)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Its precompiled headers name the folder that they were made in, and are of no use in another clone. Those of the same
    # folder are, although what they are made of may be newer.
    list(APPEND hyperplane_ccache_environment --unset=CCACHE_BASEDIR --unset=CCACHE_NOHASHDIR)
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env ${hyperplane_ccache_environment} ${HYPERPLANE_CCACHE})
endif()
