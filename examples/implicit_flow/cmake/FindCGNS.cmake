# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# libcgns as the target CGNS::CGNS. Its own CMake files are not everywhere, and of a static library they do not name HDF5:
# one that does not link by itself counts as missing. CGNS_ROOT says where to look, as with any package.
include(CheckCXXSourceCompiles)
include(CMakePushCheckState)
include(FindPackageHandleStandardArgs)

find_path(CGNS_INCLUDE_DIR cgnslib.h)
find_library(CGNS_LIBRARY cgns)
mark_as_advanced(CGNS_INCLUDE_DIR CGNS_LIBRARY)
if(CGNS_INCLUDE_DIR AND CGNS_LIBRARY)
  cmake_push_check_state(RESET)
  set(CMAKE_REQUIRED_INCLUDES ${CGNS_INCLUDE_DIR})
  set(CMAKE_REQUIRED_LIBRARIES ${CGNS_LIBRARY})
  # What it lacked may be there now.
  if(NOT CGNS_LINKS)
    unset(CGNS_LINKS CACHE)
  endif()
  check_cxx_source_compiles("#include <cgnslib.h>\nint main() { int file = 0; return cg_open(\"\", CG_MODE_READ, &file); }"
                            CGNS_LINKS)
  cmake_pop_check_state()
endif()
find_package_handle_standard_args(CGNS REQUIRED_VARS CGNS_LIBRARY CGNS_INCLUDE_DIR CGNS_LINKS)
if(CGNS_FOUND AND NOT TARGET CGNS::CGNS)
  add_library(CGNS::CGNS UNKNOWN IMPORTED)
  set_target_properties(CGNS::CGNS PROPERTIES IMPORTED_LOCATION "${CGNS_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                                "${CGNS_INCLUDE_DIR}")
endif()
