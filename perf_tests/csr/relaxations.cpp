// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "csr_suite.hpp"

#include <hyperplane/csr/lines_along_couplings.hpp>
#include <hyperplane/csr/row_order.hpp>
#include <hyperplane/ilu/block_jacobi_csr.hpp>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <hyperplane/ilu/ssor_csr.hpp>
#include <hyperplane/line/line_implicit_csr.hpp>
#include <hyperplane/line/line_set.hpp>

#include <string>
#include <utility>

namespace hyperplane::perf {

template <class Exec>
void register_relaxations(CsrSuite<Exec>& suite) {
  constexpr int n = MeshSystem::n;
  for (bool const lu_sgs : {false, true}) {
    for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours, RowOrder::lines}) {
      DiluCsrOptions const options{.lu_sgs = lu_sgs, .order = order, .transposed = true};
      auto const key = std::string(lu_sgs ? "lu-sgs/" : "dilu/") + name(order) + "/double";
      suite.template register_problem<CsrProblem<Exec, double, DiluCsr<double, n, Exec>>>(key, options, {});
    }
  }
  suite.template register_problem<CsrProblem<Exec, double, SsorCsr<double, n, Exec>>>(
      "ssor/natural/double", {.relaxation = 1.3, .transposed = true}, {});
  using Jacobi = BlockJacobiCsr<double, n, Exec>;
  using Lines = LineImplicitCsr<double, n, Exec>;
  constexpr double block = n * n * 8.0, vector = n * 8.0, flops = 2.0 * n * n;
  suite.template register_adjoint<Jacobi>("jacobi/double", {block + 2.0 * vector, flops},
                                          [](const Exec& exec, const auto& a) { return Jacobi(exec, a); });
  // The three blocks of a line, as bench_block_tridiagonal counts them.
  suite.template register_adjoint<Lines>(
      "lines/double", {3.0 * block + 4.0 * vector, 3.0 * flops}, [](const Exec& exec, const auto& a) {
        auto lines = lines_along_couplings(exec, a);
        auto const lists = LineSet::lists(a.rows(), std::move(lines.offsets), std::move(lines.points));
        return Lines(exec, a, lists, {.transposed = true});
      });
}
HYPERPLANE_PERF_ON_ALL_SPACES(register_relaxations);

}  // namespace hyperplane::perf
