// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solver_impl.hpp"

namespace hyperplane::tools {

HYPERPLANE_TOOLS_INSTANTIATE_ALL(13);
HYPERPLANE_TOOLS_INSTANTIATE_ALL(14);
HYPERPLANE_TOOLS_INSTANTIATE_ALL(15);
HYPERPLANE_TOOLS_INSTANTIATE_ALL(16);

}  // namespace hyperplane::tools
