// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cgns_contents.hpp"

#include <hyperplane/core/error.hpp>

namespace implicit_flow {

CgnsContents read_cgns_contents(const std::filesystem::path& file) {
  throw hyperplane::Error(file.string() +
                          ": this is a CGNS file, and the program was built without CGNS: install libcgns where CMake "
                          "finds it (Debian: libcgns-dev) and configure again");
}

}  // namespace implicit_flow
