// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solver_impl.hpp"

namespace hyperplane::tools {

HYPERPLANE_TOOLS_INSTANTIATE_ALL(1);
HYPERPLANE_TOOLS_INSTANTIATE_ALL(2);
HYPERPLANE_TOOLS_INSTANTIATE_ALL(3);
HYPERPLANE_TOOLS_INSTANTIATE_ALL(4);

}  // namespace hyperplane::tools
