// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "csr_suite.hpp"

#include <hyperplane/csr/row_order.hpp>

namespace hyperplane::perf {

template <class Exec>
void register_several_vectors(CsrSuite<Exec>& suite) {
  for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours}) {
    suite.template register_several<2>(order);
    suite.template register_several<4>(order);
    suite.template register_several<8>(order);
  }
}
HYPERPLANE_PERF_ON_ALL_SPACES(register_several_vectors);

}  // namespace hyperplane::perf
