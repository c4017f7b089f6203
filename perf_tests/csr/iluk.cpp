// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "csr_suite.hpp"

#include <hyperplane/csr/row_order.hpp>

#include <string>

namespace hyperplane::perf {

template <class Exec>
void register_iluk(CsrSuite<Exec>& suite) {
  for (int const fill : {0, 1, 2}) {
    for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours, RowOrder::lines}) {
      suite.template register_problem<CsrProblem<Exec, double>>(
          "iluk=" + std::to_string(fill) + "/" + name(order) + "/double",
          {.fill = fill, .order = order, .transposed = true}, {.slow_factor = fill > 0, .product = fill == 0});
    }
  }
}
HYPERPLANE_PERF_ON_ALL_SPACES(register_iluk);

}  // namespace hyperplane::perf
