// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solver_impl.hpp"

namespace hyperplane::tools {

HYPERPLANE_TOOLS_INSTANTIATE_ALL(9);
HYPERPLANE_TOOLS_INSTANTIATE_ALL(10);
HYPERPLANE_TOOLS_INSTANTIATE_ALL(11);
HYPERPLANE_TOOLS_INSTANTIATE_ALL(12);

}  // namespace hyperplane::tools
