// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "csr_suite.hpp"

#include <hyperplane/csr/row_order.hpp>
#include <hyperplane/ilu/block_ilut_csr.hpp>

#include <string>

namespace hyperplane::perf {

template <class Exec>
void register_ilut(CsrSuite<Exec>& suite) {
  using Problem = CsrProblem<Exec, double, BlockIlutCsr<double, MeshSystem::n, Exec>>;
  for (auto const* const tau : {"0.03", "0.01", "0.003"}) {
    for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours, RowOrder::lines}) {
      BlockIlutCsrOptions options{.drop_tolerance = std::stod(tau), .row_entries = 20, .order = order};
      options.transposed = options.drop_tolerance == 0.01;
      auto const key = std::string("ilut=") + tau + ",20/" + name(order) + "/double";
      suite.template register_problem<Problem>(key, options,
                                               {.factor = options.drop_tolerance == 0.01, .slow_factor = true});
    }
  }
}
HYPERPLANE_PERF_ON_ALL_SPACES(register_ilut);

}  // namespace hyperplane::perf
