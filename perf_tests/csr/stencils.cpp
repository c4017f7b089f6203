// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "csr_suite.hpp"

#include <hyperplane/core/half.hpp>
#include <hyperplane/core/quarter.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>

namespace hyperplane::perf {

template <class Exec>
void register_stencils(CsrSuite<Exec>& suite) {
  auto const source = suite.stencil(5, 64);
  BlockIlukCsrOptions const options{.fill = 0, .transposed = true};
  suite.template register_problem<CsrProblem<Exec, double>>("stencil/double", options, {}, source);
  suite.template register_problem<CsrProblem<Exec, Half>>("stencil/half", options, {}, source);
  suite.template register_problem<CsrProblem<Exec, Quarter>>("stencil/quarter", options, {}, source);
}
HYPERPLANE_PERF_ON_ALL_SPACES(register_stencils);

}  // namespace hyperplane::perf
