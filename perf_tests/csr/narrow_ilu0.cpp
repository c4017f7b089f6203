// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "csr_suite.hpp"

#include <hyperplane/core/half.hpp>
#include <hyperplane/core/quarter.hpp>
#include <hyperplane/csr/row_order.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>

#include <string>

namespace hyperplane::perf {

template <class Exec>
void register_narrow_ilu0(CsrSuite<Exec>& suite) {
  for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours, RowOrder::lines}) {
    BlockIlukCsrOptions const options{.fill = 0, .order = order, .transposed = true};
    auto const key = std::string("iluk=0/") + name(order);
    suite.template register_problem<CsrProblem<Exec, float>>(key + "/float", options, {.product = true});
    suite.template register_problem<CsrProblem<Exec, Half>>(key + "/half", options, {});
    suite.template register_problem<CsrProblem<Exec, Quarter>>(key + "/quarter", options, {});
  }
}
HYPERPLANE_PERF_ON_ALL_SPACES(register_narrow_ilu0);

}  // namespace hyperplane::perf
