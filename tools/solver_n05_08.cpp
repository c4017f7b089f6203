// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solver_impl.hpp"

namespace hyperplane::tools {

HYPERPLANE_TOOLS_INSTANTIATE_ALL(5);
HYPERPLANE_TOOLS_INSTANTIATE_ALL(6);
HYPERPLANE_TOOLS_INSTANTIATE_ALL(7);
HYPERPLANE_TOOLS_INSTANTIATE_ALL(8);

}  // namespace hyperplane::tools
